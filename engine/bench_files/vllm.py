"""`vllm bench serve`, and TensorRT-LLM's fork of it: one object a run, many with --append-result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.bench_files.serving import Dialect, has

VLLM = Dialect("vllm", "--save-detailed", "mean_e2el_ms")
TRTLLM = Dialect("trtllm", "--save-detailed", "mean_e2el_ms")


def dialect(keys: Mapping[str, Any]) -> Dialect:
    """Whose file it is: the fork stores E2E under a name of its own, and two figures that vLLM does not have."""
    return TRTLLM if has(keys, "e2els", "user_throughput", "avg_decoded_tokens_per_iter") else VLLM
