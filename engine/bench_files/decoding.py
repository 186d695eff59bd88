"""From bytes to text: byte order marks, UTF-16, and files that are no text at all."""

from __future__ import annotations

import codecs

from engine import text
from engine.bench_files.refusal import BenchFileError
from engine.units import unit

LARGEST = unit("GB").to_base(4)
"""Bytes that the command line reads: text and numbers stand in memory together."""

LARGEST_IN_A_BROWSER = unit("MB").to_base(500)
"""Bytes that a page reads: a browser gives a page far less memory than a computer has."""

WANTED = "a result of vllm bench serve or TensorRT-LLM (JSON), of sglang.bench_serving (JSON lines), or a CSV file"

MARKS = (
    (codecs.BOM_UTF8, "utf-8", ""),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
PACKED = ((b"\x1f\x8b", "compressed (gzip)"), (b"PK\x03\x04", "a zip archive or an Excel workbook"),
          (b"(\xb5/\xfd", "compressed (zstd)"), (b"PAR1", "a Parquet file"), (b"SQLite", "an SQLite database"))  # fmt: skip


def check_size(size: int, name: str, largest: float = LARGEST) -> None:
    """Refuse a file that is too large, before it is read, with its size and what to do instead."""
    if size <= largest:
        return
    smaller = (
        "Leave out generated_texts, which no figure needs (jq -c 'del(.generated_texts)'), or make a CSV file of it."
    )
    if largest <= LARGEST_IN_A_BROWSER:
        smaller = f"Ask the command line: python -m engine lab goodput file={name}"
    raise BenchFileError(
        name, 0, "", f"it has {text.display(size, 'B')}", f"at most {text.display(largest, 'B')} here", smaller
    )


def decode(data: bytes, name: str) -> tuple[str, list[str]]:
    """The text of a file, and what had to be done for it.

    Raises
    ------
    BenchFileError
        For an empty file, one that is packed or no text, and a web page.
    """
    for mark, kind in PACKED:
        if data.startswith(mark):
            raise BenchFileError(name, 0, "", f"it is {kind}", WANTED, "Unpack it, or export it as CSV.")
    warnings = []
    encoding, start = "utf-8", 0
    for mark, marked, words in MARKS:
        if data.startswith(mark):
            encoding, start = marked, len(mark)
            if words:
                warnings.append(f"The file is {words}, as PowerShell writes with >; it was read all the same.")
    try:
        # Bytes of another code inside a text do not matter: every number and key is plain ASCII.
        found = data[start:].decode(encoding, "strict" if encoding != "utf-8" else "replace")
    except UnicodeDecodeError as error:
        raise BenchFileError(
            name,
            0,
            "",
            f"it is cut or damaged: byte {error.start + start:,} is no {encoding}",
            WANTED,
            "Copy it again.",
        ) from None
    head = found[:4096].lstrip()
    if not head and not found.strip():
        raise BenchFileError(
            name, 0, "", "it is empty", WANTED, "Check that the benchmark ended and wrote its results."
        )
    if "\0" in head:
        unmarked = "It may be UTF-16 without its mark; save it as UTF-8."
        raise BenchFileError(name, 0, "", "it is no text", WANTED, unmarked)
    if head[:1] == "<":
        raise BenchFileError(
            name, 1, "", "it is HTML, a web page and not a result", WANTED,
            "A saved link that needs a login gives such a page: download the file itself.",
        )  # fmt: skip
    return found, warnings
