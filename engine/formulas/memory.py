"""What stays in a GPU's memory: weights, whole KV blocks, the reserve, and what is left."""

from typing import Any

from engine.constants import NEXT_TOKEN
from engine.formula import Limit, Source, definition, formula
from engine.ops import at_least, ceil_div

PAGED = Source("Kwon et al. 2023, PagedAttention, section 4", "https://arxiv.org/abs/2309.06180", "2026-11-29")
MEGATRON = Source("Shoeybi et al. 2019, Megatron-LM, section 3", "https://arxiv.org/abs/1909.08053", "2026-11-29")
VLLM_MEMORY = Source("vLLM, engine arguments: gpu_memory_utilization",
                     "https://docs.vllm.ai/en/stable/configuration/engine_args/", "2026-11-29")  # fmt: skip


@formula(
    source=MEGATRON,
    limits=[
        Limit("Every parameter is split evenly over the ranks; norms and other small copies are not counted twice.")
    ],
)
def weight_bytes_per_gpu(total_parameters: Any, weight_width: Any, tp: Any) -> Any:
    """Bytes of all parameters on one rank."""
    return total_parameters * weight_width / tp


@formula(
    source=PAGED,
    limits=[Limit("Blocks are whole: the last one may be partly empty. The step writes one more token.")],
)
def blocks_per_sequence(context: Any, block: Any) -> Any:
    """KV blocks that one sequence holds while the step writes its next token."""
    return ceil_div(context + NEXT_TOKEN, block)


@formula(
    source=PAGED,
    limits=[
        Limit("Windowed layers are given whole pages too, as engines without a second pool do; no block is shared.")
    ],
)
def kv_reserved_bytes(batch: Any, blocks_per_sequence: Any, block: Any, cell_bytes: Any, kv_shards: Any) -> Any:
    """Bytes of KV blocks on one rank."""
    return batch * blocks_per_sequence * block * cell_bytes / kv_shards


@formula(
    source=VLLM_MEMORY,
    limits=[Limit("Activations, graphs, fragmentation and the runtime stand in the reserve, which is made up.")],
)
def memory_free_bytes(
    memory_fraction: Any, hbm_capacity: Any, weight_bytes_per_gpu: Any, kv_reserved_bytes: Any, reserve_bytes: Any
) -> Any:
    """What is left of the usable memory on one rank; negative where it is not enough."""
    return memory_fraction * hbm_capacity - weight_bytes_per_gpu - kv_reserved_bytes - reserve_bytes


@formula(source=definition("nothing is missing", "2026-11-29"), limits=[Limit("Fits to the byte; no margin is kept.")])
def fits(memory_free_bytes: Any) -> Any:
    """Whether the setting fits into memory."""
    return at_least(memory_free_bytes, 0)
