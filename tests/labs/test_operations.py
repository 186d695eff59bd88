"""Operations written out as JavaScript give the very doubles that they give in Python."""

import json
import random
import subprocess
from pathlib import Path

import pytest

from builder import node
from engine import javascript, ops
from engine.symbols import Symbol


def test_a_geometric_sum_and_a_sum_over_a_list_round_alike(tmp_path: Path) -> None:
    generator = random.Random(4)
    cases = [(1.0, 3), (0.0, 0), (0.7, 3), *((generator.uniform(0, 2), generator.randrange(65)) for _ in range(2000))]
    names = ("batch", "context", "layers")
    lists = [tuple(generator.uniform(-1e9, 1e9) for _ in names) for _ in range(2000)]
    tree = ops.geometric_sum(Symbol("batch"), Symbol("context"))
    total = ops.total(*map(Symbol, names))
    program = (
        f"{javascript.HELPERS}const one = {javascript.test(tree)}, all = {javascript.test(total)};"
        f"console.log(JSON.stringify([{json.dumps(cases)}.map(([batch, context]) => one({{batch, context}})),"
        f"{json.dumps(lists)}.map(([batch, context, layers]) => all({{batch, context, layers}}))]));"
    )
    script = tmp_path / "sums.mjs"
    script.write_text(program)
    found = subprocess.run([node.find().program, script], capture_output=True, text=True, check=True)
    sums, totals = json.loads(found.stdout, parse_int=float)
    assert sums == [ops.geometric_sum(alpha, last) for alpha, last in cases]
    assert totals == [ops.total(*values) for values in lists]


CHANCE = random.Random(7)
ROWS: dict[str, list[tuple[float, ...]]] = {
    "geometric_root": [(CHANCE.uniform(0, 9), CHANCE.randrange(9)) for _ in range(500)],
    "harmonic_number": [(float(CHANCE.randrange(10**6)),) for _ in range(500)] + [(256.0,), (257.0,), (0.0,)],
    "choose_ratio": [(CHANCE.randrange(99), CHANCE.randrange(99, 300), CHANCE.randrange(64)) for _ in range(500)],
    "normal_quantile": [(CHANCE.random(),) for _ in range(500)] + [(10.0**-e,) for e in range(300)],
    "log_sum_exp": [(CHANCE.uniform(-999, 999), CHANCE.uniform(-999, 999)) for _ in range(500)],
    "nearest": [(CHANCE.randrange(-99, 99) / 4,) for _ in range(500)],
    "divide_or_never": [(CHANCE.uniform(-9, 9), CHANCE.choice([0.0, -1.0, 0.7])) for _ in range(500)],
    "log2": [(CHANCE.uniform(0, 1e9),) for _ in range(500)],
}


@pytest.mark.parametrize("name", ROWS)
def test_an_operation_is_in_javascript_what_it_is_in_python(name: str, tmp_path: Path) -> None:
    names = ("batch", "context", "layers")[: len(ROWS[name][0])]
    written = javascript.test(ops.apply(name, *map(Symbol, names)))
    program = (
        f"{javascript.HELPERS}const run = {written};"
        f"console.log(JSON.stringify({json.dumps(ROWS[name])}.map(([{', '.join(names)}]) => "
        f"{{const v = run({{{', '.join(names)}}}); return Number.isFinite(v) ? v : String(v);}})));"
    )
    script = tmp_path / "one.mjs"
    script.write_text(program)
    found = subprocess.run([node.find().program, script], capture_output=True, text=True, check=True)
    for got, row in zip(json.loads(found.stdout), ROWS[name], strict=True):
        expected = ops.apply(name, *row)
        size = max(1.0, abs(expected), *map(abs, row)) if name == "log_sum_exp" else abs(expected)
        bound = ops.ROUNDED.get(name, 0.0) * size
        assert float(got) == expected or abs(float(got) - expected) <= bound, row
