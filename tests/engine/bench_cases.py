"""Result files as bytes: what tools write, in a few requests, to be bent by a test."""

import json
from pathlib import Path
from typing import Any

from engine.bench_files import BenchFile, read

BENCH = Path(__file__).parent / "bench"


def vllm(**changed: Any) -> dict[str, Any]:
    """Three requests as vLLM writes them, the last one failed; a key that is changed to `...` is left out."""
    result = {
        "backend": "vllm", "num_prompts": 3, "request_rate": "inf", "duration": 4.0, "completed": 2,
        "total_output_tokens": 5, "request_goodput": None, "input_lens": [10, 20, 30], "output_lens": [3, 2, 0],
        "ttfts": [0.25, 0.5, 0.0], "itls": [[0.125, 0.125], [0.25], []], "start_times": [100.0, 101.0, 102.0],
        "generated_texts": ["a", "] [1, \"}", ""], "errors": ["", "", "Service Unavailable"], "mean_ttft_ms": 375.0,
    }  # fmt: skip
    return {key: value for key, value in (result | changed).items() if value is not ...}


def sglang(**changed: Any) -> dict[str, Any]:
    """The same as SGLang writes it, with a rate without end."""
    gone = dict.fromkeys(("num_prompts", "request_goodput", "start_times"), ...)
    return vllm(**{**gone, "backend": "sglang", "dataset_name": "random", "request_rate": float("inf"), **changed})


def written(*results: Any, indent: int | None = None) -> bytes:
    """Objects one a line, as files."""
    return "\n".join(json.dumps(result, indent=indent) for result in results).encode()


def held(*results: Any, name: str = "results.json") -> BenchFile:
    """Objects written and read."""
    return read(written(*results), name)
