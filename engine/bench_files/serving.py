"""What vLLM, TensorRT-LLM and SGLang write alike: a summary, and one list for each thing that was measured."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from operator import add, lt
from typing import Any

from engine.bench_files import checks, others
from engine.bench_files.json_scan import Bare, Found, Numbers
from engine.bench_files.refusal import BenchFileError, quoted, several
from engine.bench_files.run import Run, per_token

NEEDED = ("ttfts", "itls", "output_lens")
OPTIONAL = ("input_lens", "start_times")
STORED_E2E = ("latencies", "e2els")
ROWS = frozenset({"itls"})
LISTS = frozenset({*NEEDED, *OPTIONAL, *STORED_E2E}) - ROWS
RECONSTRUCTED = "ttfts + sum(itls)"
GOODPUT = ("request_goodput", "request_goodput:")
"""The key of the tool's own goodput; older versions write a colon into it."""

TOTALS = ("total_output_tokens", "total_output")
SUMMARY = frozenset({"request_throughput", "mean_ttft_ms", "total_output_tokens", "total_output"})
AGAIN = "Take the file as the tool wrote it, or run the benchmark again."


@dataclass(frozen=True)
class Dialect:
    """What one tool calls things: its name, the flag that saves every request, and its mean E2E in ms."""

    tool: str
    flag: str
    mean_e2e: str


class Reader:
    """Reads one object of a file."""

    def __init__(self, name: str, found: Found, dialect: Dialect) -> None:
        self.name, self.line, self.keys, self.dialect = name, found.line, found.keys, dialect
        self.warnings: list[str] = []

    def run(self) -> Run:
        """The run that the object holds.

        Raises
        ------
        BenchFileError
            Where it holds no requests, or contradicts itself.
        """
        self._has_requests()
        ttft, itl, tokens = (self._needed(field) for field in NEEDED)
        count = self._same_length()
        if not all(map(float.is_integer, tokens)):
            place = next(place for place, value in enumerate(tokens) if not value.is_integer())
            raise self._refuse(
                f"output_lens[{place}]", f"request {place + 1} has {tokens[place]} tokens", "whole numbers"
            )
        duration = self._number("duration")
        if duration is not None and duration <= 0:
            raise self._refuse("duration", f"it is {duration:g} s, and a rate would divide by it", "a time above 0 s")
        completed = self._completed(ttft, itl, tokens)
        said = checks.same_unit(self.name, self.line, "ttfts", ttft, completed, self._number("mean_ttft_ms") or 0)
        self.warnings += [said] if said else []
        stored = next((field for field in STORED_E2E if field in self.keys), "")
        e2e = self._needed(stored) if stored else array("d", map(add, ttft, itl))
        for place in compress(range(count), map(lt, e2e, ttft)):
            if completed[place] and e2e[place] < ttft[place] - checks.CLOCKS:
                raise self._refuse(
                    f"{stored}[{place}]", f"request {place + 1} ends before its first token", "an E2E from TTFT on"
                )
        tpot = array("d", map(per_token, ttft, e2e, tokens))
        run = Run(
            self.dialect.tool, ttft, tpot, e2e, tokens, completed, self._optional("start_times"),
            self._optional("input_lens"), duration, stored or RECONSTRUCTED, self._goodput(), self.line,
        )  # fmt: skip
        checks.within_duration(self.name, run, stored or "itls (E2E is TTFT and all ITLs)")
        self.warnings += checks.strange(ttft, tpot, tokens, completed, "ttfts and itls")
        self._totals(tokens, completed)
        return Run(**{**vars(run), "warnings": tuple(self.warnings), "notes": tuple(self._notes(run))})

    def _refuse(self, field: str, problem: str, allowed: str, hint: str = AGAIN) -> BenchFileError:
        return BenchFileError(self.name, self.line, field, problem, allowed, hint)

    def _has_requests(self) -> None:
        if any(field in self.keys for field in NEEDED):
            return
        if SUMMARY.intersection(self.keys):
            raise self._refuse(
                "ttfts, itls, output_lens", "it is a summary without its requests: it was saved without "
                f"{self.dialect.flag}", "a result with every request", f"Run the benchmark again with {self.dialect.flag}.",
            )  # fmt: skip
        other = others.known(self.keys, others.OBJECTS)
        problem = f"it looks like {other[0]}" if other else "it holds no request: there is no list ttfts"
        raise self._refuse(
            "", problem, "a result with the lists ttfts, itls and output_lens", other[1] if other else AGAIN
        )

    def _needed(self, field: str) -> array[float]:
        if field not in self.keys:
            there = " and ".join(other for other in NEEDED if other in self.keys)
            raise self._refuse(field, f"this list is missing, and the file has {there}", ", ".join(NEEDED))
        found = self.keys[field]
        if not isinstance(found, Numbers):
            raise self._refuse(field, f"it is {quoted(found)}, no list", "a list with one entry a request")
        if found.bad:
            kind = "numbers from 0, in seconds" if field != "output_lens" else "whole numbers from 0"
            raise self._refuse(f"{field}[{found.place}]", f"request {found.place + 1} has {found.bad}", kind)
        return found.values

    def _optional(self, field: str) -> array[float] | None:
        found = self.keys.get(field)
        if not isinstance(found, Numbers):
            return None
        if found.bad:
            self.warnings.append(f"{field}[{found.place}] is {found.bad}: the list is not used.")
            return None
        return found.values

    def _same_length(self) -> int:
        lengths = {field: len(self.keys[field]) for field in (*NEEDED, *OPTIONAL, *STORED_E2E)
                   if isinstance(self.keys.get(field), Numbers)}  # fmt: skip
        if isinstance(self.keys.get("errors"), list):
            lengths["errors"] = len(self.keys["errors"])
        usual = max(lengths.values(), key=list(lengths.values()).count)
        for field, length in lengths.items():
            if length != usual:
                raise self._refuse(
                    field, f"it has {several(length, 'entry', 'entries')} where the other lists have {usual:,}: nobody "
                    "knows which request is missing", "lists with one entry a request",
                )  # fmt: skip
        if not usual:
            raise self._refuse("ttfts", "the lists are empty: there is no request", "at least one request")
        return usual

    def _number(self, field: str) -> float | None:
        found = self.keys.get(field)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
            if field.startswith("mean_"):
                return None
            shown = quoted(found) if isinstance(found, Bare | str | int | float) else f"a {type(found).__name__}"
            raise self._refuse(field, f"it is {shown}, no number", "a number")
        return float(found)

    def _completed(self, ttft: array[float], itl: array[float], tokens: array[float]) -> bytearray:
        """Success is not stored: an empty error usually means it, and `completed` is the check."""
        stated, errors, count = self._number("completed"), self.keys.get("errors"), len(ttft)
        if not isinstance(errors, list):
            if stated != count:
                raise self._refuse("errors", "this list is missing, and not every request completed",
                                   "the list errors, or a `completed` of all requests")  # fmt: skip
            return bytearray(b"\1" * count)
        completed = bytearray(not error for error in errors)
        good = sum(completed)
        if stated is None or stated == good:
            return completed
        # An answer other than 200 without a reason leaves an empty error, and nothing else either.
        empty = [
            place for place in range(count) if completed[place] and not (tokens[place] or ttft[place] or itl[place])
        ]
        surplus = good - int(stated)
        if not stated.is_integer() or not 0 < surplus <= len(empty):
            raise self._refuse(
                "completed", f"it is {stated:g}, but {good:,} of {count:,} requests have no error: the duration belongs to "
                "other requests", "as many as have no error",
            )  # fmt: skip
        for place in empty[-surplus:]:
            completed[place] = 0
        verb = (
            "has no error text but also no token; it counts"
            if surplus == 1
            else "have no error text but also no token; they count"
        )
        self.warnings.append(f"{several(surplus, 'request')} {verb} as failed, as in the file's “completed”.")
        return completed

    def _goodput(self) -> tuple[str, float | None] | None:
        for key in GOODPUT:
            if key in self.keys:
                value = self.keys[key]
                usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
                if value is not None and not usable:
                    self.warnings.append(f"{key} is {quoted(value)}, no number: it is not shown.")
                return key, float(value) if usable else None
        return None

    def _totals(self, tokens: array[float], completed: bytearray) -> None:
        if not sum(completed):
            self.warnings.append(f"No request completed: all {len(tokens):,} failed.")
        for key in TOTALS:
            stated, held = self._plain(key), math.fsum(compress(tokens, completed))
            if stated is not None and stated != held:
                self.warnings.append(f"{key} is {stated:,.0f}, but completed requests have {held:,.0f} output tokens.")

    def _plain(self, key: str) -> float | None:
        value = self.keys.get(key)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def _notes(self, run: Run) -> list[str]:
        if run.e2e_from != RECONSTRUCTED:
            return []
        said = ["E2E is not in the file: it is TTFT plus all ITLs, a little less than what the tool measured."]
        stated = self._plain(self.dialect.mean_e2e)
        count = sum(run.completed)
        if stated and count:
            held = math.fsum(compress(run.e2e, run.completed)) / count / checks.MS
            said.append(f"On average it is {held:,.5g} ms here and {stated:,.5g} ms in the file.")
        return said


def has(keys: Mapping[str, Any], *names: str) -> bool:
    """Whether one of these keys is there."""
    return any(name in keys for name in names)
