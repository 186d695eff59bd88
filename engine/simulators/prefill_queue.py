"""Prompts that wait for their prefill beside decodes, step by step, under an order of service.

`decide` says what happens next as events, `apply` carries one event out; nothing else changes a state. The list of
events is the trace: `replay` makes the final state from it. Decodes are served first and are the same in every step, so
a step has `chunk_tokens` left for prompts. Before each step the waiting prompts that have arrived are put in order, and
that room is filled in this order, by several prompts where it suffices. Without anybody waiting the clock jumps to the
next arrival.

The order decides who is served, never how much: a step holds all tokens that wait, up to its room. So start, end and
size of every step are the same under every policy, no decode is delayed by the order, and the makespan is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import assert_never

from engine.constants import SAME_INSTANT
from engine.errors import RidgepointError
from engine.formulas.chunked_prefill import longest_step_s, meets_itl, meets_ttft


@dataclass(frozen=True)
class Prompt:
    """Tokens to compute, when they arrive, and the time from then within which the first token of the answer is due."""

    tokens: int
    arrival_s: float
    deadline_s: float


@dataclass(frozen=True)
class Setting:
    """What never changes: the room of a step for prompts, what a step costs, what is safe, and the order of service."""

    chunk_tokens: int
    decode_step_s: float
    time_per_token: float
    largest_safe_chunk: float
    policy: str


@dataclass(frozen=True)
class State:
    """The queue at one instant; tuples have one entry for each prompt, in the order of the list.

    Attributes
    ----------
    left : tuple of int
        Tokens that are still to be computed.
    ttft_s : tuple of float or None
        Time from arrival to first token, for prompts that are done.
    passed_over : tuple of int
        Steps in which a waiting prompt got nothing although one that came later got something.
    starved : frozenset of int
        Places of prompts that will never be computed.
    """

    setting: Setting
    clock_s: float = 0.0
    prompts: tuple[Prompt, ...] = ()
    left: tuple[int, ...] = ()
    ttft_s: tuple[float | None, ...] = ()
    passed_over: tuple[int, ...] = ()
    starved: frozenset[int] = frozenset()

    @property
    def open(self) -> tuple[int, ...]:
        """Places of prompts that are not done."""
        return tuple(place for place, left in enumerate(self.left) if left)

    @property
    def waiting(self) -> tuple[int, ...]:
        """Places of prompts that have arrived and are not done, in the order of service."""
        arrived = [place for place in self.open if self.prompts[place].arrival_s <= self.clock_s + SAME_INSTANT]
        first = POLICIES[self.setting.policy]
        return tuple(sorted(arrived, key=lambda place: (first(self, place), *self.came(place))))

    def came(self, place: int) -> tuple[float, int]:
        """When a prompt came; of prompts that came together the one that is earlier in the list came first."""
        return self.prompts[place].arrival_s, place

    def met(self, place: int) -> bool:
        """Whether a prompt is done and kept to its deadline."""
        ttft = self.ttft_s[place]
        return ttft is not None and bool(meets_ttft.body(ttft, self.prompts[place].deadline_s))

    @property
    def deadlines_met(self) -> int:
        """How many prompts kept to their deadline."""
        return sum(self.met(place) for place in range(len(self.prompts)))


def _arrival(state: State, place: int) -> float:
    return state.prompts[place].arrival_s


def _tokens_left(state: State, place: int) -> float:
    return state.left[place]


def _deadline(state: State, place: int) -> float:
    # In whole nanoseconds, for two sums of decimals that are equal on paper to be a tie.
    prompt = state.prompts[place]
    return round((prompt.arrival_s + prompt.deadline_s) / SAME_INSTANT)


POLICIES: dict[str, Callable[[State, int], float]] = {"fcfs": _arrival, "shortest": _tokens_left, "edf": _deadline}
"""What decides who is served first, the least value winning; ties go by arrival, then by place in the list."""


@dataclass(frozen=True)
class Submit:
    """A request: put a prompt at the end of the list."""

    prompt: Prompt


@dataclass(frozen=True)
class Advance:
    """A request: do the next thing, one step or a jump to the next arrival."""


@dataclass(frozen=True)
class Submitted:
    """A prompt was put at the end of the list."""

    prompt: Prompt


@dataclass(frozen=True)
class Jumped:
    """Nobody waited, and the clock went to the next arrival; decodes went on meanwhile."""

    start_s: float
    end_s: float


@dataclass(frozen=True)
class Stepped:
    """A step ran: `parts` has place and tokens of each prompt served, `passed_over` who waited behind a later one."""

    start_s: float
    end_s: float
    parts: tuple[tuple[int, int], ...]
    passed_over: tuple[int, ...]
    meets_itl: bool

    @property
    def tokens(self) -> int:
        """Tokens of all prompts in this step."""
        return sum(tokens for _, tokens in self.parts)


@dataclass(frozen=True)
class Finished:
    """The last token of a prompt was computed, and with it the first of its answer."""

    place: int
    ttft_s: float


@dataclass(frozen=True)
class Starved:
    """Decodes leave nothing of the budget: these prompts wait for ever."""

    places: tuple[int, ...]


Request = Submit | Advance
Event = Submitted | Jumped | Stepped | Finished | Starved


def decide(state: State, request: Request) -> tuple[Event, ...]:
    """What happens at a request; nothing when there is nothing left to do.

    Raises
    ------
    RidgepointError
        For a prompt that cannot be: without tokens, with a negative time, or from before the clock.
    """
    if isinstance(request, Submit):
        return (Submitted(_possible(state, request.prompt)),)
    if state.setting.chunk_tokens <= 0:
        places = tuple(place for place in state.open if place not in state.starved)
        return (Starved(places),) if places else ()
    if not state.open:
        return ()
    waiting = state.waiting
    if not waiting:
        return (Jumped(state.clock_s, min(state.prompts[place].arrival_s for place in state.open)),)
    return _step(state, waiting)


def _possible(state: State, prompt: Prompt) -> Prompt:
    if prompt.tokens < 1 or prompt.tokens != int(prompt.tokens):
        raise RidgepointError(f"a prompt has a whole number of tokens, at least one, not {prompt.tokens}")
    if not 0 <= prompt.deadline_s < float("inf"):
        raise RidgepointError(f"a deadline is a time from the arrival, not {prompt.deadline_s} s")
    if not state.clock_s <= prompt.arrival_s < float("inf"):
        raise RidgepointError(f"a prompt arrives at {state.clock_s} s or later, not at {prompt.arrival_s} s")
    return prompt


def _step(state: State, waiting: tuple[int, ...]) -> tuple[Event, ...]:
    room, parts = state.setting.chunk_tokens, []
    for place in waiting:
        tokens = min(state.left[place], room)
        if tokens:
            parts.append((place, tokens))
            room -= tokens
    served = dict(parts)
    newest = max(map(state.came, served))
    behind = tuple(place for place in waiting if place not in served and state.came(place) < newest)
    setting, tokens = state.setting, sum(served.values())
    end = state.clock_s + longest_step_s.body(setting.decode_step_s, setting.time_per_token, tokens)
    in_time = bool(meets_itl.body(tokens, setting.largest_safe_chunk))
    done = [place for place, tokens in parts if tokens == state.left[place]]
    finished = (Finished(place, end - state.prompts[place].arrival_s) for place in done)
    return (Stepped(state.clock_s, end, tuple(parts), behind, in_time), *finished)


def apply(state: State, event: Event) -> State:
    """The state after an event."""
    match event:
        case Submitted(prompt):
            return replace(
                state,
                prompts=(*state.prompts, prompt),
                left=(*state.left, prompt.tokens),
                ttft_s=(*state.ttft_s, None),
                passed_over=(*state.passed_over, 0),
            )
        case Jumped(_, end):
            return replace(state, clock_s=end)
        case Stepped(_, end, parts, behind):
            served = dict(parts)
            return replace(
                state,
                clock_s=end,
                left=tuple(left - served.get(place, 0) for place, left in enumerate(state.left)),
                passed_over=tuple(steps + (place in behind) for place, steps in enumerate(state.passed_over)),
            )
        case Finished(place, ttft):
            return replace(state, ttft_s=(*state.ttft_s[:place], ttft, *state.ttft_s[place + 1 :]))
        case Starved(places):
            return replace(state, starved=state.starved | set(places))
        case _:
            assert_never(event)


def replay(setting: Setting, events: Iterable[Event]) -> State:
    """The state that a list of events leads to."""
    return reduce(apply, events, State(setting))


@dataclass(frozen=True)
class Run:
    """A whole run: its events and the state that they lead to."""

    state: State
    events: tuple[Event, ...]

    @property
    def steps(self) -> tuple[Stepped, ...]:
        """The steps alone, for a timeline."""
        return tuple(event for event in self.events if isinstance(event, Stepped))

    @property
    def makespan_s(self) -> float:
        """When the last step ends, from the start of the clock."""
        return self.steps[-1].end_s if self.steps else 0.0


def run(setting: Setting, prompts: Sequence[Prompt]) -> Run:
    """Submit all prompts and advance until nothing is left to do."""
    state, events = State(setting), list[Event]()
    for prompt in prompts:
        events += decide(state, Submit(prompt))
        state = apply(state, events[-1])
    while happening := decide(state, Advance()):
        events += happening
        state = reduce(apply, happening, state)
    return Run(state, tuple(events))
