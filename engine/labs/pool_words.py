"""A pool of blocks in words: actions as a reader types them, what then happened, and what every block holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import assert_never

from engine.errors import InputError, nearest
from engine.labs.inputs import Number
from engine.simulators import prefix_cache as pool
from engine.simulators.prefix_cache import Action, Admit, Edit, Event, Finish, Repeat, Resize, State
from engine.text import digits

MOST_BLOCKS = 256
MOST_TOKENS = 65_536
"""A pool and prompts larger than this are not simulated: nobody reads such a map."""

ACTIONS: dict[str, tuple[Callable[..., Action], Number | None]] = {
    "admit": (Admit, None),
    "again": (Repeat, Number("again", "request", "count", 1, 1, 1_000_000, (), "", "", integer=True)),
    "finish": (Finish, Number("finish", "request", "count", 1, 1, 1_000_000, (), "", "", integer=True)),
    "edit": (Edit, Number("edit", "position", "count", 0, 0, 10_000_000, (), "", "", integer=True)),
    "pool": (Resize, Number("pool", "number of blocks", "count", 64, 1, MOST_BLOCKS, (), "", "", integer=True)),
}
"""How each action is written, and the number that stands behind its colon."""

FORM = (
    "admit, again:REQUEST, finish:REQUEST, edit:POSITION from 0 and pool:BLOCKS, with commas between them, after the "
    "requests have been admitted"
)
EXAMPLE = "actions=finish:1,edit:20,admit,pool:8"


def _action(entry: str, place: int) -> Action:
    word, colon, typed = (part.strip() for part in entry.lower().partition(":"))
    if word not in ACTIONS:
        hint = nearest(word, ACTIONS) or f"For example {EXAMPLE}."
        raise InputError("actions", entry.strip(), FORM, f"It is action {place}. {hint}")
    make, number = ACTIONS[word]
    if number is None:
        if colon:
            raise InputError("actions", entry.strip(), word, f"It is action {place} and takes no number.")
        return make()
    try:
        return make(number.parse(typed))
    except InputError as error:
        hint = f"It is the {number.label} of action {place}. For example {EXAMPLE}."
        raise InputError("actions", entry.strip(), f"{word}: followed by {error.allowed}", hint) from None


def actions(typed: str) -> tuple[Action, ...]:
    """The actions of a text; InputError when it cannot be read."""
    return tuple(_action(entry, place) for place, entry in enumerate(typed.split(","), 1)) if typed else ()


def written(action: Action) -> str:
    """An action as it is typed."""
    match action:
        case Admit():
            return "admit"
        case Repeat(number):
            return f"again:{number}"
        case Finish(number):
            return f"finish:{number}"
        case Edit(position):
            return f"edit:{position}"
        case Resize(blocks):
            return f"pool:{blocks}"


def usual(typed: str) -> str:
    """Actions in their usual form; InputError when they cannot be read."""
    return ",".join(map(written, actions(typed)))


@dataclass(frozen=True)
class Run:
    """What was done to a pool: the first state, every action with its events, and the last state."""

    first: State
    steps: tuple[tuple[Action, tuple[Event, ...]], ...]
    state: State

    @property
    def events(self) -> tuple[Event, ...]:
        """All events in order; replayed from the first state they give the last one."""
        return tuple(event for _, events in self.steps for event in events)


def run(first: State, wanted: Iterable[Action]) -> Run:
    """Do one action after the other."""
    state, steps = first, []
    for action in wanted:
        events, state = pool.run(state, [action])
        steps.append((action, events))
    return Run(first, tuple(steps), state)


# Sentences.


def many(count: float, one: str) -> str:
    """A count with what is counted: 1 block, 2 blocks."""
    return f"{digits(float(count), 'count')} {one}{'' if count == 1 else 's'}"


def told(found: Run) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every action as it is typed, with what happened: one sentence for each event."""
    state, chapters = found.first, []
    for action, events in found.steps:
        sentences = []
        for event in events:
            later = pool.apply(state, event)
            sentences.append(_sentence(event, state, later))
            state = later
        chapters.append((written(action), tuple(sentences)))
    return tuple(chapters)


def _sentence(event: Event, before: State, after: State) -> str:
    match event:
        case pool.Arrived(number, prompt):
            twins = [n for n, request in enumerate(before.requests, 1) if request.prompt == prompt]
            how = f" with the prompt of request {twins[0]}" if twins else ""
            edits = "" if twins or not prompt.version else f", of the prefix after {many(prompt.version, 'edit')}"
            return f"Request {number} arrives{how}: {many(len(after.tokens(prompt)), 'token')}{edits}."
        case pool.Touched(number, block):
            return f"Request {number} finds block {block} in the cache: touched, {_references(after, block)}."
        case pool.Evicted(block, hash):
            left = after.cache.get(hash)
            found = f"block {left[0]} holds the same and is found" if left else "nothing is found any more"
            return f"Block {block} is evicted: by its hash {hash}, {found}."
        case pool.Allocated(number, block):
            return f"Request {number} takes block {block} for {many(len(after.blocks[block].tokens), 'token')}."
        case pool.Cached(block, hash):
            first = after.cache[hash][0]
            found = "it is found" if first == block else f"block {first}, which holds the same, is found first"
            return f"Block {block} is full: by its hash {hash}, {found}."
        case pool.Finished(number):
            return f"Request {number} finishes and releases its blocks, the last one first."
        case pool.Released(number, block):
            return f"Request {number} releases block {block}: {_left(after, block)}."
        case pool.Edited(position, _):
            return (
                f"Token {position} of the prefix changes: for requests to come, block {position // before.block} and all "
                "after it have other hashes."
            )
        case pool.Grown(block):
            return f"Block {block} joins the pool."
        case pool.Retired(block):
            return f"Block {block} leaves the pool."
        case pool.Refused():
            return refusal(event)
    assert_never(event)


def refusal(event: pool.Refused) -> str:
    """Why an action was refused."""
    action, wanted, limit = written(event.action), event.wanted, event.limit
    match event.reason:
        case "no room":
            why = (
                f"it needs {many(wanted, 'block')} beside those it finds, and {digits(float(limit), 'count')} are free"
            )
        case "unknown":
            why = f"there is no request {wanted}; so far there were {digits(float(limit), 'count')}"
        case "not running":
            why = f"request {wanted} has finished already"
        case "outside":
            why = f"the prefix has {many(limit, 'token')}, counted from 0"
        case _:
            why = f"{many(limit, 'block')} are in use"
    return f"{action} is refused: {why}."


def _references(state: State, block: int) -> str:
    return many(state.blocks[block].references, "reference")


def _left(state: State, block: int) -> str:
    match state.blocks[block].state:
        case "used":
            return _references(state, block)
        case "cached":
            return "it stays in the cache and waits at the end of the free queue"
        case _:
            return "it is empty and waits at the head of the free queue"


# The map.


@dataclass(frozen=True)
class BlockShown:
    """One block as a map shows it.

    Attributes
    ----------
    state : str
        One of "used", "cached" and "empty".
    owners : tuple of int
        Running requests that refer to it.
    prefix_tokens, own_tokens, unused : int
        Its slots: with tokens of the common prefix, with tokens of one request's own, without a token.
    place : int or None
        Its place in the free queue, from 1; the first is taken next.
    """

    number: int
    state: str
    owners: tuple[int, ...]
    prefix_tokens: int
    own_tokens: int
    unused: int
    hash: str
    place: int | None

    @property
    def tail(self) -> bool:
        """Whether it holds the end of the prefix in a request's own block, which is a copy."""
        return bool(self.prefix_tokens and (self.own_tokens or self.unused))


def block_map(state: State) -> tuple[BlockShown, ...]:
    """Every block of the pool by its number."""
    common = {token for prefix in state.prefixes for token in prefix}
    places = {number: place for place, number in enumerate(state.queue, 1)}
    owners = state.owners()
    shown = []
    for number, block in sorted(state.blocks.items()):
        of_prefix = sum(token in common for token in block.tokens)
        shown.append(
            BlockShown(
                number,
                block.state,
                tuple(owners.get(number, ())),
                of_prefix,
                len(block.tokens) - of_prefix,
                state.block - len(block.tokens),
                block.hash,
                places.get(number),
            )
        )
    return tuple(shown)
