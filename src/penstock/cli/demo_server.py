"""A small real MCP server over a folder, for ``penstock demo`` where no other is given; standard library only.

``python -m penstock.cli.demo_server FOLDER``. Its tools walk and read the folder whenever they are called, and like
most servers they answer with all they find.
"""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
INVALID_JSON, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602

_PATH: Final = {"type": "string", "description": "a folder inside the served one; all of it by default"}
TOOLS: Final[list[dict[str, Any]]] = [
    {
        "name": "search_files",
        "description": "Find files whose name matches a pattern, in all subfolders; one path a line.",
        "inputSchema": {
            "type": "object",
            "properties": {"path": _PATH, "pattern": {"type": "string", "description": "for example *.py"}},
            "required": ["pattern"],
        },
    },
    {
        "name": "directory_tree",
        "description": "The folder as a JSON tree: name, type, and the children of folders.",
        "inputSchema": {"type": "object", "properties": {"path": _PATH}},
    },
    {
        "name": "read_records",
        "description": "All records in the JSON files of a folder, those of its subfolders included.",
        "inputSchema": {"type": "object", "properties": {"path": _PATH}},
        "outputSchema": {
            "type": "object",
            "properties": {"files": {"type": "integer"}, "records": {"type": "array", "items": {"type": "object"}}},
            "required": ["files", "records"],
        },
    },
]


class WrongError(Exception):
    """The caller asked for something that is not there or not allowed; its text is the answer."""


class ServedFolder:
    """Serve a folder. Nothing outside of it is read."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def search_files(self, arguments: dict[str, Any]) -> dict[str, Any]:
        pattern = arguments.get("pattern")
        if not isinstance(pattern, str) or not pattern:
            raise WrongError("pattern: expected some text, for example *.py")
        # As other servers have it, **/*.py and *.py mean the same: any depth.
        name = pattern.removeprefix("**/")
        matches = [str(file) for file in _files(self._inside(arguments)) if fnmatchcase(file.name, name)]
        return _text("\n".join(matches) or "No matches found")

    def directory_tree(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return _text(json.dumps(_tree(self._inside(arguments)), indent=2))

    def read_records(self, arguments: dict[str, Any]) -> dict[str, Any]:
        records: list[Any] = []
        files = 0
        for file in _files(self._inside(arguments)):
            if file.suffix == ".json":
                files += 1
                content = json.loads(file.read_text(encoding="utf-8"))
                records += content if isinstance(content, list) else [content]
        data = {"files": files, "records": records}
        return {**_text(json.dumps(data)), "structuredContent": data}

    def _inside(self, arguments: dict[str, Any]) -> Path:
        name = arguments.get("path", "")
        if not isinstance(name, str):
            raise WrongError("path: expected text")
        try:
            path = (self.root / name).resolve()
            if path.is_relative_to(self.root) and path.is_dir():
                return path
        except (OSError, ValueError):
            pass  # a name that no file can have
        raise WrongError(f"path: there is no folder {name[:200]!r} in {self.root}")


def answer(folder: ServedFolder, line: str) -> dict[str, Any] | None:
    """Return the response to one line; None for a notification."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _failed(None, INVALID_JSON, "this line is not JSON")
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return _failed(None, INVALID_REQUEST, "this line is not a request")
    if "id" not in message:
        return None
    value = message.get("params")
    number, method, params = message["id"], message["method"], value if isinstance(value, dict) else {}
    if method == "tools/call":
        return _call(folder, number, params)
    known = {"initialize": _introduction(params), "ping": {}, "tools/list": {"tools": TOOLS}}
    if method not in known:
        return _failed(number, NO_METHOD, f"there is no method {method[:100]}")
    return _done(number, known[method])


def serve(folder: ServedFolder, lines: Iterable[str], out: TextIO) -> None:
    """Answer line by line until the client closes the connection."""
    for line in lines:
        response = answer(folder, line) if line.strip() else None
        if response is not None:
            out.write(json.dumps(response) + "\n")
            out.flush()


def main(words: list[str]) -> int:
    if len(words) != 1 or not Path(words[0]).is_dir():
        sys.stderr.write("usage: python -m penstock.cli.demo_server FOLDER\n")
        return 2
    serve(ServedFolder(Path(words[0])), sys.stdin, sys.stdout)
    return 0


def _call(folder: ServedFolder, number: object, params: dict[str, Any]) -> dict[str, Any]:
    tools: dict[object, Callable[[dict[str, Any]], dict[str, Any]]] = {
        "search_files": folder.search_files,
        "directory_tree": folder.directory_tree,
        "read_records": folder.read_records,
    }
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or name not in tools or not isinstance(arguments, dict):
        return _failed(number, INVALID_PARAMS, f"there is no tool {str(name)[:100]!r}, or its arguments are no object")
    try:
        return _done(number, tools[name](arguments))
    except WrongError as error:
        return _done(number, {**_text(str(error)), "isError": True})
    except (OSError, ValueError) as error:  # a file that went away, or is not what its name says
        return _done(number, {**_text(f"cannot be read: {error}"), "isError": True})


def _introduction(params: dict[str, Any]) -> dict[str, Any]:
    version = params.get("protocolVersion")
    return {
        "protocolVersion": version if version in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "penstock-demo-server", "version": "1.0"},
    }


def _files(folder: Path) -> Iterable[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            yield from _files(entry)
        else:
            yield entry


def _tree(folder: Path) -> list[dict[str, Any]]:
    return [
        {"name": entry.name, "type": "directory", "children": _tree(entry)}
        if entry.is_dir()
        else {"name": entry.name, "type": "file"}
        for entry in sorted(folder.iterdir())
    ]


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _done(number: object, result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _failed(number: object, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
