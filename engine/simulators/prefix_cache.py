"""A pool of KV blocks that requests share by their content, in the words of vLLM's block pool.

`decide(state, action)` says in events what an action does and changes nothing; `apply(state, event)` is the state after
one event. The events of a run are its trace: applied in order to the first state, they give the last one.

Every block of the pool is in one state. It is *used* while a request refers to it. Otherwise it stands in the free queue,
from whose head blocks are taken: first those that are *empty*, then those that are *cached*, least recently used first.
A request's blocks are released last one first, so a block never leaves the cache before those that follow it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from itertools import count, islice

Tokens = tuple[int, ...]


@dataclass(frozen=True)
class Block:
    """What one block holds. It has a hash while it is full and can be found again."""

    tokens: Tokens = ()
    hash: str = ""
    references: int = 0

    @property
    def state(self) -> str:
        """One of "used", "cached" and "empty"."""
        if self.references:
            return "used"
        return "cached" if self.hash else "empty"


@dataclass(frozen=True)
class Prompt:
    """A version of the common prefix, and the first of the request's own tokens, which are numbered on from there."""

    version: int
    own: int


@dataclass(frozen=True)
class Request:
    """One request: its blocks in the order of its tokens, and how many of them it found in the cache.

    A finished request has no blocks; its prompt is kept, so that it can be sent again.
    """

    prompt: Prompt
    table: tuple[int, ...] = ()
    found: int = 0
    running: bool = True


@dataclass(frozen=True)
class State:
    """The pool and its requests.

    Attributes
    ----------
    block, private : int
        Tokens that a block holds, and tokens that every request has of its own.
    sharing : bool
        Whether full blocks are cached and found again.
    prefixes : tuple of tokens
        Every version of the common prefix; new requests take the last one.
    fresh : int
        The next token that nobody has yet.
    blocks : mapping
        Every block of the pool by number.
    queue : tuple of int
        The free queue: blocks without references, the next one to be taken first.
    cache : mapping
        Blocks by hash, in the order in which they were cached; the first one is found.
    requests : tuple of Request
        Every request that was admitted; request 1 comes first.
    """

    block: int
    private: int
    sharing: bool
    prefixes: tuple[Tokens, ...]
    fresh: int
    blocks: Mapping[int, Block]
    queue: tuple[int, ...]
    cache: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    requests: tuple[Request, ...] = ()

    def tokens(self, prompt: Prompt) -> Tokens:
        """The tokens of a prompt."""
        return (*self.prefixes[prompt.version], *range(prompt.own, prompt.own + self.private))

    def request(self, number: int) -> Request | None:
        """The request of that number, if there was one."""
        return self.requests[number - 1] if 1 <= number <= len(self.requests) else None

    def owners(self) -> dict[int, list[int]]:
        """Numbers of the running requests that refer to each used block."""
        found: dict[int, list[int]] = {}
        for number, request in enumerate(self.requests, 1):
            for block in request.table:
                found.setdefault(block, []).append(number)
        return found


def start(pool: int, prefix: int, private: int, block: int, sharing: bool) -> State:
    """A pool of empty blocks and the first version of the common prefix."""
    numbers = range(pool)
    prefixes = (tuple(range(prefix)),)
    return State(block, private, sharing, prefixes, prefix, {number: Block() for number in numbers}, tuple(numbers))


# Actions: what a reader may ask for.


@dataclass(frozen=True)
class Admit:
    """Admit a request with the common prefix and tokens of its own."""


@dataclass(frozen=True)
class Repeat:
    """Admit a request with the very prompt of another one, running or finished."""

    request: int


@dataclass(frozen=True)
class Finish:
    """Finish a running request."""

    request: int


@dataclass(frozen=True)
class Edit:
    """Change one token of the common prefix, counted from 0, for the requests to come."""

    position: int


@dataclass(frozen=True)
class Resize:
    """Give the pool another number of blocks."""

    blocks: int


Action = Admit | Repeat | Finish | Edit | Resize


# Events: what happened.


@dataclass(frozen=True)
class Arrived:
    """A request came in."""

    request: int
    prompt: Prompt


@dataclass(frozen=True)
class Touched:
    """A request found a block in the cache and refers to it from now on."""

    request: int
    block: int


@dataclass(frozen=True)
class Evicted:
    """A cached block lost its content and its hash."""

    block: int
    hash: str


@dataclass(frozen=True)
class Allocated:
    """A request took the block at the head of the free queue for its next tokens."""

    request: int
    block: int


@dataclass(frozen=True)
class Cached:
    """A full block can be found by its hash from now on."""

    block: int
    hash: str


@dataclass(frozen=True)
class Finished:
    """A request ended; its blocks are released one by one."""

    request: int


@dataclass(frozen=True)
class Released:
    """A request no longer refers to a block; the last reference gone, the block is free."""

    request: int
    block: int


@dataclass(frozen=True)
class Edited:
    """A token of the common prefix became another one."""

    position: int
    token: int


@dataclass(frozen=True)
class Grown:
    """The pool got a block."""

    block: int


@dataclass(frozen=True)
class Retired:
    """The pool lost an empty block."""

    block: int


@dataclass(frozen=True)
class Refused:
    """Nothing happened. `wanted` and `limit` are what the reason compares.

    Reasons: "no room" (blocks wanted, blocks free), "unknown" (request, requests so far), "not running" (request, requests
    so far), "outside" (position, tokens of the prefix), "in use" (blocks of the pool, blocks in use).
    """

    action: Action
    reason: str
    wanted: int
    limit: int


Event = (
    Arrived | Touched | Evicted | Allocated | Cached | Finished | Released | Edited | Grown | Retired | Refused
)  # fmt: skip


@lru_cache(maxsize=256)
def chain(tokens: Tokens, block: int) -> tuple[str, ...]:
    """The hash of every full block: of its tokens and of the hash before it, so of all tokens up to its end."""
    hashes: list[str] = []
    for end in range(block, len(tokens) + 1, block):
        before = hashes[-1] if hashes else ""
        content = f"{before} {' '.join(map(str, tokens[end - block : end]))}"
        # 16 of 64 digits: short enough to read, and two contents of one pool do not meet in them.
        hashes.append(hashlib.sha256(content.encode()).hexdigest()[:16])
    return tuple(hashes)


def hits(state: State, tokens: Tokens) -> tuple[int, ...]:
    """The cached blocks that a prompt finds: from its start to the first miss, and never its last token.

    The last token is computed even when everything is cached: what it yields is the first token of the answer. With it,
    so is the block that it stands in.
    """
    if not state.sharing:
        return ()
    found: list[int] = []
    for hash in chain(tokens[:-1], state.block):
        if hash not in state.cache:
            break
        found.append(state.cache[hash][0])
    return tuple(found)


def decide(state: State, action: Action) -> tuple[Event, ...]:
    """What an action does. What cannot be done is refused, by an event that says why."""
    match action:
        case Admit():
            return tuple(_admit(state, action, Prompt(len(state.prefixes) - 1, state.fresh)))
        case Repeat(number):
            twin = state.request(number)
            if twin is None:
                return (Refused(action, "unknown", number, len(state.requests)),)
            return tuple(_admit(state, action, twin.prompt))
        case Finish(number):
            request = state.request(number)
            if request is None or not request.running:
                reason = "not running" if request else "unknown"
                return (Refused(action, reason, number, len(state.requests)),)
            return (Finished(number), *(Released(number, block) for block in reversed(request.table)))
        case Edit(position):
            length = len(state.prefixes[-1])
            if not 0 <= position < length:
                return (Refused(action, "outside", position, length),)
            return (Edited(position, state.fresh),)
        case Resize(wanted):
            return tuple(_resize(state, action, wanted))


def _admit(state: State, action: Action, prompt: Prompt) -> Iterator[Event]:
    tokens = state.tokens(prompt)
    parts = range(0, len(tokens), state.block)
    found = hits(state, tokens)
    free = [number for number in state.queue if number not in found]
    wanted = len(parts) - len(found)
    if wanted > len(free):
        yield Refused(action, "no room", wanted, len(free))
        return
    number = len(state.requests) + 1
    yield Arrived(number, prompt)
    yield from (Touched(number, block) for block in found)
    hashes = chain(tokens, state.block) if state.sharing else ()
    for place, block in enumerate(free[:wanted], len(found)):
        if state.blocks[block].hash:
            yield Evicted(block, state.blocks[block].hash)
        yield Allocated(number, block)
        if place < len(hashes):
            yield Cached(block, hashes[place])


def _resize(state: State, action: Action, wanted: int) -> Iterator[Event]:
    used = len(state.blocks) - len(state.queue)
    if wanted < used:
        yield Refused(action, "in use", wanted, used)
        return
    unused_numbers = (number for number in count() if number not in state.blocks)
    yield from (Grown(number) for number in islice(unused_numbers, max(0, wanted - len(state.blocks))))
    empty = sorted((number for number in state.queue if not state.blocks[number].hash), reverse=True)
    cached = (number for number in state.queue if state.blocks[number].hash)
    for number in islice((*empty, *cached), max(0, len(state.blocks) - wanted)):
        if state.blocks[number].hash:
            yield Evicted(number, state.blocks[number].hash)
        yield Retired(number)


def apply(state: State, event: Event) -> State:
    """The state after an event."""
    match event:
        case Arrived(_, prompt):
            fresh = max(state.fresh, prompt.own + state.private)
            return replace(state, fresh=fresh, requests=(*state.requests, Request(prompt)))
        case Touched(number, block):
            held = state.blocks[block]
            touched = _with_block(state, block, replace(held, references=held.references + 1))
            request = state.requests[number - 1]
            request = replace(request, table=(*request.table, block), found=request.found + 1)
            return _with_request(replace(touched, queue=_without(state.queue, block)), number, request)
        case Evicted(block, hash):
            rest = {**state.cache, hash: _without(state.cache[hash], block)}
            if not rest[hash]:
                del rest[hash]
            # It stands behind all empty blocks, or it would not be evicted: its place in the queue stays right.
            return replace(_with_block(state, block, Block()), cache=rest)
        case Allocated(number, block):
            request = state.requests[number - 1]
            first = len(request.table) * state.block
            tokens = state.tokens(request.prompt)[first : first + state.block]
            taken = replace(_with_block(state, block, Block(tokens, references=1)), queue=_without(state.queue, block))
            return _with_request(taken, number, replace(request, table=(*request.table, block)))
        case Cached(block, hash):
            cache = {**state.cache, hash: (*state.cache.get(hash, ()), block)}
            return replace(_with_block(state, block, replace(state.blocks[block], hash=hash)), cache=cache)
        case Released(number, block):
            request = state.requests[number - 1]
            held = state.blocks[block]
            left = replace(held, references=held.references - 1)
            released = _with_request(state, number, replace(request, table=_without(request.table, block)))
            if left.references:
                return _with_block(released, block, left)
            if left.hash:
                return replace(_with_block(released, block, left), queue=(*state.queue, block))
            # What cannot be found again is taken first.
            return replace(_with_block(released, block, Block()), queue=(block, *state.queue))
        case Finished(number):
            return _with_request(state, number, replace(state.requests[number - 1], running=False))
        case Edited(position, token):
            prefix = state.prefixes[-1]
            edited = (*prefix[:position], token, *prefix[position + 1 :])
            return replace(state, prefixes=(*state.prefixes, edited), fresh=max(state.fresh, token + 1))
        case Grown(block):
            empty = sum(not state.blocks[number].hash for number in state.queue)
            queue = (*state.queue[:empty], block, *state.queue[empty:])
            return replace(_with_block(state, block, Block()), queue=queue)
        case Retired(block):
            blocks = {number: held for number, held in state.blocks.items() if number != block}
            return replace(state, blocks=blocks, queue=_without(state.queue, block))
        case Refused():
            return state


def replay(state: State, events: Iterable[Event]) -> State:
    """The state after all events."""
    return reduce(apply, events, state)


def run(state: State, actions: Iterable[Action]) -> tuple[tuple[Event, ...], State]:
    """The events of all actions, one after the other, and the state after them."""
    trace: list[Event] = []
    for action in actions:
        events = decide(state, action)
        trace += events
        state = replay(state, events)
    return tuple(trace), state


def _with_block(state: State, number: int, block: Block) -> State:
    return replace(state, blocks={**state.blocks, number: block})


def _with_request(state: State, number: int, request: Request) -> State:
    return replace(state, requests=(*state.requests[: number - 1], request, *state.requests[number:]))


def _without(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    return tuple(other for other in numbers if other != number)
