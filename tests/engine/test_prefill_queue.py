"""The prefill queue: cases worked by hand, what holds for any queue, and two models that share no code with it."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import units
from engine.errors import RidgepointError
from engine.formulas.chunked_prefill import chunk_tokens, decode_step_s, iterations, largest_safe_chunk, ttft_s
from engine.simulators import prefill_queue as queue
from engine.simulators.prefill_queue import Advance, Finished, Jumped, Prompt, Setting, Starved, State, Stepped, Submit
from tests.engine import cases as golden

POLICIES = sorted(queue.POLICIES)
MS = units.unit("ms").factor


def setting(chunk: int, base_ms: float, per_token_ms: float, policy: str, safe: float = float("inf")) -> Setting:
    return Setting(chunk, base_ms * MS, per_token_ms * MS, safe, policy)


def prompts(*entries: tuple[float, int, float]) -> tuple[Prompt, ...]:
    """From (arrival in ms, tokens, deadline in ms), as the lab writes them."""
    return tuple(Prompt(tokens, arrival * MS, deadline * MS) for arrival, tokens, deadline in entries)


# Small numbers, so that prompts meet: arrivals fall on ends of steps, deadlines on first tokens, keys are equal.
ENTRY = st.tuples(st.integers(0, 30), st.integers(1, 9), st.integers(0, 40))
ENTRIES = st.lists(ENTRY, min_size=1, max_size=6)
WHOLE = st.tuples(st.integers(1, 7), st.integers(0, 4), st.integers(1, 3))


# Worked by hand


@pytest.mark.parametrize("case", golden.read("prefill_queue.json"), ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    step, given_prompts = case["step"], prompts(*(tuple(entry) for entry in case["prompts"]))
    chosen = setting(step["chunk"], step["base_ms"], step["per_token_ms"], case["policy"], step.get("safe", 10**9))
    found = queue.run(chosen, given_prompts)
    for step_found, expected in zip(found.steps, case["steps"], strict=True):
        assert [list(part) for part in step_found.parts] == expected["parts"]
        assert step_found.end_s / MS == pytest.approx(expected["end_ms"], rel=1e-12)
        assert step_found.meets_itl == expected.get("meets_itl", True)
    for ttft, expected in zip(found.state.ttft_s, case["ttft_ms"], strict=True):
        assert (ttft is None and expected is None) or ttft / MS == pytest.approx(expected, rel=1e-12)
    assert [found.state.met(place) for place in range(len(given_prompts))] == case["met"]
    assert list(found.state.passed_over) == case["passed_over"]
    assert found.makespan_s / MS == pytest.approx(case["makespan_ms"], rel=1e-12)


# What holds for any queue


@given(WHOLE, ENTRIES, st.sampled_from(POLICIES))
def test_no_step_is_over_its_room_and_every_token_is_computed_once(
    costs: tuple[int, int, int], entries: list[Any], policy: str
) -> None:
    waiting = prompts(*entries)
    found = queue.run(setting(*costs, policy), waiting)
    computed = [0] * len(waiting)
    clock = 0.0
    for event in found.events:
        if isinstance(event, Stepped):
            assert 1 <= event.tokens <= costs[0]
            assert event.start_s == clock < event.end_s
            for place, tokens in event.parts:
                assert tokens >= 1
                assert waiting[place].arrival_s <= event.start_s + 1e-9
                computed[place] += tokens
            clock = event.end_s
        if isinstance(event, Jumped):
            assert event.start_s == clock < event.end_s
            clock = event.end_s
        if isinstance(event, Finished):
            assert computed[event.place] == waiting[event.place].tokens
            assert event.ttft_s == pytest.approx(clock - waiting[event.place].arrival_s)
    assert computed == [prompt.tokens for prompt in waiting]
    assert len([event for event in found.events if isinstance(event, Finished)]) == len(waiting)
    assert found.makespan_s == clock


@given(WHOLE, ENTRIES, st.sampled_from(POLICIES))
def test_replaying_the_events_gives_the_final_state(
    costs: tuple[int, int, int], entries: list[Any], policy: str
) -> None:
    chosen = setting(*costs, policy)
    found = queue.run(chosen, prompts(*entries))
    assert queue.replay(chosen, found.events) == found.state
    assert queue.decide(found.state, Advance()) == ()
    # A run can be cut anywhere and taken up from the replayed state.
    for cut in range(len(entries), len(found.events)):
        if isinstance(found.events[cut], Stepped | Jumped):
            again = queue.replay(chosen, found.events[:cut])
            happening = queue.decide(again, Advance())
            assert happening == found.events[cut : cut + len(happening)]


@given(WHOLE, ENTRIES)
def test_the_order_changes_no_step_no_decode_and_no_makespan(costs: tuple[int, int, int], entries: list[Any]) -> None:
    """To the last bit: a step holds all that waits, up to its room, whoever is first.

    So readers who decode wait equally long under every policy. It is not so for schedulers that serve one prompt a step, cap
    the prompts in a step, or hold a step back for somebody who is about to come: see the tests of them below.
    """
    runs = [queue.run(setting(*costs, policy, safe=4), prompts(*entries)) for policy in POLICIES]
    seen = {tuple((s.start_s, s.end_s, s.tokens, s.meets_itl) for s in found.steps) for found in runs}
    assert len(seen) == 1
    assert len({found.makespan_s for found in runs}) == 1


@given(
    tokens=st.integers(1, 20_000),
    decoding=st.integers(0, 300),
    budget=st.integers(1, 1000),
    arrival=st.integers(0, 50),
    policy=st.sampled_from(POLICIES),
)
def test_one_prompt_in_the_queue_takes_what_the_closed_form_says(
    tokens: int, decoding: int, budget: int, arrival: int, policy: str
) -> None:
    room = int(chunk_tokens.body(budget, decoding))
    decode = decode_step_s.body(5 * MS, 0.06 * MS, decoding)
    found = queue.run(Setting(room, decode, 0.04 * MS, 1000, policy), prompts((arrival, tokens, 1000)))
    if room <= 0:
        assert found.steps == () and found.state.ttft_s == (None,) and found.state.starved == {0}
        return
    steps = iterations.body(tokens, room)
    assert len(found.steps) == steps
    assert found.state.ttft_s[0] == pytest.approx(ttft_s.body(steps, decode, 0.04 * MS, tokens), rel=1e-10)


@given(WHOLE, ENTRIES)
def test_the_orders_are_what_their_names_say(costs: tuple[int, int, int], entries: list[Any]) -> None:
    waiting = prompts(*entries)
    keys = {
        "fcfs": lambda state, place: entries[place][0],
        "shortest": lambda state, place: state.left[place],
        "edf": lambda state, place: entries[place][0] + entries[place][2],
    }
    for policy, key in keys.items():
        chosen = setting(*costs, policy)
        state = State(chosen)
        for event in queue.run(chosen, waiting).events:
            if isinstance(event, Stepped):
                order = [(key(state, place), entries[place][0], place) for place in state.waiting]
                assert order == sorted(order)
                # Whoever is served stands before whoever is not, and all but the last one served are done with it.
                assert [place for place, _ in event.parts] == list(state.waiting[: len(event.parts)])
                assert all(tokens == state.left[place] for place, tokens in event.parts[:-1])
            state = queue.apply(state, event)


@given(WHOLE, ENTRIES)
def test_first_come_first_served_passes_nobody_over(costs: tuple[int, int, int], entries: list[Any]) -> None:
    assert not any(queue.run(setting(*costs, "fcfs"), prompts(*entries)).state.passed_over)


@given(ENTRIES, st.integers(-3, 0), st.sampled_from(POLICIES))
def test_without_room_every_prompt_starves_and_is_named(entries: list[Any], room: int, policy: str) -> None:
    found = queue.run(setting(room, 1, 1, policy), prompts(*entries))
    assert found.events[len(entries) :] == (Starved(tuple(range(len(entries)))),)
    assert found.state.starved == set(range(len(entries)))
    assert found.state.deadlines_met == 0 and found.makespan_s == 0


def test_a_prompt_can_be_submitted_while_the_queue_runs() -> None:
    chosen = setting(2, 1, 1, "shortest")
    state = queue.replay(chosen, queue.decide(State(chosen), Submit(prompts((0, 4, 9))[0])))
    for event in queue.decide(state, Advance()):
        state = queue.apply(state, event)
    assert state.left == (2,)
    (submitted,) = queue.decide(state, Submit(Prompt(1, 3 * MS, 5 * MS)))
    state = queue.apply(state, submitted)
    (step, *finished) = queue.decide(state, Advance())
    assert isinstance(step, Stepped) and step.parts == ((1, 1), (0, 1))
    assert [event.place for event in finished if isinstance(event, Finished)] == [1]


NEVER = float("inf")
IMPOSSIBLE = [(0, 1, 1), (1.5, 1, 1), (1, 0.5, 1), (1, 1, -1), (1, 1, NEVER), (1, NEVER, 1)]


@pytest.mark.parametrize("parts", IMPOSSIBLE)
def test_a_prompt_that_cannot_be_is_refused(parts: Any) -> None:
    with pytest.raises(RidgepointError):
        queue.decide(State(setting(1, 1, 1, "fcfs"), clock_s=1.0), Submit(Prompt(*parts)))


# An independent model: whole milliseconds, one token after the other, nothing shared with the engine


def naive(chunk: int, base: int, per_token: int, entries: list[tuple[int, int, int]], policy: str) -> list[int]:
    """TTFT of each prompt in ms: repeatedly gives one token of the step to whoever is first, by searching them all."""
    left = [tokens for _, tokens, _ in entries]
    done = [0] * len(entries)
    now = 0
    while any(left):
        begin = list(left)
        here = [i for i in range(len(entries)) if begin[i] and entries[i][0] <= now]
        if not here:
            now = min(entries[i][0] for i in range(len(entries)) if begin[i])
            continue
        used = 0
        while used < chunk and any(left[i] for i in here):
            best = None
            for i in here:
                arrival, _, deadline = entries[i]
                rank = {"fcfs": arrival, "shortest": begin[i], "edf": arrival + deadline}[policy]
                if left[i] and (best is None or (rank, arrival, i) < best):
                    best = (rank, arrival, i)
            left[best[2]] -= 1
            used += 1
        now += base + per_token * used
        for i in here:
            if not left[i]:
                done[i] = now - entries[i][0]
    return done


def agree(costs: tuple[int, int, int], entries: list[Any], policy: str) -> None:
    found = queue.run(setting(*costs, policy), prompts(*entries)).state
    wanted = naive(*costs, entries, policy)
    assert [ttft / MS for ttft in found.ttft_s] == pytest.approx(wanted, rel=1e-9)
    # Whole milliseconds meet deadlines at equality very often here.
    assert found.deadlines_met == sum(t <= e[2] for t, e in zip(wanted, entries, strict=True))


@given(WHOLE, ENTRIES, st.sampled_from(POLICIES))
def test_the_queue_agrees_with_a_model_that_gives_token_by_token(
    costs: tuple[int, int, int], entries: list[Any], policy: str
) -> None:
    agree(costs, entries, policy)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_queue_agrees_on_every_small_queue(policy: str) -> None:
    """All pairs of prompts with arrivals 0, 2, 3, one to three tokens and deadlines 2, 5, under three kinds of steps."""
    one = list(product((0, 2, 3), (1, 2, 3), (2, 5)))
    for costs, first, second in product([(2, 1, 1), (1, 0, 1), (3, 2, 1)], one, one):
        agree(costs, [first, second], policy)


# What earliest deadline first can promise


def ways(room: int, left: tuple[int, ...], here: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to give `room` tokens to the prompts that are here, all of them given."""
    if not here:
        if room == 0:
            yield left
        return
    first, *others = here
    for tokens in range(min(room, left[first]) + 1):
        rest = (*left[:first], left[first] - tokens, *left[first + 1 :])
        yield from ways(room - tokens, rest, tuple(others))


def some_schedule_meets_all(chunk: int, base: int, per_token: int, entries: list[tuple[int, int, int]]) -> bool:
    """Whether any schedule without idling meets every deadline: each step is shared out in every possible way."""
    seen = set()

    def search(now: int, left: tuple[int, ...]) -> bool:
        if not any(left):
            return True
        if (now, left) in seen or any(n and now > a + d for n, (a, _, d) in zip(left, entries, strict=True)):
            return False
        seen.add((now, left))
        here = tuple(i for i, n in enumerate(left) if n and entries[i][0] <= now)
        if not here:
            return search(min(entries[i][0] for i, n in enumerate(left) if n), left)
        used = min(chunk, sum(left[i] for i in here))
        end = now + base + per_token * used
        for then in ways(used, left, here):
            late = any(left[i] and not then[i] and end > entries[i][0] + entries[i][2] for i in here)
            if not late and search(end, then):
                return True
        return False

    return search(0, tuple(tokens for _, tokens, _ in entries))


DUE = st.lists(st.tuples(st.integers(0, 8), st.integers(1, 4), st.integers(1, 16)), min_size=2, max_size=3)


@given(st.tuples(st.integers(1, 3), st.integers(0, 2), st.just(1)), DUE)
def test_edf_meets_all_deadlines_whenever_a_schedule_that_never_idles_can(
    costs: tuple[int, int, int], entries: list[Any]
) -> None:
    """It holds for any sizes and arrivals, among all ways to share out the steps, since the steps are the same in all of
    them: each is a slot of fixed place and size, each token a job of equal length, and of two jobs that can be swapped the
    one due earlier may go first. So it holds for prompts of whole chunks too.
    """
    found = queue.run(setting(*costs, "edf"), prompts(*entries)).state
    assert (found.deadlines_met == len(entries)) == some_schedule_meets_all(*costs, entries)


def test_edf_meets_all_deadlines_of_prompts_of_whole_chunks() -> None:
    """Three prompts of one or two chunks of two tokens, all arrivals and deadlines on a grid, searched completely."""
    one = list(product((0, 3, 4), (2, 4), (3, 6, 9)))
    met = 0
    for entries in product(one, repeat=3):
        if list(entries) != sorted(entries):
            continue
        found = queue.run(setting(2, 1, 1, "edf"), prompts(*entries)).state
        assert (found.deadlines_met == 3) == some_schedule_meets_all(2, 1, 1, list(entries))
        met += found.deadlines_met == 3
    assert met > 20


def test_edf_does_not_wait_for_an_urgent_prompt_that_is_about_to_come() -> None:
    """A schedule that idles for 1 ms meets both deadlines, none that never idles does: what EDF cannot promise."""
    entries = [(0, 1, 30), (1, 1, 2)]  # each takes a step of 2 ms; the second is due at 3 ms
    found = queue.run(setting(1, 1, 1, "edf"), prompts(*entries)).state
    assert [found.met(0), found.met(1)] == [True, False]
    assert not some_schedule_meets_all(1, 1, 1, entries)
    # With the first held back until 1 ms, the second is done at 3 ms and the first at 5 ms.
    held = queue.run(setting(1, 1, 1, "edf"), prompts((1, 1, 29), (1, 1, 2))).state
    assert held.deadlines_met == 2


def test_edf_can_meet_fewer_deadlines_than_another_order_where_not_all_can_be_met() -> None:
    entries = prompts((0, 8, 7), (0, 2, 8), (0, 2, 10))
    met = {policy: queue.run(setting(2, 1, 1, policy), entries).state.deadlines_met for policy in POLICIES}
    # Steps of 3 ms. EDF spends 12 ms on the prompt that is late anyway; shortest first ends at 3, 6 and 18 ms.
    assert met == {"edf": 0, "fcfs": 0, "shortest": 2}


def test_a_cap_on_the_prompts_in_a_step_would_make_the_makespan_depend_on_the_order() -> None:
    """Why the claim on the makespan needs steps that are filled up: with at most two prompts a step, order decides."""

    def capped(sizes: list[int]) -> int:
        """All arrive at 0 ms; a step has room for 4 tokens of at most 2 prompts and costs 1 ms and 1 ms a token."""
        now, left = 0, list(sizes)
        while left:
            room = 4
            for place, tokens in enumerate(left[:2]):
                left[place] -= min(tokens, room)
                room -= min(tokens, room)
            now += 1 + 4 - room
            left = [tokens for tokens in left if tokens]
        return now

    # 1 + 1, 4, 2 tokens in three steps; 1 + 3, 3 + 1 tokens in two.
    assert capped([1, 1, 6]) == 11 and capped([1, 6, 1]) == 10
    for policy in POLICIES:
        assert queue.run(setting(4, 1, 1, policy), prompts((0, 1, 9), (0, 1, 9), (0, 6, 9))).makespan_s == 10 * MS


def test_an_arrival_at_the_end_of_a_step_is_seen_although_doubles_are_below_it() -> None:
    """Three steps of 0.3 ms end at 0.0009 s in doubles, and 0.9 ms is 0.0009000000000000001 s."""
    found = queue.run(setting(1, 0, 0.3, "edf"), prompts((0, 5, 100), (0.9, 1, 0.3)))
    assert found.steps[2].end_s < found.state.prompts[1].arrival_s
    assert [step.parts[0][0] for step in found.steps] == [0, 0, 0, 1, 0, 0]
    assert found.state.met(1)


def test_deadlines_that_are_equal_on_paper_are_a_tie() -> None:
    """0 + 0.4 ms is more than 0.1 + 0.3 ms in doubles; the prompt that came first goes first all the same."""
    first, second, third = prompts((0, 1, 0.4), (0.1, 1, 0.3), (0, 1, 0.15))
    assert first.arrival_s + first.deadline_s > second.arrival_s + second.deadline_s
    found = queue.run(setting(1, 0, 0.2, "edf"), (first, second, third))
    assert [step.parts[0][0] for step in found.steps] == [2, 0, 1]


def test_the_safe_chunk_is_told_at_equality() -> None:
    """5 ms + 60 us + 11 x 40 us is 5.5 ms on paper and 5.500000000000001 ms in doubles."""
    decode = decode_step_s.body(5 * MS, 0.06 * MS, 1)
    safe = largest_safe_chunk.body(5.5 * MS, decode, 0.04 * MS)
    assert safe == 11
    for room, wanted in ((11, True), (12, False)):
        (step,) = queue.run(Setting(room, decode, 0.04 * MS, safe, "fcfs"), prompts((0, room, 100))).steps
        assert step.meets_itl is wanted
