"""The page scripts: how they are flattened, and those of their parts that need no page."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from builder import node
from labs._scripts import ScriptError, bundle, bundle_module


@pytest.fixture(scope="module")
def program() -> Path:
    return node.find().program


def run(program: Path, folder: Path, module: str, code: str) -> Any:
    """What `code` leaves in `result`, with everything that the module exports in `its`."""
    (folder / "module.mjs").write_text(bundle_module(module), "utf-8")
    script = f"import * as its from './module.mjs';\nlet result;\n{code}\nconsole.log(JSON.stringify(result));\n"
    (folder / "test.mjs").write_text(script, "utf-8")
    done = subprocess.run([program, "test.mjs"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def modules(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize("entry", ["lab-page.js", "plain-page.js"])
def test_page_bundle_is_one_classic_script(entry: str, program: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.cjs"
    file.write_text(bundle(entry), "utf-8")
    subprocess.run([program, "--check", file], check=True, timeout=60)
    assert not [line for line in file.read_text("utf-8").splitlines() if line.startswith(("import ", "export "))]


def test_panel_bundle_is_a_module_that_exports_render(program: Path, tmp_path: Path) -> None:
    assert run(program, tmp_path, "panel.js", "result = Object.keys(its);") == ["render"]


def test_scripts_need_no_permission_beyond_their_own_code() -> None:
    everything = bundle() + bundle_module()
    for word in ("eval(", "new Function", "document.write", "http://", "https://"):
        assert word not in everything.replace("http://www.w3.org/2000/svg", "")


def test_a_module_comes_after_what_it_imports(tmp_path: Path) -> None:
    folder = modules(
        tmp_path,
        entry="import {one} from './one.js';\nimport {two} from './two.js';\none(two);\n",
        one="import {two} from './two.js';\n\nexport function one() {\n  two();\n}\n",
        two="// Why.\nexport const two = () => 2;\n",
    )
    assert bundle("entry.js", folder).splitlines() == [
        "(() => {",
        "'use strict';",
        "const two = () => 2;",
        "function one() {",
        "  two();",
        "}",
        "one(two);",
        "})();",
    ]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("import one from './one.js';", "entry.js:1: only import {names}"),
        ("import * as one from './one.js';", "entry.js:1: only import {names}"),
        ("import './one.js';", "entry.js:1: only import {names}"),
        ("import {one} from 'one';", "entry.js:1: only import {names}"),
        ("import {one as other} from './one.js';", "a renamed import has no name"),
        ("import {other} from './one.js';", "one.js does not export other"),
        ("import {one} from './none.js';", "none.js: there is no such script"),
        ("import {one} from './one.js';\nconst one = 1;", "one is declared in one.js as well"),
        ("import {one} from './circle.js';", "in a circle: entry.js -> circle.js -> entry.js"),
        ("export default 1;", "entry.js:1: only named"),
        ("const one = 1;\nexport {one};", "entry.js:2: only named"),
        ("const {one} = window;", "entry.js:1: only named"),
        ("var one = 1;", "entry.js:1: only named"),
        ("const one = () => import('./one.js');", "have no meaning in one script"),
        ("const here = import.meta.url;", "have no meaning in one script"),
        ("const text = `one\ntwo`;", "entry.js:1: a template over several lines"),
    ],
)
def test_what_cannot_be_flattened_is_refused(entry: str, message: str, tmp_path: Path) -> None:
    circle = "import {nothing} from './entry.js';\nexport const one = 1;\n"
    folder = modules(tmp_path, entry=entry, one="export const one = 1;\n", circle=circle)
    with pytest.raises(ScriptError) as refusal:
        bundle("entry.js", folder)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        (" 1,024 ", 1024),
        ("1,048,576", 1048576),
        ("0.9", 0.9),
        (".5", 0.5),
        ("-2", -2),
        ("2.5e3", 2500),
        ("1e21", 1e21),
        ("9007199254740991", 9007199254740991),
        ("9007199254740993", None),
        ("1,02", None),
        ("1.000,5", None),
        ("8k", None),
        ("0x10", None),
        ("1e999", None),
        ("Infinity", None),
        ("e5", None),
        (",100", None),
        ("1 000", None),
        ("", None),
    ],
)
def test_only_plain_numbers_are_read(text: str, value: float | None, program: Path, tmp_path: Path) -> None:
    assert run(program, tmp_path, "values.js", f"result = its.parseNumber({json.dumps(text)});") == value


WISHES = """
const sent = [], shown = [], failures = [];
let say;
const source = {
  restart: () => sent.push('restart'),
  send: (message) => sent.push(message),
  listen: (callback) => { say = callback; },
};
const wishes = its.createWishes(source, {
  onReady: () => true,
  onState: ({rev}, {isNewest}) => shown.push([rev, isNewest]),
  onFailure: (text) => failures.push(text),
  onStalled() {},
  onPending() {},
});
const answered = (rev) => say({type: 'state', rev, state: {}});
"""


def test_wishes_before_the_model_runs_are_kept_and_only_the_newest_is_sent(program: Path, tmp_path: Path) -> None:
    code = """
    wishes.want({batch: 1}, null, 'default');
    wishes.want({batch: 2}, null, 'last');
    const before = sent.length;
    say({type: 'ready'});
    wishes.want({batch: 3}, null, 'last');
    wishes.want({batch: 4}, null, 'last');
    answered(99);
    answered(2);
    answered(2);
    answered(4);
    result = {before, batches: sent.map((m) => m.inputs.batch), fallbacks: sent.map((m) => m.fallback), shown};
    """
    assert run(program, tmp_path, "wishes.js", WISHES + code) == {
        "before": 0,
        "batches": [2, 4],
        "fallbacks": ["default", "last"],
        "shown": [[2, False], [4, True]],
    }


def test_questions_wait_for_the_newest_wish(program: Path, tmp_path: Path) -> None:
    code = """
    say({type: 'ready'});
    wishes.want({batch: 1}, null, 'last');
    const asked = wishes.ask({type: 'export', what: 'csv'});
    const before = sent.map((m) => m.type);
    answered(1);
    say({type: 'exported', rev: 2, what: 'csv', text: 'table'});
    result = {before, after: sent.map((m) => m.type), text: (await asked).text};
    """
    assert run(program, tmp_path, "wishes.js", WISHES + code) == {
        "before": ["set"],
        "after": ["set", "export"],
        "text": "table",
    }


def test_a_failed_wish_does_not_stop_the_next_and_a_restart_wishes_again(program: Path, tmp_path: Path) -> None:
    code = """
    say({type: 'ready'});
    wishes.want({batch: 1}, null, 'last');
    say({type: 'error', rev: 1, text: 'stumbled'});
    wishes.want({batch: 2}, null, 'last');
    say({type: 'error', text: 'crashed'});
    wishes.restart();
    say({type: 'ready'});
    answered(2);
    result = {failures, sent: sent.map((m) => m.inputs?.batch ?? m), shown, pending: wishes.pending};
    """
    assert run(program, tmp_path, "wishes.js", WISHES + code) == {
        "failures": ["stumbled", "crashed"],
        "sent": [1, 2, "restart", 2],
        "shown": [[2, True]],
        "pending": False,
    }


def test_a_source_may_answer_at_once(program: Path, tmp_path: Path) -> None:
    code = """
    source.send = (m) => { sent.push(m); answered(m.rev); };
    say({type: 'ready'});
    for (const batch of [1, 2, 3]) wishes.want({batch}, null, 'last');
    result = {shown, pending: wishes.pending};
    """
    assert run(program, tmp_path, "wishes.js", WISHES + code) == {
        "shown": [[1, True], [2, True], [3, True]],
        "pending": False,
    }


def test_one_gesture_is_one_step_of_undo(program: Path, tmp_path: Path) -> None:
    code = """
    const undo = its.createUndo({batch: 1});
    undo.record({batch: 2}, 1);
    undo.record({batch: 3}, 1);
    undo.record({batch: 4}, 2);
    const back = [undo.undo().batch, undo.undo().batch, undo.canUndo];
    const forth = [undo.redo().batch, undo.canRedo];
    undo.record({batch: 5}, 3);
    result = {back, forth, canRedo: undo.canRedo, before: undo.undo().batch};
    """
    assert run(program, tmp_path, "undo.js", code) == {
        "back": [3, 1, False],
        "forth": [3, True],
        "canRedo": False,
        "before": 3,
    }


def test_a_drag_and_a_burst_of_keys_are_one_gesture_each(program: Path, tmp_path: Path) -> None:
    code = """
    let now = 0;
    Object.defineProperty(globalThis, 'performance', {value: {now: () => now}});
    const gestureOf = its.createGestures();
    const at = (time, name, settled) => { now = time; return gestureOf(name, settled); };
    result = [
      at(0, 'batch', false), at(5000, 'batch', false), at(5001, 'batch', true),
      at(5100, 'batch', true), at(7000, 'batch', true), at(7001, 'context', true),
      at(7002, null, true), at(7003, null, true),
    ];
    """
    assert run(program, tmp_path, "gestures.js", code) == [1, 1, 1, 1, 2, 3, 4, 5]


def test_an_address_is_read_by_name_and_what_is_odd_is_said(program: Path, tmp_path: Path) -> None:
    code = """
    const spec = {version: '2', inputs: [
      {name: 'batch', kind: 'number'},
      {name: 'tp', kind: 'choice', options: [{value: 1}, {value: 2}]},
      {name: 'model', kind: 'choice', options: [{value: 'llama'}]},
    ]};
    result = its.readAddress(spec, '?batch=1,024&tp=2&model=lama&batch=3&colour=red&v=1&embed=1');
    """
    found = run(program, tmp_path, "address.js", code)
    assert found["inputs"] == {"batch": 1024, "tp": 2, "model": "lama"}
    assert found["embedded"]
    assert [text for text in found["notices"] if "batch" in text]
    assert [text for text in found["notices"] if "colour" in text]
    assert [text for text in found["notices"] if "version 1" in text]
