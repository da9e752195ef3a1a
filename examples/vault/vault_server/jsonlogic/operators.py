"""The operators of JsonLogic that take values and give a value."""

from __future__ import annotations

import operator
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, Final

from penstock import CallerError
from vault_server.jsonlogic.values import alike, is_true, less, number, same, text

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_TEXT: Final = 1_000_000  # characters of a text that a rule makes: reduce with cat doubles it at each step


def _numbers(values: list[Any]) -> list[float]:
    return [found for value in values if (found := number(value)) is not None]


def _between(compare: Callable[[Any, Any], bool]) -> Callable[[list[Any]], bool]:
    return lambda values: all(compare(one, other) for one, other in pairwise(values))


def _in(needle: Any, hay: Any) -> bool:
    if isinstance(hay, str):
        return text(needle) in hay
    return isinstance(hay, list) and any(same(needle, item) for item in hay)


def _cat(values: list[Any]) -> str:
    parts = [text(value) for value in values]
    if (length := sum(map(len, parts))) > LONGEST_TEXT:
        raise CallerError(f"query: cat makes a text of {length:,} characters; {LONGEST_TEXT:,} are the most")
    return "".join(parts)


def _substr(values: list[Any]) -> str:
    whole, start, length = text(values[0]), int(number(values[1]) or 0), values[2] if len(values) > 2 else None
    begin = max(0, len(whole) + start) if start < 0 else start
    if length is None:
        return whole[begin:]
    size = int(number(length) or 0)
    return whole[begin : len(whole) + size] if size < 0 else whole[begin : begin + size]


def _merge(values: list[Any]) -> list[Any]:
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def _arithmetic(function: Callable[[list[float]], float]) -> Callable[[list[Any]], float | None]:
    """Of numbers; None where a value is not one, or the result is none."""

    def calculate(values: list[Any]) -> float | None:
        found = _numbers(values)
        try:
            return function(found) if len(found) == len(values) else None
        except (ZeroDivisionError, OverflowError):
            return None

    return calculate


def _remainder(values: list[float]) -> float:
    one, other = values[:2]
    return one % abs(other) if one >= 0 else -(-one % abs(other))  # with the sign of the first, as in JavaScript


def _of_two(function: Callable[[Any, Any], Any]) -> Callable[[list[Any]], Any]:
    return lambda values: function(*values[:2])


def _lessequal(one: Any, other: Any) -> bool:
    return less(one, other, operator.le)


def _less(one: Any, other: Any) -> bool:
    return less(one, other, operator.lt)


# With two values, which is nearly always, no list is made of them.
BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "==": alike,
    "!=": lambda one, other: not alike(one, other),
    "===": same,
    "!==": lambda one, other: not same(one, other),
    "<": _less,
    "<=": _lessequal,
    ">": lambda one, other: _less(other, one),
    ">=": lambda one, other: _lessequal(other, one),
    "in": _in,
}
PLAIN: Final[dict[str, tuple[Callable[[list[Any]], Any], int]]] = {
    **{name: (_of_two(two), 2) for name, two in BINARY.items()},
    "<": (_between(_less), 2),
    "<=": (_between(_lessequal), 2),
    "!": (lambda values: not is_true(values[0]), 1),
    "!!": (lambda values: is_true(values[0]), 1),
    "max": (lambda values: max(_numbers(values), default=None), 0),
    "min": (lambda values: min(_numbers(values), default=None), 0),
    "+": (_arithmetic(sum), 1),
    "-": (_arithmetic(lambda values: values[0] - values[1] if len(values) > 1 else -values[0]), 1),
    "*": (_arithmetic(lambda values: prod(map(float, values))), 1),
    "/": (_arithmetic(lambda values: values[0] / values[1]), 2),
    "%": (_arithmetic(_remainder), 2),
    "cat": (_cat, 0),
    "substr": (_substr, 2),
    "merge": (_merge, 0),
}
