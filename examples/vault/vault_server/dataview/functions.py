"""What a Dataview query can call. Every function takes values and gives one; what it cannot take gives null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from vault_server.dataview.values import equal

if TYPE_CHECKING:
    from collections.abc import Callable


def contains(where: Any, what: Any) -> bool:
    """Whether a list has an item, a text another text, or an object a field."""
    if isinstance(where, str):
        return isinstance(what, str) and what in where
    if isinstance(where, list):
        return any(contains(item, what) if isinstance(item, str) else equal(item, what) for item in where)
    return isinstance(where, dict) and what in where


def icontains(where: Any, what: Any) -> bool:
    """The same, in either case."""
    return contains(_lower(where), _lower(what))


def econtains(where: Any, what: Any) -> bool:
    """The same, but an item of a list has to be equal."""
    return any(equal(item, what) for item in where) if isinstance(where, list) else contains(where, what)


def length(value: Any) -> int | None:
    """How many characters, items or fields."""
    return len(value) if isinstance(value, str | list | dict) else None


def _lower(value: Any) -> Any:
    if isinstance(value, list):
        return [_lower(item) for item in value]
    return value.lower() if isinstance(value, str) else value


def _of_text(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: function(*values) if all(isinstance(value, str) for value in values) else None


def _round(value: Any, digits: Any = 0) -> Any:
    if not isinstance(value, int | float) or not isinstance(digits, int) or not 0 <= digits <= 20:
        return None
    return round(value, digits) if digits else round(value)


def _numbers(function: Callable[[list[Any]], Any]) -> Callable[[Any], Any]:
    def of(values: Any) -> Any:
        found = [value for value in values if isinstance(value, int | float)] if isinstance(values, list) else []
        return function(found) if found else None

    return of


_TYPES: Final = {
    str: "string", int: "number", float: "number", bool: "boolean", list: "array", dict: "object", type(None): "null",
}  # fmt: skip

# Each with the least and the most values that it takes.
FUNCTIONS: Final[dict[str, tuple[Callable[..., Any], int, int]]] = {
    "contains": (contains, 2, 2),
    "icontains": (icontains, 2, 2),
    "econtains": (econtains, 2, 2),
    "length": (length, 1, 1),
    "lower": (_of_text(str.lower), 1, 1),
    "upper": (_of_text(str.upper), 1, 1),
    "startswith": (_of_text(str.startswith), 2, 2),
    "endswith": (_of_text(str.endswith), 2, 2),
    "default": (lambda value, other: other if value is None else value, 2, 2),
    "choice": (lambda condition, yes, no: yes if condition else no, 3, 3),
    "round": (_round, 1, 2),
    "sum": (_numbers(sum), 1, 1),
    "min": (_numbers(min), 1, 1),
    "max": (_numbers(max), 1, 1),
    "join": (lambda values, by=", ": str(by).join(map(str, values)) if isinstance(values, list) else values, 1, 2),
    "any": (lambda values: any(values) if isinstance(values, list) else bool(values), 1, 1),
    "all": (lambda values: all(values) if isinstance(values, list) else bool(values), 1, 1),
    "typeof": (lambda value: _TYPES.get(type(value), "date"), 1, 1),
}
