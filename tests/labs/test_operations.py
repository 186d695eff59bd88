"""Operations written out as JavaScript give the very doubles that they give in Python."""

import json
import random
import subprocess
from pathlib import Path

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
