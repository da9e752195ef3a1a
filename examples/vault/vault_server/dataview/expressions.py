"""Expressions of a query, each read into a function of a file."""

from __future__ import annotations

import operator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from vault_server.dataview.fields import FILE_FIELDS, field
from vault_server.dataview.functions import FUNCTIONS
from vault_server.dataview.lexer import Part, mistake, parts, unquoted
from vault_server.dataview.values import as_date, as_duration, calculated, equal, ordered

if TYPE_CHECKING:
    from collections.abc import Callable

    from vault_server.catalog import File
    from vault_server.dataview.query import Expression

DEEPEST: Final = 50  # brackets in brackets; each is ten calls of Python

_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": equal,
    "!=": lambda one, other: not equal(one, other),
    "<": partial(ordered, compare=operator.lt),
    "<=": partial(ordered, compare=operator.le),
    ">": partial(ordered, compare=operator.gt),
    ">=": partial(ordered, compare=operator.ge),
}
CONSTANTS: Final[dict[str, Callable[[str], Any]]] = {
    "number": lambda text: float(text) if "." in text else int(text[:18]),
    "text": unquoted,
    "date": as_date,
    "tag": str,
    "link": lambda text: text[2:-2].partition("|")[0],
}


class Expressions:
    """Reads parts one after the other."""

    def __init__(self, query: str, now: datetime) -> None:
        self.query_text = query
        self.now = now
        self._parts = parts(query)
        self._at = 0
        self._depth = 0

    @property
    def here(self) -> Part:
        return self._parts[self._at]

    def at_end(self) -> bool:
        return self.here.kind == "end"

    def next(self) -> Part:
        part = self.here
        if part.kind != "end":
            self._at += 1
        return part

    def taken(self, *words: str) -> bool:
        """Whether the next part is one of these; then it is behind us."""
        if not self.here.says(*words):
            return False
        self._at += 1
        return True

    def expect(self, word: str) -> None:
        if not self.taken(word):
            raise mistake(word, self.here.text, self.here.at)

    def enter(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise mistake(f"at most {DEEPEST} brackets in brackets", self.here.text, self.here.at)

    def leave(self) -> None:
        self._depth -= 1

    def expression(self) -> Expression:
        self.enter()
        found = self._and()
        while self.taken("OR", "|", "||"):
            found = _either(found, self._and())
        self.leave()
        return found

    def _and(self) -> Expression:
        found = self._not()
        while self.taken("AND", "&", "&&"):
            found = _both(found, self._not())
        return found

    def _not(self) -> Expression:
        if not self.taken("!", "NOT"):
            return self._comparison()
        self.enter()
        other = self._not()
        self.leave()
        return lambda file: not other(file)

    def _comparison(self) -> Expression:
        one = self._sum()
        if not self.here.says(*_COMPARE):
            return one
        compare, other = _COMPARE[self.next().text], self._sum()
        return lambda file: compare(one(file), other(file))

    def _sum(self) -> Expression:
        found = self._product()
        while self.here.says("+", "-"):
            found = _calculation(self.next().text, found, self._product())
        return found

    def _product(self) -> Expression:
        found = self._reached()
        while self.here.says("*", "/", "%"):
            found = _calculation(self.next().text, found, self._reached())
        return found

    def _reached(self) -> Expression:
        """A value, and what is reached inside of it."""
        found = self._value()
        while self.here.says(".", "["):
            if self.taken("."):
                found = _inside(found, _constant(self._field_name()))
            else:
                self.expect("[")
                found = _inside(found, self.expression())
                self.expect("]")
        return found

    def _value(self) -> Expression:
        part = self.next()
        if part.kind in CONSTANTS:
            return _constant(CONSTANTS[part.kind](part.text))
        if part.kind == "name":
            return self._named(part)
        if part.says("("):
            found = self.expression()
            self.expect(")")
            return found
        if part.says("["):
            items = self._listed("]")
            return lambda file: [item(file) for item in items]
        if part.says("-"):
            self.enter()
            other = self._reached()
            self.leave()
            return lambda file: calculated("-", 0, other(file))
        raise mistake("a field, a value or a function", part.text, part.at)

    def _named(self, part: Part) -> Expression:
        word = part.text.lower()
        if word in ("true", "false", "null"):
            return _constant({"true": True, "false": False}.get(word))
        if self.here.says("("):
            return self._call(part)
        if word == "file":
            self.expect(".")
            at = self.here.at
            name = self._field_name()
            if name.lower() not in FILE_FIELDS:
                raise mistake(f"one of file.{', file.'.join(FILE_FIELDS)}", f"file.{name}", at)
            return FILE_FIELDS[name.lower()]
        return field(part.text)

    def _call(self, part: Part) -> Expression:
        self.expect("(")
        name = part.text.lower()
        if name in ("date", "dur"):
            return self._date() if name == "date" else self._duration()
        if name not in FUNCTIONS:
            raise mistake(f"one of the functions date, dur, {', '.join(FUNCTIONS)}", part.text, part.at)
        function, least, most = FUNCTIONS[name]
        values = self._listed(")")
        if not least <= len(values) <= most:
            raise mistake(f"{least} to {most} values for {name}", str(len(values)), part.at)
        return lambda file: function(*[value(file) for value in values])

    def _date(self) -> Expression:
        today = datetime(self.now.year, self.now.month, self.now.day, tzinfo=UTC)
        days = {"today": 0, "tomorrow": 1, "yesterday": -1}
        word = self.here.text.lower()
        if self.here.kind == "name" and (word in days or word == "now"):
            self.next()
            self.expect(")")
            return _constant(self.now if word == "now" else today + timedelta(days=days[word]))
        value = self.expression()
        self.expect(")")
        return lambda file: as_date(value(file))

    def _duration(self) -> Expression:
        begin = self.here.at
        while not self.at_end() and not self.here.says(")"):
            self.next()
        written = self.query_text[begin : self.here.at].strip().strip('"')
        found = as_duration(written)
        if found is None:
            raise mistake("a duration such as 7 days", written, begin)
        self.expect(")")
        return _constant(found)

    def _listed(self, end: str) -> list[Expression]:
        found: list[Expression] = []
        if self.taken(end):
            return found
        while True:
            found.append(self.expression())
            if self.taken(end):
                return found
            self.expect(",")

    def _field_name(self) -> str:
        part = self.next()
        if part.kind != "name":
            raise mistake("a field's name", part.text, part.at)
        return part.text


def _constant(value: Any) -> Expression:
    return lambda _: value


def _either(one: Expression, other: Expression) -> Expression:
    return lambda file: one(file) or other(file)


def _both(one: Expression, other: Expression) -> Expression:
    return lambda file: one(file) and other(file)


def _calculation(sign: str, one: Expression, other: Expression) -> Expression:
    return lambda file: calculated(sign, one(file), other(file))


def _inside(whole: Expression, key: Expression) -> Expression:
    def look_up(file: File) -> Any:
        value, name = whole(file), key(file)
        if isinstance(value, dict) and isinstance(name, str):
            return value.get(name)
        is_place = isinstance(name, int) and isinstance(value, list | str) and 0 <= name < len(value)
        return value[name] if is_place else None

    return look_up
