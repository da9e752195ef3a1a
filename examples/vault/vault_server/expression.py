"""Regular expressions of a caller: compiled once, matched by RE2 in linear time."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2


@lru_cache(maxsize=64)
def expression(pattern: str) -> Any:
    """Compile an expression; None if RE2 cannot read it."""
    options = re2.Options()
    options.log_errors = False  # standard error is the user's
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None
