"""Bound the size of a value's JSON from above, without writing it."""

from __future__ import annotations

from typing import Any, Final

ESCAPED: Final = 6  # bytes that one character may take as JSON: \u0000
SCALAR: Final = 26  # bytes of a number, a truth or null, at most; longer integers are counted by their bits
AROUND: Final = 4  # quotes, a colon or a comma around a value
BITS_A_DIGIT: Final = 3


def surely_within(value: Any, limit: int) -> bool:
    """Return True if the JSON of a value surely has no more bytes than the limit."""
    return size_within(value, limit) is not None


def size_within(value: Any, limit: int) -> int | None:
    """Return the bytes that the JSON of a value has at most; None if they may be more than the limit."""
    left = _left(value, limit)
    return None if left < 0 else limit - left


def _left(value: Any, room: int) -> int:
    """Return the bytes left beside this value. Below zero it does not fit, and the rest is not looked at."""
    if isinstance(value, str):
        plain = (
            len(value) <= room and value.isascii() and value.isprintable() and '"' not in value and "\\" not in value
        )
        return room - AROUND - (len(value) if plain else ESCAPED * len(value))
    if isinstance(value, dict):
        room -= AROUND
        for key, one in value.items():
            if room < 0:
                break
            room = _left(one, _left(str(key), room))
        return room
    if isinstance(value, list | tuple):
        room -= AROUND
        for one in value:
            if room < 0:
                break
            room = _left(one, room)
        return room
    if isinstance(value, int):
        return room - SCALAR - value.bit_length() // BITS_A_DIGIT
    if value is None or isinstance(value, float):
        return room - SCALAR
    return -1  # something else: its owner knows how it is written
