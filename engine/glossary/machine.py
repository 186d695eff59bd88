"""The machine, and the setting of a deployment."""

from engine.quantities import define

# The machine
define("hbm_bandwidth", "β", "B/s", "memory bandwidth", "peak bandwidth of one GPU's memory")
define("hbm_capacity", "M", "B", "memory", "memory of one GPU, as its maker states it")
define("peak_linear", "π_w", "FLOP/s", "peak at the weights' precision", "dense peak of one GPU where weights multiply")
define("peak_attention", "π_attn", "FLOP/s", "peak of attention",
       "dense BF16 peak of one GPU where attention multiplies")  # fmt: skip

# The setting
define("weight_width", "b_w", "B/parameter", "bytes a weight", "bytes that one stored weight takes")
define("kv_width", "b_kv", "B/element", "bytes a KV element", "bytes that one element of a key or value takes")
define("tp", "tp", "count", "tensor-parallel ranks", "GPUs that share every layer")
define("batch", "B", "sequence", "batch", "sequences that decode together, one token each a step")
define("context", "n", "token", "context", "tokens already kept for each sequence")
define("memory_fraction", "f", "1", "memory fraction", "share of the memory that the engine may use")
define("reserve_bytes", "R", "B", "reserve", "memory set aside for activations, graphs and the runtime")
define("block", "s", "token/block", "block size", "tokens that one KV block holds")
