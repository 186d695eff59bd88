"""A run of the prefill queue drawn against time: every step, a lane for each prompt, round times below.

Lengths across are shares of the drawing's width, lengths down are pixels, so that words keep their size on any screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from engine import units
from engine.simulators.prefill_queue import Prompt, Run, Stepped
from engine.text import NBSP, display
from labs._svg import percent, tag

PATTERNS = 4
"""Prompts have as many colours, each with a pattern of its own; numbers in the steps and beside the lanes say who it is."""
STEPS_HIGH, LANE_HIGH = 150, 24
ABOVE = 22
"""Pixels kept free above the highest step, for the deadline's words."""
PARTED = 0.006
"""Steps narrower than this share of the whole time are drawn without lines between them."""
NUMBERED = 0.03
"""Steps as wide as this have the number of their prompt in them."""
MOST_PROMPTS = 40
TICKS = (1.0, 2.0, 5.0)
MS = units.unit("ms")


def joined(parts: Iterable[Markup]) -> Markup:
    """Pieces of markup, one after the other."""
    return Markup("").join(parts)


def drawing(*content: str, high: float, label: str = "") -> Markup:
    """A drawing as wide as its place: lengths across are shares of it, lengths down are pixels."""
    role, hidden = ("img", None) if label else (None, "true")
    drawn = tag("svg", *content, width="100%", height=high, role=role, aria_label=label or None, aria_hidden=hidden)
    return Markup(drawn)


def shown(seconds: float) -> str:
    """A time as the page shows it."""
    return display(seconds, "s")


@dataclass(frozen=True)
class Timeline:
    """A run with the scales that it is drawn by."""

    run: Run
    itl_s: float

    @property
    def end_s(self) -> float:
        return self.run.makespan_s

    @property
    def highest_s(self) -> float:
        return max(self.itl_s, *(step.end_s - step.start_s for step in self.run.steps))

    def across(self, seconds: float) -> str:
        return percent(min(seconds / self.end_s, 1.0))

    def down(self, seconds: float) -> float:
        """Pixels from the top at which a step of this length ends."""
        return STEPS_HIGH - (STEPS_HIGH - ABOVE) * seconds / self.highest_s


def alike(steps: Sequence[Stepped]) -> Iterable[list[Stepped]]:
    """Steps in a row that hold the same tokens of the same prompts, together: thousands may be alike."""
    last_end, group = 0.0, 0
    keyed = []
    for step in steps:
        group += step.start_s != last_end
        last_end = step.end_s
        keyed.append((group, step.parts, step))
    return ([step for _, _, step in same] for _, same in groupby(keyed, key=lambda entry: entry[:2]))


def _patterns() -> str:
    """What tells prompts apart without colour: plain, hatched one way, the other way, dotted."""
    lines = {1: "M0 6 6 0", 2: "M0 0 6 6", 3: "M3 1v4M1 3h4"}
    made = (
        tag("pattern", tag("path", d=shape, class_="hatch"), id=f"queue-hatch-{place}", width=6, height=6,
            patternUnits="userSpaceOnUse")
        for place, shape in lines.items()
    )  # fmt: skip
    return tag("defs", *made)


def block(place: int, x: str, width: str, y: float, height: float) -> str:
    """A stretch in which a prompt is computed, in its colour and pattern."""
    kind = place % PATTERNS
    plain = tag("rect", x=x, width=width, y=y, height=height, class_=f"prompt-{kind}")
    if not kind:
        return plain
    return plain + tag("rect", x=x, width=width, y=y, height=height, fill=f"url(#queue-hatch-{kind})")


def timeline(drawn: Timeline) -> Markup:
    """All steps, a lane for each prompt, the times, and how to read them."""
    run = drawn.run
    late = sum(not step.meets_itl for step in run.steps)
    said = f"{len(run.steps):,} step{'s' if len(run.steps) > 1 else ''} until {shown(drawn.end_s)}. " + (
        f"{late:,} of them {'are' if late > 1 else 'is'} longer than the ITL deadline of {shown(drawn.itl_s)}."
        if late
        else f"None is longer than the ITL deadline of {shown(drawn.itl_s)}."
    )
    prompts = run.state.prompts[:MOST_PROMPTS]
    lanes = joined(_lane(drawn, place, prompt) for place, prompt in enumerate(prompts))
    more = len(run.state.prompts) - len(prompts)
    rest = Markup("<p>{}</p>").format(f"{more} more prompts have no lane here.") if more else ""
    return Markup(
        '<p class="queue-counts">{}</p><div class="lanes"><span class="lane-name">{}</span>{}<span></span>{}'
        '<span></span>{}<span></span></div>{}<p class="queue-key">{}</p>'
    ).format(said, "Steps", _steps(drawn, said), lanes, _axis(drawn), rest, KEY)


KEY = Markup(
    "A step is as wide and as high as it is long. Grey is what it costs before its first token of a prompt. In a lane: "
    "<b>|</b> arrives, filled while it is computed, <b>●</b> first token in time, <b>○</b> too late, <b>◆</b> when it is due."
)


def _steps(drawn: Timeline, said: str) -> Markup:
    shapes = [_patterns()]
    setting = drawn.run.state.setting
    for same in alike(drawn.run.steps):
        first, last = same[0], same[-1]
        x, width = drawn.across(first.start_s), percent((last.end_s - first.start_s) / drawn.end_s)
        long = first.end_s - first.start_s
        foot = drawn.down(setting.decode_step_s)
        shapes.append(tag("rect", class_="decodes", x=x, width=width, y=foot, height=STEPS_HIGH - foot))
        under = setting.decode_step_s
        for place, tokens in first.parts:
            over = under + setting.time_per_token * tokens
            top, bottom = drawn.down(over), drawn.down(under)
            shapes.append(block(place, x, width, top, bottom - top))
            if long / drawn.end_s >= NUMBERED and bottom - top >= 14:
                shapes += [
                    tag("text", str(place + 1), x=percent((step.start_s + step.end_s) / 2 / drawn.end_s), y=(top + bottom) / 2 + 4,
                        text_anchor="middle", class_="who")
                    for step in same
                ]  # fmt: skip
            under = over
        top = drawn.down(long)
        inner = same if long / drawn.end_s >= PARTED else []
        shapes += [
            tag("rect", class_="step" if first.meets_itl else "step late", x=drawn.across(step.start_s),
                width=percent((step.end_s - step.start_s) / drawn.end_s), y=top, height=STEPS_HIGH - top)
            for step in inner
        ]  # fmt: skip
    limit = drawn.down(drawn.itl_s)
    shapes.append(tag("line", x1="0%", x2="100%", y1=limit, y2=limit, class_="deadline"))
    shapes.append(tag("text", f"ITL deadline {shown(drawn.itl_s)}", x="100%", y=limit - 5, text_anchor="end"))
    shapes += [
        tag(
            "text",
            "nobody waits",
            x=percent((jump[0] + jump[1]) / 2 / drawn.end_s),
            y=STEPS_HIGH - 6,
            text_anchor="middle",
        )
        for jump in _gaps(drawn.run)
        if (jump[1] - jump[0]) / drawn.end_s > 0.12
    ]
    return drawing(*shapes, high=STEPS_HIGH, label=said)


def _gaps(run: Run) -> list[tuple[float, float]]:
    """Times in which nobody waited."""
    starts = [*(step.start_s for step in run.steps)]
    ends = [0.0, *(step.end_s for step in run.steps)]
    return [(end, start) for end, start in zip(ends, starts, strict=False) if start > end]


def _lane(drawn: Timeline, place: int, prompt: Prompt) -> Markup:
    """From arrival to first token, filled where the prompt is in a step, with the instant when it is due."""
    state = drawn.run.state
    ttft = state.ttft_s[place]
    assert ttft is not None
    arrival, done, due = prompt.arrival_s, prompt.arrival_s + ttft, prompt.arrival_s + prompt.deadline_s
    middle, met = LANE_HIGH / 2, state.met(place)
    shapes = [
        tag("line", x1=drawn.across(arrival), x2=drawn.across(done), y1=middle, y2=middle, class_="waits"),
        tag("line", x1=drawn.across(arrival), x2=drawn.across(arrival), y1=4, y2=LANE_HIGH - 4, class_="arrives"),
    ]
    for start, end in _served(drawn.run, place):
        shapes.append(block(place, drawn.across(start), percent((end - start) / drawn.end_s), 6, LANE_HIGH - 12))
    if due <= drawn.end_s:
        at = tag("path", d="M0 -6 5 0 0 6 -5 0z", class_="due")
        shapes.append(tag("svg", at, x=drawn.across(due), y=middle, overflow="visible"))
    shapes.append(tag("circle", cx=drawn.across(done), cy=middle, r=5, class_="done" if met else "done late"))
    words = f"{shown(ttft)} of {shown(prompt.deadline_s)}: {'in time' if met else 'too late'}"
    behind = state.passed_over[place]
    passed = f", passed over in {behind:,} step{'s' if behind > 1 else ''}" if behind else ""
    return Markup('<span class="lane-name">Prompt {}</span>{}<span class="lane-says">{}</span>').format(
        place + 1, drawing(*shapes, high=LANE_HIGH), words + passed
    )


def _served(run: Run, place: int) -> list[tuple[float, float]]:
    """Stretches of time in which a prompt is in every step."""
    stretches: list[tuple[float, float]] = []
    for step in run.steps:
        if any(served == place for served, _ in step.parts):
            if stretches and stretches[-1][1] == step.start_s:
                stretches[-1] = (stretches[-1][0], step.end_s)
            else:
                stretches.append((step.start_s, step.end_s))
    return stretches


def _axis(drawn: Timeline) -> Markup:
    """Times below the lanes, at round numbers."""
    power = 10.0 ** (len(f"{drawn.end_s:.0f}") - 1) if drawn.end_s >= 1 else 1.0
    while power > drawn.end_s / 2:
        power /= 10
    size = next((step for step in (power * tick for tick in TICKS) if drawn.end_s / step <= 5), power * 10)
    marks = []
    count = int(drawn.end_s / size)
    for place in range(count + 1):
        share = place * size / drawn.end_s
        anchor = "start" if share < 0.05 else "end" if share > 0.92 else "middle"
        seconds = place * size
        words = (
            "0" if place == 0 else f"{seconds:.4g}{NBSP}s" if size >= 0.1 else f"{MS.from_base(seconds):.4g}{NBSP}ms"
        )
        marks += [
            tag("line", x1=percent(share), x2=percent(share), y1=0, y2=4, class_="arrives"),
            tag("text", words, x=percent(share), y=16, text_anchor=anchor),
        ]
    return drawing(*marks, high=20)
