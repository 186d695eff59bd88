"""The command line: the same answers without a browser, on a bare Python."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence

import engine
from engine import text
from engine.atlas import entries
from engine.atlas.answer import Answer
from engine.atlas.answer import answer as work_out
from engine.atlas.entry import Entry
from engine.atlas.lone import Lone
from engine.atlas.topics import TOPICS
from engine.errors import InputError, RidgepointError, nearest
from engine.formula import REGISTRY
from engine.labs import headless, lab, labs
from engine.labs.export import as_text, simulated
from engine.quantities import quantity
from engine.report import lab_report

USAGE = """\
usage: python -m engine lab SLUG [name=value ...] [--json]
       python -m engine formula ID [name=value ...] [--json]
       python -m engine list [labs|formulas|models|gpus] [--json]
       python -m engine --version"""


def assignments(words: Sequence[str]) -> dict[str, str]:
    """`name=value` words as a mapping; a word without `=` or a name given twice is an error."""
    given: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InputError(
                word or "an empty word", word, "name=value, such as batch=16; or --json", problem="it is no name=value"
            )
        if name in given:
            raise InputError(name, value, "each name once", f"It was given as {given[name]!r} before.")
        given[name] = value
    return given


def asked_for(key: str) -> Entry | Lone:
    """The entry of that id, else the formula of that id, or the one that gives the quantity of that name."""
    formula = REGISTRY.get(key) or next((f for f in REGISTRY.values() if f.gives == key), None)
    found = entries().get(key) or (entries().get(formula.id) if formula else None)
    if found:
        return found
    if not formula:
        known = sorted({*entries(), *REGISTRY, *(f.gives for f in REGISTRY.values())})
        raise InputError("formula", key, "an id that `python -m engine list formulas` shows", nearest(key, known))
    return Lone(formula)


def inventory(which: str) -> dict[str, dict[str, str]]:
    """What there is, by kind and slug, with a title each."""
    from engine import catalogue

    everything = {
        "labs": {slug: found.title for slug, found in labs().items()}
        | {slug: found.title for slug, found in headless().items()},
        "formulas": {key: entry.title for key, entry in entries().items()}
        | {key: text.line(f.tree, text.symbol) for key, f in sorted(REGISTRY.items()) if key not in entries()},
        "models": {slug: found.name for slug, found in catalogue.models().items()},
        "gpus": {slug: found.name for slug, found in catalogue.gpus().items()},
    }
    if which and which not in everything:
        raise InputError("list", which, ", ".join(everything), nearest(which, everything))
    return {which: everything[which]} if which else everything


def listed(found: Mapping[str, Mapping[str, str]]) -> str:
    """An inventory for people; entries of the atlas stand under their topics."""
    lines = []
    for kind, titles in found.items():
        lines.append(kind)
        topic = ""
        for key, title in titles.items():
            heading = TOPICS[entries()[key].topic] if key in entries() else "Formulas of the labs"
            if kind == "formulas" and heading != topic:
                topic = heading
                lines.append(f"  {topic}")
            lines.append(f"  {'  ' if topic else ''}{key:36} {title}")
    return "\n".join(lines)


def said(found: Answer, title: str) -> str:
    """An answer for people."""
    lines = [title]
    for step in found.trace.steps:
        lines.append(
            f"{quantity(step.name).symbol} = {step.line} = {step.substituted} = {text.show(step.name, step.value)}"
        )
    sources = dict.fromkeys(f"Source: {step.source.text} (checked {step.source.checked})" for step in found.trace.steps)
    limits = [f"Limit ({limit.state}): {limit.text}" for limit in found.trace.limits]
    return "\n".join([*lines, *sources, *limits, *(f"Warning: {warning}" for warning in found.warnings)])


def stated(entry: Entry) -> str:
    """An entry that has nothing to work out: what is stated, with its sources and limits."""
    lines = [entry.title]
    for fact in entry.facts:
        lines.append(f"{fact.name}: {fact.value} {fact.unit} ({fact.context})")
    sources = [*(fact.source for fact in entry.facts), *([entry.source] if entry.source else [])]
    lines += dict.fromkeys(f"Source: {source.text} (checked {source.checked})" for source in sources)
    return "\n".join([*lines, *(f"Limit: {limit}" for limit in entry.limits), *entry.notes])


def answer(words: Sequence[str]) -> str:
    """What the command line prints for these words."""
    as_json = "--json" in words
    words = [word for word in words if word != "--json"]
    if not words or words[0] in ("-h", "--help"):
        return USAGE
    if words[0] == "--version":
        return engine.__version__
    command, *rest = words
    if command not in ("lab", "formula", "list"):
        raise InputError("command", command, "lab, formula, list", nearest(command, ["lab", "formula", "list"]))
    if command == "list":
        if len(rest) > 1:
            raise InputError("list", " ".join(rest), "one kind: labs, formulas, models or gpus")
        found = inventory(rest[0] if rest else "")
        if as_json:
            return json.dumps(found, ensure_ascii=False)
        return listed(found)
    if not rest:
        raise InputError(command, "", "a name", f"`python -m engine list {command}s` shows them.", "a name must follow")
    if command == "lab" and rest[0] in headless():
        own = headless()[rest[0]]
        found = own.report(assignments(rest[1:]))
        return json.dumps(found, ensure_ascii=False) if as_json else own.text(found)
    if command == "lab":
        chosen = lab(rest[0])
        inputs = chosen.parse(assignments(rest[1:]))
        if as_json:
            return json.dumps(lab_report(chosen, inputs), ensure_ascii=False)
        return f"{as_text(chosen, inputs)}\n{simulated(chosen, inputs)}".rstrip()
    asked = asked_for(rest[0])
    given = assignments(rest[1:])
    if isinstance(asked, Entry) and not asked.gives and not given:
        return json.dumps(asked.stated, ensure_ascii=False) if as_json else stated(asked)
    result = work_out(asked, given)
    return json.dumps(result.data, ensure_ascii=False) if as_json else said(result, asked.title)


def main(words: Sequence[str]) -> int:
    """Print the answer; 2 with one message on standard error when it cannot be given, 1 when it cannot be written."""
    try:
        print(answer(words), flush=True)
    except RidgepointError as error:
        # One line, whatever was typed: no line breaks and no codes for the terminal.
        print("".join(letter if letter.isprintable() else " " for letter in str(error)), file=sys.stderr)
        return 2
    except OSError as error:
        # What is left in the buffer would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"standard output: {error.strerror}. Write to another place.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if sys.stdout:  # else the caller closed it: there is nobody to write to
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
