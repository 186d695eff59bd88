"""A server for `dist/` on this machine: what a good static host does, and nothing that such a host could not do."""

import gzip
import mimetypes
from functools import lru_cache, partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import brotli

from builder import cache, progress
from builder.assets import FOLDER
from builder.build import build
from builder.paths import DIST

HOST = "127.0.0.1"
PORT = 8000
# Systems differ in what they know; these are the types that browsers insist on.
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".css": "text/css"}
COMPRESSED = ("text/", "application/wasm", "application/json", "image/svg+xml")
BROTLI_QUALITY = 9
LARGE = 100_000


class Handler(BaseHTTPRequestHandler):
    """Files below a folder, with types, validators, compression, and long life for names that hold a hash."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: object, folder: Path) -> None:
        self.folder = folder
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = self._file()
        if path is None:
            missing = self.folder / "404.html"
            self._send(HTTPStatus.NOT_FOUND, missing if missing.is_file() else None)
        elif path.is_dir():
            self.send_response(HTTPStatus.MOVED_PERMANENTLY)
            self.send_header("Location", urlsplit(self.path).path + "/")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._send(HTTPStatus.OK, path)

    do_HEAD = do_GET

    def log_message(self, format: str, *arguments: object) -> None:
        """Only what went wrong is worth a line."""

    def log_error(self, format: str, *arguments: object) -> None:
        progress.say(f"   {self.path}: {format % arguments}")

    def _file(self) -> Path | None:
        """The file an address names, the folder where only a slash is missing, or None."""
        address = unquote(urlsplit(self.path).path)
        path = (self.folder / address.lstrip("/")).resolve()
        if not path.is_relative_to(self.folder):
            return None
        if path.is_dir() and not address.endswith("/"):
            return path
        if path.is_dir():
            path /= "index.html"
        return path if path.is_file() else None

    def _send(self, status: HTTPStatus, path: Path | None) -> None:
        kind = "text/plain" if path is None else _type(path)
        accepted = self.headers.get("Accept-Encoding", "")
        compressed = path is not None and kind.startswith(COMPRESSED)
        encoding = next((e for e in ("br", "gzip") if e in accepted), "") if compressed else ""
        body = status.phrase.encode() if path is None else _body(path, path.stat().st_mtime_ns, encoding)
        tag = f'"{cache.digest(body)[:20]}"'
        if self.headers.get("If-None-Match") == tag:
            status, body = HTTPStatus.NOT_MODIFIED, b""
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if kind.startswith("text/") else kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", tag)
        self.send_header("Vary", "Accept-Encoding")
        hashed = path is not None and path.is_relative_to(self.folder / FOLDER)
        self.send_header("Cache-Control", "public, max-age=31536000, immutable" if hashed else "no-cache")
        if encoding and status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """Serves a folder until it is closed."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0, handler: type[Handler] = Handler) -> None:
        super().__init__((HOST, port), partial(handler, folder=folder.resolve()))

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}/"


def serve(port: int | None) -> None:
    """Build, then serve; on the usual port unless that is taken."""
    build()
    try:
        server = Server(DIST, PORT if port is None else port)
    except OSError as error:
        if port is not None:
            raise progress.StepFailed(f"port {port} cannot be used: {error.strerror}") from None
        server = Server(DIST)
    progress.say(f"\nRidgepoint is at {server.address} (Ctrl+C ends it)")
    with server:
        server.serve_forever()


def _type(path: Path) -> str:
    return TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"


@lru_cache(maxsize=64)
def _body(path: Path, changed: int, encoding: str) -> bytes:
    """A file's bytes, compressed once for each version of it."""
    data = path.read_bytes()
    if encoding == "gzip":
        return gzip.compress(data, 6, mtime=0)
    if encoding != "br":
        return data

    # Large files take seconds, and are the same from one start of the server to the next.
    if len(data) > LARGE:
        kept = cache.cached(f"brotli-{path.name}", cache.digest(data)[:20], lambda f: _compress(data, f / "body"))
        return (kept / "body").read_bytes()
    compressed: bytes = brotli.compress(data, quality=BROTLI_QUALITY)
    return compressed


def _compress(data: bytes, target: Path) -> None:
    target.write_bytes(brotli.compress(data, quality=BROTLI_QUALITY))
