"""The built site on a port of its own, below a path, with files that can be held back or refused."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from builder.serve import Handler, Server

PATH = "course/ridgepoint/"
PATIENCE_S = 60


class Gate:
    """Which files are held back until they are let through, and which are refused. Patterns match anywhere in a path."""

    def __init__(self) -> None:
        self._held: dict[str, threading.Event] = {}
        self._refused: set[str] = set()

    @contextmanager
    def hold(self, pattern: str) -> Iterator[threading.Event]:
        """Keep requests waiting until the event is set, or the block is left."""
        event = self._held[pattern] = threading.Event()
        try:
            yield event
        finally:
            event.set()
            del self._held[pattern]

    @contextmanager
    def refuse(self, pattern: str) -> Iterator[None]:
        """Answer requests as a host in trouble does."""
        self._refused.add(pattern)
        try:
            yield
        finally:
            self._refused.discard(pattern)

    def passes(self, path: str) -> bool:
        """Wait where the path is held; False where it is refused."""
        for pattern, event in list(self._held.items()):
            if re.search(pattern, path):
                event.wait(PATIENCE_S)
        return not any(re.search(pattern, path) for pattern in list(self._refused))


class GatedHandler(Handler):
    """The project's own server, behind a gate."""

    def __init__(self, *arguments: object, folder: Path, gate: Gate) -> None:
        self.gate = gate
        super().__init__(*arguments, folder=folder)

    def do_GET(self) -> None:
        if self.gate.passes(self.path):
            super().do_GET()
        else:
            self.send_response(503)
            self.send_header("Content-Length", "0")
            self.end_headers()

    def log_error(self, format: str, *arguments: object) -> None:
        """What is refused here is refused on purpose."""


class Site:
    """The site being served; `address` is where its home page is."""

    def __init__(self, folder: Path) -> None:
        self.gate = Gate()
        self._server = Server(folder)
        self._server.RequestHandlerClass = partial(GatedHandler, folder=folder.resolve(), gate=self.gate)  # type: ignore[assignment]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        self.address = self._server.address + PATH

    def stop(self) -> None:
        """Close the port: from now on this host does not answer. Once is enough."""
        if not self._thread.is_alive():
            return
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
