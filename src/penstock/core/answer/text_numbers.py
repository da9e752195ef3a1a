"""Facts of a column of texts that all write a number: its range and its sum, exactly."""

from __future__ import annotations

from decimal import Decimal, localcontext
from operator import mul
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.profile_values import places_of
from penstock.core.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_INTEGERS: Final = msgspec.json.Decoder(list[int])


def numbers_in_text(counts: Mapping[str, int], times: Callable[[float, float], str], *, summed: bool) -> str:
    """Return the range of numbers by how often each is written, the sum where one is wanted, and the ``times`` that
    they stand for. SQL compares such texts as texts, so the line says what to do."""
    texts = list(counts)
    places = places_of(texts)
    numbers = _scaled(texts, places)
    least, greatest = (texts[numbers.index(one)] for one in (min(numbers), max(numbers)))
    total = ""
    if when := times(float(least), float(greatest)):
        total = f" ({when})"
    elif summed:
        with localcontext(prec=80):  # exact: no number is longer than 30 digits, and no count than 20
            total = f", sum {Decimal(sum(map(mul, numbers, counts.values()))).scaleb(-(places or 0)):f}"
    return f"numbers in text, {plain(least)} .. {plain(greatest)}{total} (CAST in SQL)"


def _scaled(texts: list[str], places: int | None) -> list[Any]:
    """Return the numbers that texts write. Where all have as many decimals, as prices do, they are counted in units of
    the last one: integers take a fourth of the time."""
    if places is None:
        return list(map(Decimal, texts))
    digits = ",".join(texts).replace(".", "")
    try:
        return _INTEGERS.decode(f"[{digits}]")
    except msgspec.DecodeError:  # zeros before the first digit, as of 0.25
        return list(map(int, digits.split(",")))
