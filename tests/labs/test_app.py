"""A lab as a Panel app, without a browser: in a plain Python, in a notebook's cell, and as messages."""

import json
import subprocess
import sys
from typing import Any

import pytest

from builder.paths import ROOT
from engine.errors import InputError
from engine.labs import lab
from labs._app import LabApp, answer

SLUG = "batch-step"


@pytest.fixture
def app() -> LabApp:
    return LabApp(SLUG)


def told(app: LabApp, kind: str, **fields: Any) -> dict[str, Any]:
    """The app's answer, as it would travel."""
    found = json.loads(json.dumps(answer(app, {"type": kind, "rev": 7} | fields), allow_nan=False))
    assert found["rev"] == 7
    assert isinstance(found, dict)
    return found


def test_one_line_in_a_notebook_shows_the_lab() -> None:
    """In a process of its own: Panel keeps what an extension has loaded."""
    program = (
        "import json\nfrom labs.batch_step import app\n"
        "data, *_ = app._repr_mimebundle_()\nprint(json.dumps({kind: str(text) for kind, text in data.items()}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    bundle = json.loads(done.stdout.splitlines()[-1])
    assert "text/html" in bundle
    shown = "".join(bundle.values())
    assert "data-slider" in shown and "7.04" in shown and "data-figure" in shown


def test_module_can_be_run_by_itself() -> None:
    done = subprocess.run(
        [sys.executable, "labs/batch_step.py"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_parameters_have_domain_and_slider_range(app: LabApp) -> None:
    batch = app.params.param["batch"]
    assert batch.bounds == (1, 1_000_000)
    assert batch.softbounds == (1, 1024)
    assert app.params.param["memory_fraction"].inclusive_bounds == (False, True)
    with pytest.raises(ValueError, match="batch"):
        app.params.batch = 0


def test_setting_a_parameter_refreshes_the_state(app: LabApp) -> None:
    app.params.batch = 16
    assert app.state.texts["q.sequence_tokens_per_s"].startswith("104")


def test_inputs_may_be_given_at_the_start() -> None:
    assert LabApp(SLUG, batch=16).inputs == lab(SLUG).defaults | {"batch": 16}
    with pytest.raises(InputError, match="bacth"):
        LabApp(SLUG, bacth=16)


@pytest.mark.parametrize(("fallback", "kept"), [("last", 32), ("default", 8)])
def test_what_is_refused_leaves_the_last_or_the_default(app: LabApp, fallback: str, kept: int) -> None:
    app.set({"batch": 32})
    state = told(app, "set", inputs={"batch": "lots", "context": 4096}, pinned=None, fallback=fallback)["state"]
    assert state["inputs"]["batch"] == kept
    assert state["inputs"]["context"] == 4096
    assert set(state["errors"]) == {"batch"}
    assert "lots" in state["errors"]["batch"]


def test_pinned_setting_stands_beside_the_current_one(app: LabApp) -> None:
    state = told(app, "set", inputs={"batch": 16}, pinned=lab(SLUG).defaults)["state"]
    assert state["flags"]["pinned"]
    assert state["texts"]["pin.sequence_tokens_per_s"].startswith("142")
    state = told(app, "set", inputs={"batch": 16}, pinned=None)["state"]
    assert not state["flags"]["pinned"]


def test_prediction_is_judged_and_marked_in_the_figure(app: LabApp) -> None:
    texts = told(app, "judge", id="double-batch", answer="71", inputs=app.inputs)["texts"]
    assert texts["yours"].startswith("71") and texts["answer"].startswith("104")
    assert "once for each sequence" in texts["mistake"]
    marks = app._figure.prediction.data
    assert [float(value) for value in marks["sequence_tokens_per_s"]] == [71]
    assert [float(value) for value in marks["batch"]] == [16]


def test_prediction_that_is_none_is_answered_in_words(app: LabApp) -> None:
    assert "number above 0" in told(app, "judge", id="double-batch", answer="many", inputs=app.inputs)["texts"]["error"]


@pytest.mark.parametrize(("what", "sign"), [("text", "="), ("markdown", "|---|"), ("csv", "batch [sequence],")])
def test_exports(app: LabApp, what: str, sign: str) -> None:
    told(app, "set", inputs={"batch": 16}, pinned=None)
    text = told(app, "export", what=what)["text"]
    assert sign in text and "batch=16" in text


def test_checking_leaves_the_app_as_it_is(app: LabApp) -> None:
    checked = told(app, "verify", inputs=lab(SLUG).defaults | {"batch": 16}, pinned=None)
    assert checked["state"]["values"]["step_time_s"] == pytest.approx(0.00960871, rel=1e-6)
    assert app.inputs == lab(SLUG).defaults


def test_message_of_an_unknown_type_is_refused(app: LabApp) -> None:
    with pytest.raises(ValueError, match="nonsense"):
        answer(app, {"type": "nonsense", "rev": 1})


def test_figure_follows(app: LabApp) -> None:
    before = dict(app._figure.sources["now"].data)
    app.set({"batch": 16})
    assert list(app._figure.sources["now"].data["batch"]) == [16]
    assert list(before["batch"]) == [8]


def test_infinity_travels_as_a_word(app: LabApp) -> None:
    """Every state is data that JSON holds."""
    for batch in (1, 1_000_000):
        told(app, "set", inputs={"batch": batch, "context": 10_000_000, "reserve_gb": 0}, pinned=None)
