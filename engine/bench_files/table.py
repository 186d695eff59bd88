"""CSV: one row a request, a unit in the name of every time column."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from engine.bench_files import checks, others
from engine.bench_files.refusal import BenchFileError, quoted, several
from engine.bench_files.run import Progress, Run, per_token
from engine.errors import nearest
from engine.units import unit

ROWS = 20_000
"""Rows that are converted at once."""

UNITS = {
    "s": "s", "sec": "s", "seconds": "s", "ms": "ms", "msec": "ms", "milliseconds": "ms",
    "us": "us", "µs": "us", "μs": "us", "microseconds": "us", "ns": "ns", "nanoseconds": "ns",
}  # fmt: skip
TIMES = {
    "arrival": ("arrival", "arrival_time", "start", "start_time", "timestamp"),
    "ttft": ("ttft", "time_to_first_token"),
    "e2e": ("e2e", "e2el", "latency", "request_latency", "e2e_latency", "end_to_end_latency"),
    "tpot": ("tpot", "time_per_output_token"),
}
COUNTS = {
    "output_tokens": ("output_tokens", "output_len", "completion_tokens"),
    "input_tokens": ("input_tokens", "input_len", "prompt_tokens", "prompt_len"),
    "ok": ("ok", "status", "success"),
}
GOOD_WORDS = frozenset({"ok", "true", "1", "1.0", "success", "completed", "200", "yes"})
FIELDS = {alias: field for field, aliases in (TIMES | COUNTS).items() for alias in aliases}
COLUMNS = "the columns arrival_s, ttft_s, e2e_s (or tpot_s), output_tokens and ok; times in _s, _ms, _us or _ns"
NOT_NUMERIC = re.compile(r"[^0-9.eE+\-\x1f]")
MOST = 2.0**53
PER_SECOND = {name: round(1 / unit(name).factor) for name in set(UNITS.values())}
"""How many of a unit make a second. Dividing by it rounds once; multiplying by 0.001 would round twice."""


@dataclass(frozen=True)
class Head:
    """Where each field stands, the unit of each time, and the columns that are not used."""

    place: dict[str, int]
    unit: dict[str, str]
    names: list[str]
    ignored: list[str]


class Table:
    """Reads one table."""

    def __init__(self, text: str, name: str) -> None:
        self.name, self.text = name, text
        first, _, rest = text.partition("\n")
        self.skipped = 0
        if first.strip().lower().startswith("sep="):  # a line for Excel alone
            first, self.text, self.skipped = rest.partition("\n")[0], rest, 1
        self.delimiter = max(",;\t|", key=first.count)
        self.decimal_commas = False
        self.warnings: list[str] = []

    def refuse(self, line: int, field: str, problem: str, allowed: str = COLUMNS, hint: str = "") -> BenchFileError:
        """The error for a place in this table."""
        return BenchFileError(self.name, line + self.skipped, field, problem, allowed, hint)

    def run(self, lines: TextIO, progress: Progress) -> Run:
        """The run that the table holds; `lines` gives its text line by line.

        Raises
        ------
        BenchFileError
            For a column or value that cannot be used, with its line.
        """
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        try:
            head = self._head(next(reader, []))
            columns: dict[str, array[float]] = {field: array("d") for field in head.place if field != "ok"}
            completed, words = bytearray(), dict[str, int]()
            for rows, numbers in self._pieces(reader, len(head.names)):
                ok = self._ok(rows, head, words)
                completed += ok
                for field, column in columns.items():
                    column.extend(self._numbers(rows, numbers, head, field, ok))
                self._check_order(columns, ok, numbers)
                progress(min(1.0, lines.tell() / max(1, len(self.text))))
        except csv.Error as error:
            raise self.refuse(reader.line_num, "", f"it is no CSV here: {error}", hint="Check the quotes.") from None
        if not completed:
            raise self.refuse(1, "", "there is a header and no rows: no request", "at least one row")
        return self._made(head, columns, completed, words)

    def _head(self, names: list[str]) -> Head:
        place: dict[str, int] = {}
        units: dict[str, str] = {}
        ignored = []
        other = others.known([name.strip().lower() for name in names], others.TABLES)
        if other:
            raise self.refuse(1, "", f"it looks like {other[0]}", hint=other[1])
        for at, name in enumerate(names):
            plain = re.sub(r"[\s\-()\[\]]+", "_", name.strip().lower()).strip("_")
            stem, _, last = plain.rpartition("_")
            field = FIELDS.get(plain)
            if field is None and last in UNITS and FIELDS.get(stem) in TIMES:
                field = FIELDS[stem]
                units[field] = UNITS[last]
            elif field in TIMES:
                raise self.refuse(
                    1, quoted(name), "this time has no unit: seconds or milliseconds would be a guess",
                    "a unit at the end of the name: _s, _ms, _us or _ns", f"Rename it, for example {plain}_ms.",
                )  # fmt: skip
            if field is None:
                ignored.append(quoted(name))
                continue
            if field in place:
                raise self.refuse(1, quoted(name), f"{field} is there already, as {quoted(names[place[field]])}")
            place[field] = at
        for field in ("ttft", "output_tokens"):
            if field not in place:
                near = nearest(field, [name.strip().lower() for name in names])
                raise self.refuse(1, field, "this column is missing", hint=near)
        if "e2e" not in place and "tpot" not in place:
            raise self.refuse(1, "e2e", "this column is missing, and so is tpot")
        return Head(place, units, names, ignored)

    def _pieces(self, reader: Iterator[list[str]], width: int) -> Iterator[tuple[list[list[str]], list[int]]]:
        rows: list[list[str]] = []
        numbers: list[int] = []
        for row in reader:
            if len(row) != width:
                if not any(cell.strip() for cell in row):
                    continue
                line: int = reader.line_num  # type: ignore[attr-defined]
                raise self.refuse(line, "", f"it has {several(len(row), 'field')}, the header has {width}",
                                  f"{width} fields in every row", "A comma inside a field needs quotes around it.")  # fmt: skip
            rows.append(row)
            numbers.append(reader.line_num)  # type: ignore[attr-defined]
            if len(rows) == ROWS:
                yield rows, numbers
                rows, numbers = [], []
        if rows:
            yield rows, numbers

    def _ok(self, rows: list[list[str]], head: Head, words: dict[str, int]) -> bytes:
        if "ok" not in head.place:
            return b"\1" * len(rows)
        at = head.place["ok"]
        said = [row[at].strip().lower() for row in rows]
        for word in set(said) - GOOD_WORDS:
            words[word] = words.get(word, 0) + said.count(word)
        return bytes(word in GOOD_WORDS for word in said)

    def _numbers(self, rows: list[list[str]], lines: list[int], head: Head, field: str, ok: bytes) -> list[float]:
        """One column of a piece, in base units; blanks of failed requests are 0."""
        at = head.place[field]
        cells = [row[at] for row in rows]
        divisor = PER_SECOND[head.unit[field]] if field in head.unit else 1
        whole = field in COUNTS
        # Most pieces hold plain numbers only: then one look at all letters is enough.
        if not NOT_NUMERIC.search("\x1f".join(cells)):
            try:
                # A blank is 0 where the request failed, else a number that is refused below.
                values = [float(cell) / divisor if cell else -float(done) for cell, done in zip(cells, ok, strict=True)]
            except ValueError:
                values = [-1.0]
            if min(values) >= 0 and max(values) <= MOST and not (whole and any(value % 1 for value in values)):
                return values
        return [
            self._number(cells[i], lines[i], head.names[at], field, ok[i], whole) / divisor for i in range(len(cells))
        ]

    def _check_order(self, columns: dict[str, array[float]], ok: bytes, lines: list[int]) -> None:
        """Refuse the newest rows where one ends before its first token."""
        if "e2e" in columns:
            first, end = columns["ttft"][-len(ok) :], columns["e2e"][-len(ok) :]
            for place, done in enumerate(ok):
                if done and end[place] < first[place] - checks.CLOCKS:
                    raise self.refuse(
                        lines[place], "e2e", "the request ends before its first token", "an E2E from TTFT on"
                    )

    def _number(self, cell: str, line: int, name: str, field: str, ok: int, whole: bool) -> float:
        typed = cell.strip()
        if not typed and (not ok or field == "input_tokens"):
            return 0.0
        kind = "a whole number from 0" if whole else "a number from 0, with a point"
        if not typed:
            hint = "A failed request needs a column ok that says so." if "ok" not in field else ""
            raise self.refuse(line, quoted(name), "it is empty, though the request completed", kind, hint)
        if self.delimiter != "," and re.fullmatch(r"[+-]?\d+,\d+([eE][+-]?\d+)?", typed):
            self.decimal_commas, typed = True, typed.replace(",", ".")
        if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", typed):
            raise self.refuse(line, quoted(name), f"“{quoted(cell)}” is no number", kind)
        value = float(typed)
        if value < 0 and field != "arrival":
            raise self.refuse(line, quoted(name), f"{quoted(typed)} is negative", kind)
        if abs(value) > MOST or (whole and value % 1):
            raise self.refuse(
                line, quoted(name), f"{quoted(typed)} is {'no whole number' if value % 1 else 'too large'}", kind
            )
        return value

    def _made(self, head: Head, columns: dict[str, array[float]], completed: bytearray, words: dict[str, int]) -> Run:
        ttft, tokens = columns["ttft"], columns["output_tokens"]
        stored = "e2e" in columns
        if stored:
            e2e = columns["e2e"]
            tpot = array("d", map(per_token, ttft, e2e, tokens))
        else:
            tpot = array("d", (t if n > 1 else 0.0 for t, n in zip(columns["tpot"], tokens, strict=True)))
            e2e = array("d", (a + t * max(0, n - 1) for a, t, n in zip(ttft, tpot, tokens, strict=True)))
        names = f"{head.names[head.place['ttft']]} and {head.names[head.place['e2e' if stored else 'tpot']]}"
        if self.delimiter != ",":
            word = {";": "semicolons", "\t": "tabs", "|": "bars"}[self.delimiter]
            more = ", and a decimal comma in its numbers" if self.decimal_commas else ""
            self.warnings.append(f"The table has {word} between its columns{more}; it was read so.")
        self.warnings += checks.strange(ttft, tpot, tokens, completed, names)
        if not sum(completed):
            self.warnings.append(f"No request completed: all {len(completed):,} failed.")
        notes = [f"Columns that are not used: {', '.join(head.ignored)}."] if head.ignored else []
        if "ok" not in head.place:
            notes.append("There is no column ok: every row counts as completed.")
        if words:
            failed = ", ".join(f"“{quoted(word)}” ({count:,})" for word, count in sorted(words.items())[:5])
            notes.append(f"Counted as failed: {failed}.")
        if stored and "tpot" in columns:
            notes.append("TPOT is worked out from E2E; the column for it is not used.")
        return Run("csv", ttft, tpot, e2e, tokens, completed, columns.get("arrival"), columns.get("input_tokens"), None,
                   "column" if stored else "tpot column", None, 1, tuple(self.warnings), tuple(notes))  # fmt: skip
