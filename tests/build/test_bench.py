"""What the benchmark compares our pages with says the same as the engine, and its table says which target is met."""

import json
import re
import subprocess
from typing import Any

import numpy as np
import pytest

from builder import bench, handwritten, node
from engine.labs import curves, lab
from engine.labs.inputs import Number
from engine.labs.state import build

LAB = lab("batch-step")
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"batch": 1, "context": 128, "reserve_gb": 0},
    {"batch": 13, "context": 1024, "memory_fraction": 0.73, "block": 1024},
    {"batch": 1024, "context": 131072},
    {"batch": 512, "context": 128, "memory_fraction": 0.5, "reserve_gb": 40, "block": 1},
)


def by_hand(expression: str) -> Any:
    """What a JavaScript expression gives beside the handwritten model."""
    model = (handwritten.SOURCES / "model.js").read_text("utf-8")
    program = f"{model}\nprocess.stdout.write(JSON.stringify({expression}));"
    done = subprocess.run([node.find().program, "-e", program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def answers() -> list[dict[str, Any]]:
    settings = json.dumps([LAB.defaults | changed for changed in SETTINGS])
    found: list[dict[str, Any]] = by_hand(f"{settings}.map((i) => ({{data: dataOf(i), headline: headlineOf(i)}}))")
    return found


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_the_handwritten_page_has_our_headline(number: int, answers: list[dict[str, Any]]) -> None:
    state = build(LAB, LAB.defaults | SETTINGS[number], None)
    assert list(answers[number]["headline"]) == [entry.name for entry in LAB.headline]
    for name, (value, text) in answers[number]["headline"].items():
        assert value == pytest.approx(state.values[name], rel=1e-12)
        assert text == state.texts[f"q.{name}"]


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_the_handwritten_page_has_our_curves(number: int, answers: list[dict[str, Any]]) -> None:
    ours = curves.sources(LAB, LAB.defaults | SETTINGS[number], None)
    assert answers[number]["data"].keys() == {name for name in ours if not name.startswith("pinned")}
    for name, columns in answers[number]["data"].items():
        assert columns.keys() == ours[name].keys()
        for key, column in columns.items():
            np.testing.assert_allclose(column, ours[name][key], rtol=1e-12)


def test_the_handwritten_page_has_our_sliders() -> None:
    numbers = {entry.name: entry for entry in LAB.inputs if isinstance(entry, Number)}
    inputs = by_hand("INPUTS")
    assert inputs == {
        name: {"stops": pytest.approx(list(entry.stops)), "start": entry.default} for name, entry in numbers.items()
    }
    page = (handwritten.SOURCES / "index.html").read_text("utf-8")
    assert set(re.findall(r'data-input="(\w+)"', page)) == numbers.keys()


def found(**changed: float) -> dict[str, bench.Figures]:
    figures = {target.figure or row.figure for row in bench.ROWS for target in row.targets}
    figures |= {row.figure for row in bench.ROWS}
    one = dict.fromkeys(figures, 0.05)
    return {site: dict(one) for site in bench.SITES} | {"site": one | changed}


def verdicts(table: list[str]) -> list[str]:
    return [line.split()[-1] for line in table[1:] if line.endswith(("yes", "NO"))]


def line_of(label: str, figures: dict[str, bench.Figures]) -> str:
    return next(line for line in bench.table(figures) if line.startswith(label))


def test_the_table_says_which_target_is_met() -> None:
    figures = found()
    figures["hand"]["visible"] = 0.2
    assert verdicts(bench.table(figures))[:2] == ["yes", "NO"]
    assert line_of("lab page before Python, brotli", found(**{"lab brotli": 0.70})).endswith("yes")
    assert line_of("lab page before Python, brotli", found(**{"lab brotli": 0.71})).endswith("NO")


def test_every_target_has_a_line_and_every_row_a_label() -> None:
    table = bench.table(found())
    assert len(verdicts(table)) == sum(len(row.targets) for row in bench.ROWS)
    assert all(any(line.startswith(row.label) for line in table) for row in bench.ROWS)


def test_a_site_without_a_figure_has_an_empty_cell() -> None:
    figures = found()
    whole = line_of("the same move on return", figures)
    del figures["converted"]["effective again"]
    assert len(line_of("the same move on return", figures).split()) == len(whole.split()) - 1
