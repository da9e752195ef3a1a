"""Values as JsonLogic compares them, which is as JavaScript does."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def is_true(value: Any) -> bool:
    """Empty lists are false here, unlike in JavaScript; the text "0" is true, as it is there."""
    return bool(value)


def number(value: Any) -> float | None:
    """A value as a number, or None where there is none in it."""
    if isinstance(value, bool) or value is None:
        return 1 if value else 0
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        try:
            found = float(value) if value.strip() else 0.0
        except ValueError:
            return None
        if not math.isfinite(found):
            return None
        return int(found) if found.is_integer() else found
    return None


def text(value: Any) -> str:
    """A value as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join(text(item) for item in value)
    return "" if value is None else json.dumps(value)


def same(one: Any, other: Any) -> bool:
    """``===``: equal, and of one kind."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def alike(one: Any, other: Any) -> bool:
    """``==``: equal, or the same number, or the same text as a list of one."""
    if type(one) is type(other):
        return bool(one == other)
    if one is None or other is None:
        return False
    if isinstance(one, list) or isinstance(other, list):
        return text(one) == text(other)
    first, second = number(one), number(other)
    return first is not None and first == second


def less(one: Any, other: Any, compare: Callable[[Any, Any], bool]) -> bool:
    """Texts by their letters, so that ISO dates compare; everything else by its number. None is never less or more."""
    if isinstance(one, str) and isinstance(other, str):
        return compare(one, other)
    if one is None or other is None:
        return False
    first, second = number(one), number(other)
    return first is not None and second is not None and compare(first, second)
