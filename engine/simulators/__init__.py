"""Simulators: rules by events. `decide` says what happens, `apply` makes it so; the events are the trace."""
