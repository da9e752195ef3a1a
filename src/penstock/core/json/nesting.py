"""Measures how deep JSON is nested, by its brackets and quotes. Never recurses."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import Final

FEW_PAIRS: Final = 4  # one bracket in so many is of an innermost pair: with fewer, it is faster to follow them all
OFTEN: Final = 32  # bytes, if there is a backslash in that many: JSON in a string

_BRACKETS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # as signed bytes: +1 and -1
_UP_DOWN: Final = b"\x01\xff"
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[{]}"'))
_NOT_SIGN = bytes(set(range(256)) - set(b'[{]}",'))


def signs_of(data: bytes) -> bytes:
    """Return the brackets, commas and quotes of JSON alone: how deep and how large its values are needs no more."""
    return _unescaped(data).translate(None, _NOT_SIGN)


def depth(data: bytes) -> int:
    """Return the deepest nesting of brackets outside strings in JSON; ``[1]`` has 1, a number 0. Takes as much memory
    as the data."""
    return depth_of(_unescaped(data))


def depth_of(signs: bytes) -> int:
    """Return the same of JSON that has these signs. Each round takes out the innermost pairs, which lowers the deepest
    by one; when a round takes out few, the steps are followed."""
    steps = _outside(_marks(signs))
    rounds = 0
    while steps:
        left = steps.replace(_UP_DOWN, b"")
        if (len(steps) - len(left)) * FEW_PAIRS < len(steps):
            return rounds + max(accumulate(array("b", steps), initial=0))
        steps = left
        rounds += 1
    return rounds


def _unescaped(data: bytes) -> bytes:
    """Remove escaped quotes from JSON, so that every quote opens or closes a string, by the way that takes less time
    for as many escapes as there are."""
    if b"\\" not in data or b'\\"' not in data:
        return data
    if data.count(b"\\") * OFTEN > len(data):  # pairs of backslashes first, from the left: one that is left escapes
        return data.replace(b"\\\\", b"").replace(b'\\"', b"")
    first, *others = data.split(b"\\")
    parts = iter(others)  # each begins with what is escaped; an empty one is a backslash, and text follows it
    return b"".join((first, *[part[1:] if part else next(parts, b"") for part in parts]))


def _marks(signs: bytes) -> bytes:
    """Return a step for each bracket, and the quotes between them."""
    return signs.translate(_BRACKETS, _NOT_STRUCTURE)


def _outside(marks: bytes) -> bytes:
    """Return the steps that are outside of strings."""
    steps = marks.translate(None, b'"')
    if marks.count(b'""') * 2 == len(marks) - len(steps):  # between any two brackets strings are closed: none is inside
        return steps
    # Two adjacent quotes can go, whichever string they belong to: nothing else changes sides.
    return b"".join(marks.replace(b'""', b"").split(b'"')[::2])
