"""Prefill, a growing context, and prompts in chunks."""

from engine.quantities import define

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
