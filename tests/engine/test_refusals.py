"""Formulas that may not be: refused where they are made, by a message that says what is wrong."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from engine import constants, ops
from engine.errors import FormulaError, UnitError
from engine.formula import REGISTRY, Limit, Source, definition, formula, read
from engine.labs.sentences import Fragment
from engine.symbols import Symbol

SOURCE = Source("A paper, section 1", "https://example.org/paper", "2026-11-01")
LIMITS = [Limit("Somewhere it stops.")]


@pytest.fixture(autouse=True)
def clean_registry() -> Iterator[None]:
    """Whatever a test enters is taken out again."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def enter(body: Callable[..., Any], **more: Any) -> Any:
    return formula(**({"source": SOURCE, "limits": LIMITS, "id": "tried"} | more))(body)


def linear_time_s(linear_hbm_time_s: Any, linear_compute_time_s: Any) -> Any:
    return ops.maximum(linear_hbm_time_s, linear_compute_time_s)


def test_a_good_formula_is_entered_and_computes() -> None:
    made = enter(linear_time_s)
    assert REGISTRY["tried"] is made
    assert made.gives == "linear_time_s"
    assert made.body(1.0, 2.0) == 2.0


def branches_on_a_value(step_time_s: Any, linear_time_s: Any) -> Any:
    if step_time_s > linear_time_s:
        return step_time_s
    return linear_time_s


def branches_in_an_expression(step_time_s: Any, linear_time_s: Any) -> Any:
    return step_time_s if linear_time_s else linear_time_s


def branches_on_nothing(step_time_s: Any, linear_time_s: Any) -> Any:
    return step_time_s if LIMITS else linear_time_s


def asks_for_none(step_time_s: Any, linear_time_s: Any) -> Any:
    return linear_time_s if step_time_s is None else step_time_s + linear_time_s


def asks_for_the_type(step_time_s: Any, linear_time_s: Any) -> Any:
    if isinstance(step_time_s, Symbol):
        return step_time_s + linear_time_s
    return step_time_s


def loops(step_time_s: Any, linear_time_s: Any) -> Any:
    for _ in range(3):
        step_time_s = step_time_s + linear_time_s
    return step_time_s


def waits(step_time_s: Any, linear_time_s: Any) -> Any:
    while step_time_s < linear_time_s:
        step_time_s = step_time_s * 2
    return step_time_s


def catches_the_refusal(step_time_s: Any, linear_time_s: Any) -> Any:
    try:
        return float(step_time_s) + linear_time_s * 0
    except:  # noqa: E722
        return step_time_s + linear_time_s


def matches(step_time_s: Any, linear_time_s: Any) -> Any:
    match step_time_s:
        case 0:
            return linear_time_s
    return step_time_s + linear_time_s


BRANCHING = [branches_on_a_value, branches_in_an_expression, branches_on_nothing, asks_for_none, asks_for_the_type, loops,
             waits, catches_the_refusal, matches]  # fmt: skip


@pytest.mark.parametrize("body", BRANCHING, ids=lambda body: body.__name__)
def test_a_branch_is_refused(body: Callable[..., Any]) -> None:
    with pytest.raises(FormulaError, match=r"formula tried: .*branch"):
        enter(body, gives="step_time_s")
    assert "tried" not in REGISTRY


BY_HAND: dict[str, Callable[[Any, Any], Any]] = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a, b: not a,
    "less": lambda a, b: a < b,
    "at most": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "at least": lambda a, b: a >= b,
    "equal": lambda a, b: a == b,
    "not equal": lambda a, b: a != b,
    "equal to a number": lambda a, b: a == 0,
    "chained": lambda a, b: 0 < a < 1,
    "max": lambda a, b: max(a, b),
    "min": lambda a, b: min(a, b),
    "sorted": lambda a, b: sorted([a, b])[0],
    "abs": lambda a, b: abs(a) + b,
    "round": lambda a, b: round(a) + b,
    "round to digits": lambda a, b: round(a, 2) + b,
    "int": lambda a, b: int(a) + b,
    "float": lambda a, b: float(a) + b,
    "complex": lambda a, b: complex(a) + b,
    "bool": lambda a, b: bool(a) * b,
    "math.floor": lambda a, b: math.floor(a) + b,
    "math.ceil": lambda a, b: math.ceil(a) + b,
    "math.trunc": lambda a, b: math.trunc(a) + b,
    "math.sqrt": lambda a, b: math.sqrt(a) + b,
    "math.isnan": lambda a, b: math.isnan(a) + b,
    "//": lambda a, b: a // b,
    "// on the right": lambda a, b: 1 // a,
    "%": lambda a, b: a % b,
    "% on the right": lambda a, b: 1 % a,
    "divmod": lambda a, b: divmod(a, b)[0],
    "divmod on the right": lambda a, b: divmod(1, a)[0],
    "**": lambda a, b: a**2 + b,
    "** on the right": lambda a, b: 2**a + b,
    "pow": lambda a, b: pow(a, 2) + b,
    "iteration": lambda a, b: sum(a),
    "unpacking": lambda a, b: next(iter(a)),
    "length": lambda a, b: len(a) * b,
    "membership": lambda a, b: b in a,
    "membership in a tuple": lambda a, b: a in (1, 2),
    "index": lambda a, b: [1, 2][a],
    "item": lambda a, b: a[0],
    "range": lambda a, b: sum(range(a)),
    "table": lambda a, b: {1: 2}.get(a, 3) * a + b,
    "set": lambda a, b: len({a, b}) * a,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "~": lambda a, b: ~a + b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: 1 >> a,
    "@": lambda a, b: a @ b,
    "number as text": lambda a, b: float(f"{a:.2f}") + b,
    "nested": lambda a, b: (lambda x: x if x > 1 else 1)(a) + b,
    "nested loop": lambda a, b: next(x for x in (a, b) if x),
}


@pytest.mark.parametrize("how", BY_HAND)
def test_a_value_handled_by_hand_is_refused(how: str) -> None:
    hidden = BY_HAND[how]

    def step_time_s(linear_time_s: Any, attention_time_s: Any) -> Any:
        return hidden(linear_time_s, attention_time_s)

    with pytest.raises(FormulaError, match=r"formula tried: .*(by hand|branches)"):
        enter(step_time_s)


@pytest.mark.parametrize(
    ("result", "message"),
    [(None, "None"), (True, "True"), ([1], r"\[1\]"), ((), r"\(\)"), (1j, "1j")],
)
def test_a_result_that_is_no_number_is_refused(result: Any, message: str) -> None:
    def step_time_s() -> Any:
        return result

    with pytest.raises(FormulaError, match=f"{message} of type .* cannot take part"):
        enter(step_time_s)


def test_a_misspelt_parameter_is_told_the_nearest_name() -> None:
    def linear_hbm_time_s(linear_weight_bytes: Any, hbm_bandwith: Any) -> Any:
        return linear_weight_bytes / hbm_bandwith

    with pytest.raises(FormulaError, match=r"'hbm_bandwith' is not in the glossary. Did you mean hbm_bandwidth\?"):
        enter(linear_hbm_time_s)


def test_a_misspelt_parameter_is_found_before_the_body_trips_over_it() -> None:
    def linear_hbm_time_s(linear_weight_bytes: Any, hbm_bandwith: Any) -> Any:
        return linear_weight_bytes / hbm_bandwidth  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(FormulaError, match=r"Did you mean hbm_bandwidth\?"):
        enter(linear_hbm_time_s)


def test_a_misspelt_result_is_told_the_nearest_name() -> None:
    def linear_hbm_times(linear_weight_bytes: Any, hbm_bandwidth: Any) -> Any:
        return linear_weight_bytes / hbm_bandwidth

    with pytest.raises(
        FormulaError, match=r"'linear_hbm_times' is not in the glossary. Did you mean linear_hbm_time_s\?"
    ):
        enter(linear_hbm_times)


@pytest.mark.parametrize("source", ["", "A paper", None, ("A paper", "", "2026-11-01")])
def test_without_a_source_there_is_no_formula(source: Any) -> None:
    with pytest.raises(FormulaError, match="needs a Source"):
        enter(linear_time_s, source=source)


def test_source_and_limits_have_no_default() -> None:
    with pytest.raises(TypeError, match="source"):
        formula(limits=LIMITS)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="limits"):
        formula(source=SOURCE)  # type: ignore[call-arg]


@pytest.mark.parametrize("limits", [[], (), None, ["It stops."], [None]])
def test_without_limits_there_is_no_formula(limits: Any) -> None:
    with pytest.raises(FormulaError, match="needs its limits"):
        enter(linear_time_s, limits=limits)


@pytest.mark.parametrize(
    ("text", "checked", "message"),
    [
        (" ", "2026-11-01", "needs a text"),
        ("A paper", "2999-01-01", "in the future"),
        ("A paper", "yesterday", "'yesterday' is not a day"),
        ("A paper", "", "'' is not a day"),
    ],
)
def test_a_source_has_text_and_a_day_that_has_been(text: str, checked: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        Source(text, "", checked)


def test_a_definition_says_why() -> None:
    with pytest.raises(FormulaError, match="says why"):
        definition(" ", "2026-11-01")


def test_a_limit_has_a_sentence_and_tests_by_comparing() -> None:
    with pytest.raises(FormulaError, match="needs a sentence"):
        Limit(" ")
    with pytest.raises(FormulaError, match="must be a comparison"):
        Limit("Up to here.", lambda context, context_length: context + context_length)
    with pytest.raises(FormulaError, match=r"Did you mean context\?"):
        Limit("Up to here.", lambda contxt, context_length: ops.at_most(contxt, context_length))
    with pytest.raises(FormulaError, match="by hand"):
        Limit("Up to here.", lambda context, context_length: context <= context_length)
    with pytest.raises(UnitError, match="cannot compare"):
        Limit("Up to here.", lambda context, batch: ops.at_most(context, batch))


def test_a_sentence_stands_by_a_comparison() -> None:
    with pytest.raises(FormulaError, match="must be a comparison"):
        Fragment("It fits.", lambda memory_free_bytes: memory_free_bytes)


def extra_factor(linear_weight_bytes: Any, hbm_bandwidth: Any, tp: Any) -> Any:
    return linear_weight_bytes / hbm_bandwidth / hbm_bandwidth * tp


def missing_factor(linear_weight_bytes: Any) -> Any:
    return linear_weight_bytes * 1


def upside_down(linear_weight_bytes: Any, hbm_bandwidth: Any) -> Any:
    return hbm_bandwidth / linear_weight_bytes


def mixed_sum(linear_weight_bytes: Any, hbm_bandwidth: Any, linear_time_s: Any) -> Any:
    return linear_weight_bytes / hbm_bandwidth + linear_weight_bytes * linear_time_s


def bytes_a_token(cell_bytes: Any, kv_shards: Any) -> Any:
    return cell_bytes / kv_shards


def sequences_a_second(batch: Any, step_time_s: Any) -> Any:
    return batch / step_time_s


def parameters_for_bytes(total_parameters: Any, tp: Any) -> Any:
    return total_parameters / tp


def tokens_for_blocks(context: Any, block: Any) -> Any:
    return ops.ceil(context / 16) * block / block


def a_number_for_seconds(layers: Any) -> Any:
    return layers + 1


def seconds_and_a_number(linear_time_s: Any) -> Any:
    return linear_time_s + 1


def exponential_of_seconds(linear_time_s: Any) -> Any:
    return ops.exp(linear_time_s)


def maximum_of_two_kinds(linear_time_s: Any, linear_weight_bytes: Any) -> Any:
    return ops.maximum(linear_time_s, linear_weight_bytes)


def choice_of_two_kinds(linear_time_s: Any, linear_weight_bytes: Any) -> Any:
    return ops.where(ops.less(linear_time_s, 1), linear_time_s, linear_weight_bytes)


def choice_by_a_number(linear_time_s: Any, tp: Any) -> Any:
    return ops.where(tp, linear_time_s, linear_time_s)


def root_of_seconds(linear_time_s: Any) -> Any:
    return ops.sqrt(linear_time_s)


@pytest.mark.parametrize(
    ("body", "gives"),
    [
        (extra_factor, "linear_hbm_time_s"),
        (missing_factor, "linear_hbm_time_s"),
        (upside_down, "linear_hbm_time_s"),
        (mixed_sum, "linear_hbm_time_s"),
        (bytes_a_token, "kv_read_bytes"),
        (sequences_a_second, "aggregate_tokens_per_s"),
        (parameters_for_bytes, "weight_bytes_per_gpu"),
        (tokens_for_blocks, "blocks_per_sequence"),
        (a_number_for_seconds, "step_time_s"),
        (seconds_and_a_number, "step_time_s"),
        (exponential_of_seconds, "step_time_s"),
        (maximum_of_two_kinds, "step_time_s"),
        (choice_of_two_kinds, "step_time_s"),
        (choice_by_a_number, "step_time_s"),
        (root_of_seconds, "step_time_s"),
        (linear_time_s, "fits"),
        (linear_time_s, "linear_bottleneck"),
    ],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_a_wrong_unit_is_refused(body: Callable[..., Any], gives: str) -> None:
    with pytest.raises((UnitError, FormulaError), match=r"formula tried: (yields|cannot|.* needs)"):
        enter(body, gives=gives)
    assert "tried" not in REGISTRY


def test_two_constants_multiplied_lose_their_unit_and_are_refused() -> None:
    def linear_flops(linear_parameters: Any, batch: Any, tp: Any) -> Any:
        return constants.FLOP_PER_WEIGHT * constants.TOKENS_PER_SEQUENCE * linear_parameters * batch / tp

    with pytest.raises(FormulaError, match=r"yields .*, but linear_flops is in FLOP"):
        enter(linear_flops)


def test_an_unused_parameter_is_refused() -> None:
    def step_time_s(linear_time_s: Any, attention_time_s: Any) -> Any:
        return linear_time_s

    with pytest.raises(FormulaError, match="takes attention_time_s but does not use it"):
        enter(step_time_s)


def with_a_default(linear_time_s: Any, attention_time_s: Any = 0) -> Any:
    return linear_time_s + attention_time_s


def with_many(*linear_time_s: Any) -> Any:
    return linear_time_s


def by_keyword(*, linear_time_s: Any) -> Any:
    return linear_time_s


def with_any_name(**linear_time_s: Any) -> Any:
    return linear_time_s


@pytest.mark.parametrize("body", [with_a_default, with_many, by_keyword, with_any_name], ids=lambda body: body.__name__)
def test_parameters_are_plain_names(body: Callable[..., Any]) -> None:
    with pytest.raises(FormulaError, match="without defaults"):
        enter(body, gives="step_time_s")


def test_an_id_is_taken_once() -> None:
    enter(linear_time_s)
    with pytest.raises(FormulaError, match="one of this id already"):
        enter(linear_time_s)


def test_a_winner_needs_two_sides() -> None:
    with pytest.raises(FormulaError, match="at least two sides"):
        ops.winner(hbm=1)


@pytest.mark.parametrize("other", ["x", None, [1], object()])
def test_only_numbers_join_a_formula(other: Any) -> None:
    def step_time_s(linear_time_s: Any) -> Any:
        return linear_time_s + other

    with pytest.raises((FormulaError, UnitError)):
        enter(step_time_s)


def test_reading_tells_inputs_tree_and_unit() -> None:
    inputs, tree, kind = read(linear_time_s)
    assert inputs == ("linear_hbm_time_s", "linear_compute_time_s")
    assert tree.names() == set(inputs)
    assert str(kind.dimension) == "s"


def names(limits: Sequence[Limit]) -> list[str]:
    return [limit.text for limit in limits]


def test_every_formula_of_the_engine_has_source_limits_and_a_sentence() -> None:
    for made in REGISTRY.values():
        assert made.doc.endswith("."), made.id
        assert all(text.endswith(".") for text in names(made.limits)), made.id
        assert made.source.url.startswith("https://") or made.source.text.startswith("Definition: "), made.id


def sly(value: Any, other: Any) -> Any:
    return value if isinstance(value, float) and value > other else value + other


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda linear_hbm_time_s, linear_compute_time_s: sly(linear_hbm_time_s, linear_compute_time_s), "uses sly"),
        (lambda step_time_s: step_time_s * int(2.7), "uses int"),
        (lambda step_time_s: step_time_s * round(1.5), "uses round"),
        (lambda step_time_s: (step_time_s, -step_time_s)[isinstance(step_time_s, float)], "uses isinstance"),
        (lambda step_time_s: step_time_s * 1.3, "1.3 has no name"),
        (lambda step_time_s: step_time_s * 1e9 / 1e9, "1e\\+09 has no name"),
    ],
)
def test_what_would_hide_from_the_tree_is_refused(body: Any, words: str) -> None:
    with pytest.raises(FormulaError, match=words):
        formula(id="sly", gives="linear_time_s", source=definition("a test", "2026-11-29"), limits=[Limit("None.")])(
            body
        )
