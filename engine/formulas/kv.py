"""The KV cache: what one token costs, what a step reads, how it is split over ranks."""

from typing import Any

from engine.constants import KEY_AND_VALUE
from engine.formula import Limit, Source, definition, formula
from engine.ops import at_most, minimum

GQA = Source("Ainslie et al. 2023, GQA, section 2.2", "https://arxiv.org/abs/2305.13245", "2026-11-29")
PAGED = Source("Kwon et al. 2023, PagedAttention, section 1 and 4", "https://arxiv.org/abs/2309.06180", "2026-11-29")
VLLM_TP = Source("vLLM, model configuration: KV heads per rank under tensor parallelism",
                 "https://github.com/vllm-project/vllm/blob/main/vllm/config/model.py", "2026-11-29")  # fmt: skip
WINDOW = Source("Jiang et al. 2023, Mistral 7B, section 2, rolling buffer cache",
                "https://arxiv.org/abs/2310.06825", "2026-11-29")  # fmt: skip

PAYLOAD = Limit("Payload only: scales of a quantised cache and alignment are extra.")
OWN_KEYS = Limit("Each sequence reads its own keys and values; a shared prefix is read once for each sequence.")
TRAINED = Limit("The context stays within the length that the model's maker states.",
                lambda context, context_length: at_most(context, context_length))  # fmt: skip
ALIKE = Limit("Every layer has the same KV heads and width; keys and values have the same precision.")


@formula(
    id="kv_cell_size",
    source=PAGED,
    limits=[ALIKE, PAYLOAD],
)
def cell_bytes(layers: Any, kv_heads: Any, head_width: Any, kv_width: Any) -> Any:
    """KV bytes of one token over all layers; query heads do not enter."""
    return KEY_AND_VALUE * layers * kv_heads * head_width * kv_width


@formula(source=PAGED, limits=[ALIKE, PAYLOAD])
def full_cell_bytes(full_layers: Any, kv_heads: Any, head_width: Any, kv_width: Any) -> Any:
    """KV bytes of one token over the layers that keep the whole context."""
    return KEY_AND_VALUE * full_layers * kv_heads * head_width * kv_width


@formula(source=WINDOW, limits=[ALIKE, PAYLOAD])
def windowed_cell_bytes(windowed_layers: Any, kv_heads: Any, head_width: Any, kv_width: Any) -> Any:
    """KV bytes of one token over the layers that keep a window."""
    return KEY_AND_VALUE * windowed_layers * kv_heads * head_width * kv_width


@formula(
    source=VLLM_TP,
    limits=[
        Limit("Up to the number of KV heads each rank holds whole heads of its own; beyond it they are replicated.",
              lambda tp, kv_heads: at_most(tp, kv_heads)),
    ],
)  # fmt: skip
def kv_shards(tp: Any, kv_heads: Any) -> Any:
    """Parts of the cache: one a rank until every rank holds one KV head, then copies."""
    return minimum(tp, kv_heads)


@formula(
    source=GQA,
    limits=[OWN_KEYS, TRAINED],
)
def kv_read_bytes(batch: Any, context: Any, cell_bytes: Any, kv_shards: Any) -> Any:
    """KV bytes that a decode step reads on one rank when every layer attends to the whole context."""
    return batch * context * cell_bytes / kv_shards


@formula(
    id="kv_read_bytes_windowed",
    gives="kv_read_bytes",
    source=WINDOW,
    limits=[OWN_KEYS, TRAINED, Limit("A windowed layer reads the last tokens of its window only.")],
)
def kv_read_bytes_windowed(
    batch: Any, context: Any, window: Any, full_cell_bytes: Any, windowed_cell_bytes: Any, kv_shards: Any
) -> Any:
    """KV bytes that a decode step reads on one rank when some layers keep a window."""
    return batch * (context * full_cell_bytes + minimum(context, window) * windowed_cell_bytes) / kv_shards


@formula(
    source=definition("bytes divided by the peak bandwidth", "2026-11-29"),
    limits=[Limit("At the memory's peak; real kernels reach 70 to 90 % of it.")],
)
def kv_read_time_s(kv_read_bytes: Any, hbm_bandwidth: Any) -> Any:
    """Time to read keys and values."""
    return kv_read_bytes / hbm_bandwidth
