"""The command line: the same answers without a browser, on a bare Python."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from typing import Any

import engine
from engine import text
from engine.errors import InputError, RidgepointError, nearest
from engine.formula import REGISTRY, Formula
from engine.labs import headless, lab, labs
from engine.labs.export import as_text, simulated
from engine.labs.inputs import number
from engine.quantities import quantity
from engine.report import formula_report, lab_report

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


def formula_inputs(formula: Formula, words: Sequence[str]) -> dict[str, float]:
    """Base values by glossary name from glossary names or the formula's symbols, a trailing underscore optional."""
    names = {name: name for name in formula.inputs}
    for name in formula.inputs:
        symbol = formula.aliases.get(name, quantity(name).symbol)
        names |= {symbol: name, symbol.rstrip("_"): name, symbol.rstrip("_") + "_": name}
    given: dict[str, float] = {}
    for name, value in assignments(words).items():
        if name not in names:
            known = ", ".join(dict.fromkeys(names))
            raise InputError(name, value, known, nearest(name, names), "there is no such input")
        amount = math.inf if value == "inf" else number(value)
        if amount is None or (math.isinf(amount) and value != "inf"):
            raise InputError(name, value, f"a number in {quantity(names[name]).unit}, or inf")
        if names[name] in given:
            raise InputError(name, value, "each quantity once", f"{names[name]} was given under another name before.")
        given[names[name]] = amount
    missing = [name for name in formula.inputs if name not in given]
    if missing:
        wanted = ", ".join(f"{name} ({formula.aliases.get(name, quantity(name).symbol)})" for name in missing)
        raise InputError(missing[0], None, "name=value for each", f"{formula.id} needs {wanted}.", "it is missing")
    return given


def find_formula(key: str) -> Formula:
    """The formula of that id, or the one that gives the quantity of that name."""
    found = REGISTRY.get(key) or next((f for f in REGISTRY.values() if f.gives == key), None)
    if found is None:
        known = sorted({*REGISTRY, *(f.gives for f in REGISTRY.values())})
        raise InputError("formula", key, "an id that `python -m engine list formulas` shows", nearest(key, known))
    return found


def inventory(which: str) -> dict[str, dict[str, str]]:
    """What there is, by kind and slug, with a title each."""
    from engine import catalogue

    everything = {
        "labs": {slug: found.title for slug, found in labs().items()}
        | {slug: found.title for slug, found in headless().items()},
        "formulas": {key: text.line(f.tree, text.symbol) for key, f in sorted(REGISTRY.items())},
        "models": {slug: found.name for slug, found in catalogue.models().items()},
        "gpus": {slug: found.name for slug, found in catalogue.gpus().items()},
    }
    if which and which not in everything:
        raise InputError("list", which, ", ".join(everything), nearest(which, everything))
    return {which: everything[which]} if which else everything


def formula_text(formula: Formula, report: dict[str, Any]) -> str:
    """A formula's answer for people."""
    step = report["trace"][-1]
    result = report["outputs"][formula.gives]
    shown = text.show(formula.gives, result["value"])
    lines = [formula.doc, f"{step['symbol']} = {step['formula']} = {step['substituted']} = {shown}"]
    lines += [f"Source: {formula.source.text} (checked {formula.source.checked})"]
    return "\n".join([*lines, *(f"Limit ({limit['state']}): {limit['text']}" for limit in report["limits"])])


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
        return "\n".join(f"{kind}\n" + "\n".join(f"  {k:28} {t}" for k, t in e.items()) for kind, e in found.items())
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
    formula = find_formula(rest[0])
    report = formula_report(formula, formula_inputs(formula, rest[1:]))
    return json.dumps(report, ensure_ascii=False) if as_json else formula_text(formula, report)


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
