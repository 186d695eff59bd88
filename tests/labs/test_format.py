"""How numbers look: the rule of engine/text.py and the one of the page's scripts, digit for digit."""

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from builder import node
from engine import text
from labs._scripts import SCRIPTS

RULES = ("2f", "0f", "3g", "5g", "count")
EDGES = [
    0.0, -0.0, 0.5, 1.5, 2.5, -2.5, 0.125, 0.375, 1.005, 0.005, 9.9995, 99995.0, 999.5, 1000.5, 1e15 - 0.5, 1e15,
    999999999999999.0, 1e21, 1e22, 1.5e300, 5e-324, 2.2e-308, 1e-5, float("inf"), float("-inf"),
]  # fmt: skip
COUNT = 20_000


def values(generator: random.Random) -> Iterator[float]:
    """Ties, powers of ten, tiny, huge, whole and negative numbers."""
    yield from EDGES
    for place in range(COUNT - len(EDGES)):
        kind = place % 6
        if kind == 0:
            yield generator.uniform(-1e3, 1e3)
        elif kind == 1:
            yield generator.choice((-1, 1)) * 10 ** generator.uniform(-300, 300)
        elif kind == 2:
            yield generator.randrange(-(10**6), 10**6) / generator.choice((2, 4, 8, 16, 32, 64, 128, 1000, 1024))
        elif kind == 3:
            yield float(10 ** generator.randrange(-20, 22)) * generator.choice((1, 0.5, 9.9995, 1.0005))
        elif kind == 4:
            yield generator.randrange(10**17) / 10.0 ** generator.randrange(18)
        else:
            yield float(generator.randrange(2**53))


def test_100_000_numbers_look_the_same_in_python_and_on_the_page(tmp_path: Path) -> None:
    drawn = list(values(random.Random(1)))
    expected = [[text.digits(value, rule) for rule in RULES] for value in drawn]
    assert sum(map(len, expected)) == 100_000
    data = tmp_path / "numbers.json"
    # JSON has no infinity; a text that both languages read as the very double does.
    data.write_text(
        json.dumps([[repr(value).replace("inf", "Infinity"), row] for value, row in zip(drawn, expected, strict=True)])
    )
    script = tmp_path / "compare.mjs"
    script.write_text(
        f"import {{readFileSync}} from 'fs'; import {{digits}} from {json.dumps((SCRIPTS / 'format.js').as_uri())};"
        f"const rules = {json.dumps(RULES)};"
        f"for (const [value, row] of JSON.parse(readFileSync({json.dumps(str(data))}, 'utf8'))) rules.forEach((rule, i) => {{"
        "const found = digits(Number(value), rule);"
        "if (found !== row[i]) console.log(value, rule, found, row[i]);});"
    )
    found = subprocess.run([node.find().program, script], capture_output=True, text=True, check=True)
    assert found.stdout == ""
