"""What each framework is to do: call a tool whose result is held, and ask the held result something.

``python FRAMEWORK.py '["penstock", "run", ...]' '{"path": "orders.json"}'`` prints one line of JSON with the handle and
the answer. It runs in an environment of its own, where nothing of this project is installed.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Final

TOOL: Final = "read_records"
FETCH: Final = "fetch_cached_response"
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
