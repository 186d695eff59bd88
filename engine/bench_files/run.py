"""What every format is read into: runs of requests in columns, in seconds and tokens."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

from engine.bench_files.refusal import BenchFileError, several
from engine.errors import InputError

Progress = Callable[[float], None]
"""Told the share of a file that is read, from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Run:
    """One benchmark run: a request trace. Every column has one entry a request, in the file's order.

    Attributes
    ----------
    tool : str
        vllm, trtllm, sglang, csv or authored.
    ttft, tpot, e2e : array of float
        Seconds; 0 for what a failed request has not.
    tokens : array of float
        Output tokens.
    completed : bytearray
        1 where the request completed, else 0.
    arrival : array of float, optional
        Seconds from any zero.
    input_tokens : array of float, optional
        Tokens of the prompts.
    duration : float, optional
        What the file gives as its duration, in seconds.
    e2e_from : str
        Where E2E comes from.
    goodput : (str, float or None), optional
        The key and value of the goodput that the tool itself wrote; None where its flag was not given.
    line : int
        The line at which it starts.
    warnings, notes : tuple of str
        What a reader must know, and what is good to know.
    """

    tool: str
    ttft: array[float]
    tpot: array[float]
    e2e: array[float]
    tokens: array[float]
    completed: bytearray
    arrival: array[float] | None
    input_tokens: array[float] | None
    duration: float | None
    e2e_from: str
    goodput: tuple[str, float | None] | None = None
    line: int = 1
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.completed)

    @property
    def words(self) -> str:
        """One line for a list of runs."""
        return f"{self.tool}, {several(len(self), 'request')}"


@dataclass(frozen=True, eq=False)
class BenchFile:
    """A file: its runs in order, those that cannot be used as the error that says why."""

    name: str
    runs: tuple[Run | BenchFileError, ...]
    warnings: tuple[str, ...] = ()

    def choose(self, number: int | None = None) -> tuple[int, Run]:
        """The run of that number from 1, else the last that can be used, with its number.

        Raises
        ------
        BenchFileError
            Where that run, or every run, cannot be used.
        InputError
            Where there is no run of that number.
        """
        if number is None:
            usable = [place for place, run in enumerate(self.runs, 1) if isinstance(run, Run)]
            number = usable[-1] if usable else len(self.runs)
        if not 1 <= number <= len(self.runs):
            held = f"a whole number from 1 to {len(self.runs)}" if len(self.runs) > 1 else "1"
            raise InputError("run", number, held, f"The file holds {several(len(self.runs), 'run')}.")
        run = self.runs[number - 1]
        if isinstance(run, BenchFileError):
            raise run
        return number, run

    def said(self, number: int) -> tuple[str, ...]:
        """The warnings that go with that run: the file's, those on runs that cannot be used, and its own."""
        broken = [
            f"run {place} of {len(self.runs)} cannot be used: {run.problem}. {run.hint}".rstrip()
            for place, run in enumerate(self.runs, 1)
            if isinstance(run, BenchFileError)
        ]
        run = self.runs[number - 1]
        return (*self.warnings, *broken, *(run.warnings if isinstance(run, Run) else ()))


def per_token(ttft: float, e2e: float, tokens: float) -> float:
    """TPOT: the time after the first token over the tokens after it; 0 for at most one token."""
    return (e2e - ttft) / (tokens - 1) if tokens > 1 else 0.0
