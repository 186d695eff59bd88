"""Whether a run agrees with itself: units, durations and means. A run that does not is refused, a strange one warned of."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import compress
from math import fsum

from engine.bench_files.refusal import BenchFileError
from engine.bench_files.run import Run
from engine.units import unit

MS, SECOND = unit("ms").factor, unit("s").factor
CLOCKS = MS
"""How far two clocks of one tool may be apart."""

FAST_FIRST, FAST_TOKEN, SLOW_TOKEN = MS, MS / 10, 10 * SECOND
"""Where most TTFTs or TPOTs are below or above these, it is hardly a server's: the unit is the likelier reason."""

THOUSAND = (500, 2000)
"""A ratio between these is a factor of 1,000, whatever else differs."""

CLOSE = 0.005
"""Two means of one thing may differ by this share."""

SECONDS = "seconds"


def same_unit(name: str, line: int, field: str, values: array[float], completed: bytearray, mean_ms: float) -> str:
    """Compare a list with the mean that the file states: empty where they agree, a warning where they do not.

    Raises
    ------
    BenchFileError
        Where they differ by a factor of 1,000.
    """
    count = sum(completed)
    if not count or not mean_ms > 0:
        return ""
    mean, stated = fsum(compress(values, completed)) / count, unit("ms").to_base(mean_ms)
    ratio = mean / stated
    if THOUSAND[0] < ratio < THOUSAND[1]:
        raise BenchFileError(
            name, line, field,
            f"its mean is 1,000 times the file's own mean of {mean_ms:,.4g} ms: it holds milliseconds",
            f"{SECONDS}, as the tool writes them", "Divide the list by 1,000, or take the file as it was written.",
        )  # fmt: skip
    if abs(ratio - 1) <= CLOSE:
        return ""
    return f"{field}: the mean of the list is {mean / MS:,.4g} ms, the file states {mean_ms:,.4g} ms."


def within_duration(name: str, run: Run, e2e_field: str) -> None:
    """Refuse a run with a request that takes longer than the whole run, or whose requests start over a longer time."""
    if run.duration is None:
        return
    longest = max(compress(run.e2e, run.completed), default=0.0)
    if longest > run.duration + CLOCKS:
        place = next(p for p, (e2e, ok) in enumerate(zip(run.e2e, run.completed, strict=True)) if ok and e2e == longest)
        raise BenchFileError(
            name, run.line, e2e_field,
            f"request {place + 1} has an E2E of {longest:,.4g} s, longer than the whole run's duration of "
            f"{run.duration:,.4g} s: perhaps its unit is milliseconds",
            f"times in {SECONDS} that fit the duration", "Take the file as the tool wrote it.",
        )  # fmt: skip
    if run.arrival is None:
        return
    span = max(run.arrival) - min(run.arrival)
    if span > run.duration + CLOCKS:
        raise BenchFileError(
            name, run.line, "start_times",
            f"requests start over {span:,.4g} s, longer than the duration of {run.duration:,.4g} s",
            "start times of the same run as the duration", "Take the file as the tool wrote it.",
        )  # fmt: skip


def strange(
    ttft: array[float], tpot: array[float], tokens: array[float], completed: bytearray, names: str
) -> list[str]:
    """Warnings about times that look like another unit."""
    first = [t for t, n, ok in zip(ttft, tokens, completed, strict=True) if ok and n >= 1 and t > 0]
    later = [t for t, n, ok in zip(tpot, tokens, completed, strict=True) if ok and n > 1 and t > 0]
    said = []
    if _most(value < FAST_FIRST for value in first):
        said.append(f"{names}: the median TTFT is {_median(first) / MS:.3g} ms, too fast for a server. Check the unit.")
    if _most(not FAST_TOKEN <= value <= SLOW_TOKEN for value in later):
        said.append(f"{names}: the median TPOT is {_median(later) / MS:.3g} ms, not a server's. Check the unit.")
    return said


def _most(flags: Iterable[bool]) -> bool:
    held = list(flags)
    return 2 * sum(held) > len(held)


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
