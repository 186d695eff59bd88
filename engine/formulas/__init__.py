"""One module per topic; importing this package enters every formula into the registry."""

from engine.formulas import chunked_prefill, decode_step, kv, line_fit, memory, parameters, prefill, prefix

__all__ = ["chunked_prefill", "decode_step", "kv", "line_fit", "memory", "parameters", "prefill", "prefix"]
