"""JSON piece by piece: objects one after the other, their long lists of numbers in pieces, with progress.

A benchmark of a million requests as Python objects would need gigabytes. Here a list of numbers becomes an array of
doubles, and a list of lists the sums of its rows, a megabyte of text at a time.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from engine.bench_files.refusal import BenchFileError, quoted
from engine.bench_files.run import Progress

PIECE = 2**20
"""Characters that are decoded at once."""

MOST = 2.0**53
"""The largest number that a list may hold: counts are exact up to here, and no time is as long."""

SPACE = re.compile(r"[ \t\r\n]*")
NEXT_OBJECT = re.compile(r"\n(?=\{)")
NESTED_END = re.compile(r"\][ \t\r\n]*\]")
PLAIN = {int, float}


class Bare:
    """What stands for a bare NaN, Infinity or -Infinity: harmless in a summary, an error in a list."""

    def __init__(self, word: str) -> None:
        self.word = word

    def __str__(self) -> str:
        return self.word


DECODER = json.JSONDecoder(parse_constant=Bare)


@dataclass(frozen=True)
class Numbers:
    """A list of numbers, or the sums of a list of lists of numbers; `bad` says what is no number, by its place from 0."""

    values: array[float]
    bad: str = ""
    place: int = -1

    def __len__(self) -> int:
        return len(self.values)


@dataclass
class Found:
    """One object of the file: the line and place where it starts, its keys, and why it could not be read to its end."""

    line: int
    keys: dict[str, Any] = field(default_factory=dict)
    error: BenchFileError | None = None


def objects(text: str, name: str, lists: frozenset[str], rows: frozenset[str], progress: Progress) -> Iterator[Found]:
    """The objects of a text: one, or many one after the other, whatever stands between their lines.

    Parameters
    ----------
    lists, rows : frozenset of str
        Keys whose values are read as `Numbers`: plain lists, and lists of lists that are summed.
    """
    at, line, counted = _skip(text, 0), 1, 0
    while at < len(text):
        line += text.count("\n", counted, at)
        counted = at
        found = Found(line)
        try:
            at = _skip(text, _object(text, at, found.keys, lists, rows, progress))
        except (ValueError, RecursionError) as error:
            # What was cut ends with its line at the latest: the next object may be whole.
            again = NEXT_OBJECT.search(text, counted)
            end = again.end() if again else len(text)
            where = min(getattr(error, "pos", at), end)
            found.error = _broken(name, text, line if where == end else text.count("\n", 0, where) + 1, where, error)
            at = end
        yield found
        progress(at / len(text))


def _broken(name: str, text: str, line: int, where: int, error: Exception) -> BenchFileError:
    if isinstance(error, RecursionError):
        problem, field = "it is nested too deeply", ""
    else:
        said = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        # The end of the text, or of a line inside a string or after a comma: what stood there was cut off.
        cut = text[where : where + 1].strip() == "" or said.startswith("Unterminated")
        problem = "it ends in the middle" if cut else f"no valid JSON: {said.removesuffix(' at')}"
        field = f"character {where - text.rfind(chr(10), 0, where):,}"
    return BenchFileError(
        name, line, field, problem, "whole JSON objects, as the benchmark writes them",
        "Copy the file again, or let the benchmark run to its end.",
    )  # fmt: skip


def _skip(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    assert match
    return match.end()


def _object(
    text: str, at: int, keys: dict[str, Any], lists: frozenset[str], rows: frozenset[str], progress: Progress
) -> int:
    if text[at] != "{":
        raise json.JSONDecodeError("Expecting an object", text, at)
    at = _skip(text, at + 1)
    if text.startswith("}", at):
        return at + 1
    while True:
        if not text.startswith('"', at):
            raise json.JSONDecodeError("Expecting a key in quotes", text, at)
        key, at = DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if not text.startswith(":", at):
            raise json.JSONDecodeError("Expecting ':'", text, at)
        at = _skip(text, at + 1)
        if key in keys:
            raise json.JSONDecodeError(f"The key {quoted(key)} stands twice", text, at)
        found, end = _numbers(text, at, key in rows, progress) if key in lists or key in rows else (None, -1)
        if end < 0:
            found, end = DECODER.raw_decode(text, at)
            if isinstance(found, list) and (key in lists or key in rows):
                found = Numbers(*(_sums if key in rows else _doubles)(found))
        keys[key] = found
        at = _skip(text, end)
        if text.startswith("}", at):
            return at + 1
        if not text.startswith(",", at):
            raise json.JSONDecodeError("Expecting ',' or '}'", text, at)
        at = _skip(text, at + 1)


def _numbers(text: str, at: int, nested: bool, progress: Progress) -> tuple[Any, int]:
    """The list that starts at `at` and where it ends; -1 where it is not plain, to be read as any value is."""
    if not text.startswith("[", at):
        return None, -1
    start = _skip(text, at + 1)
    if text.startswith("]", start):
        return Numbers(array("d")), start + 1
    if nested:
        ends = NESTED_END.search(text, start)
        end, last = (ends.end(), ends.start() + 1) if ends else (-1, -1)
    else:
        end = text.find("]", start) + 1
        last = end - 1
    if end <= 0:
        return None, -1
    values, bad, place = array("d"), "", -1
    while start < last:
        stop = text.find("]" if nested else ",", start + PIECE, last)
        stop = last if stop < 0 else stop + nested
        try:
            items = DECODER.decode(f"[{text[start:stop]}]")
        except ValueError:
            return None, -1
        if not items:
            return None, -1
        piece, wrong, where = _sums(items) if nested else _doubles(items)
        if wrong and not bad:
            bad, place = wrong, len(values) + where
        values.extend(piece)
        start = _skip(text, stop)
        if start < last:
            if not text.startswith(",", start):
                return None, -1
            start = _skip(text, start + 1)
            if start >= last:
                return None, -1
        progress(stop / len(text))
    return Numbers(values, bad, place), end


def _wrong(item: Any) -> str:
    if item is None:
        return "null, a missing number"
    if isinstance(item, bool):
        return f"{str(item).lower()}, no number"
    if isinstance(item, str):
        return f"the text “{quoted(item)}”, no number"
    if isinstance(item, Bare):
        return f"{item}, no number"
    if isinstance(item, int | float):
        if abs(item) > MOST:
            return "too large for a number"
        return f"{quoted(item)}, negative" if item < 0 else ""
    return f"a {type(item).__name__}, no number"


def _doubles(items: list[Any]) -> tuple[array[float], str, int]:
    if set(map(type, items)) <= PLAIN and min(items) >= 0 and max(items) <= MOST:
        return array("d", items), "", -1
    place = next((place for place, item in enumerate(items) if _wrong(item)), -1)
    if place < 0:
        return array("d", items), "", -1
    return array("d", [0.0]) * len(items), _wrong(items[place]), place


def _sums(items: list[Any]) -> tuple[array[float], str, int]:
    if set(map(type, items)) == {list}:
        flat = list(chain.from_iterable(items))
        if set(map(type, flat)) <= PLAIN and min(flat, default=0) >= 0 and max(flat, default=0) <= MOST:
            # The same to the last digit on every Python: `sum` rounds differently from one version to the next.
            return array("d", map(math.fsum, items)), "", -1
    for place, row in enumerate(items):
        wrong = "" if isinstance(row, list) else f"{_wrong(row) or quoted(row)} where a list should be"
        wrong = wrong or next(filter(None, map(_wrong, row)), "")
        if wrong:
            return array("d", [0.0]) * len(items), wrong, place
    return array("d", map(math.fsum, items)), "", -1
