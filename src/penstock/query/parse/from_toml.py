"""TOML as JSON, by tomllib of the standard library. What jq sees of it: tables are objects, arrays of tables arrays of
them; dates and times are texts as ISO 8601 writes them.

A text with a number that JSON does not have (``inf``, ``nan``) is refused. So is a long one: tomllib reads about one MB
a second.
"""

from __future__ import annotations

import json
import tomllib
from datetime import date, datetime, time
from typing import Any, Final

from penstock.query.parse.refusal import Refusal

MOST: Final = 262_144  # bytes


def convert(text: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the document as JSON, and how many tables it has at the top."""
    if len(text) > MOST:
        raise Refusal("too long")
    try:
        value = tomllib.loads(text.decode().replace("\r\n", "\n"))
        body = json.dumps(value, default=_written, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, RecursionError) as error:  # UnicodeError and TOMLDecodeError are of the first
        raise Refusal(str(error)) from None
    return body, {"tables": sum(isinstance(one, dict | list) for one in value.values())}


def _written(value: Any) -> str:
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    raise ValueError(f"a value of type {type(value).__name__}")
