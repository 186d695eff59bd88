"""Records what a browser does while a test runs, and says what no page of the site may do."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, WebError

OWN = ("data", "blob", "about")


class Watch:
    """Every request, console message and error of a context's pages and their workers.

    Attributes
    ----------
    requests : list of str
        The addresses asked for, in order.
    trouble : list of str
        What fails a test: requests to another host, console errors and warnings, errors that nothing caught.
    """

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.requests: list[str] = []
        self.trouble: list[str] = []
        self._host = urlsplit(address).netloc
        self._allowed: list[str] = []
        context.on("request", self._requested)
        context.on("console", self._said)
        context.on("weberror", self._threw)

    def allow(self, pattern: str) -> None:
        """Expect trouble that matches, since the test makes it on purpose."""
        self._allowed.append(pattern)

    def check(self) -> None:
        """Fail on any trouble so far that was not expected, and start afresh."""
        found = [text for text in self.trouble if not any(re.search(pattern, text) for pattern in self._allowed)]
        self.trouble.clear()
        self._allowed.clear()
        assert not found, "\n".join(found)

    def _requested(self, request: Request) -> None:
        self.requests.append(request.url)
        parts = urlsplit(request.url)
        if parts.scheme not in OWN and parts.netloc != self._host:
            self.trouble.append(f"request to another host: {request.url}")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.trouble.append(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def _threw(self, error: WebError) -> None:
        self.trouble.append(f"uncaught: {error.error}")
