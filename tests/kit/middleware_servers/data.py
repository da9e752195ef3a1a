"""The same data for every server, so that every way in can be asked the same questions."""

from __future__ import annotations

import hashlib
import json
import os
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from penstock.config.typed import RuleArguments

ROWS = 3_000
PAGED = 7_253  # rows of the tool that gives them page by page: 146 pages
PAGE = 50
ACT = os.environ.get("KIT_ACT", "off")  # what the second tool of a server does
STYLE: Literal["brief", "data"] = "data" if os.environ.get("KIT_STYLE") == "data" else "brief"
TEXT = "".join(f"line {n}: Ünïcode and plain words\n" for n in range(6_000))
PICTURE = "iVBORw0KGgo="


def rows(number: int) -> list[dict[str, Any]]:
    return [{"id": n, "team": "red" if n % 3 else "blue", "note": f"note {n} " * 6} for n in range(number)]


RULES: dict[str, RuleArguments] = {  # the same as in rules.toml
    "scan": {"filter": "map(del(.help))"},
    "keep_little": {"max_argument_bytes": 2_048},
    "keep_safely": {"by_handle": "same-read-only"},
}


if "more" in ACT:
    RULES["walk"] = {"more": "any"}


_POLLS = count()


def polled(number: int) -> str:
    """A listing that has one row more each time that it is asked for."""
    return rows_text(number + next(_POLLS))


def page(cursor: str) -> dict[str, Any]:
    """Give one page of rows, and the cursor of the next."""
    first = int(cursor or 0)
    last = min(first + PAGE, PAGED)
    found = [{"id": n, "name": f"=name {n}" if n % 1_000 == 0 else f"name {n}"} for n in range(first, last)]
    return {"rows": found, "next_cursor": str(last) if last < PAGED else None}


def findings(number: int) -> list[dict[str, Any]]:
    return [{"id": n, "help": "words that no model needs"} for n in range(number)]


def kept(text: str, value: Any = None) -> dict[str, Any]:
    """What a tool that keeps data got: how much, and a digest of it."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"characters": len(text), "sha256": digest, "items": len(value) if isinstance(value, list) else None}


def rows_text(number: int) -> str:
    return json.dumps(rows(number))
