"""Samples of a lab as Python in the browser works them out, to be compared with the page's JavaScript."""

import dataclasses
import json
from itertools import islice
from typing import Any

from engine.labs import curves, lab, state
from engine.labs.answers import plain
from engine.labs.export import EXPORTS
from engine.labs.lab import Lab
from engine.labs.samples import samples


def values(slug: str, count: int) -> str:
    """Inputs and every quantity, for each of `count` settings."""
    made = lab(slug)
    found = [{"inputs": inputs, "values": valued(made, inputs)} for inputs in samples(made, count)]
    return json.dumps(found, allow_nan=False)


def valued(made: Lab, inputs: dict[str, Any]) -> dict[str, Any]:
    """Every quantity, under its name outside as well where that differs."""
    found = made.plan(inputs).evaluate(made.given(inputs))
    found |= {shown: found[name] for name, shown in made.names.items()}
    return {name: plain(value) for name, value in found.items()}


def states(slug: str, count: int) -> str:
    """The whole state with its words, curves and exports, each compared with the setting before it as the pinned one."""
    made = lab(slug)
    found, pinned = [], None
    for inputs in islice(samples(made, 2 * count, seed=2), count):
        built = state.build(made, inputs, pinned)
        data = curves.sources(made, inputs, pinned)
        found.append(
            {
                "inputs": inputs,
                "pinned": pinned,
                "texts": built.texts,
                "flags": built.flags,
                "data": curves.listed(data),
                "exports": {name: export(made, inputs) for name, export in EXPORTS.items()},
            }
        )
        pinned = inputs
    return json.dumps(found, allow_nan=False)


def verdicts(slug: str, count: int) -> str:
    """The verdict on every option and on some numbers of every prediction, for each of `count` settings."""
    made = lab(slug)
    found = []
    for inputs in samples(made, count, seed=3):
        for prediction in made.predictions:
            for answer in [option for option, _ in prediction.options] or [0.5, 71.0, 104.07, 295.3, 1e9]:
                try:
                    said = dataclasses.asdict(state.verdict(made, prediction.id, answer, inputs))
                except ValueError as error:
                    said = {"error": str(error)}
                found.append({"inputs": inputs, "id": prediction.id, "answer": answer, "texts": said})
    return json.dumps(found, allow_nan=False)
