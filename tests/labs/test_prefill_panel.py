"""Lab 4's panel: steps, lanes and orders as markup, the buttons that add prompts, a starved queue, bounded size."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from engine.labs.prefill_deadline import LAB
from labs import _panels

TWO = "0:8000:1000,20:300:200"


def panel(**inputs: Any) -> str:
    return str(_panels.markup(LAB, LAB.parse(inputs))).replace("\u00a0", " ")


def tree(**inputs: Any) -> ElementTree.Element:
    return ElementTree.fromstring(panel(**inputs))


@pytest.mark.parametrize("preset", LAB.presets, ids=lambda preset: preset.id)
def test_every_preset_is_well_formed_without_styles(preset: Any) -> None:
    found = tree(**preset.inputs)
    assert not [node for node in found.iter() if "style" in node.attrib]
    assert not re.search(r'"(nan|inf)', panel(**preset.inputs))


def test_a_step_is_drawn_for_each_step_and_a_lane_for_each_prompt() -> None:
    found = tree(queue=TWO)
    assert len([node for node in found.iter("rect") if "step" in node.get("class", "").split()]) == 18
    assert len([node for node in found.iter("span") if node.get("class") == "lane-says"]) == 2
    assert "1 of 2 deadlines met" in panel(queue=TWO)
    assert panel(queue=TWO).count("2 of 2 deadlines met") == 2


def test_the_first_button_takes_the_prompt_along_and_later_ones_only_add() -> None:
    acts = [node.get("data-act") for node in tree().iter("button")]
    assert acts[0] == "0:8000:1000,20:300:200"
    acts = [node.get("data-act") for node in tree(queue=TWO).iter("button")]
    assert acts == ["40:300:200", "40:8000:1000", "reset"]
    assert LAB.parse({"queue": f"{TWO},{acts[0]}"})["queue"] == "0:8000:1000,20:300:200,40:300:200"


def test_a_starved_queue_is_named() -> None:
    found = panel(decoding=64, budget=64, queue=TWO)
    assert "Starved: prompts 1, 2 never start." in found
    assert "0 of 2 deadlines met" in found
    assert "Starved: prompt 1 never starts." in panel(decoding=64, budget=64)


def test_thousands_of_steps_stay_small() -> None:
    assert len(panel(prompt=15_000, budget=33)) < 40_000


def test_too_many_steps_are_refused_in_words() -> None:
    assert "at most 20,000 steps" in panel(prompt=1_000_000, budget=33)
