"""Decimals of JSON: a double if that keeps all of their digits, else their text.

Of 400 different decimals with 20 digits many are the same double, and 1e-400 is the double 0. Facts and queries about
such doubles would be false, so Penstock keeps the text that the server wrote.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

from penstock.core.json.scan import CHUNK

SURE_LENGTH: Final = 16  # A decimal of so many characters has at most 15 digits, which a double always keeps,
SURE_SIZE: Final = 1e300  # if it is not so large, or so small, that doubles are rare.

_SAME_DIGITS: Final = bytes.maketrans(b"0123456789.E", b"00000000000e")
_LONG: Final = b"0" * (SURE_LENGTH + 1)
_SMALL = re.compile(rb"e-000")  # A pattern finds this in a third of the time of ``in``.


def read_decimal(text: str) -> float | str:
    """Return a decimal as a double if the double, written with as many digits, is the same decimal; else the text."""
    value = float(text)
    if (len(text) <= SURE_LENGTH and 1 / SURE_SIZE < abs(value) < SURE_SIZE) or repr(value) == text:
        return value
    digits = re.split("[eE]", text)[0].replace(".", "").lstrip("-0")
    try:
        is_same = Decimal(f"{value:.{max(1, len(digits))}g}") == Decimal(text)
    except InvalidOperation:  # The exponent has more than 18 digits.
        return text
    return value if is_same else text


def may_lose_digits(text: bytes) -> bool:
    """Return True if JSON may have decimals that no double keeps. It may also have only long numbers in texts.

    A decimal that is too large for a double needs no check, because the parser refuses it.
    """
    for at in range(0, len(text), CHUNK):
        alike = text[at : at + CHUNK + len(_LONG)].translate(_SAME_DIGITS)
        if _LONG in alike or _SMALL.search(alike) is not None:
            return True
    return False


class ExactDecoder:
    """A decoder of JSON for one type that keeps all digits of decimals. Only JSON that may lose digits costs time."""

    def __init__(self, kind: Any = Any) -> None:
        self._fast = msgspec.json.Decoder(kind)
        self._exact = msgspec.json.Decoder(kind, float_hook=read_decimal)

    def decode(self, text: bytes) -> Any:
        return (self._exact if may_lose_digits(text) else self._fast).decode(text)

    def decode_lines(self, text: bytes) -> list[Any]:
        return (self._exact if may_lose_digits(text) else self._fast).decode_lines(text)
