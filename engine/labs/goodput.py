"""Lab 6, `goodput`: throughput that kept its promise. It answers on the command line; it has no page yet."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import engine
from engine import text
from engine.bench_files import BenchFile, Run, open_file
from engine.bench_files.refusal import quoted, several
from engine.bench_files.serving import RECONSTRUCTED
from engine.errors import InputError, nearest
from engine.labs.answers import plain
from engine.labs.inputs import NONE, Choice, Number
from engine.simulators import goodput as simulator
from engine.simulators.goodput import PERCENTILE, Contract, Percentile, Tally, Window
from engine.simulators.goodput_traces import PLANS, authored
from engine.symbols import Symbol
from engine.units import unit

# fmt: off
# Data laid out by hand: one line an entry reads better than one word a line.
MOST_MS = 1_000_000_000
INFINITE = float("inf")
LIMIT = "Most that a good request may take; none for no limit."
TRACE = Choice("trace", "Trace", "steady", tuple((name, plan.title) for name, plan in PLANS.items()),
               "An authored trace, where no file is given.", "Requests")
RUN = Number("run", "Run", "count", "none", 1, 1_000_000, (), "Which run of the file; none for the last.", "Requests",
             integer=True, none=0)
LIMITS = (
    Number("ttft_ms", "TTFT", "ms", 500, 0, MOST_MS, (), LIMIT, "Contract", none=INFINITE),
    Number("tpot_ms", "TPOT", "ms", 50, 0, MOST_MS, (), LIMIT, "Contract", none=INFINITE),
    Number("e2e_ms", "E2E", "ms", "none", 0, MOST_MS, (), LIMIT, "Contract", none=INFINITE),
)
WINDOW = Number("window_s", "Window", "s", "none", 0, MOST_MS, (), "Time that requests are counted over; none for the file's.",
                "Contract", lower_open=True, none=INFINITE)
NAMES = (TRACE.name, "file", RUN.name, *(limit.name for limit in LIMITS), WINDOW.name)
PER_SECOND = round(1 / unit("ms").factor)
"""Milliseconds in a second. A limit is divided by it, as the tools do: at equality the last digit decides."""

LISTED = 20
"""So many requests near a limit are named; the others are counted."""

EVENTS = 1000
"""Up to so many requests the report holds every judgement."""

COUNTS: dict[str, tuple[str, str]] = {
    "requests": ("N", "request"), "completed": ("N_done", "request"), "good": ("N_good", "request"),
    "tokens": ("T_done", "token"), "good_tokens": ("T_good", "token"), "window_s": ("w", "s"),
}
"""Symbol and unit of what is counted."""

RATES: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "throughput_requests_per_s": ("r", "request/s", lambda completed, window_s: completed / window_s),
    "goodput_requests_per_s": ("g", "request/s", lambda good, window_s: good / window_s),
    "attainment": ("a", "1", lambda good, requests: good / requests),
    "throughput_tokens_per_s": ("r_tok", "token/s", lambda tokens, window_s: tokens / window_s),
    "goodput_tokens_per_s": ("g_tok", "token/s", lambda good_tokens, window_s: good_tokens / window_s),
}
"""Symbol, unit and body of what is worked out; the parameters are names above."""

OUTPUTS = ("requests", "completed", "good", "throughput_requests_per_s", "goodput_requests_per_s", "attainment", "window_s",
           "throughput_tokens_per_s", "goodput_tokens_per_s")
BOUNDARIES = (
    "A request is good when it completed and met every limit, at equality too; failed requests count in the attainment.",
    "TPOT is (E2E − TTFT)/(output tokens − 1), and 0 for at most one token, which meets every limit.",
    "Times are what the benchmark's client saw; waiting before a request was sent is not in them.",
    "Requests that ran at the start and the end of the run count like all others.",
)
SOURCE = "Definition of this lab; the judgement as in vLLM's benchmark, where the same limits are given"
# fmt: on


@dataclass(frozen=True, eq=False)
class Answer:
    """A contract applied to a run."""

    inputs: Mapping[str, Any]
    run: Run
    number: int
    contract: Contract
    window: Window
    tally: Tally
    said: tuple[str, ...]

    @property
    def values(self) -> dict[str, float]:
        """Every count and rate by name, in base units."""
        counted = {name: getattr(self.tally, name) for name in COUNTS if name != "window_s"}
        values = {**counted, "window_s": self.window.seconds}
        for name, (_, _, body) in RATES.items():
            values[name] = body(*(values[given] for given in inspect.signature(body).parameters))
        return values


class Goodput:
    """The lab."""

    slug = "goodput"
    number = 6
    title = "Throughput that kept its promise"

    def parse(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Every input: the given ones parsed, the others at their defaults.

        Raises
        ------
        InputError
            For an unknown input, a value outside its domain, or a trace and a file at once.
        """
        for name in raw:
            if name not in NAMES:
                raise InputError(name, raw[name], ", ".join(NAMES), nearest(name, NAMES), "there is no such input")
        if "file" in raw and "trace" in raw:
            raise InputError(
                "trace", raw["trace"], "a trace or a file", "Leave one of them out.", "a file is given too"
            )
        inputs: dict[str, Any] = (
            {"trace": NONE, "file": raw["file"]}
            if "file" in raw
            else {
                "trace": TRACE.parse(raw.get("trace", TRACE.default)),
                "file": NONE,
            }
        )
        for entry in (RUN, *LIMITS, WINDOW):
            inputs[entry.name] = entry.parse(raw.get(entry.name, entry.default))
        return inputs

    def held(self, inputs: Mapping[str, Any]) -> BenchFile:
        """The file that is asked for, or the authored trace as one."""
        if inputs["trace"] == NONE:
            return open_file(inputs["file"])
        return BenchFile(inputs["trace"], (authored(inputs["trace"]),))

    def answer(self, inputs: Mapping[str, Any], held: BenchFile) -> Answer:
        """The contract of parsed inputs applied to a file that is read already.

        Raises
        ------
        InputError
            Where there is no such run, or no window.
        """
        number, run = held.choose(None if inputs["run"] == NONE else inputs["run"])
        limits = [INFINITE if inputs[entry.name] == NONE else inputs[entry.name] / PER_SECOND for entry in LIMITS]
        given = None if inputs["window_s"] == NONE else float(inputs["window_s"])
        contract, window = Contract(*limits), simulator.window(run, given)
        tally = simulator.tally(run, contract)
        return Answer({**inputs, "run": number}, run, number, contract, window, tally, held.said(number))

    def report(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The answer for what was typed; InputError where it cannot be given."""
        inputs = self.parse(raw)
        return described(self.answer(inputs, self.held(inputs)))

    def text(self, report: Mapping[str, Any]) -> str:
        """A report in words."""
        outputs, found = report["outputs"], report["judgement"]
        lines = [self.title, found["run"], found["contract"], ""]
        lines += [f"  {name} = {_shown(output['value'], output['unit'])}" for name, output in outputs.items()]
        lines += ["", "Steps"]
        for step in report["trace"]:
            shown = _shown(step["value"], step["unit"])
            lines.append(f"  {step['symbol']} = {step['formula']} = {step['substituted']} = {shown}")
        lines += ["", f"Window: {found['window_from']}", f"Completed requests that missed: {found['missed_words']}"]
        lines += found["percentile_words"]
        lines += found["file_goodput"]["words"] if found["file_goodput"] else []
        lines += ["", "Notes", *(f"  {note}" for note in found["notes"])] if found["notes"] else []
        lines += ["", "Warnings", *(f"  {warning}" for warning in report["warnings"])] if report["warnings"] else []
        lines += ["", "Limits", *(f"  {limit['text']}" for limit in report["limits"]), ""]
        return "\n".join([*lines, f"Ridgepoint {report['version']}", found["command"]])


def described(answer: Answer) -> dict[str, Any]:
    """An answer as data: what every lab reports, and `judgement` with what only this one knows."""
    values, run = answer.values, answer.run
    units = {name: entry[1] for name, entry in (*COUNTS.items(), *RATES.items())}
    return {
        "lab": Goodput.slug,
        "version": engine.__version__,
        "inputs": {name: {"value": plain(value), "unit": _input_unit(name)} for name, value in answer.inputs.items()},
        "outputs": {name: {"value": plain(values[name]), "unit": units[name]} for name in OUTPUTS},
        "trace": _steps(values),
        "limits": [{"text": boundary, "state": "not checked"} for boundary in BOUNDARIES],
        "warnings": [*answer.said, *_warnings(answer)],
        "judgement": _judgement(answer),
        "events": [
            {"request": event.request, "verdict": event.verdict, "missed": list(event.missed)}
            for event in (simulator.events(run, answer.contract) if len(run) <= EVENTS else ())
        ],
    }


def _input_unit(name: str) -> str | None:
    return next((entry.unit for entry in (RUN, *LIMITS, WINDOW) if entry.name == name), None)


def _steps(values: Mapping[str, float]) -> list[dict[str, Any]]:
    """Every rate with its formula, read from the body that computes it."""
    steps = []
    for name, (symbol, base, body) in RATES.items():
        tree = body(*map(Symbol, inspect.signature(body).parameters))
        steps.append({
            "name": name, "symbol": symbol,
            "formula": text.line(tree, lambda given: COUNTS[given][0]),
            "substituted": text.line(tree, lambda given: _shown(values[given], COUNTS[given][1])),
            "value": plain(values[name]), "unit": base, "source": SOURCE,
        })  # fmt: skip
    return steps


def _shown(value: float, base: str) -> str:
    shown = text.display(value, base)
    if base in text.SCALES or base == "1":  # the unit is in it
        return shown
    return f"{shown}{text.NBSP}{base}{'s' if value != 1 and '/' not in base else ''}"


def _judgement(answer: Answer) -> dict[str, Any]:
    run, tally, contract = answer.run, answer.tally, answer.contract
    missed = {name: getattr(tally, f"missed_{name}") for name in simulator.LIMITS}
    ranked = simulator.percentiles(run, contract)
    near = simulator.near(run, contract)
    return {
        "run": f"Run {answer.number}: {run.words}" if run.tool != "authored" else PLANS[answer.inputs["trace"]].title,
        "contract": ", ".join(f"{entry.label} {entry.show(answer.inputs[entry.name])}" for entry in LIMITS),
        "window_from": answer.window.source,
        "e2e_from": run.e2e_from,
        "missed": missed,
        "missed_words": ", ".join(f"{name.upper()} {count:,}" for name, count in missed.items()),
        "attainment_of_completed": plain(tally.good / tally.completed) if tally.completed else None,
        "unmeasured": tally.unmeasured,
        "good_without_tokens": tally.empty,
        "near_limits": [{"request": n, "limit": name, "above_s": above} for n, name, above in near[:LISTED]],
        "near_limits_count": len(near),
        "percentiles": {name: _ranked(found) for name, found in ranked.items()},
        "percentile_words": _percentile_words(answer, ranked),
        "file_goodput": _file_goodput(answer),
        "notes": list(run.notes),
        "command": command(answer.inputs),
    }  # fmt: skip


def command(inputs: Mapping[str, Any]) -> str:
    """The command line that gives the same numbers."""
    unused = "trace" if inputs["trace"] == NONE else "file"
    given = [shlex.quote(f"{name}={value}") for name, value in inputs.items() if name != unused]
    return " ".join(["python -m engine lab", Goodput.slug, *given])


def _warnings(answer: Answer) -> list[str]:
    tally, near = answer.tally, simulator.near(answer.run, answer.contract)
    said = []
    if tally.unmeasured:
        said.append(
            f"{several(tally.unmeasured, 'completed request')} with tokens and a TTFT of exactly 0: not measured, so never "
            "good. A benchmark writes this for an error sent inside an answer, or for an answer that did not stream."
        )
    if tally.empty:
        said.append(f"{several(tally.empty, 'good request')} completed without a token: good by the definition alone.")
    if near:
        named = ", ".join(f"{n} ({name.upper()})" for n, name, _ in near[:LISTED])
        more = f" and {len(near) - LISTED:,} more" if len(near) > LISTED else ""
        said.append(
            f"Within a nanosecond of a limit, so that another rounding could judge otherwise: request {named}{more}."
        )
    return said


def _ranked(found: Percentile) -> dict[str, Any]:
    return {
        "limit_s": plain(found.limit), "value_s": plain(found.value), "met": found.met,
        "met_with_failed": found.met_with_failed,
    }  # fmt: skip


def _percentile_words(answer: Answer, ranked: Mapping[str, Percentile]) -> list[str]:
    if not ranked:
        return ["There is no limit: every completed request is good."]
    parts = [
        f"p{PERCENTILE} {name.upper()} {text.display(found.value, 's')} {'≤' if found.met else '>'} "
        f"{text.display(found.limit, 's')}"
        for name, found in ranked.items()
    ]
    met, good = all(found.met for found in ranked.values()), answer.tally.good
    share = text.digits(100 * good / len(answer.run), "3g")
    least = max(0, 100 - len(ranked) * (100 - PERCENTILE))
    line = f"Percentile contract, completed requests only: {', '.join(parts)}: {'met' if met else 'not met'}."
    said = [line, f"Per request {share}{text.NBSP}% are good."]
    if met:
        said.append(
            f"With {several(len(ranked), 'limit')} just met, as few as {least}{text.NBSP}% of completed requests can be good."
        )
    if met and not all(found.met_with_failed for found in ranked.values()):
        said.append("It would not be met if failed requests counted as late.")
    return said


def _file_goodput(answer: Answer) -> dict[str, Any] | None:
    """The tool's own figure beside ours, with why they can differ."""
    if answer.run.goodput is None:
        return None
    key, value = answer.run.goodput
    ours = answer.values["goodput_requests_per_s"]
    key = quoted(key)
    if value is None:
        words = [f"The file's {key} is null: the benchmark was run without limits of its own."]
        return {"key": key, "value": None, "ours": plain(ours), "reasons": [], "words": words}
    reasons = [
        "the limits that the benchmark was given are not in the file: only the same ones can give the same figure"
    ]
    if answer.run.e2e_from == RECONSTRUCTED:
        reasons.append(
            "the file has no E2E: TTFT plus all ITLs ends with the last token, the tool's clock a little later"
        )
    if answer.window.source == "as given":
        reasons.append("another window is given here")
    if answer.tally.unmeasured:
        reasons.append("requests that were not measured are never good here")
    shown = f"The file's own goodput ({key}) is {value:,.6g} requests/s; computed from its lists it is {ours:,.6g}."
    words = [shown, *(f"  They can differ: {reason}." for reason in reasons)]
    return {"key": key, "value": plain(value), "ours": plain(ours), "reasons": reasons, "words": words}


HEADLESS = Goodput()
