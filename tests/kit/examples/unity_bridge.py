"""A stand-in of an editor bridge, as a real MCP server over standard input and output: ``python unity_bridge.py LOG``.

It answers as bridges to Unity's editor do: ``{"success", "message", "data"}`` as text and as structured content, for a
scene in its memory that calls create and change objects in. LOG gets each line that it reads and writes, byte for byte.
"""

from __future__ import annotations

import json
import sys
from typing import Any

TOOLS = ("manage_scene", "manage_gameobject", "read_console")
ITEMS: list[dict[str, Any]] = [
    {"name": f"Crate ({number})", "instanceID": -1_000 - 2 * number, "path": f"Yard/Crate ({number})",
     "activeSelf": True, "childCount": 0,
     "componentTypes": ["Transform", "MeshRenderer", "BoxCollider" if number % 3 else "SphereCollider"]}
    for number in range(4_000)
]  # fmt: skip
CONSOLE = [
    {"type": "Error" if number % 50 == 0 else "Log", "message": f"Tick {number}", "file": "Assets/Scripts/Clock.cs",
     "line": 12, "stackTrace": f"Clock:Update () (at Assets/Scripts/Clock.cs:{number})"}
    for number in range(3_000)
]  # fmt: skip


def answer(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """What the editor says to a command."""
    action = given.get("action")
    if (tool, action) == ("manage_scene", "get_hierarchy"):
        size = given.get("page_size", 50)
        return said("Retrieved hierarchy.", {"scope": "roots", "cursor": 0, "pageSize": size, "items": ITEMS[:size]})
    if (tool, action) == ("read_console", "get"):
        return said("Retrieved log entries.", CONSOLE[: given.get("count", 10)])
    if (tool, action) == ("manage_gameobject", "create"):
        made = {"name": given["name"], "instanceID": -9, "path": given["name"], "activeSelf": True, "childCount": 0,
                "componentTypes": ["Transform", *given.get("components_to_add", [])]}  # fmt: skip
        ITEMS.insert(0, made)
        return said(f"GameObject '{given['name']}' created successfully in scene.", made)
    if (tool, action) == ("manage_gameobject", "modify"):
        found = next((one for one in ITEMS if given.get("target") in (one["name"], one["instanceID"])), None)
        if found is not None:
            found |= {"name": given.get("name", found["name"]), "activeSelf": given.get("set_active", True)}
            return said(f"GameObject '{found['name']}' modified successfully.", found)
    return {"success": False, "message": f"Unknown action or target: {tool} {action}", "error": "unknown"}


def said(message: str, data: Any) -> dict[str, Any]:
    return {"success": True, "message": message, "data": data}


def result(message: dict[str, Any]) -> dict[str, Any]:
    if message["method"] == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "mcp-for-unity-server", "version": "1"}}  # fmt: skip
    if message["method"] == "tools/list":
        hints = {"title": "Unity", "destructiveHint": True}
        return {"tools": [{"name": one, "inputSchema": {"type": "object"}, "annotations": hints} for one in TOOLS]}
    told = answer(message["params"]["name"], message["params"].get("arguments", {}))
    text = json.dumps(told, separators=(",", ":"))
    return {"content": [{"type": "text", "text": text}], "structuredContent": told, "isError": False}


def main() -> None:
    with open(sys.argv[1], "wb", buffering=0) as log:
        for line in sys.stdin.buffer:
            log.write(b"> " + line)
            message = json.loads(line)
            if "id" in message:
                reply = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result(message)}).encode() + b"\n"
                log.write(b"< " + reply)
                sys.stdout.buffer.write(reply)
                sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
