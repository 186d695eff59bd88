"""What is said when a result file cannot be used: where, which field, what is allowed, and the next step."""

from __future__ import annotations

from engine.errors import InputError

LONGEST = 40
"""Characters of a file's own text that a message repeats."""


class BenchFileError(InputError):
    """A result file, or one run of it, that cannot be used.

    Attributes
    ----------
    file, field : str
        The file's name and the list, column or key that is wrong; `field` is empty where it is the file itself.
    line : int
        The line of the file, from 1; 0 where no line is meant.
    problem : str
        All of that in words, without what is allowed.
    """

    def __init__(self, file: str, line: int, field: str, problem: str, allowed: str, hint: str = "") -> None:
        self.file, self.line, self.field = file, line, field
        place = ", ".join(part for part in (quoted(file), f"line {line}" if line else "", field) if part)
        self.problem = f"{place}: {problem}"
        super().__init__("file", file, allowed, hint, self.problem)


def quoted(words: object) -> str:
    """A text out of a file as a message may repeat it: short, in one line, nothing that steers a terminal."""
    plain = "".join(letter if letter.isprintable() else " " for letter in str(words)[: LONGEST + 1])
    return plain if len(plain) <= LONGEST else plain[:LONGEST] + "…"


def several(count: int, one: str, many: str = "") -> str:
    """A count with its noun: "1 request", "2,000 requests"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
