"""Everything `build.py` does: environment, downloads, packs for the browser, pages, checks, server and benchmark."""
