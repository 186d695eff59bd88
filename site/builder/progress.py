"""Say what is going on: every step that may take longer than a moment announces itself and says how long it took."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

Command = Sequence[str | Path]


class StepFailed(Exception):
    """A step did not work; the message is for the person at the terminal."""


def say(text: str) -> None:
    print(text, flush=True)


@contextmanager
def step(text: str) -> Iterator[None]:
    """Announce a long step and, when it is over, its duration."""
    say(f"-- {text} …")
    start = time.monotonic()
    yield
    say(f"   {time.monotonic() - start:.1f} s")


def run(
    command: Command,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    show: Callable[[str], bool] = lambda line: False,
) -> str:
    """Run a program to its end and return what it printed; print the lines that `show` picks as they come."""
    lines: list[str] = []
    program = [str(part) for part in command]
    with subprocess.Popen(
        program,
        cwd=cwd,
        env=None if env is None else dict(env),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            if show(line):
                say(f"   {line.strip()}")
    output = "".join(lines)
    if process.returncode:
        sys.stderr.write(output[-8000:])
        raise StepFailed(f"{Path(program[0]).name} ended with exit code {process.returncode}; its last lines are above")
    return output
