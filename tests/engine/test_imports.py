"""What the engine may import, how long that takes, and where numbers of units may stand."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import engine

PACKAGE = Path(engine.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
ARRAYS = ("ops.py", "labs/curves.py", "simulators/goodput.py")
SCREENS = {"panel", "bokeh", "param", "jinja2", "pandas", "labs", "builder"}
SCALES = {1e-12, 1e-9, 1e-6, 1e-3, 1e9, 1e12, 3600.0, 86400.0, 2.0**20, 2.0**30}
FACTORS = (8, 60, 1000, 1024, 3600, 10**6, 10**9, 2**20, 2**30)


def name(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_the_engine_knows_no_screen_and_no_package_but_numpy(module: Path) -> None:
    tree = ast.parse(module.read_text("utf-8"))
    at_the_top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            wanted = [node.module or ""]
        else:
            continue
        for full in wanted:
            top = full.partition(".")[0]
            assert top not in SCREENS
            assert top in ("engine", "numpy") or top in sys.stdlib_module_names, full
            assert top != "numpy" or (id(node) not in at_the_top and name(module) in ARRAYS), "numpy only for arrays"


@pytest.mark.parametrize("module", [m for m in MODULES if name(m) != "units.py"], ids=name)
def test_units_are_converted_in_units_only(module: Path) -> None:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            assert node.value not in SCALES, f"line {node.lineno}: {node.value} belongs to units.py"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.LShift):
            for side in (node.left, node.right):
                value = side.value if isinstance(side, ast.Constant) else None
                assert value not in FACTORS, f"line {node.lineno}: a unit by hand"


@pytest.mark.parametrize("module", sorted((PACKAGE / "formulas").glob("*.py")), ids=name)
def test_arithmetic_of_formulas_has_no_bare_numbers(module: Path) -> None:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.BinOp):
            for side in (node.left, node.right):
                assert not isinstance(side, ast.Constant) or side.value == 1, f"line {node.lineno}: name the number"


def test_importing_everything_is_quick_and_pulls_in_no_package() -> None:
    """The limit is ten times what it takes, for a loaded machine; what is measured is a start without cache of facts."""
    script = (
        "import json, sys, time; start = time.perf_counter(); import engine.__main__, engine.report, engine.javascript; "
        "from engine.labs import labs; labs(); "
        "print(json.dumps([time.perf_counter() - start, sorted({m.partition('.')[0] for m in sys.modules})]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PACKAGE.parent, capture_output=True, check=True, timeout=60
    )
    seconds, loaded = json.loads(done.stdout)
    assert not SCREENS & set(loaded) and "numpy" not in loaded
    assert seconds < 2


def test_a_single_value_never_loads_numpy() -> None:
    script = (
        "import sys; from engine.labs import export, lab, state; l = lab('batch-step'); state.build(l, l.defaults); "
        "[make(l, l.defaults) for make in export.EXPORTS.values()]; "
        "[state.verdict(l, 'double-batch', '104', l.defaults)]; sys.exit('numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], cwd=PACKAGE.parent, check=True, timeout=60)
