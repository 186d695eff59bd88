"""One decode step, its cache and its memory."""

from engine.quantities import define

# The linear phase
define("linear_weight_bytes", "W", "B", "weights read", "bytes of weights that one GPU reads in a step")
define("linear_flops", "F_lin", "FLOP", "linear arithmetic", "arithmetic of all weight matrices on one GPU in a step")
define("linear_hbm_time_s", "t_HBM", "s", "time to read the weights",
       "time to bring the weights from memory at its peak")  # fmt: skip
define("linear_compute_time_s", "t_comp", "s", "time to multiply", "time of the linear arithmetic at its peak")
define("linear_time_s", "t_lin", "s", "linear phase", "the longer of reading and multiplying, which overlap")
define("linear_bottleneck", "side", "word", "bottleneck",
       "what the linear phase waits for: hbm (also at equality) or compute")  # fmt: skip
define("ridge_batch", "B_ridge", "sequence", "ridge batch",
       "batch at which multiplying takes as long as reading the weights")  # fmt: skip

# Attention and the cache
define("cell_bytes", "c", "B/token", "KV bytes a token", "bytes that all layers keep for one token")
define("full_cell_bytes", "c_full", "B/token", "KV bytes a token, full layers",
       "bytes that full layers keep for one token")  # fmt: skip
define("windowed_cell_bytes", "c_win", "B/token", "KV bytes a token, windowed layers",
       "bytes that windowed layers keep for one token inside the window")  # fmt: skip
define("kv_shards", "σ", "count", "KV shards", "parts into which the cache is split over the ranks")
define("kv_read_bytes", "K", "B", "KV read", "bytes of keys and values that one GPU reads in a step")
define("kv_read_time_s", "t_KV", "s", "time to read the cache", "time to bring keys and values from memory at its peak")
define("attention_flops", "F_attn", "FLOP", "attention arithmetic",
       "arithmetic of scores and weighted values on one GPU in a step")  # fmt: skip
define("attention_compute_time_s", "t_F", "s", "time of attention's arithmetic", "attention arithmetic at its peak")
define("attention_time_s", "t_attn", "s", "attention phase",
       "the longer of reading the cache and multiplying, which overlap")  # fmt: skip

# The step and its rates
define("step_time_s", "T", "s", "step time", "one decode step: the linear phase, then attention")
define("aggregate_tokens_per_s", "r_all", "token/s", "all sequences", "tokens a second over the whole batch")
define("sequence_tokens_per_s", "r_seq", "token/s", "each sequence", "tokens a second that one reader sees")

# Memory
define("weight_bytes_per_gpu", "W_all", "B", "weights kept", "bytes of all parameters on one GPU")
define("blocks_per_sequence", "k", "block", "blocks a sequence",
       "KV blocks that hold the context and the token of this step")  # fmt: skip
define("kv_reserved_bytes", "K_res", "B", "KV kept", "bytes of whole KV blocks on one GPU")
define("memory_free_bytes", "M_free", "B", "free memory",
       "what is left of the usable memory; negative where it is not enough")  # fmt: skip
define("fits", "fits", "flag", "fits", "whether weights, cache and reserve fit into the usable memory")
