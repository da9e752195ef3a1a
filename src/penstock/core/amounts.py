"""Amounts in texts: numbers with the same currency sign or unit around each, as in ``$1,204.50`` or ``12 kg``.

The SQL function ``number(x)`` reads more texts than these, and reads these as the same numbers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

_SIGN: Final = "(?:[A-Z]{0,2}\\$|[\u00a3\u00a5\u20ac\u20b9])"
_DIGITS: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})(?:\.[0-9]{1,15})?"
_AMOUNT: Final = re.compile(rf"-?(?P<before>{_SIGN}?){_DIGITS}(?P<after>(?: ?(?:%|{_SIGN}|[A-Za-z]{{1,12}}))?)")
_NUMERIC: Final = str.maketrans("", "", "0123456789.-\n")


def plain_numbers(texts: Collection[str]) -> list[str] | None:
    """Return the numbers of amounts, without signs, units and commas. Return None if a text is not an amount like the
    first one, or if no text has anything but digits: those may be names, such as 02139."""
    first = _AMOUNT.fullmatch(next(iter(texts), ""))
    if first is None:
        return None
    before, after = first["before"], first["after"]
    lines = "\n".join([*texts, ""])
    pattern = rf"(?:-?{re.escape(before)}{_DIGITS}{re.escape(after)}\n)*+"
    if lines.count("\n") != len(texts) or not re.fullmatch(pattern, lines) or not lines.translate(_NUMERIC):
        return None
    numbers = lines.replace(before, "").replace(after + "\n", "\n").replace(",", "")
    return numbers.split()
