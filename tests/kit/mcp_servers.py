"""Servers for the tests of ``doctor``, ``demo`` and the MCP client: real processes that answer as a JSON text says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

INFO = {"name": "told", "version": "7"}


def told(answers: dict[str, Any], *, noise: str = "", stderr: str = "", lingers: bool = False) -> list[str]:
    """A server that answers each method as given; a list has one answer a call, and ``{"error": ...}`` refuses.

    Methods that are not given are refused as unknown. It writes ``noise`` before its first answer, and one that
    ``lingers`` does not end when its stdin is closed.
    """
    spec = {"answers": answers, "noise": noise, "stderr": stderr, "lingers": lingers}
    return [sys.executable, str(Path(__file__)), json.dumps(spec)]


def legacy(answers: dict[str, Any] | None = None, **capabilities: Any) -> dict[str, Any]:
    """The answers of a server that knows initialize, and has the capabilities of the lists that are given."""
    given = answers or {}
    has = {method.partition("/")[0]: {} for method in given} | capabilities
    return {"initialize": {"protocolVersion": "2025-11-25", "capabilities": has, "serverInfo": INFO}, **given}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "does it", "inputSchema": {"type": "object"}, **more}


def script(code: str) -> list[str]:
    """A server of its own making; it has ``json``, ``sys``, ``os``, ``time`` and ``subprocess``."""
    return [sys.executable, "-c", "import json, os, subprocess, sys, time\n" + code]


def main() -> None:
    spec = json.loads(sys.argv[1])
    sys.stderr.write(spec["stderr"])
    sys.stderr.flush()
    sys.stdout.write(spec["noise"])
    asked: dict[str, int] = {}
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        method = message["method"]
        answer = spec["answers"].get(method, {"error": {"code": -32601, "message": f"no {method}"}})
        if isinstance(answer, list) and answer:
            answer = answer[min(asked.get(method, 0), len(answer) - 1)]
        asked[method] = asked.get(method, 0) + 1
        kept = {"error": answer["error"]} if isinstance(answer, dict) and "error" in answer else {"result": answer}
        # The id comes last, as TypeScript servers write it.
        print(json.dumps({**kept, "jsonrpc": "2.0", "id": message["id"]}), flush=True)
    while spec["lingers"]:
        sys.stdin.read()


if __name__ == "__main__":
    main()
