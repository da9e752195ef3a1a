"""A server of the standard library alone that counts the calls of its tools, and tells them in ``calls``.

``poll`` and ``small`` say that they change nothing, ``change`` does not. A large result has the number of its call.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

READS = {"annotations": {"readOnlyHint": True}}
ANY = {"type": "object", "properties": {"q": {"type": "string"}}}
TOOLS = [
    {"name": "poll", "inputSchema": ANY, **READS},
    {"name": "small", "inputSchema": ANY, **READS},
    {"name": "change", "inputSchema": ANY},
    {"name": "broken", "inputSchema": ANY, **READS},
    {"name": "calls", "inputSchema": ANY, **READS},
]
CALLS: Counter[str] = Counter()


def called(name: str, given: dict[str, Any]) -> dict[str, Any]:
    if name == "calls":
        return {"content": [{"type": "text", "text": json.dumps(CALLS)}]}
    CALLS[name] += 1
    if name == "small":
        return {"content": [{"type": "text", "text": "small"}]}
    rows = [{"call": CALLS[name], "q": given.get("q", ""), "row": n, "note": "words " * 9} for n in range(900)]
    return {"content": [{"type": "text", "text": json.dumps(rows)}], "isError": name == "broken"}


def result(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        info = {"name": "counting", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    return called(params["name"], params.get("arguments") or {})


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        told = result(message["method"], message.get("params") or {})
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": told}) + "\n")
        sys.stdout.flush()
