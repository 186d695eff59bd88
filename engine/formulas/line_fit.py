"""The straight line with the least squared residuals through measured (tokens, seconds) pairs."""

from collections.abc import Sequence
from math import fsum
from typing import Any

from engine.formula import Limit, definition, formula
from engine.formulas.chunked_prefill import longest_step_s

LEAST = definition("where the sum of squared residuals is least, both its derivatives are zero", "2026-11-29")
EQUAL_WEIGHT = Limit("Every measured pair counts the same; one that is far off pulls the line.")
WITHOUT_DECODES = Limit("The pairs were measured on steps without decodes.")


@formula(id="time_per_token_fitted", gives="time_per_token", source=LEAST, limits=[EQUAL_WEIGHT])
def time_per_token_fitted(spread_joint: Any, spread_tokens: Any) -> Any:
    """Slope of the line: time that each further token takes."""
    return spread_joint / spread_tokens


@formula(id="time_per_step_fitted", gives="time_per_step", source=LEAST, limits=[EQUAL_WEIGHT, WITHOUT_DECODES])
def time_per_step_fitted(mean_measured_s: Any, time_per_token: Any, mean_measured_tokens: Any) -> Any:
    """Where the line meets zero tokens: what a step costs before its first token."""
    return mean_measured_s - time_per_token * mean_measured_tokens


def moments(pairs: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Means and spreads of (tokens, seconds) pairs by glossary name: what the line depends on."""
    count = len(pairs)
    tokens = fsum(n for n, _ in pairs) / count
    seconds = fsum(t for _, t in pairs) / count
    return {
        "mean_measured_tokens": tokens,
        "mean_measured_s": seconds,
        "spread_tokens": fsum((n - tokens) * (n - tokens) for n, _ in pairs),
        "spread_joint": fsum((n - tokens) * (t - seconds) for n, t in pairs),
    }


def residuals(pairs: Sequence[tuple[float, float]], time_per_step: float, time_per_token: float) -> list[float]:
    """What each measured time is above the time of a step without decodes."""
    return [t - longest_step_s.body(time_per_step, time_per_token, n) for n, t in pairs]
