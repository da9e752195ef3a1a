"""The cells of a column, read as numbers or booleans only if each would be written back as it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_COLUMNS: Final = 1_900  # Columns of a table that SQLite accepts.
MAX_FIRST: Final = 40  # The first 40 cells most often show that a column is not one of numbers.

_INTEGERS = re.compile(r"(?:(?:0|-?[1-9][0-9]{0,17})\n)*+")
# Numbers of at most 15 digits as Python and JSON write them: no zero too many, no exponent.
_DECIMALS = re.compile(r"(?:(?:0|-?[1-9][0-9]{0,8}|-?(?!0\.0000)(?:0|[1-9][0-9]{0,8})\.(?:0|[0-9]{0,5}[1-9]))\n)*+")
_TRUTHS: Final = frozenset(("true", "false"))


def typed(cells: Sequence[str]) -> list[Any]:
    """Read cells as numbers or booleans if each would be written back as it stands, else as texts; empty ones are
    None."""
    filled = [cell for cell in cells if cell]
    are_truths = bool(filled) and _TRUTHS.issuperset(filled)
    numbers = [cell == "true" for cell in filled] if are_truths else _numbers(filled)
    if numbers is None:
        return texts_of(cells)
    if len(filled) == len(cells):
        return numbers
    source = iter(numbers)
    return [next(source) if cell else None for cell in cells]


def texts_of(cells: Sequence[str]) -> list[Any]:
    """Return cells as texts; empty ones are None."""
    return list(cells) if all(cells) else [cell or None for cell in cells]


def _numbers(cells: list[str]) -> list[Any] | None:
    """Read numbers that are written as Python and JSON write them, some perhaps without decimals."""
    if len(cells) > MAX_FIRST and _numbers(cells[:MAX_FIRST]) is None:
        return None
    text = "\n".join(cells) + "\n"
    one_each = text.count("\n") == len(cells)
    if one_each and _INTEGERS.fullmatch(text):
        return list(map(int, cells))
    try:
        numbers = [float(cell) if "." in cell or "e" in cell else int(cell) for cell in cells]
    except ValueError:
        return None
    return numbers if (one_each and _DECIMALS.fullmatch(text)) or list(map(repr, numbers)) == cells else None
