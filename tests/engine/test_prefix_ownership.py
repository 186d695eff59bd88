"""Lab 5 on the command line: golden cases, actions as they are typed, and a trace that can be replayed from its JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.__main__ import answer
from engine.errors import InputError
from engine.labs import pool_words
from engine.labs.prefix_ownership import LAB, OUTPUTS, pool_run
from engine.simulators import prefix_cache as pool
from tests.engine import cases as golden
from tests.engine.cases import holds

EVENTS = {kind.__name__.lower(): kind for kind in pool.Event.__args__}  # type: ignore[attr-defined]


def report(**inputs: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        answer(["lab", "prefix-ownership", *(f"{name}={value}" for name, value in inputs.items()), "--json"])
    )
    return found


@pytest.mark.parametrize("case", golden.read("prefix_ownership.json"), ids=lambda case: case["name"])
def test_cases(case: dict[str, Any]) -> None:
    found = report(**case["inputs"])["outputs"]
    for name, expected in case["outputs"].items():
        assert holds(expected, found[name]["value"], found[name]["unit"]), (name, expected, found[name])


def test_a_report_has_the_keys_of_every_lab_and_no_pool_without_actions() -> None:
    found = report()
    assert list(found)[:7] == ["lab", "version", "inputs", "outputs", "trace", "limits", "warnings"]
    assert tuple(found["outputs"]) == OUTPUTS
    assert found["inputs"]["sharing"] == {"value": True, "unit": None}
    assert found["inputs"]["actions"]["value"] is None
    assert found["warnings"] == []
    assert "events" not in found and "pool" not in found


@pytest.mark.parametrize(
    ("typed", "value"), [("TRUE", True), ("1", True), ("False", False), ("0", False), ("0.0", None), ("yes", None)]
)
def test_sharing_is_typed_in_the_usual_ways(typed: str, value: bool | None) -> None:
    if value is None:
        with pytest.raises(InputError, match="true or false, or 1 or 0"):
            report(sharing=typed)
    else:
        assert report(sharing=typed)["inputs"]["sharing"]["value"] is value


def test_one_of_four_finishes() -> None:
    found = report(actions="finish:1")["pool"]
    # 11 blocks were held; the 2 of request 1 alone stay in the cache, its last block to be taken first.
    assert found["counts"] == {"pool": 64, "used": 9, "cached": 2, "empty": 53}
    assert [block["owners"] for block in found["blocks"][:5]] == [[2, 3, 4]] * 3 + [[]] * 2
    assert [block["place"] for block in found["blocks"][:5]] == [None] * 3 + [55, 54]
    # 2 tokens of the prefix and 14 own ones in the first own block; then 16 own ones.
    slots = [(block["prefix_tokens"], block["own_tokens"], block["unused"]) for block in found["blocks"][:5]]
    assert slots == [(16, 0, 0)] * 3 + [(2, 14, 0), (0, 16, 0)]


def test_an_edited_token_and_a_small_pool_in_words() -> None:
    found = report(requests=2, pool_blocks=12, actions="finish:1, AGAIN:1, edit:20, admit, pool:9, pool:11")
    assert [request["found_blocks"] for request in found["pool"]["requests"]] == [0, 3, 4, 1]
    said = found["events"]
    assert "Request 3 arrives with the prompt of request 1: 80 tokens." in said
    assert "Request 4 arrives: 80 tokens, of the prefix after 1 edit." in said
    assert "Token 20 of the prefix changes: for requests to come, block 1 and all after it have other hashes." in said
    assert any(sentence.endswith("block 4, which holds the same, is found first.") for sentence in said)
    assert any(sentence.endswith("block 7 holds the same and is found.") for sentence in said)
    assert found["warnings"] == ["pool:9 is refused: 11 blocks are in use."]
    assert found["inputs"]["actions"]["value"] == "finish:1,again:1,edit:20,admit,pool:9,pool:11"


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        ("pool:11,admit", "admit is refused: it needs 2 blocks beside those it finds, and 0 are free."),
        ("pool:12,admit", "admit is refused: it needs 2 blocks beside those it finds, and 1 are free."),
        ("finish:5", "finish:5 is refused: there is no request 5; so far there were 4."),
        ("finish:2,finish:2", "finish:2 is refused: request 2 has finished already."),
        ("edit:50", "edit:50 is refused: the prefix has 50 tokens, counted from 0."),
        ("again:9", "again:9 is refused: there is no request 9; so far there were 4."),
    ],
)
def test_a_refusal_says_why(actions: str, why: str) -> None:
    found = report(actions=actions)
    assert found["warnings"] == [why]
    assert found["events"][-1] == why


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"prefix": 64, "private": 0}, "holds a copy of that block"),
        ({"prefix": 15}, "fills no block of 16: nothing is shared"),
        ({"pool_blocks": 10}, "All requests hold 11 blocks, more than the 10 of the pool"),
        ({"pool_blocks": 11}, ""),
        ({"prefix": 0}, ""),
        ({"prefix": 64, "private": 0, "requests": 1}, ""),
    ],
)
def test_warnings_stand_where_they_must(inputs: dict[str, Any], words: str) -> None:
    said = report(**inputs)["warnings"]
    assert len(said) == bool(words) and words in "".join(said)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"actions": "admitt"}, "Did you mean admit"),
        ({"actions": "finish"}, "finish: followed by a whole number from 1"),
        ({"actions": "finish:x"}, "It is the request of action 1"),
        ({"actions": "admit,pool:0"}, "It is the number of blocks of action 2"),
        ({"actions": "admit:3"}, "takes no number"),
        ({"actions": "admit,,admit"}, "It is action 2"),
        ({"actions": "edit:-1"}, "from 0"),
        ({"prefix": 0, "private": 0}, "at least 1 token"),
        ({"requests": 5000, "actions": "admit"}, "with actions, at most 256 requests"),
        ({"pool_blocks": 5000, "actions": "admit"}, "with actions, at most 256 blocks"),
        ({"prefix": 60_000, "private": 6_000, "actions": "admit"}, "prefix: “60000”"),
        ({"requests": 0}, "from 1"),
        ({"own": 3}, "there is no such input"),
    ],
)
def test_what_cannot_be_is_refused_in_words(inputs: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        report(**inputs)


def test_large_settings_need_no_pool() -> None:
    assert report(requests=1_000_000, prefix=10_000_000)["outputs"]["shared_blocks"]["value"] == 625_000


ACTIONS = st.one_of(
    st.just("admit"),
    st.tuples(st.sampled_from(["again", "finish"]), st.integers(1, 6)).map(lambda a: f"{a[0]}:{a[1]}"),
    st.integers(0, 30).map(lambda position: f"edit:{position}"),
    st.integers(1, 30).map(lambda blocks: f"pool:{blocks}"),
)


def replayed(found: dict[str, Any], first: pool.State) -> pool.State:
    """The last state, from the events as JSON has them."""
    events = []
    for entry in found["pool"]["events"]:
        fields = {name: value for name, value in entry.items() if name not in ("action", "event")}
        if "prompt" in fields:
            fields["prompt"] = pool.Prompt(**fields["prompt"])
        if entry["event"] == "refused":
            fields["action"] = pool_words.actions(entry["action"])[0]
        events.append(EVENTS[entry["event"]](**fields))
    return pool.replay(first, events)


@given(
    st.fixed_dictionaries({"requests": st.integers(1, 4), "prefix": st.integers(0, 30), "private": st.integers(1, 20),
                           "block": st.integers(1, 8), "pool_blocks": st.integers(1, 30), "sharing": st.booleans()}),
    st.lists(ACTIONS, min_size=1, max_size=12).map(",".join),
)  # fmt: skip
def test_the_trace_in_json_replayed_gives_the_state_that_is_shown(inputs: dict[str, Any], actions: str) -> None:
    found = report(**inputs, actions=actions)
    assert found["inputs"]["actions"]["value"] == actions
    state = replayed(found, pool_run(LAB.parse(inputs)).first)
    assert len(found["events"]) == len(found["pool"]["events"])
    shown = found["pool"]
    assert shown["free_queue"] == list(state.queue)
    assert shown["counts"]["used"] + shown["counts"]["cached"] + shown["counts"]["empty"] == shown["counts"]["pool"]
    owners = state.owners()
    for block in shown["blocks"]:
        held = state.blocks[block["number"]]
        assert (block["state"], block["hash"], len(block["owners"])) == (held.state, held.hash, held.references)
        assert block["owners"] == owners.get(block["number"], [])
        assert block["prefix_tokens"] + block["own_tokens"] + block["unused"] == inputs["block"]
        assert (block["place"] is None) == (block["state"] == "used")
    # Own tokens and tokens of the prefix, counted by their place in the prompt.
    for number, request in enumerate(state.requests, 1):
        for place, block in enumerate(request.table):
            first = place * inputs["block"]
            of_prefix = max(0, min(inputs["prefix"] - first, inputs["block"]))
            entry = next(entry for entry in shown["blocks"] if entry["number"] == block)
            assert entry["prefix_tokens"] == of_prefix, (number, place)


@given(st.text(alphabet="admitgnfspole:,0123456789 -", max_size=30))
def test_whatever_is_typed_as_actions_is_read_or_refused(typed: str) -> None:
    try:
        usual = pool_words.usual(typed.strip())
    except InputError as error:
        assert error.name == "actions"
    else:
        assert pool_words.usual(usual) == usual


def test_the_text_shows_the_calculation_and_every_block() -> None:
    said = answer(["lab", "prefix-ownership", "pool_blocks=12", "actions=finish:1"])
    assert "k_phys = k_sh + N_req × k_own = 3 + 4 × 2 = 11" in said
    assert "Request 1 releases block 4: it stays in the cache and waits at the end of the free queue." in said
    assert "block 0: 3 references, of 2, 3, 4; 16 of the prefix, 0 own, 0 unused" in said
    assert "block 3: cached, place 3 in the free queue; 2 of the prefix, 14 own, 0 unused" in said
    assert "block 11: empty, place 1 in the free queue" in said


def test_the_lab_is_found() -> None:
    assert LAB.title in answer(["list", "labs"])
