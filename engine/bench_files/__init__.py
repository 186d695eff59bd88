"""Result files of serving benchmarks: vLLM, TensorRT-LLM and SGLang results and CSV, read into runs of requests.

A file that contradicts itself is refused with its line and field, what is allowed and the next step: a false figure is
worse than none. Nothing is clamped, nothing guessed.
"""

from __future__ import annotations

import os

from engine.bench_files import others, serving, sglang, vllm
from engine.bench_files.decoding import LARGEST, LARGEST_IN_A_BROWSER, WANTED, check_size, decode
from engine.bench_files.json_scan import DECODER, Found, objects
from engine.bench_files.refusal import BenchFileError
from engine.bench_files.run import BenchFile, Progress, Run
from engine.bench_files.table import Table

__all__ = ["LARGEST", "LARGEST_IN_A_BROWSER", "BenchFile", "BenchFileError", "Progress", "Run", "open_file", "read"]


def silent(_: float) -> None:
    """Progress that nobody watches."""


def read(data: bytes, name: str, progress: Progress = silent, largest: float = LARGEST) -> BenchFile:
    """The runs of a file.

    Parameters
    ----------
    name : str
        The file's name, for messages; its ending does not decide what it is.
    progress : callable
        Told the share that is read, from 0 to 1, about once a megabyte.
    largest : float
        Bytes that may be read here.

    Raises
    ------
    BenchFileError
        Where nothing of the file can be used.
    """
    check_size(len(data), name, largest)
    text, warnings = decode(data, name)
    start = text.lstrip()[:1]
    if start == "[":
        raise _a_list(text, name)
    if start != "{":
        return BenchFile(name, (Table(text, name).run(progress),), tuple(warnings))
    runs = tuple(_run(found, name) for found in objects(text, name, serving.LISTS, serving.ROWS, progress))
    if not any(isinstance(run, Run) for run in runs):
        BenchFile(name, runs).choose()  # raises what is wrong with the last one
    return BenchFile(name, runs, tuple(warnings))


def open_file(path: str, progress: Progress = silent) -> BenchFile:
    """The runs of the file at a path.

    Raises
    ------
    BenchFileError
        Where it cannot be opened, or nothing of it can be used.
    """
    try:
        check_size(os.path.getsize(path), path)
        with open(path, "rb") as opened:
            data = opened.read()
    except (OSError, ValueError) as error:
        problem = f"it cannot be read: {getattr(error, 'strerror', None) or error}"
        raise BenchFileError(path, 0, "", problem, f"the path of {WANTED}", "Check the path.") from None
    return read(data, os.path.basename(path), progress)


def _run(found: Found, name: str) -> Run | BenchFileError:
    if found.error:
        return found.error
    dialect = sglang.SGLANG if sglang.wrote(found.keys) else vllm.dialect(found.keys)
    try:
        return serving.Reader(name, found, dialect).run()
    except BenchFileError as error:
        return error


def _a_list(text: str, name: str) -> BenchFileError:
    try:
        what, then = others.of_list(DECODER.decode(text.strip()))
    except (ValueError, RecursionError):
        what, then = "a list that does not end", "Copy the file again."
    return BenchFileError(name, 1, "", f"it is {what}", WANTED, then)
