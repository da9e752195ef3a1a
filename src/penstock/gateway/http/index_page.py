"""The page for people who open the address of a gateway in a browser: what it is, and what to give a client.

It tells nothing of the upstream: every client that reaches the address can read it.
"""

from __future__ import annotations

from html import escape
from typing import Final

from penstock import __version__

PAGE_HEADERS: Final = [
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
]
_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Penstock</title>
<style>body {{ font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }}
code {{ font-family: ui-monospace, monospace }} :root {{ color-scheme: light dark }}</style>
<h1>Penstock {version}</h1>
<p>This is a gateway for MCP clients, not a web site. Results of tools that fit pass untouched; larger ones are held
whole, answered with a preview, and read on demand.</p>
<p>Give your MCP client this address with <code>{path}</code> at its end, as a server over streamable HTTP.</p>
<ul>
<li><code>{path}</code> the protocol: POST a message, GET a stream</li>
<li><a href="/healthz"><code>/healthz</code></a> answers while the process runs</li>
<li><a href="/readyz"><code>/readyz</code></a> answers 200 once the server behind it answers</li>
<li><a href="/metrics"><code>/metrics</code></a> figures for Prometheus</li>
</ul>
</html>
"""


def index_page(path: str) -> bytes:
    """Return the page. ``path`` is that of the protocol."""
    return _PAGE.format(version=__version__, path=escape(path)).encode()
