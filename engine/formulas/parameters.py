"""What a dense decoder is made of: its parameters by part, all of them, and those that a decode step streams.

Features that some models lack (a tied table, biases, norms on queries and keys) are factors of 0 or 1.
"""

from typing import Any

from engine.constants import (
    FINAL_NORM,
    KEY_AND_VALUE_PROJECTIONS,
    PARAMETERS_PER_ELEMENT,
    QUERY_AND_KEY_NORMS,
    QUERY_AND_OUTPUT,
)
from engine.formula import Limit, Source, definition, formula


def _counted(what: str) -> Source:
    return definition(f"{what}, counted element by element", "2026-11-29")


DENSE = Limit("Every layer is dense and has the same shape: no experts and no latent attention.")
MODEL_ONLY = Limit("The model only: copies, buffers and scales that a checkpoint may hold besides are not counted.")


@formula(source=_counted("a table with one row for each token of the vocabulary"),
         limits=[Limit("Positions are rotated, not looked up: there is no table of positions.")])  # fmt: skip
def embedding_parameters(vocabulary: Any, hidden_width: Any) -> Any:
    """The input token table; a step looks up one row for each token instead of multiplying with it."""
    return PARAMETERS_PER_ELEMENT * vocabulary * hidden_width


@formula(source=_counted("query, key, value and output projections"), limits=[DENSE])
def attention_parameters(layers: Any, hidden_width: Any, head_width: Any, query_heads: Any, kv_heads: Any) -> Any:
    """The attention matrices of all layers; heads times head width need not be the hidden width."""
    projections = QUERY_AND_OUTPUT * query_heads + KEY_AND_VALUE_PROJECTIONS * kv_heads
    return PARAMETERS_PER_ELEMENT * layers * hidden_width * head_width * projections


@formula(source=_counted("one bias for each row of the query, key and value projections"),
         limits=[DENSE, Limit("The output projection has no bias.")])  # fmt: skip
def attention_bias_parameters(qkv_bias: Any, layers: Any, head_width: Any, query_heads: Any, kv_heads: Any) -> Any:
    """The biases of queries, keys and values, where the model has them."""
    heads = query_heads + KEY_AND_VALUE_PROJECTIONS * kv_heads
    return PARAMETERS_PER_ELEMENT * qkv_bias * layers * head_width * heads


@formula(source=_counted("the matrices of an MLP between hidden and MLP width"),
         limits=[DENSE, Limit("The MLP has no biases.")])  # fmt: skip
def mlp_parameters(mlp_matrices: Any, layers: Any, hidden_width: Any, intermediate_width: Any) -> Any:
    """The MLP matrices of all layers."""
    return PARAMETERS_PER_ELEMENT * mlp_matrices * layers * hidden_width * intermediate_width


@formula(source=_counted("one weight for each element of a normed vector"),
         limits=[Limit("Norms scale only: they have no shift.")])  # fmt: skip
def norm_parameters(norms_per_layer: Any, layers: Any, hidden_width: Any) -> Any:
    """The norms in the layers and the one after the last."""
    return PARAMETERS_PER_ELEMENT * (norms_per_layer * layers + FINAL_NORM) * hidden_width


@formula(source=_counted("one weight for each element of a head"),
         limits=[Limit("Each norm spans one head and is shared by all heads of its layer.")])  # fmt: skip
def qk_norm_parameters(qk_norm: Any, layers: Any, head_width: Any) -> Any:
    """The norms on queries and keys, where the model has them."""
    return PARAMETERS_PER_ELEMENT * qk_norm * QUERY_AND_KEY_NORMS * layers * head_width


@formula(source=_counted("one row for each token that can come next"), limits=[Limit("The head has no bias.")])
def output_matrix_parameters(vocabulary: Any, hidden_width: Any) -> Any:
    """The matrix that scores the next token: multiplied with in every step, whether it is tied or not."""
    return PARAMETERS_PER_ELEMENT * vocabulary * hidden_width


@formula(source=_counted("the output matrix, unless the token table serves as one"), limits=[MODEL_ONLY])
def head_parameters(tied: Any, output_matrix_parameters: Any) -> Any:
    """What the head adds: nothing where it is tied to the token table, which is counted once."""
    return (1 - tied) * output_matrix_parameters


@formula(source=_counted("all parts"), limits=[DENSE, MODEL_ONLY])
def total_parameters(
    embedding_parameters: Any,
    attention_parameters: Any,
    attention_bias_parameters: Any,
    mlp_parameters: Any,
    norm_parameters: Any,
    qk_norm_parameters: Any,
    head_parameters: Any,
) -> Any:
    """Every parameter of the model."""
    layers = attention_parameters + attention_bias_parameters + mlp_parameters
    return embedding_parameters + layers + norm_parameters + qk_norm_parameters + head_parameters


@formula(
    source=_counted("all matrices that a step multiplies with"),
    limits=[DENSE, Limit("Input look-ups, norms and biases are left out: far below 1 % of what is read.")],
)
def linear_parameters(attention_parameters: Any, mlp_parameters: Any, output_matrix_parameters: Any) -> Any:
    """Weights that a decode step reads once and multiplies with, the head among them."""
    return attention_parameters + mlp_parameters + output_matrix_parameters
