"""The development server does what a good static host does."""

import gzip
import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest

from builder.serve import HOST, Server

SCRIPT = b"const a = 1;\n" * 200


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    site = tmp_path / "site"
    (site / "assets").mkdir(parents=True)
    (site / "labs").mkdir()
    (site / "index.html").write_text("<!doctype html>home")
    (site / "labs" / "index.html").write_text("<!doctype html>labs")
    (site / "404.html").write_text("<!doctype html>nothing here")
    (site / "assets" / "a-123.js").write_bytes(SCRIPT)
    (site / "assets" / "b-123.wasm").write_bytes(b"\0asm")
    (site / "assets" / "c-123.pack").write_bytes(b"packed")
    (tmp_path / "secret.txt").write_text("not part of the site")
    with Server(site) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def get(server: Server, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection(HOST, server.server_address[1], timeout=10)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/labs/", "text/html; charset=utf-8"),
        ("/labs/?batch=16", "text/html; charset=utf-8"),
        ("/assets/a-123.js", "text/javascript; charset=utf-8"),
        ("/assets/b-123.wasm", "application/wasm"),
        ("/assets/c-123.pack", "application/octet-stream"),
    ],
)
def test_types(server: Server, path: str, kind: str) -> None:
    response, _ = get(server, path)
    assert (response.status, response.headers["Content-Type"]) == (200, kind)


def test_a_name_with_a_hash_lives_for_ever_and_a_page_is_asked_for_again(server: Server) -> None:
    assert "immutable" in get(server, "/assets/a-123.js")[0].headers["Cache-Control"]
    page, _ = get(server, "/")
    assert page.headers["Cache-Control"] == "no-cache"
    again, body = get(server, "/", If_None_Match=page.headers["ETag"])
    assert (again.status, body) == (304, b"")


def test_compression_is_what_the_browser_accepts(server: Server) -> None:
    plain, body = get(server, "/assets/a-123.js")
    assert (plain.headers["Content-Encoding"], body) == (None, SCRIPT)
    small, body = get(server, "/assets/a-123.js", Accept_Encoding="gzip, br")
    assert (small.headers["Content-Encoding"], brotli.decompress(body)) == ("br", SCRIPT)
    zipped, body = get(server, "/assets/a-123.js", Accept_Encoding="gzip")
    assert (zipped.headers["Content-Encoding"], gzip.decompress(body)) == ("gzip", SCRIPT)
    packed, body = get(server, "/assets/c-123.pack", Accept_Encoding="gzip, br")
    assert (packed.headers["Content-Encoding"], body) == (None, b"packed")


def test_a_folder_without_its_slash_is_redirected_and_what_is_missing_has_a_page(server: Server) -> None:
    assert get(server, "/labs")[0].headers["Location"] == "/labs/"
    response, body = get(server, "/atlas/")
    assert (response.status, body) == (404, b"<!doctype html>nothing here")


@pytest.mark.parametrize("path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt"])
def test_nothing_outside_the_site_is_served(server: Server, path: str) -> None:
    assert get(server, path)[0].status == 404
