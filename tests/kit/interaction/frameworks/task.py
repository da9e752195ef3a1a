"""What each framework is to do: call a tool whose result is held, and ask the held result something.

``python FRAMEWORK.py '["penstock", "run", ...]' '{"path": "orders.json"}'`` prints one line of JSON with the handle and
the answer. It runs in an environment of its own, where nothing of this project is installed. Some frameworks also read
a held text to its end: ``python FRAMEWORK.py COMMAND ARGUMENTS TOOL FILE`` writes it to the file.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

TOOL: Final = "read_records"
FETCH: Final = "fetch_cached_response"
MOST_WINDOWS: Final = 500
SQL: Final = "SELECT count(*) AS n FROM items"


def given() -> tuple[list[str], dict[str, Any]]:
    """The command of the server, or its URL as the only word, and the arguments of the call."""
    return json.loads(sys.argv[1]), json.loads(sys.argv[2])


def question(result: Any) -> dict[str, Any]:
    """The call that reads on, with the handle that stands in what the framework gave the model."""
    handle = re.search(r"r_[A-Za-z0-9_-]{22}", written(result))
    if handle is None:
        raise SystemExit(f"nothing was held: {written(result)[:300]}")
    return {"action": "sql", "cache_id": handle[0], "sql": SQL}


def written(result: Any) -> str:
    """All that a framework gives, as one text."""
    return (
        result
        if isinstance(result, str)
        else json.dumps(result, default=lambda one: getattr(one, "__dict__", str(one)))
    )


def tell(asked: dict[str, Any], answer: Any) -> None:
    """Print what was held and what was read back."""
    found = re.search(r'n[\\"\s]+:\s*(\d+)', written(answer))
    print(
        json.dumps({"held": asked["cache_id"], "read_back": found and int(found[1]), "answer": written(answer)[:500]})
    )


def converse(call: Callable[[str, dict[str, Any]], Any], arguments: dict[str, Any]) -> None:
    """Do what the command line asks, with a function that calls a tool as the framework's agents do."""
    if len(sys.argv) > 3:
        tool, file = sys.argv[3:]
        Path(file).write_text(whole(call, tool, arguments), "utf-8", newline="")
        return
    asked = question(call(TOOL, arguments))
    tell(asked, call(FETCH, asked))


def whole(call: Callable[[str, dict[str, Any]], Any], tool: str, arguments: dict[str, Any]) -> str:
    """Read a held text from its beginning to its end."""
    notice, _, preview = call(tool, arguments).partition("\n")
    if not preview:
        raise SystemExit("the framework has lost the preview")
    handle, start, parts = json.loads(notice)["cache_id"], 0, []
    for _ in range(MOST_WINDOWS):
        window = call(FETCH, {"action": "get", "cache_id": handle, "start_index": start})
        line, _, text = window.partition("\n")
        parts.append(text)
        if not json.loads(line)["has_more"]:
            return "".join(parts)
        start = json.loads(line)["next_index"]
    raise SystemExit("the end was not reached")
