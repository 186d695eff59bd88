"""The block pool: by hand, against an independent naive model on all short runs, and properties of any run."""

import copy
import dataclasses
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import engine.formulas  # enters the formulas
from engine import trace
from engine.simulators import prefix_cache as pool
from engine.simulators.prefix_cache import Admit, Edit, Finish, Refused, Repeat, Resize, State

assert engine.formulas
Content = tuple[int, ...]


def used(state: State) -> int:
    return len(state.blocks) - len(state.queue)


def kinds(state: State) -> Counter[str]:
    return Counter(block.state for block in state.blocks.values())


def after(state: State, *actions: pool.Action) -> State:
    return pool.run(state, actions)[1]


def happened(state: State, action: pool.Action, kind: type) -> list[Any]:
    return [event for event in pool.decide(state, action) if isinstance(event, kind)]


FOUR = after(pool.start(64, 50, 30, 16, True), *[Admit()] * 4)
"""The lab's defaults."""


# By hand.


def test_four_requests_hold_eleven_blocks() -> None:
    # 3 full blocks of the 50 common tokens, and 2 for the other 32 tokens of each: 3 + 4 x 2.
    assert used(FOUR) == 11
    assert sorted(block.references for block in FOUR.blocks.values() if block.references) == [1] * 8 + [4] * 3
    assert [request.found for request in FOUR.requests] == [0, 3, 3, 3]
    assert used(after(pool.start(64, 50, 30, 16, False), *[Admit()] * 4)) == 20


def test_one_of_four_finishes_and_frees_its_two_own_blocks() -> None:
    left = after(FOUR, Finish(1))
    assert used(left) == 9
    assert kinds(left) == {"used": 9, "cached": 2, "empty": 53}
    assert sorted(block.references for block in left.blocks.values() if block.references) == [1] * 6 + [3] * 3


def test_an_edit_of_token_20_leaves_one_of_three_shared_blocks() -> None:
    edited = after(FOUR, Edit(20), Admit())
    assert edited.requests[-1].found == 1
    assert edited.requests[-1].table[0] == edited.requests[0].table[0]
    assert after(edited, Admit()).requests[-1].found == 3  # those of the edited prefix


def test_a_prompt_of_32_tokens_sent_again_reuses_16() -> None:
    for tokens, found in ((31, 1), (32, 1), (33, 2), (16, 0), (1, 0)):
        again = after(pool.start(9, 0, tokens, 16, True), Admit(), Finish(1), Repeat(1))
        assert again.requests[-1].found == found, tokens


def test_full_own_blocks_are_found_again_by_the_same_prompt() -> None:
    # 81 tokens: 3 shared blocks, 2 full own ones, and 1 token in a sixth block.
    state = after(pool.start(64, 50, 31, 16, True), Admit(), Admit(), Finish(1), Repeat(1))
    assert [request.found for request in state.requests] == [0, 3, 5]


def test_a_full_hit_holds_its_last_block_twice() -> None:
    state = after(pool.start(8, 32, 0, 16, True), Admit(), Admit())
    first, second = (request.table for request in state.requests)
    assert first[0] == second[0] and first[1] != second[1]
    assert state.blocks[first[1]].hash == state.blocks[second[1]].hash
    assert state.cache[state.blocks[first[1]].hash] == (first[1], second[1])


def test_the_cache_is_evicted_least_recently_used_first_and_last_blocks_first() -> None:
    # Blocks of 2, prefix of 4, 2 own tokens: request 1 has 0 1 2, request 2 has 0 1 3.
    state = after(pool.start(5, 4, 2, 2, True), Admit(), Admit(), Finish(1), Finish(2))
    assert state.queue == (4, 2, 3, 1, 0)
    # The last block of request 1 was released first; then that of request 2; the shared ones from their end.
    evicted = [event.block for event in happened(state, Resize(1), pool.Evicted)]
    assert evicted == [2, 3, 1]
    assert [event.block for event in happened(state, Resize(1), pool.Retired)] == [4, 2, 3, 1]


def test_a_touch_saves_from_eviction() -> None:
    state = after(pool.start(4, 2, 2, 2, True), Admit(), Finish(1))
    assert state.queue == (2, 3, 1, 0)
    touched = pool.decide(state, Repeat(1))
    assert [type(event).__name__ for event in touched] == ["Arrived", "Touched", "Allocated", "Cached"]
    assert pool.replay(state, touched).queue == (3, 1)


def test_what_is_found_is_no_room_for_the_rest() -> None:
    # Request 1 left blocks 1 and 0 in the cache and request 2 holds all others: to find them leaves no block to take.
    state = after(pool.start(5, 0, 5, 2, True), Admit(), Finish(1), Admit())
    assert state.queue == (1, 0)
    assert pool.decide(state, Repeat(1)) == (Refused(Repeat(1), "no room", 1, 0),)


def test_a_block_that_cannot_be_found_again_is_taken_first() -> None:
    # Block 2 of request 1 and block 4 of request 2 are partly filled: no hash, so nothing is lost with them.
    state = after(pool.start(5, 2, 3, 2, True), Admit(), Admit(), Finish(1), Finish(2))
    assert state.queue == (4, 2, 1, 3, 0)


def test_of_two_blocks_of_the_same_content_the_first_cached_is_found() -> None:
    # Request 2 repeats request 1 and holds a copy of its last block; the next prompt goes on beyond it.
    state = after(pool.start(9, 4, 0, 2, True), Admit(), Admit())
    state = dataclasses.replace(state, prefixes=(*state.prefixes, (*state.prefixes[0], 7, 8)))
    assert after(state, Admit()).requests[-1].table[:2] == state.requests[0].table
    assert after(state, Admit()).requests[-1].table[1] != state.requests[1].table[1]


def test_what_cannot_be_is_refused_and_changes_nothing() -> None:
    refused: list[tuple[State, pool.Action, str, int, int]] = [
        (FOUR, Finish(5), "unknown", 5, 4),
        (FOUR, Finish(0), "unknown", 0, 4),
        (FOUR, Repeat(-1), "unknown", -1, 4),
        (after(FOUR, Finish(2)), Finish(2), "not running", 2, 4),
        (FOUR, Edit(50), "outside", 50, 50),
        (FOUR, Edit(-1), "outside", -1, 50),
        (FOUR, Resize(10), "in use", 10, 11),
        (FOUR, Resize(0), "in use", 0, 11),
        (after(FOUR, Resize(12)), Admit(), "no room", 2, 1),
    ]
    for state, action, reason, wanted, limit in refused:
        events = pool.decide(state, action)
        assert events == (Refused(action, reason, wanted, limit),)
        assert pool.replay(state, events) == state


def test_a_pool_grows_behind_its_empty_blocks_and_before_its_cached_ones() -> None:
    state = after(pool.start(3, 0, 4, 2, True), Admit(), Finish(1))
    assert state.queue == (2, 1, 0)
    grown = after(state, Resize(5))
    assert grown.queue == (2, 3, 4, 1, 0)
    assert after(grown, Resize(3), Resize(3)) == state


def test_a_hash_covers_every_token_before_its_block() -> None:
    tokens = tuple(range(48))
    chain = pool.chain(tokens, 16)
    for place in range(48):
        edited = pool.chain((*tokens[:place], 99, *tokens[place + 1 :]), 16)
        assert [a == b for a, b in zip(chain, edited, strict=True)] == [k < place // 16 for k in range(3)]
    assert pool.chain(tokens[:47], 16) == chain[:2]


# An independent model: blocks by their whole content, no numbers, no queue, no hashes; time decides what is evicted.


@dataclass
class Held:
    """A block: all tokens up to its end, and how many it holds itself; who holds it; when it was cached and released."""

    content: Content
    full: bool
    owners: list[int]
    cached: int = 0
    released: int = 0


@dataclass
class Naive:
    size: int
    prefix: list[int]
    private: int
    block: int
    fresh: int
    held: list[Held] = field(default_factory=list)
    prompts: list[Content] = field(default_factory=list)
    tables: dict[int, list[Held]] = field(default_factory=dict)
    found: list[int] = field(default_factory=list)
    clock: int = 0

    def now(self) -> int:
        self.clock += 1
        return self.clock

    def drop(self, count: int, kept: list[Held]) -> None:
        """Forget so many blocks that nobody holds, those released first."""
        idle = sorted((h for h in self.held if not h.owners and h not in kept), key=lambda h: h.released)
        for victim in idle[: max(0, count)]:
            self.held.remove(victim)

    def send(self, prompt: Content) -> bool:
        ends = [min(first + self.block, len(prompt)) for first in range(0, len(prompt), self.block)]
        hits: list[Held] = []
        for end in ends:
            same = [h for h in self.held if h.full and h.content == prompt[:end]]
            if not same or end == len(prompt):
                break
            hits.append(min(same, key=lambda h: h.cached))
        busy = sum(bool(h.owners) or h in hits for h in self.held)
        wanted = len(ends) - len(hits)
        if busy + wanted > self.size:
            return False
        self.drop(len(self.held) + wanted - self.size, hits)
        self.prompts.append(prompt)
        number = len(self.prompts)
        rest = [
            Held(prompt[:end], end == (place + 1) * self.block, [], self.now())
            for place, end in enumerate(ends)
            if place >= len(hits)
        ]
        self.held += rest
        self.tables[number] = [*hits, *rest]
        for h in self.tables[number]:
            h.owners.append(number)
        self.found.append(len(hits))
        return True

    def do(self, action: pool.Action) -> bool:
        """Whether it could be done."""
        match action:
            case Admit():
                own = tuple(range(self.fresh, self.fresh + self.private))
                if not self.send((*self.prefix, *own)):
                    return False
                self.fresh += self.private
            case Repeat(number):
                return 1 <= number <= len(self.prompts) and self.send(self.prompts[number - 1])
            case Finish(number):
                if number not in self.tables:
                    return False
                for h in reversed(self.tables.pop(number)):
                    h.owners.remove(number)
                    h.released = self.now()
                    if not h.owners and not h.full:
                        self.held.remove(h)
            case Edit(position):
                if not 0 <= position < len(self.prefix):
                    return False
                self.prefix[position] = self.fresh
                self.fresh += 1
            case Resize(blocks):
                if blocks < sum(bool(h.owners) for h in self.held):
                    return False
                self.drop(len(self.held) - blocks, [])
                self.size = blocks
        return True

    def shown(self) -> dict[str, Any]:
        idle = sorted((h for h in self.held if not h.owners), key=lambda h: h.released)
        return {
            "size": self.size,
            "used": Counter((h.content, len(h.owners)) for h in self.held if h.owners),
            "cached": [h.content for h in idle],
            "tables": {number: [h.content for h in table] for number, table in self.tables.items()},
            "found": self.found,
        }


def contents(state: State) -> dict[str, Content]:
    """All tokens up to the end of a block, by its hash."""
    found: dict[str, Content] = {}
    for request in state.requests:
        tokens = state.tokens(request.prompt)
        for place, hash in enumerate(pool.chain(tokens, state.block), 1):
            assert found.setdefault(hash, tokens[: place * state.block]) == tokens[: place * state.block]
    return found


def shown(state: State) -> dict[str, Any]:
    whole = contents(state)
    tables = {}
    held: Counter[tuple[Content, int]] = Counter()
    owners = state.owners()
    for number, request in enumerate(state.requests, 1):
        tokens = state.tokens(request.prompt)
        ends = [tokens[: (place + 1) * state.block] for place in range(len(request.table))]
        if request.running:
            tables[number] = ends
        for block, content in zip(request.table, ends, strict=True):
            if owners[block][0] == number:
                held[content, state.blocks[block].references] += 1
    return {
        "size": len(state.blocks),
        "used": held,
        "cached": [whole[state.blocks[number].hash] for number in state.queue if state.blocks[number].hash],
        "tables": tables,
        "found": [request.found for request in state.requests],
    }


ALPHABET: tuple[pool.Action, ...] = (
    Admit(), Repeat(1), Repeat(2), Finish(1), Finish(2), Finish(3), Edit(0), Edit(2), Resize(3), Resize(6),
)  # fmt: skip


def walk(state: State, naive: Naive, depth: int) -> Iterator[tuple[State, Naive]]:
    yield state, naive
    if depth:
        for action in ALPHABET:
            other = copy.deepcopy(naive)
            events = pool.decide(state, action)
            assert other.do(action) != any(isinstance(event, Refused) for event in events), action
            yield from walk(pool.replay(state, events), other, depth - 1)


@pytest.mark.parametrize(
    ("size", "prefix", "private", "block", "depth"),
    [
        (4, 3, 1, 2, 4),
        (5, 4, 0, 2, 4),
        (4, 2, 3, 2, 4),
        (6, 3, 2, 1, 3),
        (4, 0, 5, 3, 4),
        (5, 0, 5, 2, 4),
        (3, 3, 2, 4, 3),
    ],
)
def test_every_short_run_is_that_of_the_naive_model(
    size: int, prefix: int, private: int, block: int, depth: int
) -> None:
    start = pool.start(size, prefix, private, block, True)
    naive = Naive(size, list(range(prefix)), private, block, prefix)
    for state, other in walk(start, naive, depth):
        assert shown(state) == other.shown()


# Properties of any run.


class Pool(RuleBasedStateMachine):
    """Runs of any actions; every event is looked at when it happens."""

    @initialize(
        size=st.integers(1, 20), prefix=st.integers(0, 9), private=st.integers(0, 6), block=st.integers(1, 4),
        sharing=st.sampled_from([True, True, True, False]),
    )  # fmt: skip
    def begin(self, size: int, prefix: int, private: int, block: int, sharing: bool) -> None:
        private = private or int(not prefix)
        self.first = self.state = pool.start(size, prefix, private, block, sharing)
        self.naive = Naive(size, list(range(prefix)), private, block, prefix)
        self.events: list[pool.Event] = []
        self.released: dict[int, int] = {}

    def do(self, action: pool.Action) -> None:
        before = copy.deepcopy(self.state)
        events = pool.decide(self.state, action)
        assert self.state == before
        for event in events:
            self.look(event)
            self.state = pool.apply(self.state, event)
            self.events.append(event)
            assert used(self.state) + len(self.state.queue) == len(self.state.blocks)
        if self.first.sharing:
            assert self.naive.do(action) != any(isinstance(event, Refused) for event in events)

    def look(self, event: pool.Event) -> None:
        """What must hold at the moment of an event."""
        state = self.state
        match event:
            case pool.Evicted(block, hash):
                # Not in use, nothing empty left, and none cached that was released earlier.
                assert state.blocks[block].hash == hash and block == state.queue[0]
                others = [n for n in state.queue if state.blocks[n].hash]
                assert self.released[block] == min(self.released[n] for n in others)
            case pool.Allocated(_, block):
                assert block == state.queue[0] and state.blocks[block].state == "empty"
            case pool.Retired(block):
                assert block in state.queue and state.blocks[block].state == "empty"
            case pool.Released(_, block):
                self.released[block] = len(self.events)
            case pool.Touched(_, block):
                assert self.first.sharing and state.blocks[block].hash

    @rule()
    def admit(self) -> None:
        self.do(Admit())

    @precondition(lambda self: self.state.requests)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        self.do(Repeat(data.draw(st.integers(1, len(self.state.requests)))))

    @precondition(lambda self: any(request.running for request in self.state.requests))
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        running = [number for number, request in enumerate(self.state.requests, 1) if request.running]
        self.do(Finish(data.draw(st.sampled_from(running))))

    @rule(action=st.sampled_from([Repeat, Finish]), number=st.integers(-1, 12))
    def any_request(self, action: type[Repeat | Finish], number: int) -> None:
        self.do(action(number))

    @rule(position=st.integers(0, 9))
    def edit(self, position: int) -> None:
        self.do(Edit(position))

    @rule(blocks=st.integers(0, 22))
    def resize(self, blocks: int) -> None:
        self.do(Resize(blocks))

    @invariant()
    def every_block_is_in_exactly_one_state(self) -> None:
        state = self.state
        held = {number for request in state.requests for number in request.table}
        assert len(set(state.queue)) == len(state.queue)
        assert held | set(state.queue) == set(state.blocks)
        assert not held & set(state.queue)
        for number, block in state.blocks.items():
            assert (block.state == "used") == (number in held)

    @invariant()
    def references_are_counted_and_never_negative(self) -> None:
        counted = Counter(number for request in self.state.requests for number in request.table)
        for number, block in self.state.blocks.items():
            assert block.references == counted[number] >= 0

    @invariant()
    def nothing_is_shared_that_differs(self) -> None:
        """Whoever refers to a block has its tokens there, and the same tokens before it as every other owner."""
        state = self.state
        before: dict[int, Content] = {}
        for request in state.requests:
            tokens = state.tokens(request.prompt)
            for place, number in enumerate(request.table):
                first, end = place * state.block, (place + 1) * state.block
                assert state.blocks[number].tokens == tokens[first:end]
                assert before.setdefault(number, tokens[:end]) == tokens[:end]

    @invariant()
    def the_cache_holds_full_blocks_only_and_never_one_without_those_before_it(self) -> None:
        state = self.state
        hashed = {number: block.hash for number, block in state.blocks.items() if block.hash}
        assert hashed == {number: hash for hash, numbers in state.cache.items() for number in numbers}
        assert all(len(state.blocks[number].tokens) == state.block for number in hashed)
        assert self.first.sharing or not hashed
        whole = contents(state)
        there = {whole[hash] for hash in hashed.values()}
        assert all(len(content) == state.block or content[: -state.block] in there for content in there)

    @invariant()
    def empty_blocks_are_taken_before_cached_ones(self) -> None:
        order = [bool(self.state.blocks[number].hash) for number in self.state.queue]
        assert order == sorted(order)

    @invariant()
    def the_trace_replayed_gives_the_state(self) -> None:
        assert pool.replay(self.first, self.events) == self.state

    @invariant()
    def the_naive_model_says_the_same(self) -> None:
        if self.first.sharing:
            assert shown(self.state) == self.naive.shown()


TestPool = Pool.TestCase
TestPool.settings = hypothesis.settings(max_examples=120, stateful_step_count=30, deadline=None)


# The closed form.

SETTINGS = st.fixed_dictionaries(
    {
        "requests": st.integers(1, 6),
        "prefix": st.integers(0, 40),
        "private": st.integers(0, 20),
        "block": st.integers(1, 12),
        "sharing": st.booleans(),
    }
).filter(lambda given: given["prefix"] + given["private"] > 0)


def closed(target: str, setting: dict[str, Any], **more: Any) -> float:
    given = {name: float(value) for name, value in (setting | more).items()}
    found: float = trace.evaluate(target, given)
    return found


def filled(setting: dict[str, Any]) -> State:
    """Room for all: every request admitted."""
    one = setting["prefix"] + setting["private"]
    start = pool.start(
        (setting["requests"] + 2) * one, setting["prefix"], setting["private"], setting["block"], setting["sharing"]
    )
    return after(start, *[Admit()] * setting["requests"])


def cached_in_full(setting: dict[str, Any]) -> bool:
    return setting["sharing"] and not setting["private"] and not setting["prefix"] % setting["block"]


@hypothesis.settings(max_examples=200)
@given(SETTINGS)
def test_the_closed_form_is_what_the_pool_holds(setting: dict[str, Any]) -> None:
    state, form = filled(setting), partial(closed, setting=setting)
    assert sum(len(request.table) for request in state.requests) == form("logical_blocks")
    # A prompt that is cached in full computes its last block again: each request after the first holds a copy of it.
    copies = setting["requests"] - 1 if cached_in_full(setting) else 0
    assert used(state) == form("physical_blocks") + copies
    blocks = [block for block in state.blocks.values() if block.references]
    assert sum(setting["block"] - len(block.tokens) for block in blocks) == form("unused_slots")
    assert sum(len(block.tokens) for block in blocks) == form("held_tokens") + copies * setting["block"]
    if setting["requests"] > 1:
        shared = sum(block.references == setting["requests"] for block in blocks)
        assert shared == form("shared_blocks") - bool(copies)
    assert max(request.found for request in state.requests) == (
        form("shared_blocks") - bool(copies) if setting["requests"] > 1 else 0
    )


@given(SETTINGS)
def test_the_closed_form_is_what_an_action_does(setting: dict[str, Any]) -> None:
    state, form = filled(setting), partial(closed, setting=setting)
    assert after(state, Repeat(1)).requests[-1].found * setting["block"] == form("reused_tokens")
    if not cached_in_full(setting):
        assert used(state) - used(after(state, Finish(1))) == form("released_blocks")
    for position in range(setting["prefix"]):
        left = after(state, Edit(position), Admit()).requests[-1].found
        assert left == form("surviving_blocks", edited=position)
