"""The functions of a Dataview query. Every function takes values and gives one; what it cannot take gives null."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from vault_server.dataview.dates import dateformat, durationformat
from vault_server.dataview.rows import Row
from vault_server.dataview.values import LONGEST_TEXT, as_date, as_text, calculated, equal, sort_key
from vault_server.expression import expression
from vault_server.links import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DEEPEST: Final = 20  # levels that flat takes away
MANY: Final = 100  # values of one call


@dataclass(frozen=True, slots=True)
class Function:
    """A function, the least and the most values that it takes, and whether it goes over a list item by item."""

    run: Callable[..., Any]
    least: int
    most: int
    over_lists: bool = False

    def __call__(self, *values: Any) -> Any:
        """Call the function with these values."""
        if self.over_lists and values and isinstance(values[0], list):
            return [self(one, *values[1:]) for one in values[0]]
        return self.run(*values)


def contains(where: Any, what: Any) -> bool:
    """Return True if a list has an item, a text another text, or an object a field."""
    if isinstance(where, str):
        return isinstance(what, str) and what in where
    if isinstance(where, list):
        return any(contains(item, what) if isinstance(item, str) else equal(item, what) for item in where)
    if isinstance(where, Row):
        return isinstance(what, str) and where.get(what) is not None
    return isinstance(where, dict) and what in where


def icontains(where: Any, what: Any) -> bool:
    """Return the same as ``contains``, in either case."""
    return contains(_lower(where), _lower(what))


def econtains(where: Any, what: Any) -> bool:
    """Return the same as ``contains``, but an item of a list has to be equal."""
    return any(equal(item, what) for item in where) if isinstance(where, list) else contains(where, what)


def containsword(where: Any, what: Any) -> bool | None:
    """Return True if a text has a word, in either case."""
    if not isinstance(where, str) or not isinstance(what, str):
        return None
    return what.lower() in re.findall(r"\w+", where.lower())


def length(value: Any) -> int | None:
    """Count characters, items or fields."""
    return len(value) if isinstance(value, str | list | dict) else None


def _lower(value: Any) -> Any:
    if isinstance(value, list):
        return [_lower(item) for item in value]
    return value.lower() if isinstance(value, str) else value


def _of_text(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: function(*values) if all(isinstance(value, str) for value in values) else None


def _of_number(function: Callable[[float], int]) -> Callable[[Any], Any]:
    return lambda value: function(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _of_list(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda values, *more: function(values, *more) if isinstance(values, list) else None


def _round(value: Any, digits: Any = 0) -> Any:
    if not isinstance(value, int | float) or not isinstance(digits, int) or not 0 <= digits <= 20:
        return None
    return round(value, digits) if digits else round(value)


def _numbers(function: Callable[[list[Any]], Any]) -> Callable[[Any], Any]:
    def of(values: Any) -> Any:
        numbers = [value for value in values if isinstance(value, int | float)] if isinstance(values, list) else []
        return function(numbers) if numbers else None

    return of


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def of(*values: Any) -> Any:
        every = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        present = [value for value in every if value is not None]
        return choose(present, key=sort_key) if present else None

    return of


def _extreme_by(choose: Callable[..., Any]) -> Callable[..., Any]:
    def of(values: Any, function: Any) -> Any:
        if not isinstance(values, list) or not callable(function):
            return None
        keyed = [(sort_key(key), value) for value in values if (key := function(value)) is not None]
        return choose(keyed, key=lambda pair: pair[0])[1] if keyed else None

    return of


def _of_all(judge: Callable[[Any], Any]) -> Callable[..., Any]:
    """Make ``any``, ``all`` and ``none``: of a list, of a list by a function, or of several values."""

    def of(*values: Any) -> Any:
        match values:
            case [list() as items, function] if callable(function):
                return judge([function(item) for item in items])
            case [list() as items]:
                return judge(items)
        return judge(values)

    return of


def _mapped(values: Any, function: Any) -> Any:
    return [function(value) for value in values] if isinstance(values, list) and callable(function) else None


def _filtered(values: Any, function: Any) -> Any:
    return [value for value in values if function(value)] if isinstance(values, list) and callable(function) else None


def _sorted(values: Any, function: Any = None) -> Any:
    by = function if callable(function) else (lambda value: value)
    return sorted(values, key=lambda value: sort_key(by(value))) if isinstance(values, list) else None


def _unique(values: list[Any]) -> list[Any]:
    unique: list[Any] = []
    for value in values:
        if not any(equal(value, one) for one in unique):
            unique.append(value)
    return unique


def _flat(values: list[Any], depth: Any = 1) -> list[Any]:
    for _ in range(min(depth, DEEPEST) if isinstance(depth, int) else 1):
        values = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return values


def _slice(values: list[Any], start: Any = None, end: Any = None) -> list[Any]:
    return values[start if isinstance(start, int) else None : end if isinstance(end, int) else None]


def _reduced(values: list[Any], sign: Any) -> Any:
    if sign in ("&", "|"):
        return (all if sign == "&" else any)(values)
    return reduce(lambda one, other: calculated(str(sign), one, other), values) if values else None


def _joined(values: Any, by: Any = ", ") -> str:
    return str(by).join(map(as_text, values if isinstance(values, list) else [values]))[:LONGEST_TEXT]


def _regex(run: Callable[..., Any]) -> Callable[..., Any]:
    def of(pattern: Any, text: Any, *more: Any) -> Any:
        compiled = expression(pattern) if isinstance(pattern, str) else None
        return None if compiled is None or not isinstance(text, str) else run(compiled, text, *more)

    return of


def _replaced(text: str, pattern: str, by: str) -> str:
    return text.replace(pattern, by)[:LONGEST_TEXT]


def _regex_replaced(text: Any, pattern: Any, by: Any) -> Any:
    put = re.sub(r"\$(\d)", r"\\\1", str(by).replace("\\", "\\\\"))
    return _regex(lambda compiled, whole: compiled.sub(put, whole)[:LONGEST_TEXT])(pattern, text)


def _split(text: Any, by: Any, most: Any = None) -> Any:
    return _regex(lambda compiled, whole: compiled.split(whole)[: most if isinstance(most, int) else None])(by, text)


def _padded(on_left: bool) -> Callable[..., Any]:
    def of(text: Any, wanted: Any, sign: Any = " ") -> Any:
        if not isinstance(text, str) or not isinstance(wanted, int) or not isinstance(sign, str) or len(sign) != 1:
            return None
        most = min(wanted, LONGEST_TEXT)
        return text.rjust(most, sign) if on_left else text.ljust(most, sign)

    return of


def _substring(text: Any, start: Any, end: Any = None) -> Any:
    if not isinstance(text, str) or not isinstance(start, int):
        return None
    return text[max(0, start) : max(0, end) if isinstance(end, int) else None]


def _truncated(text: Any, most: Any, behind: Any = "...") -> Any:
    if not isinstance(text, str) or not isinstance(most, int) or len(text) <= most:
        return text
    return text[: max(0, most - len(str(behind)))] + str(behind)


def _number(value: Any) -> Any:
    if isinstance(value, int | float):
        return value
    match = re.search(r"-?\d{1,18}(?:\.\d{1,18})?", value) if isinstance(value, str) else None
    return None if match is None else float(match[0]) if "." in match[0] else int(match[0])


def _object(*values: Any) -> Any:
    return dict(zip(map(as_text, values[::2]), values[1::2], strict=False))


def _extracted(value: Any, *names: Any) -> Any:
    look_up = value.get if isinstance(value, dict | Row) else (lambda _: None)
    return {str(name): look_up(str(name)) for name in names}


def _default(value: Any, other: Any) -> Any:
    if isinstance(value, list):
        return [other if one is None else one for one in value]
    return other if value is None else value


def _striptime(value: Any) -> Any:
    date = as_date(value)
    return None if date is None else date.replace(hour=0, minute=0, second=0, microsecond=0)


def _dateformat(value: Any, form: Any) -> Any:
    date = as_date(value)
    return None if date is None or not isinstance(form, str) else dateformat(date, form)


def _durationformat(value: Any, form: Any) -> Any:
    return durationformat(value, form) if isinstance(value, timedelta) and isinstance(form, str) else None


def _localtime(value: Any) -> Any:
    date = as_date(value)
    return None if date is None else date.astimezone()


def _meta(value: Any) -> Any:
    if not isinstance(value, Link):
        return None
    subpath = value.subpath
    kind = "file" if subpath is None else "block" if subpath.startswith("^") else "header"
    name = None if subpath is None else subpath.removeprefix("^")
    return {"display": value.display, "embed": value.embed, "path": value.path, "subpath": name, "type": kind}


def _embedded(value: Any, embed: Any = True) -> Any:
    is_link = isinstance(value, Link)
    return Link(path=value.path, subpath=value.subpath, display=value.display, embed=bool(embed)) if is_link else None


_TYPES: Final[Sequence[tuple[Any, str]]] = (
    (type(None), "null"), (bool, "boolean"), (int | float, "number"), (str, "string"), (datetime, "date"),
    (timedelta, "duration"), (Link, "link"), (list, "array"), (dict | Row, "object"),
)  # fmt: skip


def _typeof(value: Any) -> str:
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "function")


FUNCTIONS: Final[dict[str, Function]] = {
    "object": Function(_object, 0, MANY),
    "list": Function(lambda *values: [*values], 0, MANY),
    "array": Function(lambda *values: [*values], 0, MANY),
    "number": Function(_number, 1, 1, over_lists=True),
    "string": Function(as_text, 1, 1),
    "embed": Function(_embedded, 1, 2),
    "elink": Function(lambda url, words=None: f"[{words or url}]({url})", 1, 2),
    "typeof": Function(_typeof, 1, 1),
    "round": Function(_round, 1, 2, over_lists=True),
    "trunc": Function(_of_number(math.trunc), 1, 1, over_lists=True),
    "floor": Function(_of_number(math.floor), 1, 1, over_lists=True),
    "ceil": Function(_of_number(math.ceil), 1, 1, over_lists=True),
    "min": Function(_extreme(min), 1, MANY),
    "max": Function(_extreme(max), 1, MANY),
    "sum": Function(_numbers(sum), 1, 1),
    "product": Function(_numbers(math.prod), 1, 1),
    "average": Function(_numbers(lambda numbers: sum(numbers) / len(numbers)), 1, 1),
    "reduce": Function(_of_list(_reduced), 2, 2),
    "minby": Function(_extreme_by(min), 2, 2),
    "maxby": Function(_extreme_by(max), 2, 2),
    "contains": Function(contains, 2, 2),
    "icontains": Function(icontains, 2, 2),
    "econtains": Function(econtains, 2, 2),
    "containsword": Function(containsword, 2, 2, over_lists=True),
    "extract": Function(_extracted, 1, MANY),
    "sort": Function(_sorted, 1, 2),
    "reverse": Function(_of_list(lambda values: values[::-1]), 1, 1),
    "length": Function(length, 1, 1),
    "nonnull": Function(_of_list(lambda values: [value for value in values if value is not None]), 1, 1),
    "firstvalue": Function(_of_list(lambda values: next((one for one in values if one is not None), None)), 1, 1),
    "any": Function(_of_all(any), 1, MANY),
    "all": Function(_of_all(all), 1, MANY),
    "none": Function(_of_all(lambda values: not any(values)), 1, MANY),
    "join": Function(_joined, 1, 2),
    "filter": Function(_filtered, 2, 2),
    "map": Function(_mapped, 2, 2),
    "unique": Function(_of_list(_unique), 1, 1),
    "flat": Function(_of_list(_flat), 1, 2),
    "slice": Function(_of_list(_slice), 1, 3),
    "regextest": Function(_regex(lambda compiled, text: compiled.search(text) is not None), 2, 2),
    "regexmatch": Function(_regex(lambda compiled, text: compiled.fullmatch(text) is not None), 2, 2),
    "regexreplace": Function(_regex_replaced, 3, 3, over_lists=True),
    "replace": Function(_of_text(_replaced), 3, 3, over_lists=True),
    "lower": Function(_of_text(str.lower), 1, 1, over_lists=True),
    "upper": Function(_of_text(str.upper), 1, 1, over_lists=True),
    "split": Function(_split, 2, 3),
    "startswith": Function(_of_text(str.startswith), 2, 2, over_lists=True),
    "endswith": Function(_of_text(str.endswith), 2, 2, over_lists=True),
    "padleft": Function(_padded(on_left=True), 2, 3, over_lists=True),
    "padright": Function(_padded(on_left=False), 2, 3, over_lists=True),
    "substring": Function(_substring, 2, 3, over_lists=True),
    "truncate": Function(_truncated, 2, 3, over_lists=True),
    "default": Function(_default, 2, 2),
    "ldefault": Function(lambda value, other: other if value is None else value, 2, 2),
    "choice": Function(lambda condition, yes, no: yes if condition else no, 3, 3),
    "striptime": Function(_striptime, 1, 1, over_lists=True),
    "dateformat": Function(_dateformat, 2, 2, over_lists=True),
    "durationformat": Function(_durationformat, 2, 2, over_lists=True),
    "localtime": Function(_localtime, 1, 1, over_lists=True),
    "meta": Function(_meta, 1, 1, over_lists=True),
}
