"""Lab 4, `prefill-deadline`: a prompt in chunks beside decodes, against a deadline for either; and a queue of prompts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import engine
from engine.constants import SAME_INSTANT, TOKENS_PER_SEQUENCE
from engine.errors import InputError, nearest
from engine.formulas import line_fit
from engine.formulas.chunked_prefill import chunk_tokens, longest_step_s, starved
from engine.labs import queue_words
from engine.labs.answers import calculation, measured, plain
from engine.labs.inputs import Choice, Input, Number, Text, evenly, octaves
from engine.labs.queue_words import MOST_TOKENS
from engine.labs.sentences import Fragment, Warning, fill
from engine.ops import at_most, less
from engine.quantities import quantity
from engine.simulators import prefill_queue
from engine.simulators.prefill_queue import Run, Setting
from engine.text import NBSP, display, show
from engine.trace import NOT_CHECKED, Trace, plan

# fmt: off
# Data laid out by hand: one line an entry reads better than one word a line.
PROMPT, DEADLINES, QUEUE, COSTS = "Prompt and decodes", "Deadlines", "Queue", "What a step costs"
TOKENS, SEQUENCES = ("token", "tokens"), ("sequence", "sequences")
LONGEST_MS = 1_000_000
MOST_STEPS = 20_000
"""More steps than this are not simulated: nobody reads them, and they take long."""

INPUTS: tuple[Input, ...] = (
    Number("prompt", "Prompt", "token", 8000, 1, MOST_TOKENS, octaves(125, 128_000, 4), "Tokens to compute.", PROMPT,
           integer=True, words=TOKENS),
    Number("decoding", "Decoding", "sequence", 32, 0, 1_000_000, (*range(0, 32), *octaves(32, 512, 8)),
           "Sequences that decode meanwhile, one token each a step.", PROMPT, integer=True, words=SEQUENCES),
    Number("budget", "Budget", "token", 512, 1, MOST_TOKENS, octaves(16, 8192, 8),
           "Tokens that one step may compute; decodes are served first.", PROMPT, integer=True, words=TOKENS),
    Number("itl_ms", "ITL deadline", "ms", 50, 0, LONGEST_MS, (*range(5, 200, 1), *range(200, 510, 10)),
           "Longest step that a decoding reader puts up with.", DEADLINES, lower_open=True, gives="itl_deadline"),
    Number("ttft_ms", "TTFT deadline", "ms", 1000, 0, LONGEST_MS, (*range(50, 1000, 10), *range(1000, 10_100, 100)),
           "Time within which the first token of the prompt's answer is due.", DEADLINES, lower_open=True,
           gives="ttft_deadline"),
    Number("base_ms", "Time a step", "ms", 5, 0, LONGEST_MS, evenly(0, 100, 2),
           "What every step costs; made up, or fitted from pairs.", COSTS, gives="time_per_step"),
    Number("per_token_us", "Time a token", "us/token", 40, 0, LONGEST_MS, evenly(1, 400, 2),
           "What every token of a prompt costs; made up, or fitted from pairs.", COSTS, lower_open=True,
           gives="time_per_token"),
    Number("per_decode_us", "Time a decode", "us/token", 60, 0, LONGEST_MS, evenly(0, 400, 1),
           "What every decoding sequence costs in a step; made up.", COSTS, gives="time_per_decode"),
    Text("pairs", "Measured steps", queue_words.PAIRS_FORM, queue_words.usual_pairs,
         "Your own steps without decodes; time a step and time a token are then fitted to them.", COSTS),
    Text("queue", "Queue", queue_words.QUEUE_FORM, queue_words.usual_queue,
         "Prompts that arrive one after the other.", QUEUE),
    Choice("policy", "Order", "fcfs", (("fcfs", "First come, first served"), ("shortest", "Fewest tokens left first"),
                                       ("edf", "Earliest deadline first")), "Who is served first.", QUEUE),
)

OUTPUTS = ("largest_safe_chunk", "chunk_tokens", "iterations", "longest_step_s", "ttft_s", "meets_itl", "meets_ttft", "starved")
WITHOUT_ROOM = ("largest_safe_chunk", "starved")
"""What is left to say of a prompt that starves."""

QUEUE_LIMITS = (
    "A prompt that arrives while nobody waits starts at once: the step of decodes under way is not waited for.",
    "A prompt that is done does not decode with the others; one that is interrupted loses nothing and needs no memory.",
    "Orders are decided anew before each step, from what is left of each prompt; nobody waits for a prompt still to come.",
)
"""Where the queue stops to hold, beside the limits of the formulas."""

WARNINGS = (
    Warning("starved", Fragment("Decodes take the whole budget of {budget} tokens: the prompt never starts. Raise the budget "
                                "above {decoding}.",
                                lambda budget, decoding: at_most(budget, TOKENS_PER_SEQUENCE * decoding))),
    Warning("decodes", Fragment("A step takes {decode_step_s} without any prompt, more than the ITL deadline of "
                                "{itl_deadline}: no chunk is safe.",
                                lambda itl_deadline, decode_step_s: less(itl_deadline, decode_step_s))),
    Warning("itl", Fragment("The longest step takes {longest_step_s}, more than the ITL deadline of {itl_deadline}.",
                            lambda largest_safe_chunk, step_tokens: less(largest_safe_chunk, step_tokens))),
    Warning("ttft", Fragment("The prompt's first token takes {ttft_s}, more than its deadline of {ttft_deadline}.",
                             lambda ttft_deadline, ttft_s: less(ttft_deadline + SAME_INSTANT, ttft_s))),
)
# fmt: on


def parse(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Every input: the given ones parsed, the others at their defaults; InputError for an unknown name or a wrong value."""
    known = {entry.name: entry for entry in INPUTS}
    for name in raw:
        if name not in known:
            raise InputError(name, name, ", ".join(known), nearest(name, known), "there is no such input")
    return {name: entry.parse(raw[name]) if name in raw else entry.default for name, entry in known.items()}


def calculate(values: Mapping[str, Any]) -> Trace:
    """The closed forms for one prompt, as far as there are any: of a prompt that starves nothing but that is known.

    With measured steps, the time a step and the time a token are the line through them.
    """
    given = {e.quantity: float(e.base(values[e.name])) for e in INPUTS if isinstance(e, Number)}
    using = {}
    if values["pairs"]:
        using = {name: f"{name}_fitted" for name in ("time_per_step", "time_per_token")}
        given = {name: value for name, value in given.items() if name not in using}
        given |= line_fit.moments(queue_words.measured(values["pairs"]))
        _check_line(values["pairs"], plan(using, given, using).evaluate(given))
    targets = WITHOUT_ROOM if starved.body(given["budget"], given["decoding"]) else OUTPUTS
    return plan(targets, given, using).trace(given)


def _check_line(pairs: str, line: Mapping[str, float]) -> None:
    """Refuse a line on which a longer step takes no longer, or a step without tokens less than no time."""
    if line["time_per_token"] <= 0:
        raise InputError(
            "pairs", pairs, "steps of which the longer ones take longer", "Check the order: tokens:seconds."
        )
    if line["time_per_step"] < -SAME_INSTANT:
        base = show("time_per_step", line["time_per_step"])
        hint = "Add shorter steps, or leave pairs out and set base_ms and per_token_us."
        raise InputError("pairs", pairs, f"steps whose line starts at 0 s or later, not at {base}", hint)


def simulate(values: Mapping[str, Any], known: Mapping[str, float]) -> Run:
    """The queue, with the costs that the calculation found.

    Raises
    ------
    InputError
        Where it would take too many steps.
    """
    prompts = queue_words.prompts(values["queue"])
    room = int(chunk_tokens.body(values["budget"], values["decoding"]))
    steps = sum(prompt.tokens for prompt in prompts) // max(room, 1) + len(prompts)
    if room > 0 and steps > MOST_STEPS:
        allowed = f"a budget with which the queue takes at most {MOST_STEPS:,} steps"
        raise InputError("budget", values["budget"], allowed, f"This one leads to about {steps:,}.")
    costs = (known["decode_step_s"], known["time_per_token"], known["largest_safe_chunk"])
    return prefill_queue.run(Setting(room, *costs, values["policy"]), prompts)


def of_queue(run: Run) -> dict[str, dict[str, Any]]:
    """Results of a queue; all times are null where the budget leaves no room, but who starves is named."""
    state, steps = run.state, run.steps
    places = range(len(state.prompts))
    never = bool(state.starved)
    costs = state.setting.decode_step_s, state.setting.time_per_token
    longest = None if never else plain(longest_step_s.body(*costs, max(step.tokens for step in steps)))
    return {
        "deadlines_met": {"value": None if never else state.deadlines_met, "unit": None},
        "makespan_s": {"value": None if never else plain(run.makespan_s), "unit": "s"},
        "queue_steps": {"value": None if never else len(steps), "unit": None},
        "queue_longest_step_s": {"value": longest, "unit": "s"},
        "prompt_ttft_s": {"value": [None if ttft is None else plain(ttft) for ttft in state.ttft_s], "unit": "s"},
        "prompt_meets_ttft": {"value": [None if never else state.met(place) for place in places], "unit": None},
        "prompt_starved": {"value": [place in state.starved for place in places], "unit": None},
        "prompt_passed_over_steps": {"value": list(state.passed_over), "unit": None},
    }


def of_line(pairs: str, known: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """The line through measured steps, and how far each of them is from it."""
    line = known["time_per_step"], known["time_per_token"]
    residuals = line_fit.residuals(queue_words.measured(pairs), *line)
    return {
        "fitted_base_s": measured("time_per_step", line[0]),
        "fitted_per_token_s": measured("time_per_token", line[1]),
        "residuals_s": {"value": [plain(residual) for residual in residuals], "unit": "s"},
        "largest_residual_s": {"value": plain(max(map(abs, residuals))), "unit": "s"},
    }


def warned(values: Mapping[str, Any], found: Trace, run: Run | None) -> list[str]:
    """The warnings that stand: about the prompt, about the line through measured steps, about the queue."""
    words = {name: show(name, value) for name, value in found.values.items()}
    said = [
        fill(warning.fragment.template, words)
        for warning in WARNINGS
        if warning.fragment.tree is not None
        and warning.fragment.tree.names() <= set(found.values)
        and warning.fragment.stands(found.values)
    ]
    if values["pairs"]:
        pairs = queue_words.measured(values["pairs"])
        said.append("Time a step and time a token are fitted from the pairs; base_ms and per_token_us are not used.")
        if len(pairs) == 2:
            said.append("A line goes through any two pairs: with a third, residuals show whether a line fits.")
        least, most = min(pairs)[0], max(pairs)[0]
        if "step_tokens" in found.values and not least <= found.values["step_tokens"] <= most:
            kind = "long" if found.values["step_tokens"] > most else "short"
            said.append(
                f"The longest step has {words['step_tokens']} tokens of the prompt; no measured step is so {kind}."
            )
    if run is not None and any(run.state.passed_over):
        most = max(run.state.passed_over)
        place = run.state.passed_over.index(most) + 1
        said.append(f"Prompt {place} was passed over in {most} steps: it waited while later ones were served.")
    return said


def _with_queue(said: dict[str, Any], run: Run | None) -> dict[str, Any]:
    limits = [{"text": limit, "state": NOT_CHECKED} for limit in QUEUE_LIMITS] if run else []
    return said | {"limits": said["limits"] + limits}


def _given(value: Any) -> Any:
    return None if value == "" else plain(value)


class PrefillDeadline:
    """The lab on the command line."""

    slug = "prefill-deadline"
    number = 4
    title = "How big a bite before someone notices"

    def report(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The answer for what was typed."""
        values = parse(raw)
        found = calculate(values)
        run = simulate(values, found.values) if values["queue"] else None
        outputs = {name: measured(name, found.values.get(name)) for name in OUTPUTS}
        outputs |= of_line(values["pairs"], found.values) if values["pairs"] else {}
        outputs |= of_queue(run) if run else {}
        return {
            "lab": self.slug,
            "version": engine.__version__,
            "inputs": {e.name: {"value": _given(values[e.name]), "unit": e.unit} for e in INPUTS},
            "outputs": outputs,
            **_with_queue(calculation(found), run),
            "warnings": warned(values, found, run),
            "events": list(queue_words.told(run.events)) if run else [],
        }

    def text(self, report: Mapping[str, Any]) -> str:
        """A report in words: settings, results, the calculation, what happened in the queue, warnings and limits."""
        settings = "; ".join(f"{e.label} {e.show(self._typed(report, e))}" for e in INPUTS)
        results = [f"  {label}: {_shown(entry)}" for label, entry in _labelled(report["outputs"])]
        steps = [
            f"  {step['symbol']} = {step['formula']} = {step['substituted']} = {show(step['name'], step['value'])}"
            for step in report["trace"]
        ]
        limits = [
            f"  {limit['text']}" + ("" if limit["state"] == NOT_CHECKED else f" (here: {limit['state']})")
            for limit in report["limits"]
        ]
        parts = {
            "Results": results,
            "Calculation": steps,
            "Queue": [f"  {sentence}" for sentence in report["events"]],
            "Warnings": [f"  {warning}" for warning in report["warnings"]],
            "Limits": limits,
        }
        lines = [self.title, settings, ""]
        for title, entries in parts.items():
            lines += [title, *entries, ""] if entries else []
        return "\n".join([*lines, f"Ridgepoint {report['version']}"])

    @staticmethod
    def _typed(report: Mapping[str, Any], entry: Input) -> Any:
        value = report["inputs"][entry.name]["value"]
        return "" if value is None else value


LABELS = {
    "deadlines_met": "TTFT deadlines met in the queue",
    "makespan_s": "end of the last step",
    "queue_steps": "steps of the queue",
    "queue_longest_step_s": "longest step of the queue",
    "prompt_ttft_s": "TTFT by prompt",
    "prompt_meets_ttft": "TTFT deadline met by prompt",
    "prompt_starved": "starved by prompt",
    "prompt_passed_over_steps": "steps passed over by prompt",
    "fitted_base_s": "fitted time a step",
    "fitted_per_token_s": "fitted time a token",
    "residuals_s": "measured above the line",
    "largest_residual_s": "largest distance from the line",
}
"""Results that are no quantity of the glossary."""


def _labelled(outputs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(LABELS.get(name) or quantity(name).label, entry) for name, entry in outputs.items()]


def _shown(entry: Mapping[str, Any]) -> str:
    values = entry["value"] if isinstance(entry["value"], list) else [entry["value"]]
    return ", ".join(_word(value, entry["unit"]) for value in values)


def _word(value: Any, unit: str | None) -> str:
    if value is None:
        return "never" if unit == "s" else "–"
    if isinstance(value, bool):
        return display(value, "flag")
    shown = display(float(value), unit or "1")
    return f"{shown}{NBSP}{unit}s" if unit == "token" else shown


HEADLESS = PrefillDeadline()
"""The lab as the command line finds it."""
