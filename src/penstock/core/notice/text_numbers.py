"""Facts of a column of texts that all write a number: its range, its mean and its sum, exactly."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from operator import mul
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.amounts import plain_numbers
from penstock.core.profile_values import places_of
from penstock.core.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.core.profile import Column

MAX_EXACT: Final = 2**53  # A larger double may stand for several integers, so its last digits say nothing.
DECIMALS: Final = "decimals in text (CAST in SQL)"

_INTEGERS: Final = msgspec.json.Decoder(list[int])
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)")


def are_decimals(column: Column) -> bool:
    """Return True if all texts of a column are decimals of any length, as those of JSON that no double keeps."""
    texts = (column.counts or column.cells or ()) if column.are_all(str) and not column.hidden else ()
    return bool(texts) and all(map(_DECIMAL.fullmatch, texts))


def numbers_in_text(counts: Mapping[str, int], times: Callable[[float, float], str], *, summed: bool) -> str:
    """Return the range of numbers by how often each is written, the sum where one is wanted, and the ``times`` that
    they stand for. The line says how SQL computes with such texts."""
    texts = list(counts)
    amounts = plain_numbers(texts)
    plain_texts = texts if amounts is None else amounts
    places = places_of(plain_texts)
    numbers = _scaled(plain_texts, places)
    least, greatest = (texts[numbers.index(one)] for one in (min(numbers), max(numbers)))
    total = ""
    if amounts is None and (when := times(float(least), float(greatest))):
        total = f" ({when})"
    elif summed:
        with localcontext(prec=80):  # exact: no number is longer than 30 digits, and no count than 20
            added = Decimal(sum(map(mul, numbers, counts.values()))).scaleb(-(places or 0))
            total = f", mean {mean_text(float(added / sum(counts.values())))}, sum {added:f}"
    kind, function = ("numeric text", "CAST") if amounts is None else ("amounts in text", "number(x)")
    return f"{kind} {plain(least)} to {plain(greatest)}{total} (use {function})"


def mean_text(number: float) -> str:
    """Return a mean or a median, rounded to two decimals, or to three digits if it is below 1."""
    if number == int(number):
        return number_text(int(number) if abs(number) < MAX_EXACT else number)
    return f"{number:.2f}".rstrip("0").rstrip(".") if abs(number) >= 1 else f"{number:.3g}"


def number_text(number: float) -> str:
    """Return a sum: whole numbers in full, others to twelve digits, because more are noise of the summing."""
    return str(number) if isinstance(number, int) else f"{number:.12g}"


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
