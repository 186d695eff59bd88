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
from engine.labs.lab import Column, Curve, Headline, Lab, Preset, Rule, Section, Series, Simulation
from engine.labs.predictions import Answer, From, Mistake, Prediction, Scene
from engine.labs.queue_words import MOST_TOKENS
from engine.labs.sentences import Fragment, Warning, fill
from engine.ops import at_most, both, ceil_div, either, floor_div, less, minimum, where
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
SMALLEST_SHARE = 20
"""Of two prompts in a prediction, the second one is this many times shorter than the first."""
EARLIER = 5
"""And it is due so many times earlier."""
DECODES_IN_BUDGET = 16
"""In a prediction every so many tokens of the budget are a decode's."""
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
    Number("per_token_us", "Time a token", "us/token", 40, 0.0001, LONGEST_MS, evenly(1, 400, 2),
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
                             lambda ttft_deadline, ttft_s, budget, decoding: both(
                                 less(TOKENS_PER_SEQUENCE * decoding, budget), less(ttft_deadline + SAME_INSTANT, ttft_s)))),
)
PREDICTIONS = (
    Prediction(
        "half", "numeric",
        "With {now.decoding} sequences decoding, the budget is halved from {now.budget} to {then.budget} tokens. How many times as "
        "long does the prompt's first token take?",
        {"now": Scene({"decoding": From(lambda budget: floor_div(budget, DECODES_IN_BUDGET))}),
         "then": Scene({"decoding": From(lambda budget: floor_div(budget, DECODES_IN_BUDGET)),
                        "budget": From(lambda budget: ceil_div(budget, 2))})},
        Answer(lambda now, then: then.ttft_s / now.ttft_s),
        "Steps go from {now.iterations} to {then.iterations}, and each costs {now.decode_step_s} before its first token of the "
        "prompt. But all tokens of the prompt together cost the same as before. So TTFT goes from {now.ttft_s} to {then.ttft_s}.",
        "ttft_s", gives="ratio",
        mistakes=(
            Mistake("Twice would be right if a step cost the same whatever it holds. Half a chunk makes a step shorter, too.",
                    Answer(lambda now, then: now.budget / then.budget)),
            Mistake("That is how many more steps there are. Each of them is shorter.",
                    Answer(lambda now, then: then.iterations / now.iterations)),
        ),
    ),
    Prediction(
        "starved", "choice",
        "{now.decoding} sequences decode, and the budget is {now.budget} tokens. A prompt of {now.prompt} tokens arrives. When is "
        "its first token there?",
        {"now": Scene({"decoding": From(lambda budget: 1 * budget)})},
        Answer(lambda now: where(now.starved, "never", "late")),
        "Decodes are served first, one token each. They take {now.decoding} of {now.budget} tokens. What is left for the prompt is "
        "{now.chunk_tokens}, in every step.",
        "chunk_tokens",
        options=(("usual", "After the usual number of steps"), ("late", "Late: it gets little in each step"),
                 ("never", "Never, as long as these sequences decode")),
        mistakes=(
            Mistake("It gets nothing at all, not little: nobody sets a token aside for prompts.", option="late"),
            Mistake("The budget holds decoded tokens too, and they come first.", option="usual"),
        ),
    ),
    Prediction(
        "order", "choice",
        "Two prompts arrive together. The first has {long.prompt} tokens and is due within {long.ttft_deadline}. The second has "
        "{short.prompt} and is due within {short.ttft_deadline}. It is served first. Which of them meet their deadlines?",
        {"long": Scene(),
         "short": Scene({"prompt": From(lambda prompt: ceil_div(prompt, SMALLEST_SHARE)),
                         "ttft_ms": From(lambda ttft_ms: ttft_ms / EARLIER)}),
         "both": Scene({"prompt": From(lambda prompt: prompt + ceil_div(prompt, SMALLEST_SHARE))})},
        # The short one's last step is filled up with tokens of the long one, and so it takes longer.
        Answer(lambda long, short, both: where(
            at_most(short.iterations * short.decode_step_s
                    + short.time_per_token * minimum(short.iterations * short.chunk_tokens, both.prompt),
                    short.ttft_deadline + SAME_INSTANT),
            where(both.meets_ttft, "two", "second"), where(both.meets_ttft, "first", "none"))),
        "Served first, the second prompt takes {short.iterations} of {both.iterations} steps. The first one then ends with the "
        "last of all tokens, after {both.ttft_s}. In the order of arrival it would be the second one that ends only then.",
        "ttft_s",
        options=(("two", "Both"), ("first", "The first alone"), ("second", "The second alone"), ("none", "Neither")),
        mistakes=(
            Mistake("That is so where a long prompt keeps a short one waiting. Served first, the short one takes few steps.",
                    option="first"),
        ),
    ),
    Prediction(
        "safe", "numeric",
        "{now.decoding} sequences decode. How many tokens of prompts may a step hold to end within {now.itl_deadline}?",
        {"now": Scene()},
        Answer(lambda now: 1 * now.largest_safe_chunk),
        "A step takes {now.decode_step_s} before its first token of a prompt. What is left until {now.itl_deadline} holds "
        "{now.largest_safe_chunk} tokens at {now.time_per_token}.",
        "largest_safe_chunk", gives="largest_safe_chunk",
        mistakes=(
            Mistake("That fills the whole deadline with tokens. A step costs something before the first of them.",
                    Answer(lambda now: now.itl_deadline / now.time_per_token)),
            Mistake("That leaves out the decodes, which are in the same step.",
                    Answer(lambda now: (now.itl_deadline - now.time_per_step) / now.time_per_token)),
            Mistake("That is the budget, which holds the decoded tokens too.",
                    Answer(lambda now: 1 * now.largest_safe_budget)),
        ),
    ),
)

STEPS = {
    "budget": Column("budget", "token"), "longest": Column("longest_step_s", "ms"), "itl": Column("itl_deadline", "ms"),
    "ttft": Column("ttft_s", "ms"), "due": Column("ttft_deadline", "ms"),
}
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


def run_queue(values: Mapping[str, Any], known: Mapping[str, float]) -> Run:
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
        run = run_queue(values, found.values) if values["queue"] else None
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
"""The lab as the command line finds it: it also fits a line, and says nothing of a prompt that starves instead of infinity."""


def runs(values: Mapping[str, Any]) -> dict[str, Run]:
    """The queue under every order, for the inputs of the page; without a queue it is the prompt alone.

    Raises
    ------
    InputError
        Where it would take too many steps.
    """
    known = calculate({**values, "pairs": ""}).values
    queue = values["queue"] or alone(values)
    orders = prefill_queue.POLICIES
    return {policy: run_queue({**values, "queue": queue, "policy": policy}, known) for policy in orders}


def alone(values: Mapping[str, Any]) -> str:
    """The prompt of the inputs as a queue of its own."""
    return queue_words.usual_queue(f"0:{values['prompt']}:{values['ttft_ms']}")


def simulate(values: Mapping[str, Any]) -> Simulation:
    """What happened in the queue, in words."""
    run = runs(values)[values["policy"]]
    events = queue_words.told(run.events)
    return Simulation({"events": list(events)}, (("Queue", events),), (), QUEUE_LIMITS)


# fmt: off
LAB = Lab(
    slug=PrefillDeadline.slug,
    number=PrefillDeadline.number,
    title=PrefillDeadline.title,
    question="How much of a prompt can one step compute before somebody waits too long?",
    lede="While a long prompt is computed, other readers wait for their next token. Cut into chunks it makes shorter steps, but "
    "more of them: two deadlines pull in opposite directions.",
    description="Chunked prefill against two deadlines: the largest chunk that keeps decoding readers on time, what small chunks "
    "cost the prompt, and a queue of prompts under three orders, step by step.",
    inputs=tuple(entry for entry in INPUTS if entry.name != "pairs"),
    groups=(PROMPT, DEADLINES, QUEUE, COSTS),
    tables=(),
    outputs=OUTPUTS,
    sections=(
        Section("A step, and what is safe", ("decode_step_s", "largest_safe_chunk", "largest_safe_budget")),
        Section("The prompt in chunks", ("starved", "chunk_tokens", "iterations", "step_tokens")),
        Section("Against the deadlines", ("longest_step_s", "meets_itl", "ttft_s", "meets_ttft")),
    ),
    headline=(
        Headline("longest_step_s", "Longest step", "what a decoding reader waits"),
        Headline("ttft_s", "TTFT", "until the prompt's first token"),
        Headline("iterations", "Steps", "until the prompt is computed"),
        Headline("largest_safe_budget", "Largest safe budget", "tokens a step, decodes included"),
    ),
    presets=(
        Preset("whole", "The whole prompt at once", {"budget": 8192}),
        Preset("small", "Small bites", {"budget": 64}),
        Preset("starved", "64 decoding, budget 64", {"decoding": 64, "budget": 64}),
        Preset("queue", "A short prompt behind a long one", {"queue": "0:8000:1000,20:300:200"}),
        Preset("shortest", "The short one first", {"queue": "0:8000:1000,20:300:200", "policy": "shortest"}),
        Preset("passed", "Passed over and over", {
            "queue": "0:8000:700,10:2000:300,80:2000:300,150:2000:300,220:2000:300", "policy": "shortest"}),
        Preset("gap", "A gap between prompts", {"queue": "0:2000:200,10:3000:400,500:1500:150"}),
    ),
    curve=Curve(
        "budget",
        grid=(*(16.0 * 2**k * (1 + j / 16) for k in range(9) for j in range(16)), 8192.0),
        rows=tuple(16.0 * 2**k for k in range(10)),
        columns=("chunk_tokens", "iterations", "longest_step_s", "ttft_s", "meets_itl", "meets_ttft"),
        marks=("largest_safe_budget",),
        band_of="",
        series=(
            Series("curve", "grid", STEPS),
            Series("marks", "rows", STEPS),
            Series("first_names", "start", STEPS),
            Series("names", "end", STEPS),
            Series("now", "now", STEPS),
            Series("pinned_curve", "pinned grid", STEPS),
            Series("pinned", "pinned", STEPS),
        ),
    ),
    summary=(
        Fragment("A budget of {budget} tokens leaves {chunk_tokens} beside {decoding} decodes. The prompt of {prompt} tokens takes "
                 "{iterations} steps of at most {longest_step_s}, and its first token comes after {ttft_s}.",
                 lambda budget, decoding: less(TOKENS_PER_SEQUENCE * decoding, budget)),
        Fragment("{decoding} decodes take the whole budget of {budget} tokens: the prompt never starts.",
                 lambda budget, decoding: at_most(budget, TOKENS_PER_SEQUENCE * decoding)),
        Fragment("Steps keep to the ITL deadline up to a budget of {largest_safe_budget} tokens.",
                 lambda largest_safe_chunk: less(0, largest_safe_chunk)),
    ),
    warnings=WARNINGS,
    predictions=PREDICTIONS,
    inside=(
        "A prompt cut into chunks, in steps that serve decodes first, as vLLM does",
        "One time a step, one a token of a prompt, one a decode: a straight line",
        "A queue of prompts under three orders, every step worked out",
    ),
    outside=(
        "Attention to earlier chunks: a late chunk costs more than an early one (lab 7)",
        "The flat part of the curve: below the ridge a few tokens cost nearly what more would (lab 1)",
        "Prompts that decode once they are done, memory for their keys and values (lab 2, to come), preemption",
        "Cached prefixes, which shorten a prompt (lab 5)",
        "A line fitted to your own measured steps: the command line takes pairs=512:0.026,1024:0.046",
    ),
    facts=(),
    rules=(
        Rule("base_ms", From(lambda base_ms, per_decode_us, decoding: either(less(0, base_ms + per_decode_us * decoding),
                                                                            at_most(decoding, 0))),
             "above 0 ms while {decoding} decode and a decode costs nothing: a step takes time"),
    ),
    simulate=simulate,
)
# fmt: on
