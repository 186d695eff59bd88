"""The shape of a model and its parameters."""

from engine.quantities import define

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
