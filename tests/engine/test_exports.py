"""What a reader takes away: the CSV holds the computed values, text and Markdown every step and how to repeat it."""

import csv
from typing import Any

import hypothesis
from hypothesis import given

import engine
from engine.labs import export, state
from engine.labs.inputs import Choice
from engine.quantities import quantity
from tests.engine.settings import LAB, settings, values

few = hypothesis.settings(max_examples=25)


def read(text: str) -> tuple[list[str], list[str], list[dict[str, str]]]:
    """The comment lines, the header and the rows of a CSV export."""
    lines = text.splitlines()
    comments = [line for line in lines if line.startswith("#")]
    header, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    return comments, header, [dict(zip(header, row, strict=True)) for row in rows]


@few
@given(settings())
def test_the_csv_is_the_evaluated_values(inputs: dict[str, Any]) -> None:
    comments, header, rows = read(export.as_csv(LAB, inputs))
    names = (LAB.curve.input, *LAB.curve.columns)
    assert header == [f"{name} [{quantity(name).unit}]" for name in names]
    assert LAB.title in comments[0] and engine.__version__ in comments[0]
    assert comments[1] == f"# {state.command(LAB, inputs)}"
    axis = [float(row[header[0]]) for row in rows]
    assert axis == sorted({*LAB.curve.grid, float(inputs["batch"])})
    plan, base = LAB.plan(inputs), LAB.given(inputs)
    for row in (rows[0], rows[axis.index(inputs["batch"])], rows[-1]):
        found = plan.evaluate(base | {"batch": float(row[header[0]])})
        for name, cell in zip(names, row.values(), strict=True):
            assert (cell == "true" if name == "fits" else float(cell)) == found[name]


@given(settings())
def test_text_and_markdown_hold_every_input_step_limit_and_warning(inputs: dict[str, Any]) -> None:
    steps = state.trace(LAB, inputs).steps
    assert {step.name for step in steps} == values(inputs).keys() - LAB.given(inputs).keys()
    plain, marked = export.as_text(LAB, inputs), export.as_markdown(LAB, inputs)
    for step in steps:
        assert f"  {step.sentence}\n" in plain
        assert f"| {step.line} | {step.substituted} | {step.shown} |" in marked
    for text in (plain, marked):
        assert LAB.title in text and engine.__version__ in text
        assert text.endswith("\n") and "nan" not in text.split()
        assert state.command(LAB, inputs) in text
        for entry in LAB.inputs:
            assert f"{entry.label} {entry.show(inputs[entry.name])}" in text
        for limit in state.trace(LAB, inputs).limits:
            assert limit.text in text
        for warning in export.warnings(LAB, inputs, values(inputs)):
            assert warning in text
    assert all(
        line.count(" | ") == 3 or line.startswith("| | ") for line in marked.splitlines() if line.startswith("| ")
    )


@given(settings())
def test_the_command_of_an_export_gives_the_same_setting(inputs: dict[str, Any]) -> None:
    words = state.command(LAB, inputs).removeprefix("python -m engine lab batch-step ").split(" ")
    assert LAB.parse(dict(word.split("=") for word in words)) == inputs


def test_exports_are_known_by_name() -> None:
    assert {name: make(LAB, LAB.defaults)[0] for name, make in export.EXPORTS.items()} == {
        "text": "A", "markdown": "#", "csv": "#",
    }  # fmt: skip


@given(settings())
def test_the_state_of_a_screen_says_what_the_exports_say(inputs: dict[str, Any]) -> None:
    said = state.build(LAB, inputs)
    assert said.inputs == inputs and said.errors == {}
    assert said.values == values(inputs)
    for step in state.trace(LAB, inputs).steps:
        assert said.texts[f"q.{step.name}"] == step.shown
    for entry in LAB.inputs:
        assert said.texts[f"input.{entry.name}"] == entry.show(inputs[entry.name])
        if isinstance(entry, Choice):
            assert said.texts[f"input.{entry.name}"] in dict(entry.options).values()
    assert {key for key, shown in said.flags.items() if shown and key.startswith("warn.")} == {
        f"warn.{w.id}" for w in LAB.warnings if said.texts[f"warn.{w.id}"] in export.warnings(LAB, inputs, said.values)
    }
    for row in range(len(LAB.curve.rows)):
        assert all(said.texts[f"table.{row}.{column}"] for column in range(len(LAB.curve.columns) + 1))
    for fact in LAB.facts:
        assert all(said.texts[f"fact.{fact.id}{part}"] for part in ("", ".kind", ".source", ".checked"))
