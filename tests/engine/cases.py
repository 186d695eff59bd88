"""Golden cases: data files with the expected values, read here and checked as files."""

import json
from datetime import date
from math import isclose
from pathlib import Path
from typing import Any

from engine import units

GOLDEN = Path(__file__).parent / "golden"
ORIGINS = ("hand", "paper", "measurement")


def read(file: str) -> list[dict[str, Any]]:
    """The cases of a file; one without name, origin, reference or a day that has been is refused."""
    cases = json.loads((GOLDEN / file).read_text("utf-8"))["cases"]
    for case in cases:
        assert len(case["name"].split()) > 3, f"a name is a sentence: {case['name']!r}"
        assert case["origin"] in ORIGINS, case["name"]
        assert case["reference"].strip(), case["name"]
        assert date.fromisoformat(case["date"]) <= date.today(), case["name"]
    assert len({case["name"] for case in cases}) == len(cases)
    return cases


def holds(expected: dict[str, Any], value: Any, base: str) -> bool:
    """Whether a value in base unit `base` is as expected, or keeps to the relation that is stated."""
    wanted = expected["value"]
    if isinstance(wanted, bool | str):
        return type(value) is type(wanted) and value == wanted
    found = units.convert(value, base, expected["unit"])
    if "relation" in expected:
        assert expected["relation"] == "at most", expected
        return 0 < found <= wanted
    return isclose(found, wanted, rel_tol=expected.get("relative", 0), abs_tol=expected.get("absolute", 0))


def spaced(text: str) -> str:
    """A shown text with plain spaces, as case files write it."""
    return text.replace("\u00a0", " ")
