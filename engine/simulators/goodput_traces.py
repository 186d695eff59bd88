"""Four authored traces: made up by one rule in whole microseconds, the same on every machine.

The rule, for each trace over one minute:

1. Draws come from x → 48,271 x mod 2,147,483,647, starting at `SEED`; a whole number from a to b is a + x mod (b − a + 1).
   Each request draws its prompt, then its answer. Of every `long_every` requests the last has a long prompt instead.
2. Every `interval` microseconds a group of `together` requests arrives.
3. One prompt after the other is prefilled, in order of arrival, taking `PREFILL` + `PREFILL_TOKEN` a token. The first
   token comes at its end. Who has waited longer than `PATIENCE` when its turn comes has failed, and takes no time.
4. Every later token takes `STEP` + `STEP_REQUEST` for each request that is being answered when the first token comes, itself
   included. Each prefill that starts before the last token delays it by its own length, as without chunked prefill.

The constants resemble a small model on one GPU; none was measured.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from engine.bench_files.run import Run, per_token
from engine.units import unit

SEED, MULTIPLIER, MODULUS = 1, 48_271, 2**31 - 1
MINUTE = 60_000_000
PREFILL, PREFILL_TOKEN = 20_000, 200
STEP, STEP_REQUEST = 12_000, 400
PATIENCE = 10_000_000
PROMPT, LONG_PROMPT, ANSWER = (100, 900), 8_000, (20, 220)
PER_SECOND = round(1 / unit("us").factor)


@dataclass(frozen=True)
class Plan:
    """What differs from trace to trace: times in microseconds."""

    title: str
    interval: int
    together: int = 1
    long_every: int = 0


PLANS = {
    "steady": Plan("Steady: 4 requests a second, evenly", 250_000),
    "bursty": Plan("Bursty: the same 4 a second, 20 at once every 5 seconds", 5_000_000, together=20),
    "mixed": Plan("Mixed: 2.5 a second, every twelfth with a prompt of 8,000 tokens", 400_000, long_every=12),
    "overloaded": Plan("Overloaded: 10 a second, a fifth more than the prefill can take", 100_000),
}


def _draws() -> Iterator[int]:
    x = SEED
    while True:
        x = x * MULTIPLIER % MODULUS
        yield x


@cache
def authored(name: str) -> Run:
    """The trace of that name."""
    plan, draws = PLANS[name], _draws()

    def draw(bounds: tuple[int, int]) -> int:
        return bounds[0] + next(draws) % (bounds[1] - bounds[0] + 1)

    arrivals = [at for at in range(0, MINUTE, plan.interval) for _ in range(plan.together)]
    prompts, answers, starts, firsts = [], [], [], []
    free = 0
    for number, arrival in enumerate(arrivals, 1):
        prompt, answer = draw(PROMPT), draw(ANSWER)
        if plan.long_every and number % plan.long_every == 0:
            prompt = LONG_PROMPT
        start = max(arrival, free)
        served = start - arrival <= PATIENCE
        if served:
            free = start + PREFILL + PREFILL_TOKEN * prompt
        prompts.append(prompt)
        answers.append(answer if served else 0)
        starts.append(start)
        firsts.append(free if served else 0)
    # Time spent on prefills before each one that is served, for the delays of what is being answered meanwhile.
    served_starts = [start for start, first in zip(starts, firsts, strict=True) if first]
    lengths = [first - start for start, first in zip(starts, firsts, strict=True) if first]
    spent = [0, *accumulate(lengths)]
    ends: list[int] = []
    for first, answer in zip(firsts, answers, strict=True):
        active = 1 + sum(end > first for end in ends) if first else 0
        end = first + max(0, answer - 1) * (STEP + STEP_REQUEST * active)
        delay = spent[bisect_left(served_starts, end)] - spent[bisect_left(served_starts, first)] if first else 0
        ends.append(end + max(0, delay))
    ttft = array("d", ((first - at) / PER_SECOND if first else 0.0 for first, at in zip(firsts, arrivals, strict=True)))
    e2e = array("d", ((end - at) / PER_SECOND if end else 0.0 for end, at in zip(ends, arrivals, strict=True)))
    tokens = array("d", answers)
    return Run(
        "authored", ttft, array("d", map(per_token, ttft, e2e, tokens)), e2e, tokens, bytearray(map(bool, firsts)),
        array("d", (at / PER_SECOND for at in arrivals)), array("d", prompts), None, "the rule of the trace",
        notes=("The trace is made up by a rule: no server was measured.",),
    )  # fmt: skip
