"""One module per topic; importing this package enters every formula into the registry."""

from engine.formulas import decode_step, kv, memory, parameters, prefill

__all__ = ["decode_step", "kv", "memory", "parameters", "prefill"]
