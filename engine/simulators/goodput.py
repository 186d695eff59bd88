"""A contract applied to a run: each request is judged, and what was judged is counted.

A request is good when it completed and met every limit, at equality too. Two things are not taken at their word: a
request with tokens whose TTFT is exactly 0 was not measured, and is never good; one that completed without a token is good
by the definition, and counted apart.

`judge` is the one body: on a single request it gives truth values, on numpy's arrays arrays of them. `decide` makes an
event of it, `apply` counts the event, and `tally` counts a whole run at once; both ways give the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import compress
from typing import Any, NamedTuple

from engine.bench_files.run import Run
from engine.errors import InputError
from engine.units import unit

LIMITS = ("ttft", "tpot", "e2e")
"""What a contract can limit, in the order in which the tools name it."""

LARGE = 20_000
"""From so many requests on a run is judged with numpy's arrays, where numpy is there."""

NEAR = unit("ns").factor
"""A request so close to a limit is listed: another clock or another rounding would judge it otherwise."""

PERCENTILE = 95


class Contract(NamedTuple):
    """Limits in seconds; infinite where there is none."""

    ttft: float = math.inf
    tpot: float = math.inf
    e2e: float = math.inf

    @property
    def limits(self) -> dict[str, float]:
        """The limits that there are, by name."""
        return {name: limit for name, limit in self._asdict().items() if math.isfinite(limit)}


class Requests(NamedTuple):
    """One request as numbers, or many as arrays."""

    ttft: Any
    tpot: Any
    e2e: Any
    tokens: Any
    completed: Any


class Judgement(NamedTuple):
    """What a contract says of one request, as truth values, or of many, as arrays of them."""

    completed: Any
    good: Any
    unmeasured: Any
    empty: Any
    ttft: Any
    tpot: Any
    e2e: Any


@dataclass(frozen=True, slots=True)
class Judged:
    """The event: one request and what became of it; `missed` names every limit that it missed."""

    request: int
    completed: bool
    good: bool
    unmeasured: bool
    empty: bool
    missed: tuple[str, ...]
    tokens: float

    @property
    def verdict(self) -> str:
        """In words."""
        if not self.completed:
            return "failed"
        reasons = [f"missed {' and '.join(self.missed)}"] if self.missed else []
        return "good" if self.good else ", ".join([*reasons, *(["not measured"] if self.unmeasured else [])])


@dataclass(frozen=True, slots=True)
class Tally:
    """The state: what is counted so far. `empty` are the good ones without a token; misses are of completed requests."""

    requests: int = 0
    completed: int = 0
    good: int = 0
    tokens: float = 0
    good_tokens: float = 0
    unmeasured: int = 0
    empty: int = 0
    missed_ttft: int = 0
    missed_tpot: int = 0
    missed_e2e: int = 0


def judge(request: Requests, contract: Contract) -> Judgement:
    """The contract's judgement of a request, or of arrays of them."""
    done = request.completed
    late = [done & (value > limit) for value, limit in zip(request[:3], contract, strict=True)]
    unmeasured = done & (request.tokens >= 1) & (request.ttft <= 0)
    bad = late[0] | late[1] | late[2] | unmeasured
    good = done & (bad == 0)
    return Judgement(done, good, unmeasured, good & (request.tokens < 1), *late)


def decide(contract: Contract, number: int, request: Requests) -> Judged:
    """The event for one request."""
    found = judge(request, contract)
    missed = tuple(name for name in LIMITS if getattr(found, name))
    return Judged(number, found.completed, found.good, found.unmeasured, found.empty, missed, request.tokens)


def apply(state: Tally, event: Judged) -> Tally:
    """The state after an event."""
    return Tally(
        state.requests + 1,
        state.completed + event.completed,
        state.good + event.good,
        state.tokens + event.tokens * event.completed,
        state.good_tokens + event.tokens * event.good,
        state.unmeasured + event.unmeasured,
        state.empty + event.empty,
        state.missed_ttft + ("ttft" in event.missed),
        state.missed_tpot + ("tpot" in event.missed),
        state.missed_e2e + ("e2e" in event.missed),
    )


def each(run: Run) -> Iterator[Requests]:
    """Every request as numbers, in the file's order."""
    rows = zip(run.ttft, run.tpot, run.e2e, run.tokens, map(bool, run.completed), strict=True)
    return map(Requests._make, rows)


def events(run: Run, contract: Contract) -> Iterator[Judged]:
    """The trace: every request's judgement."""
    return (decide(contract, number, request) for number, request in enumerate(each(run), 1))


def replay(trace: Iterable[Judged]) -> Tally:
    """The state after all events."""
    state = Tally()
    for event in trace:
        state = apply(state, event)
    return state


def tally(run: Run, contract: Contract) -> Tally:
    """The state after every request of a run: with numpy in one go where the run is large and numpy is there."""
    requests = columns(run)
    if requests is None:
        found = Judgement._make(zip(*(judge(request, contract) for request in each(run)), strict=True))
        count = {name: sum(flags) for name, flags in found._asdict().items()}
        tokens, good_tokens = (math.fsum(compress(run.tokens, flags)) for flags in (found.completed, found.good))
    else:
        found = judge(requests, contract)
        count = {name: int(flags.sum()) for name, flags in found._asdict().items()}
        tokens, good_tokens = (float(requests.tokens[flags].sum()) for flags in (found.completed, found.good))
    return Tally(
        len(run), count["completed"], count["good"], tokens, good_tokens, count["unmeasured"], count["empty"],
        count["ttft"], count["tpot"], count["e2e"],
    )  # fmt: skip


@lru_cache(maxsize=1)
def columns(run: Run) -> Requests | None:
    """The run's columns as arrays over the same memory; None where it is small or numpy is not there."""
    if len(run) < LARGE or not find_spec("numpy"):
        return None
    import numpy as np

    ttft, tpot, e2e, tokens = (
        np.frombuffer(column, dtype=float) for column in (run.ttft, run.tpot, run.e2e, run.tokens)
    )
    return Requests(ttft, tpot, e2e, tokens, np.frombuffer(run.completed, dtype=bool))


def near(run: Run, contract: Contract) -> list[tuple[int, str, float]]:
    """Completed requests within a nanosecond of a limit: number, limit, and by how much they are above it."""
    found = []
    for name, limit in contract.limits.items():
        values: Any = getattr(run, name)
        arrays = columns(run)
        if arrays is None:
            places: Iterable[int] = (place for place, value in enumerate(values) if abs(value - limit) <= NEAR)
        else:
            places = map(int, (abs(getattr(arrays, name) - limit) <= NEAR).nonzero()[0])
        found += [(place + 1, name, values[place] - limit) for place in places if run.completed[place]]
    return sorted(found, key=lambda entry: (entry[0], LIMITS.index(entry[1])))


class Window(NamedTuple):
    """The time that requests are counted over, and where it comes from."""

    seconds: float
    source: str


def window(run: Run, given: float | None = None) -> Window:
    """The given window, else the file's duration, else from the first arrival to the last finish.

    A failed request without an end counts with its arrival.

    Raises
    ------
    InputError
        Where there is none of them, or no time passes.
    """
    if given is not None:
        return Window(given, "as given")
    if run.duration is not None:
        return Window(run.duration, "the duration in the file")
    allowed, hint = "a time above 0 s", "Give it, for example window_s=60."
    if run.arrival is None:
        raise InputError("window_s", "none", allowed, hint, "there is neither a duration nor an arrival in the file")
    seconds = _span(run)
    if seconds <= 0:
        raise InputError("window_s", "none", allowed, hint, "no time passes from the first arrival to the last finish")
    return Window(seconds, "from the first arrival to the last finish")


@lru_cache(maxsize=1)
def _span(run: Run) -> float:
    """From the first arrival to the last finish: found once, since no contract changes it."""
    assert run.arrival is not None
    return max(a + e for a, e in zip(run.arrival, run.e2e, strict=True)) - min(run.arrival)


class Percentile(NamedTuple):
    """One limit of a percentile contract: the percentile's value among completed requests, and whether it is met."""

    limit: float
    value: float
    met: bool
    met_with_failed: bool


def percentiles(run: Run, contract: Contract, percent: int = PERCENTILE) -> dict[str, Percentile]:
    """The contract "the percentile of each measure is within its limit", for completed requests.

    The percentile is the nearest rank: the smallest value that at least `percent` in a hundred are at or below. So it is
    within a limit exactly when so many requests are. `met_with_failed` asks the same of all requests, the failed ones
    as late. A request that was not measured counts as late.
    """
    done = sum(run.completed)
    met: dict[str, Percentile] = {}
    for name, limit in contract.limits.items():
        values = _values(run, name)
        value = _ranked(values, rank(done, percent)) if done else math.inf
        everyone = rank(len(run), percent)
        late = everyone > done or _ranked(values, everyone) > limit
        met[name] = Percentile(limit, value, bool(done) and value <= limit, not late)
    return met


def rank(count: int, percent: int) -> int:
    """How many of `count` make at least `percent` in a hundred: a whole number, without any rounding on the way."""
    return -(-count * percent // 100)


def _values(run: Run, name: str) -> Any:
    """The measure of completed requests; infinite for the TTFT of one that was not measured."""
    arrays = columns(run)
    if arrays is not None:
        import numpy as np

        values = getattr(arrays, name)
        if name == "ttft":
            values = np.where((arrays.tokens >= 1) & (values <= 0), math.inf, values)
        return values[arrays.completed]
    held: Sequence[float] = getattr(run, name)
    if name == "ttft":
        held = [math.inf if n >= 1 and value <= 0 else value for value, n in zip(held, run.tokens, strict=True)]
    return sorted(compress(held, run.completed))


def _ranked(values: Any, place: int) -> float:
    """The value of that rank, from 1; of a list that is sorted or of an array that is not."""
    if isinstance(values, list):
        return float(values[place - 1])
    import numpy as np

    return float(np.partition(values, place - 1)[place - 1])
