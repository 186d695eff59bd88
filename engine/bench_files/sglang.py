"""`sglang.bench_serving`: one line a run; running it again adds a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.bench_files.serving import Dialect, has

SGLANG = Dialect("sglang", "--output-details", "mean_e2e_latency_ms")


def wrote(keys: Mapping[str, Any]) -> bool:
    """Whether it is SGLang's: the backend's name tells nothing, since vLLM's benchmark can ask an SGLang server too."""
    return has(keys, "dataset_name", "mean_e2e_latency_ms", "total_output_tokens_retokenized", "sharegpt_output_len")
