"""A server of the standard library alone, which starts fast; with ``http`` as its argument it prints a port. With
``whole`` it has all that the servers of the frameworks have: tools with output schemas, a resource and a prompt."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.kit.middleware_servers.data import TEXT, findings, kept, page, polled, rows, rows_text

CURSOR = {"type": "object", "properties": {"cursor": {"type": "string"}}}
NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}}
TOOLS: list[dict[str, Any]] = [
    {"name": "list_rows", "inputSchema": NUMBER},
    {"name": "read_text", "inputSchema": {"type": "object"}},
    {"name": "list_page", "inputSchema": CURSOR, "annotations": {"readOnlyHint": True}},
    {"name": "walk", "inputSchema": CURSOR},
]
ABILITIES: dict[str, Any] = {"tools": {}}
WHOLE = "whole" in sys.argv
if WHOLE:
    string = {"type": "string"}
    text = {"type": "object", "properties": {"text": string, "value": {}}, "required": ["text"]}
    table = {"type": "object", "properties": {"table": {"type": "array", "items": {"type": "object"}}}}
    wrapped = {"type": "object", "properties": {"result": {"type": "array"}}, "required": ["result"]}
    TOOLS[0]["outputSchema"] = wrapped
    TOOLS.insert(2, {"name": "fail", "inputSchema": NUMBER})
    TOOLS += [{"name": name, "inputSchema": text} for name in ("keep", "keep_little", "keep_safely")]
    TOOLS += [{"name": name, "inputSchema": NUMBER} for name in ("scan", "poll")]
    TOOLS.append({"name": "size_of", "inputSchema": table})
    ABILITIES |= {"resources": {}, "prompts": {}}


def result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of a request; None for a method that there is not."""
    if method == "initialize":
        info = {"name": "plain", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": ABILITIES, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    lists = {"resources/list": {"resources": [{"uri": "data://text", "name": "text"}]}}
    lists |= {"resources/templates/list": {"resourceTemplates": []}, "prompts/list": {"prompts": [{"name": "explain"}]}}
    if method in lists and WHOLE:
        return lists[method]
    if method == "resources/read" and WHOLE:
        return {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": TEXT}]}
    if method == "prompts/get" and WHOLE:
        return {"messages": [{"role": "user", "content": {"type": "text", "text": TEXT}}]}
    if method != "tools/call":
        return None
    given = params.get("arguments", {})
    texts = {
        "list_rows": lambda: rows_text(given["number"]),
        "read_text": lambda: TEXT,
        "list_page": lambda: json.dumps(page(given.get("cursor", ""))),
        "walk": lambda: json.dumps(page(given.get("cursor", ""))),
        "fail": lambda: rows_text(given["number"]),
        "scan": lambda: json.dumps(findings(given["number"])),
        "poll": lambda: polled(given["number"]),
        "size_of": lambda: str(len(given["table"])),
    }
    name = params["name"]
    told: dict[str, Any] = {"content": [{"type": "text", "text": texts.get(name, lambda: _kept(given))()}]}
    if name == "list_rows" and WHOLE:
        told["structuredContent"] = {"result": rows(given["number"])}
    return {**told, "isError": True} if name == "fail" else told


def _kept(given: dict[str, Any]) -> str:
    return json.dumps(kept(given["text"], given.get("value")))


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
