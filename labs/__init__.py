"""The labs as Panel apps: one thin file each; what they share stands in the files with an underscore."""
