"""The cells of a row as a page or a terminal can show them: plain values, long ones cut and marked.

A cell is null, a truth, a number, a text; or an object: ``{"text": ..., "length": ...}`` is the beginning of a longer
text, ``{"json": ..., "length": ...}`` an array or an object as JSON, cut if it is longer than its text. A number that
a browser cannot hold exactly is ``{"number": ...}`` with its digits.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final

import msgspec

from penstock.core.json import whole

LONG: Final = 300  # characters of a cell: more than a column is wide
EXACT: Final = 2**53  # above it JavaScript skips whole numbers


def shown_cell(value: Any, most: int = LONG) -> Any:
    """Return a value as a cell."""
    match value:
        case None | bool():
            return value
        case int():
            return value if abs(value) <= EXACT else {"number": str(value)}
        case float():
            return value if math.isfinite(value) else {"number": str(value)}
        case str():
            text = clean(value)
            return text if len(text) <= most else {"text": text[:most], "length": len(text)}
        case msgspec.Raw():
            return shown_cell(whole.decode(bytes(value)), most)
    text = written(value)
    return {"json": text[:most], "length": len(text)}


def written(value: Any) -> str:
    """Return a value as JSON."""
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, TypeError, OverflowError, RecursionError):
        return json.dumps(value, ensure_ascii=True, default=str)


def clean(text: str) -> str:
    """Return a text that UTF-8 can carry: half of a surrogate pair is replaced."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
