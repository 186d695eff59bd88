"""The Content-Security-Policy of every page, in the page itself, since a static host need not send headers.

Nothing beyond what BokehJS and WebAssembly need: BokehJS writes style elements, hence 'unsafe-inline' for styles alone;
WebAssembly needs leave to compile; inline scripts are allowed one by one by the hash of their text. No eval, no other host.
"""

import base64
import hashlib
import re

from markupsafe import Markup

MARK = Markup("<!-- policy -->")
"""Stands where the policy goes, until the page's text is known."""

INLINE = re.compile(r"<script>(.*?)</script>", re.S)


def with_policy(html: str) -> str:
    """The page with its policy, for the inline scripts it has."""
    hashes = " ".join(sorted({_hash(script) for script in INLINE.findall(html)}))
    rules = {
        "default-src": "'none'",
        "script-src": f"'self' 'wasm-unsafe-eval' {hashes}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "connect-src": "'self'",
        "worker-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    policy = "; ".join(f"{name} {value}" for name, value in rules.items())
    return html.replace(MARK, f'<meta http-equiv="Content-Security-Policy" content="{policy}">')


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
