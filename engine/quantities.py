"""The glossary: every name that a formula may take or give, with one symbol, one unit and one meaning.

A symbol is written as plain text, `t_HBM` for a letter with an index. Two quantities that can stand on one page have
two symbols.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine import units
from engine.errors import FormulaError, nearest


@dataclass(frozen=True)
class Quantity:
    """One entry: `unit` is the base unit of every value inside the engine; `label` stands beside a number on screen."""

    name: str
    symbol: str
    unit: str
    label: str
    meaning: str

    @property
    def dimension(self) -> units.Dimension:
        return units.unit(self.unit).dimension


GLOSSARY: dict[str, Quantity] = {}


def define(name: str, symbol: str, unit: str, label: str, meaning: str) -> None:
    """Enter a quantity; a name or unit that is already or not at all known is an error."""
    if name in GLOSSARY:
        raise FormulaError(f"the glossary has {name!r} already")
    units.unit(unit)
    GLOSSARY[name] = Quantity(name, symbol, unit, label, meaning)


def quantity(name: str) -> Quantity:
    """The entry `name`; a misspelt name is told the nearest right one."""
    if name not in GLOSSARY:
        raise FormulaError(f"{name!r} is not in the glossary. {nearest(name, GLOSSARY)}".rstrip())
    return GLOSSARY[name]


# The shape of a model
define("layers", "L", "layer", "layers", "decoder layers")
define("full_layers", "L_full", "layer", "full layers", "layers whose attention reads the whole context")
define("windowed_layers", "L_win", "layer", "windowed layers", "layers whose attention reads the last tokens only")
define("window", "w", "token", "window", "tokens that a windowed layer keeps and reads")
define("query_heads", "h_q", "head", "query heads", "heads that ask")
define("kv_heads", "h_kv", "head", "KV heads", "heads that keep keys and values")
define("head_width", "d_h", "element", "head width", "elements of one head's key, value or query")
define("context_length", "n_max", "token", "context length", "longest context that the model's maker states")
define("linear_parameters", "P_lin", "parameter", "streamed weights",
       "weights of all matrices and the head, read once a step: no input look-up, no norms, no biases")  # fmt: skip
define("total_parameters", "P_all", "parameter", "parameters", "every parameter that is kept in memory")

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

# Counting parameters
define("hidden_width", "h", "element", "hidden width", "elements of the vector that passes from layer to layer")
define("intermediate_width", "h_mlp", "element", "MLP width", "elements between the matrices of an MLP")
define("vocabulary", "V", "1", "vocabulary", "rows of the token table")
define("norms_per_layer", "N", "1", "norms a layer", "norms of hidden width in each layer")
define("mlp_matrices", "m", "1", "MLP matrices", "matrices of an MLP: gate, up and down; without a gate two")
define("tied", "tied", "1", "tied", "1 where the output matrix is the token table itself, else 0")
define("qkv_bias", "bias", "1", "QKV biases", "1 where queries, keys and values have biases, else 0")
define("qk_norm", "qkn", "1", "QK norms", "1 where queries and keys have norms, else 0")
define("embedding_parameters", "P_emb", "parameter", "token table", "parameters of the input token table")
define("attention_parameters", "P_attn", "parameter", "attention", "parameters of the attention matrices of all layers")
define("attention_bias_parameters", "P_bias", "parameter", "attention biases",
       "parameters of the query, key and value biases")  # fmt: skip
define("mlp_parameters", "P_mlp", "parameter", "MLP", "parameters of the MLP matrices of all layers")
define("norm_parameters", "P_norm", "parameter", "norms", "parameters of the norms in and after the layers")
define("qk_norm_parameters", "P_qkn", "parameter", "QK norms", "parameters of the norms on queries and keys")
define("output_matrix_parameters", "P_out", "parameter", "output matrix",
       "parameters of the matrix that scores the next token, its own or the token table")  # fmt: skip
define("head_parameters", "P_head", "parameter", "head", "parameters of the head that are not the token table's")

# Prefill and a growing context
define("cached", "n_hit", "token", "cached tokens", "tokens of the prompt whose keys and values are there already")
define("output", "n_out", "token", "answer", "tokens that are decoded after the prefill")
define("attention_window", "w_a", "token", "attention window", "tokens that one token may attend to, itself among them")
define("time_per_token", "b_t", "s/token", "time a token", "time of everything that is done once for each new token")
define("time_per_pair", "b_p", "s/pair", "time a pair", "time of everything that is done once for each pair")
define("time_per_key", "b_k", "s/pair", "time a key", "time to read one key and its value while decoding")
define("new_tokens", "Q", "token", "new tokens", "tokens of the prompt that must be computed")
define("pairs_beyond_window", "X_w", "pair", "pairs beyond the window", "pairs that a sliding window leaves out")
define("pairs", "X", "pair", "pairs", "pairs of a new token and one that it attends to")
define("prefill_linear_time_s", "t_tok", "s", "time on tokens", "prefill time that grows with the tokens")
define("prefill_attention_time_s", "t_pair", "s", "time on pairs", "prefill time that grows with the pairs")
define("prefill_time_s", "T_pre", "s", "prefill", "time until the prompt is in the cache")
define("attention_fraction", "φ", "share", "attention's share", "share of the prefill spent on pairs")
define("full_pairs", "X_full", "pair", "all pairs", "pairs of the whole context, nothing cached")
define("saved_pairs", "X_saved", "pair", "pairs saved", "pairs that cache and window save")
define("saved_fraction", "ψ", "share", "share saved", "share of all pairs that is saved")
define("balance_context", "n_bal", "token", "balance context", "context at which tokens and pairs take equally long")
define("decode_keys_beyond_window", "Y_w", "pair", "keys beyond the window", "keys that a window leaves out")
define("decode_keys", "Y", "pair", "keys read", "keys read while the answer is written")
define("decode_attention_time_s", "t_key", "s", "time on keys", "time spent on reading keys while decoding")
define("turns", "N_turn", "count", "turns", "turns of an agent, each sending the transcript so far")
define("added", "n_add", "token", "tokens a turn", "tokens that every turn adds to the transcript")
define("transcript_tokens", "n_all", "token", "tokens with a cache", "tokens prefilled over all turns, each once")
define("resent_tokens", "n_re", "token", "tokens without a cache", "tokens prefilled when each turn starts anew")
define("transcript_pairs", "X_all", "pair", "pairs with a cache", "pairs over all turns, each once")
define("resent_pairs", "X_re", "pair", "pairs without a cache", "pairs when each turn starts anew")
define("cached_loop_time_s", "T_all", "s", "all turns with a cache", "prefill time over all turns, each token once")
define("resent_loop_time_s", "T_re", "s", "all turns without a cache", "prefill time when each turn starts anew")
define("resent_ratio", "ρ", "1", "times as many tokens", "tokens without a cache over tokens with one")
define("efficiency", "η", "1", "share of the peak", "share of the dense peak that a prefill reaches")
define("ratio", "×", "1", "times", "how many times as much")

# A prompt in chunks beside decodes, and two deadlines
define("prompt", "n_p", "token", "prompt", "tokens of the prompt that is to be computed")
define("decoding", "D", "sequence", "decoding", "sequences that decode meanwhile, one token each a step")
define("budget", "n_b", "token", "budget", "tokens that one step may compute, decoded ones among them")
define("itl_deadline", "d_ITL", "s", "ITL deadline", "longest time between two tokens of a decoding reader")
define("ttft_deadline", "d_TTFT", "s", "TTFT deadline", "longest time until the prompt is computed")
define("time_per_step", "b_0", "s", "time a step", "time of everything that is done once a step")
define("time_per_decode", "b_d", "s/token", "time a decode", "time of one decoded token in a step")
define("decode_step_s", "t_dec", "s", "step without a chunk", "time of a step that only decodes")
define("largest_safe_chunk", "n_safe", "token", "largest safe chunk",
       "most tokens of prompts that a step may compute within the ITL deadline")  # fmt: skip
define("largest_safe_budget", "n_B", "token", "largest safe budget",
       "largest safe chunk and the decoded tokens beside it")  # fmt: skip
define("starved", "starved", "flag", "starved", "whether decodes take the whole budget, so that no prompt ever starts")
define("chunk_tokens", "n_c", "token", "chunk", "tokens that decodes leave of the budget")
define("step_tokens", "n_s", "token", "tokens of the longest step", "tokens of prompts in one step")
define("iterations", "N_it", "count", "steps", "steps until the prompt is computed; the last one takes what is left")
define("longest_step_s", "t_max", "s", "longest step", "step with most tokens of prompts: what a decoding reader waits")
define("ttft_s", "T_first", "s", "TTFT", "time from the prompt's start to its first token")
define("meets_itl", "ok_ITL", "flag", "meets the ITL deadline", "whether the longest step keeps to its deadline")
define("meets_ttft", "ok_TTFT", "flag", "meets the TTFT deadline", "whether the first token comes within its deadline")
define("mean_measured_tokens", "n_avg", "token", "mean of the tokens", "mean of the measured tokens")
define("mean_measured_s", "t_avg", "s", "mean of the times", "mean of the measured times")
define("spread_tokens", "S_nn", "token^2", "spread of the tokens", "squared distances of the tokens from their mean")
define("spread_joint", "S_nt", "s token", "joint spread",
       "sum over the measured pairs of the distances of tokens and time from their means, multiplied")  # fmt: skip

# Shared prefixes and the blocks that hold them
define("requests", "N_req", "request", "requests", "requests that are looked at together")
define("prefix", "n_pre", "token", "common prefix", "tokens at the start that all prompts have in common")
define("private", "n_own", "token", "own tokens", "tokens that each request has of its own after the prefix")
define("sharing", "sharing", "flag", "sharing", "whether full blocks of the same content are held once")
define("shared_blocks", "k_sh", "block", "shared blocks", "blocks that all requests hold together")
define("blocks_per_request", "k_req", "block/request", "blocks a request", "blocks that one request refers to")
define("private_blocks_per_request", "k_own", "block/request", "own blocks a request", "blocks that one holds alone")
define("physical_blocks", "k_phys", "block", "blocks held", "blocks of the pool in use, every shared one once")
define("logical_blocks", "k_log", "block", "blocks referred to", "blocks in use, shared ones once for each request")
define("saved_blocks", "k_saved", "block", "blocks saved", "blocks that would be held more without sharing")
define("private_tail_prefix_tokens", "n_tail", "token", "copied tail", "tokens of the prefix that each request copies")
define("held_tokens", "n_held", "token", "tokens held", "tokens in the blocks in use, shared ones once")
define("unused_slots", "n_unused", "token", "unused slots", "slots of the blocks in use that hold no token")
define("unused_fraction", "ω", "share", "unused share", "share of the slots in use that hold no token")
define("reused_tokens", "n_again", "token", "tokens found again", "tokens that a prompt finds when it is sent again")
define("pool_blocks", "k_pool", "block", "pool", "blocks that there are")
define("edited", "n_edit", "token", "edited token", "position in the prefix, from 0, whose token is changed")
define("surviving_blocks", "k_left", "block", "blocks that survive", "shared blocks that are still found after an edit")
define("released_blocks", "k_rel", "block", "blocks released", "blocks without an owner after one request finishes")
