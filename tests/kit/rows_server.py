"""A server whose tool ``rows`` answers with what a test asks for: the id before or behind the result, in parts of a
size, up to a place, with a fault. As a script it speaks stdio."""

import json
import os
import sys
from typing import Any

ROWS = 300_000  # some 21 MB
ROW = '{"id": %d, "note": "näme %d", "text": "some more words to read"}'


def rows_of(count: int) -> str:
    return "[" + ",".join(ROW % (at, at) for at in range(count)) + "]"


def response(key: Any, rows: int, *, id_first: bool = True, fault: str = "", data: str = "") -> bytes:
    """The response to a call, without a line break. ``data`` tells whether the rows are in structuredContent, ``alone``
    or as a ``twin`` of the text, in front of which it then stands."""
    text = [] if data == "alone" else [{"type": "text", "text": rows_of(rows)}]
    structured = {"structuredContent": {"result": json.loads(rows_of(rows))}} if data else {}
    result = {**structured, "content": text, "isError": fault == "error"}
    members = {"id": key, "result": result} if id_first else {"result": result, "id": key}
    line = json.dumps({"jsonrpc": "2.0", **members}, ensure_ascii=False).encode()
    at = line.index(b"some more", len(line) * 3 // 4)  # inside a text, and of no escape
    match fault:
        case "dies":
            return line[:at]
        case "escape":
            return line[:at] + b"\\q" + line[at:]
        case "utf8":
            return line[:at] + b"\xff\xfe" + line[at:]
        case "json":
            return line[:-2] + b"]}"
    return line


def opening(key: Any) -> bytes:
    """The response to ``initialize``."""
    info = {"name": "s", "version": "1"}
    result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    return json.dumps({"jsonrpc": "2.0", "id": key, "result": result}).encode()


def tiny(key: Any) -> bytes:
    """The response to a call of any other tool."""
    result = {"content": [{"type": "text", "text": "ok"}]}
    return json.dumps({"jsonrpc": "2.0", "id": key, "result": result}).encode()


def progress(token: Any) -> bytes:
    """A notification."""
    params = {"progressToken": token, "progress": 1}
    return json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).encode()


def write(data: bytes, part: int = 1 << 20) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest[:part]) :]


def answer(message: dict[str, Any]) -> None:
    key, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if method == "initialize":
        write(opening(key) + b"\n")
    if method != "tools/call":
        return
    if params["name"] != "rows":
        write(tiny(key) + b"\n")
        return
    arguments = dict(params["arguments"])
    part, fault = arguments.pop("part", 1 << 20), arguments.get("fault")
    if arguments.pop("progress", False):
        write(progress(params["_meta"]["progressToken"]) + b"\n")
    line = response(key, **{name: arguments[name] for name in arguments if name != "ends"})
    write(line if fault == "dies" else line + b"\n", part)
    if fault == "dies" or arguments.get("ends"):
        os._exit(3)


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        answer(json.loads(line))
