"""Files of other tools, and files beside a result: told apart so that the message can say what to do instead."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

AS_CSV = "Make a CSV file of its requests, with the columns arrival_s, ttft_s, e2e_s, output_tokens and ok."
BESIDE = "Take the result file beside it, the one without “pytorch” in its name."
NO_REQUESTS = "Run vllm bench serve with --save-result --save-detailed against a server."

OBJECTS: tuple[tuple[frozenset[str], str, str], ...] = (
    (frozenset({"benchmark", "metric"}), "records for the PyTorch benchmark board, not a result", BESIDE),
    (frozenset({"benchmarks"}), "a GuideLLM report", AS_CSV),
    (frozenset({"experiments"}), "a genai-perf profile", AS_CSV),
    (frozenset({"metrics", "metadata"}), "an AIPerf profile", AS_CSV),
    (frozenset({"ttft_s", "end_to_end_latency_s"}), "a list of LLMPerf's requests", AS_CSV),
    (frozenset({"time_to_first_token", "end_to_end_latency"}), "a list of trtllm-bench's requests", AS_CSV),
    (
        frozenset({"total_input_sequences"}),
        "an embedding benchmark: it has no first token",
        "Take a run that generates.",
    ),
    (
        frozenset({"elapsed_time", "requests_per_second"}),
        "an offline throughput result without any request",
        NO_REQUESTS,
    ),
    (frozenset({"elapsed_time", "num_requests"}), "an offline throughput result without any request", NO_REQUESTS),
    (frozenset({"avg_latency", "latencies"}), "an offline latency result without any request", NO_REQUESTS),
)
"""Keys that stand together in one tool's files only; what that file is; and the next step."""

TABLES: tuple[tuple[frozenset[str], str, str], ...] = (
    (
        frozenset({"metric_name", "metric_value"}),
        "k6's long form, in which the values of a request are not joined",
        AS_CSV,
    ),
    (frozenset({"request count", "failure count"}), "Locust's totals: percentiles cannot give goodput", AS_CSV),
)
"""The same for the columns of tables."""


def known(names: Collection[str], kinds: tuple[tuple[frozenset[str], str, str], ...]) -> tuple[str, str] | None:
    """What a file with these keys or columns is, and what to do; None where that is not known."""
    return next(((what, then) for signs, what, then in kinds if signs <= set(names)), None)


def of_list(value: Any) -> tuple[str, str]:
    """The same for a file that is a list at its top."""
    first = value[0] if isinstance(value, list) and value else None
    found = known(first, OBJECTS) if isinstance(first, Mapping) else None
    return found or ("a list, not a result", "Where it is a list of results, write them one a line: jq -c '.[]' FILE")
