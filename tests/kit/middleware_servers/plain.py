"""A server of the standard library alone, which starts fast; with ``http`` as its argument it prints a port."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.kit.middleware_servers.data import TEXT, page, rows_text

CURSOR = {"type": "object", "properties": {"cursor": {"type": "string"}}}
NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}}
TOOLS: list[dict[str, Any]] = [
    {"name": "list_rows", "inputSchema": NUMBER},
    {"name": "read_text", "inputSchema": {"type": "object"}},
    {"name": "list_page", "inputSchema": CURSOR, "annotations": {"readOnlyHint": True}},
    {"name": "walk", "inputSchema": CURSOR},
]


def result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request; None for a method that there is not."""
    if method == "initialize":
        info = {"name": "plain", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method != "tools/call":
        return None
    given = params.get("arguments", {})
    texts = {
        "list_rows": lambda: rows_text(given["number"]),
        "read_text": lambda: TEXT,
        "list_page": lambda: json.dumps(page(given.get("cursor", ""))),
        "walk": lambda: json.dumps(page(given.get("cursor", ""))),
    }
    return {"content": [{"type": "text", "text": texts[params["name"]]()}]}


def answer(line: bytes) -> bytes:
    """Return the response to a message, in one line; nothing for a notification."""
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        return b""
    found = result(message["method"], message.get("params") or {})
    told = {"result": found} if found is not None else {"error": {"code": -32601, "message": "Method not found"}}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}).encode() + b"\n"


class Handler(BaseHTTPRequestHandler):
    """Answers each POST with one JSON message."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: the system would hold the second back

    def do_POST(self) -> None:
        body = answer(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200 if body else 202)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_response(405)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


if "http" in sys.argv:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
else:
    for one in sys.stdin.buffer:
        sys.stdout.buffer.write(answer(one))
        sys.stdout.buffer.flush()
