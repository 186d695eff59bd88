"""CSV: one row a request, a unit in the name of every time column."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from operator import lt

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


Cells = tuple[str, ...]


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

    def run(self, progress: Progress) -> Run:
        """The run that the table holds.

        Raises
        ------
        BenchFileError
            For a column or value that cannot be used, with its line.
        """
        lines = io.StringIO(self.text, newline="")
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        try:
            head = self._head(next(reader, []))
            columns: dict[str, array[float]] = {field: array("d") for field in head.place if field != "ok"}
            completed, words = bytearray(), dict[str, int]()
            for cells, rows in self._pieces(reader, len(head.names)):
                ok = self._ok(cells, len(rows), head, words)
                completed += ok
                for field, column in columns.items():
                    column.extend(self._numbers(cells[head.place[field]], rows, head, field, ok))
                self._check_order(columns, ok, rows)
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

    def _pieces(self, reader: Iterator[list[str]], width: int) -> Iterator[tuple[list[Cells], Sequence[int]]]:
        """The columns of some rows, and which rows they are, the header being row 0."""
        row = 1
        while read := list(islice(reader, ROWS)):
            numbers: Sequence[int] = range(row, row + len(read))
            row += len(read)
            if set(map(len, read)) != {width}:
                held = [
                    (number, cells) for number, cells in zip(numbers, read, strict=True) if any(map(str.strip, cells))
                ]
                for number, cells in held:
                    if len(cells) != width:
                        raise self.refuse(
                            self._line(number), "", f"it has {several(len(cells), 'field')}, the header has {width}",
                            f"{width} fields in every row", "A comma inside a field needs quotes around it.",
                        )  # fmt: skip
                numbers, read = [number for number, _ in held], [cells for _, cells in held]
            if read:
                yield list(zip(*read, strict=True)), numbers

    def _line(self, row: int) -> int:
        """The line at which a row ends: looked up when it is asked for, since rows may be blank or take several lines."""
        reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=self.delimiter, strict=True)
        next(islice(reader, row, None))
        return reader.line_num

    def _ok(self, cells: list[Cells], count: int, head: Head, words: dict[str, int]) -> bytes:
        if "ok" not in head.place:
            return b"\1" * count
        said = [cell.strip().lower() for cell in cells[head.place["ok"]]]
        for word in set(said) - GOOD_WORDS:
            words[word] = words.get(word, 0) + said.count(word)
        return bytes(word in GOOD_WORDS for word in said)

    def _numbers(self, cells: Cells, rows: Sequence[int], head: Head, field: str, ok: bytes) -> list[float]:
        """One column of a piece, in base units; blanks of failed requests are 0."""
        divisor = PER_SECOND[head.unit[field]] if field in head.unit else 1
        whole = field in COUNTS
        # Most pieces hold plain numbers only: then one look at all letters is enough.
        if not NOT_NUMERIC.search("\x1f".join(cells)):
            try:
                # A blank is 0 where the request failed, else a number that is refused below.
                values = [float(cell) / divisor if cell else -float(done) for cell, done in zip(cells, ok, strict=True)]
            except ValueError:
                values = [-1.0]
            if min(values) >= 0 and max(values) <= MOST and not (whole and not all(map(float.is_integer, values))):
                return values
        return [self._number(cells[i], rows[i], head, field, ok[i], whole) / divisor for i in range(len(cells))]

    def _check_order(self, columns: dict[str, array[float]], ok: bytes, rows: Sequence[int]) -> None:
        """Refuse the newest rows where one ends before its first token."""
        if "e2e" not in columns:
            return
        first, end = columns["ttft"][-len(ok) :], columns["e2e"][-len(ok) :]
        for place in compress(range(len(ok)), map(lt, end, first)):
            if ok[place] and end[place] < first[place] - checks.CLOCKS:
                line = self._line(rows[place])
                raise self.refuse(line, "e2e", "the request ends before its first token", "an E2E from TTFT on")

    def _number(self, cell: str, row: int, head: Head, field: str, ok: int, whole: bool) -> float:
        typed = cell.strip()
        if not typed and (not ok or field == "input_tokens"):
            return 0.0
        if self.delimiter != "," and re.fullmatch(r"[+-]?\d+,\d+([eE][+-]?\d+)?", typed):
            self.decimal_commas, typed = True, typed.replace(",", ".")
        problem, value = "", 0.0
        if not typed:
            problem = "it is empty, though the request completed"
        elif not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", typed):
            problem = f"“{quoted(cell)}” is no number"
        else:
            value = float(typed)
            if value < 0 and field != "arrival":
                problem = f"{quoted(typed)} is negative"
            elif abs(value) > MOST:
                problem = f"{quoted(typed)} is too large"
            elif whole and value % 1:
                problem = f"{quoted(typed)} is no whole number"
        if problem:
            kind = "a whole number from 0" if whole else "a number from 0, with a point"
            hint = "" if typed or "ok" in head.place else "A failed request needs a column ok that says so."
            raise self.refuse(self._line(row), quoted(head.names[head.place[field]]), problem, kind, hint)
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
