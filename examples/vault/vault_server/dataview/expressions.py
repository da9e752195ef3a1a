"""Expressions of a query, each read into a function of a row."""

from __future__ import annotations

import operator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from vault_server.dataview.functions import FUNCTIONS
from vault_server.dataview.lexer import Part, mistake, parts, unquoted
from vault_server.dataview.rows import FILE_FIELDS, Page, Pages, Row, extended
from vault_server.dataview.values import as_date, as_duration, as_text, calculated, equal, ordered, parts_of
from vault_server.links import Link

if TYPE_CHECKING:
    from collections.abc import Callable

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
        """Take the next part if it is one of these. Return True if it was."""
        if not self.here.says(*words):
            return False
        self._at += 1
        return True

    def is_call(self) -> bool:
        """Return True if a bracket follows right behind the next part: ``sort(`` is a function, ``SORT (`` a
        command."""
        behind = self._parts[min(self._at + 1, len(self._parts) - 1)]
        return behind.text == "(" and behind.at == self.here.at + len(self.here.text)

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
        left = self._and()
        while self.taken("OR", "|", "||"):
            left = _either(left, self._and())
        self.leave()
        return left

    def _and(self) -> Expression:
        left = self._not()
        while self.taken("AND", "&", "&&"):
            left = _both(left, self._not())
        return left

    def _not(self) -> Expression:
        if not self.taken("!", "NOT"):
            return self._comparison()
        self.enter()
        other = self._not()
        self.leave()
        return lambda row: not other(row)

    def _comparison(self) -> Expression:
        one = self._sum()
        if not self.here.says(*_COMPARE):
            return one
        compare, other = _COMPARE[self.next().text], self._sum()
        return lambda row: compare(one(row), other(row))

    def _sum(self) -> Expression:
        left = self._product()
        while self.here.says("+", "-"):
            left = _calculation(self.next().text, left, self._product())
        return left

    def _product(self) -> Expression:
        left = self._reached()
        while self.here.says("*", "/", "%"):
            left = _calculation(self.next().text, left, self._reached())
        return left

    def _reached(self) -> Expression:
        """Parse a value, and what is reached inside it."""
        value = self._value()
        while self.here.says(".", "["):
            if self.taken("."):
                value = _inside(value, _constant(self._field_name()))
            else:
                self.expect("[")
                value = _inside(value, self.expression())
                self.expect("]")
        return value

    def _value(self) -> Expression:
        part = self.next()
        if part.kind in CONSTANTS:
            return _constant(CONSTANTS[part.kind](part.text))
        if part.kind == "name":
            return self._named(part)
        if part.kind == "link":
            return self._link(part)
        if part.says("("):
            if (names := self._lambda_names()) is not None:
                return _function(names, self.expression())
            inner = self.expression()
            self.expect(")")
            return inner
        if part.says("["):
            items = self._listed("]")
            return lambda row: [item(row) for item in items]
        if part.says("-"):
            self.enter()
            other = self._reached()
            self.leave()
            return lambda row: calculated("-", 0, other(row))
        raise mistake("a field, a value or a function", part.text, part.at)

    def _named(self, part: Part) -> Expression:
        word = part.text.lower()
        if word in ("true", "false", "null"):
            return _constant({"true": True, "false": False}.get(word))
        if self.here.says("("):
            return self._call(part)
        if word == "this":
            raise mistake("a field: there is no current note here, and so no this", part.text, part.at)
        if word == "file" and self.here.says("."):
            self.expect(".")
            at = self.here.at
            name = self._field_name()
            if name.lower() not in FILE_FIELDS:
                raise mistake(f"one of file.{', file.'.join(FILE_FIELDS)}", f"file.{name}", at)
            return _inside(_field("file"), _constant(name))
        return _field(part.text)

    def _link(self, part: Part) -> Expression:
        text = link_text(part)
        return lambda row: _pages_of(row).linked(text)

    def _lambda_names(self) -> list[str] | None:
        """Parse the names of ``(a, b) =>`` behind its first bracket; None, and nothing taken, where there is none."""
        at = self._at
        names: list[str] = []
        while self.here.kind == "name":
            names.append(self.next().text)
            if not self.taken(","):
                break
        if self.taken(")") and self.taken("=>"):
            return names
        self._at = at
        return None

    def _call(self, part: Part) -> Expression:
        self.expect("(")
        name = part.text.lower()
        if name in ("date", "dur"):
            return self._date() if name == "date" else self._duration()
        if name == "link":
            return self._linked(part)
        if name not in FUNCTIONS:
            raise mistake(f"one of the functions date, dur, link, {', '.join(FUNCTIONS)}", part.text, part.at)
        function = FUNCTIONS[name]
        values = self._listed(")")
        if not function.least <= len(values) <= function.most:
            raise mistake(f"{function.least} to {function.most} values for {name}", str(len(values)), part.at)
        return lambda row: function(*[value(row) for value in values])

    def _linked(self, part: Part) -> Expression:
        values = self._listed(")")
        if not 1 <= len(values) <= 2:
            raise mistake("1 to 2 values for link", str(len(values)), part.at)

        def look_up(row: Row) -> Link | None:
            path, *words = [value(row) for value in values]
            if not isinstance(path, str | Link):
                return None
            target = path if isinstance(path, str) else path.path
            return _pages_of(row).linked(f"{target}|{as_text(words[0])}" if words else target)

        return look_up

    def _date(self) -> Expression:
        word = self.here.text.lower()
        if self.here.kind == "name" and (named := _named_days(self.now).get(word)) is not None:
            self.next()
            self.expect(")")
            return _constant(named)
        value = self.expression()
        self.expect(")")

        def look_up(row: Row) -> datetime | None:
            looked_at = value(row)
            if isinstance(looked_at, Link) and (page := _pages_of(row).behind(looked_at)) is not None:
                day: datetime | None = FILE_FIELDS["day"](page)
                return day
            return as_date(looked_at)

        return look_up

    def _duration(self) -> Expression:
        begin = self.here.at
        if self.here.kind == "name":  # a field that has a duration
            value = self.expression()
            self.expect(")")
            return lambda row: _as_duration(value(row))
        while not self.at_end() and not self.here.says(")"):
            self.next()
        written = self.query_text[begin : self.here.at].strip().strip('"')
        duration = as_duration(written)
        if duration is None:
            raise mistake("a duration such as 7 days", written, begin)
        self.expect(")")
        return _constant(duration)

    def _listed(self, end: str) -> list[Expression]:
        items: list[Expression] = []
        if self.taken(end):
            return items
        while True:
            items.append(self.expression())
            if self.taken(end):
                return items
            self.expect(",")

    def _field_name(self) -> str:
        part = self.next()
        if part.kind != "name":
            raise mistake("a field's name", part.text, part.at)
        return part.text


def _constant(value: Any) -> Expression:
    return lambda _: value


def _either(one: Expression, other: Expression) -> Expression:
    return lambda row: one(row) or other(row)


def _both(one: Expression, other: Expression) -> Expression:
    return lambda row: one(row) and other(row)


def _calculation(sign: str, one: Expression, other: Expression) -> Expression:
    return lambda row: calculated(sign, one(row), other(row))


def _function(names: list[str], body: Expression) -> Expression:
    """Make a function that a query writes down: its value is called with values."""

    def made(row: Row) -> Callable[..., Any]:
        return lambda *values: body(extended(row, dict(zip(names, values, strict=False))))

    return made


def _field(name: str) -> Expression:
    return lambda row: row.get(name)


def _inside(whole: Expression, key: Expression) -> Expression:
    return lambda row: inside(row, whole(row), key(row))


def inside(row: Row, value: Any, name: Any) -> Any:
    """Return what is reached in a value by a name or a number; of a list, by a name, that of each of its items."""
    if isinstance(name, str):
        if isinstance(value, list):
            # Of pages, as rows of a group are, without looking at what else it may be: there may be fifty thousand.
            return [one.get(name) if type(one) is Page else inside(row, one, name) for one in value]
        if isinstance(value, Link):
            value = _pages_of(row).behind(value)
        if isinstance(value, dict | Row):
            return value.get(name)
        return parts_of(value, name) if isinstance(value, datetime | timedelta) else None
    is_place = isinstance(name, int) and isinstance(value, list | str) and 0 <= name < len(value)
    return value[name] if is_place else None


def _pages_of(row: Row) -> Pages:
    """Return the vault that a row is in: that of its note, or of the first row of a group."""
    inner: Any = row
    while not isinstance(inner, Page):
        inner = getattr(inner, "base", None) or getattr(inner, "page", None) or inner.rows[0]
    return inner.pages


def _as_duration(value: Any) -> timedelta | None:
    if isinstance(value, str):
        return as_duration(value)
    return value if isinstance(value, timedelta) else None


def _named_days(now: datetime) -> dict[str, datetime]:
    """Return the words that ``date`` knows: days, and where weeks, months and years begin and end."""
    today = datetime(now.year, now.month, now.day, tzinfo=UTC)
    week = today - timedelta(days=today.weekday())
    month, year = today.replace(day=1), today.replace(month=1, day=1)
    next_month = (month + timedelta(days=31)).replace(day=1)
    day = timedelta(days=1)
    return {
        "now": now,
        "today": today,
        "tomorrow": today + day,
        "yesterday": today - day,
        "sow": week,
        "eow": week + 6 * day,
        "som": month,
        "eom": next_month - day,
        "soy": year,
        "eoy": year.replace(year=year.year + 1) - day,
    }


def link_text(part: Part) -> str:
    """Return what stands between the brackets of a link; a link without a name is to the current note, which is not
    here."""
    text = part.text.strip("!")[2:-2]
    if not text.partition("#")[0].strip():
        raise mistake("a link with a note's name: there is no current note here", part.text, part.at)
    return text
