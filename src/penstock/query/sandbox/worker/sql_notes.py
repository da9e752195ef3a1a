"""Say in one line why a query may not have found what it was to find: what a column holds, and the expression that
matches.

SQLite compares any two values without a word. ``state = 'open'`` is false for each ``OPEN``, ``price > 60`` is true for
each ``$9.99``, and ``avg(price)`` of such texts is 0.0. Each comparison with a column is asked again, of all rows of the
table: a note is written only if no row can match, or if the numbers or times in the texts give another answer. So
nothing is guessed, and a query that does what it says has no note.
"""  # noqa: E501

from __future__ import annotations

import re
import sqlite3  # noqa: TC003
from typing import TYPE_CHECKING, Any, Final

from penstock.core.sql_text import literal, quoted
from penstock.core.text import counted, nearest, plain, shorten
from penstock.query.sandbox.worker.sql_functions import STATISTICS, number
from penstock.query.sandbox.worker.sql_words import at, comparisons, name_of, runs_of, text_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.query.sandbox.worker.sql_column import Column
    from penstock.query.sandbox.worker.sql_table import Table
    from penstock.query.sandbox.worker.sql_words import ComparedColumn, Word

MAX_NOTES: Final = 3  # Notes of one answer: a reader mends one mistake after the other.
MAX_NAMED: Final = 6  # Values of a column that a note lists.
MAX_COMPARED: Final = 2_000  # Different values of a column that are compared with a misspelled one.
MAX_LITERALS: Final = 20  # Values of a list that are looked for.
SECONDS: Final = (10**8, 10**11)  # Numbers that are seconds since 1970, from 1973 to the year 5138.
MILLISECONDS: Final = (10**11, 10**14)

_SUMS: Final = frozenset(("avg", "sum", "total", "abs", "round", *(name for name, *_ in STATISTICS)))
_EXTREMES: Final = frozenset(("min", "max"))
_OF_TIME: Final = frozenset(("date", "time", "datetime", "julianday", "unixepoch", "strftime"))
_OF_TEXT: Final = frozenset(("strftime", "date", "substr", "substring", "time", "datetime"))
_OF_JSON: Final = frozenset(("key", "value", "type", "atom", "id", "parent", "fullkey", "path"))  # of json_each
_INTO: Final = ("->", "->>")
_ARITHMETIC: Final = frozenset(("+", "-", "*", "/", "%"))
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?")
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}.*")
_ORDER: Final = frozenset(("<", ">", "<=", ">="))


class Notes:
    """The notes about one query on some tables."""

    def __init__(self, database: sqlite3.Connection, sql: str, tables: Sequence[tuple[str, Table]]) -> None:
        """Take the tables with their names in SQL."""
        self._database = database
        self._words = words_of(sql)
        self._named = self._made_names()
        self._columns: dict[str, tuple[str, Column]] = {}
        for name, table in reversed(tables):
            for column in table.all_columns():
                self._columns[column.name.lower()] = (name, column)

    def write(self) -> list[str]:
        """Return the notes, those of comparisons first."""
        notes: dict[str, None] = {}
        for note in self._all():
            notes[note] = None
            if len(notes) == MAX_NOTES:
                break
        return list(notes)

    def _all(self) -> Iterator[str]:
        for comparison in comparisons(self._words):
            if (known := self._known(comparison.column)) is not None:
                yield from self._compared(comparison, *known)
        for place, run in runs_of(self._words):
            if (known := self._known(run)) is not None:
                yield from self._used(place, run, *known)
        yield from self._texts_as_numbers()

    def _known(self, run: tuple[Word, ...]) -> tuple[str, Column] | None:
        """Return the column that names stand for, with its table. A name that the query makes is another's."""
        name = name_of(run[-1]).lower()
        return None if name in self._named else self._columns.get(name)

    def _made_names(self) -> set[str]:
        """Return the names that the query gives to what it computes: SELECT lower(state) AS state."""
        words = self._words
        return {
            name_of(word).lower()
            for place, word in enumerate(words)
            if word.kind == "name"
            and at(words, place - 1).lower == "as"
            and at(words, place - 2).text != "("
            # A column that only gets its own name again is still the column.
            and not (at(words, place - 2).kind == "name" and name_of(words[place - 2]).lower() == name_of(word).lower())
        }

    # --- comparisons

    def _compared(self, one: ComparedColumn, table: str, column: Column) -> Iterator[str]:
        if any(word.kind == "number" and number(word.text) is None for word in one.literals):
            return  # 0x1F, which SQLite reads as a number
        values = [self._value(word, one) for word in one.literals[:MAX_LITERALS]]
        if None in values:
            if one.operator in ("=", "==", "!=", "<>"):
                yield f"a comparison with NULL is never true: {quoted(column.name)} IS NULL"
            return
        for value in values:
            if one.operator in _ORDER:
                yield from self._ordered(table, column, one.operator, value)
            elif not self._is_found(table, column, one.operator, value):
                yield self._not_found(table, column, one.operator, value)

    def _value(self, word: Word, one: ComparedColumn) -> Any:
        if word.kind == "text":
            return text_of(word)
        if word.kind != "number":
            return None if word.lower == "null" else name_of(word)
        made = number(word.text) or 0
        return -made if one.is_negative else made

    def _is_found(self, table: str, column: Column, operator: str, value: Any) -> bool:
        operator = "=" if operator in ("!=", "<>", "in", "==") else operator
        return bool(self._count(table, f"{quoted(column.name)} {operator} {_literal(column, value)}"))

    def _not_found(self, table: str, column: Column, operator: str, value: Any) -> str:
        """Write what a column holds instead of a value, and how to ask for it."""
        name = quoted(column.name)
        asked = "=" if operator in ("!=", "<>", "in", "==") else operator.upper()
        said = f"no row of {table} has {name} {asked} {_shown(value)}"
        bare = value.strip("%*") if isinstance(value, str) and operator in ("like", "glob") else value
        for expression in self._instead(table, column, bare) if operator != "regexp" else ():
            if rows := self._count(table, expression):
                return f"{said}; {expression} matches {counted(rows, 'row')}"
        return f"{said}; {self._held(table, column, value)}"

    def _instead(self, table: str, column: Column, value: Any) -> Iterator[str]:
        """Yield expressions that may match what a comparison was meant to match, the closest first."""
        name = quoted(column.name)
        text = value if isinstance(value, str) else str(value)
        if column.is_nested:
            yield from self._in_lists(table, column, value)
            return
        if not text:
            yield f"{name} IS NULL"
            return
        same = self._first(f"SELECT DISTINCT +{name} FROM {table} WHERE trim(lower({name})) = {_lower(text)}")  # noqa: S608
        if same:
            yield f"{name} = {literal(same[0])}" if len(same) == 1 else f"trim(lower({name})) = {_lower(text)}"
        if (amount := number(value)) is not None and column.is_text:
            yield f"number({name}) = {amount}"
        if _DAY.fullmatch(text) and not column.is_text:
            yield from (f"{moment} = {literal(text)}" for moment in self._moments(table, column))
        if _DAY.fullmatch(text):
            yield f"{name} LIKE '{text}%'"
        if column.is_text:
            inner = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            escape = " ESCAPE '\\'" if inner != text else ""
            yield f"{name} LIKE {literal(f'%{inner}%')}{escape}"

    def _in_lists(self, table: str, column: Column, value: Any) -> Iterator[str]:
        """Yield how to look for a value in lists, or in a field of the objects in them."""
        name = quoted(column.name)
        name = f"{table}.{name}" if column.name.lower() in _OF_JSON else name
        found = self._first(
            f"SELECT e.atom, e.key, e.path FROM {table}, json_tree({name}) e WHERE "  # noqa: S608  # our own
            f"lower(e.atom) = {_lower(str(value))} LIMIT 1",
            whole=True,
        )
        if not found:
            return
        atom, key, way = found[0]
        is_item = way == "$" and isinstance(key, int)
        inside = "value" if is_item else f"value ->> {literal(str(key))}"
        if way == "$" and not is_item:
            yield f"{name} ->> {literal(str(key))} = {literal(atom)}"
        elif way.count("[") <= 1:
            yield f"EXISTS (SELECT 1 FROM json_each({name}) WHERE {inside} = {literal(atom)})"  # noqa: S608
        yield f"EXISTS (SELECT 1 FROM json_tree({name}) WHERE atom = {literal(atom)})"  # noqa: S608

    def _moments(self, table: str, column: Column) -> Iterator[str]:
        """Yield how a column of numbers is read as days, if its numbers are times since 1970."""
        name = quoted(column.name)
        low, high = self._first(f"SELECT min({name}), max({name}) FROM {table}", whole=True)[0]  # noqa: S608
        if not isinstance(low, int | float) or not isinstance(high, int | float):
            return
        if SECONDS[0] <= low <= high < SECONDS[1]:
            yield f"date({name}, 'unixepoch')"
        elif MILLISECONDS[0] <= low <= high < MILLISECONDS[1]:
            yield f"date({name} / 1000, 'unixepoch')"

    def _held(self, table: str, column: Column, value: Any) -> str:
        """Describe the values of a column: the nearest to a text, or the most frequent, or the range of numbers."""
        name = quoted(column.name)
        rows = self._first(
            f"SELECT +{name}, count(*) AS n FROM {table} WHERE {name} IS NOT NULL GROUP BY 1 "  # noqa: S608
            f"ORDER BY n DESC LIMIT {MAX_COMPARED}",
            whole=True,
        )
        if not rows:
            return f"{name} is null in every row"
        texts = [one for one, _ in rows if isinstance(one, str)]
        if isinstance(value, str) and not column.is_nested and (near := nearest(value, texts, 3)):
            return f"nearest: {', '.join(map(_shown, near))}"
        if not texts:
            numbers = [one for one, _ in rows if isinstance(one, int | float)]
            return f"it holds numbers from {min(numbers)} to {max(numbers)}" if numbers else "it holds bytes"
        if column.is_nested:
            return f"it holds JSON such as {shorten(texts[0], 80)}"
        listed = " · ".join(f"{plain(one)} ×{count}" for one, count in rows[:MAX_NAMED])
        left = f" · +{counted(len(rows) - MAX_NAMED, 'value')}" if MAX_NAMED < len(rows) < MAX_COMPARED else ""
        return f"it holds {listed}{left}"

    def _ordered(self, table: str, column: Column, operator: str, value: Any) -> Iterator[str]:
        """Compare numbers and times in texts as what they are, and say so if that matches other rows."""
        name, right = quoted(column.name), _literal(column, value)
        as_written = f"{name} {operator} {right}"
        amount = number(value)
        if not column.is_text:
            if isinstance(value, str) and amount is None and not column.is_nested:
                moment = next(self._moments(table, column), None)
                better = f"{moment} {operator} {right}" if moment else self._held(table, column, value)
                yield f"{name} holds numbers, and {_shown(value)} is a text: {better}"
            elif column.is_nested:
                yield f"{as_written} compares JSON text; {self._held(table, column, value)}"
            return
        candidates = []
        if amount is not None and not _DAY.match(str(value)):
            candidates.append(f"number({name}) {operator} {amount}")
        elif _DAY.fullmatch(str(value)):
            candidates.append(f"substr({name}, 1, {len(str(value))}) {operator} {right}")
        elif _TIME.fullmatch(str(value)):
            candidates.append(f"datetime({name}) {operator} datetime({right})")
        for better in candidates:
            count, other = self._count(table, as_written), self._count(table, better)
            readable = self._count(table, f"{better.partition(operator)[0]} IS NOT NULL")
            differ = self._count(table, f"({as_written}) IS NOT ({better})")
            if readable and differ:
                yield f"{name} holds texts such as {self._example(table, column)}: {as_written} matches " + (
                    f"{counted(count, 'row')}, {better} matches {other:,}"
                )

    # --- other uses of a column

    def _used(self, place: int, run: tuple[Word, ...], table: str, column: Column) -> Iterator[str]:
        before, after = at(self._words, place - 1), at(self._words, place + 2 * len(run) - 1)
        function = at(self._words, place - 2 - (before.lower == "distinct")).lower if _opens(before) else ""
        if column.is_nested:
            yield from self._path_missing(after, place + 2 * len(run), table, column)
        is_cast = function == "cast" and after.lower == "as" and _is_number_type(at(self._words, place + 2 * len(run)))
        computes = bool({before.text, after.text} & _ARITHMETIC)
        is_argument = function in _SUMS and after.text in (")", ",")
        if column.is_text and (is_argument or is_cast or computes):
            yield from self._computed(table, column, function if is_argument else "a computation")
        elif column.is_text and ((function in _EXTREMES and after.text == ")") or self._is_sorted_by(place, run)):
            yield from self._sorted(table, column)
        elif function in _OF_TIME and after.text in (")", ",") and not column.is_nested:
            yield from self._not_a_time(function, table, column)
        elif function == "number":
            yield from self._units(table, column)

    def _computed(self, table: str, column: Column, function: str) -> Iterator[str]:
        """Say how many texts SQLite computes with as if they were 0, or another number."""
        name = quoted(column.name)
        wrong = f"typeof({name}) = 'text' AND (number({name}) IS NULL OR number({name}) <> CAST({name} AS REAL))"
        if count := self._count(table, wrong):
            [example] = self._first(f"SELECT +{name} FROM {table} WHERE {wrong} LIMIT 1")[:1]  # noqa: S608
            read = self._count(table, f"number({name}) IS NOT NULL AND {wrong}")
            means = f"number({name}) reads {'them' if read == count else f'{read:,} of them, others are NULL'}"
            means = means if read else f"number({name}) makes them NULL, which aggregates leave out"
            texts = f"{counted(count, 'value')} of {name} are texts such as {_shown(example)}"
            yield f"{texts}, which {function} takes for their leading digits or 0: {means}"

    def _sorted(self, table: str, column: Column) -> Iterator[str]:
        """Say so if a column of amounts sorts in another order than their numbers."""
        name = quoted(column.name)
        if self._count(table, f"{name} IS NOT NULL AND number({name}) IS NULL"):
            return
        texts = f"row_number() OVER (ORDER BY {name})"
        order = f"SELECT number({name}) AS v, {texts} AS n FROM {table} WHERE {name} IS NOT NULL"  # noqa: S608
        is_other = f"SELECT 1 FROM (SELECT v < lag(v) OVER (ORDER BY n) AS falls FROM ({order})) WHERE falls LIMIT 1"  # noqa: S608
        if self._first(is_other):
            yield f"{name} holds texts such as {self._example(table, column)}, which sort by their characters: " + (
                f"number({name}) sorts by value"
            )

    def _is_sorted_by(self, place: int, run: tuple[Word, ...]) -> bool:
        """Return True if the column is a whole term of ORDER BY."""
        after = at(self._words, place + 2 * len(run) - 1).lower
        if after not in ("", ")", ",", "limit", "asc", "desc", "nulls", ";"):
            return False
        depth, back = 0, place - 1
        while back >= 0 and depth <= 0:
            word = self._words[back].lower
            if word == "by":
                return at(self._words, back - 1).lower == "order"
            if word in ("select", "from", "where", "group", "having", "limit"):
                return False
            depth += (word == "(") - (word == ")")
            back -= 1
        return False

    def _not_a_time(self, function: str, table: str, column: Column) -> Iterator[str]:
        name = quoted(column.name)
        count = self._count(table, f"{name} IS NOT NULL AND date({name}) IS NULL")
        if not count or column.is_bool:
            return
        moment = None if column.is_text else next(self._moments(table, column), None)
        better = f": {moment}" if moment else ""
        if moment or self._count(table, f"{name} IS NOT NULL") == count:
            values = f"{counted(count, 'value')} of {name} such as {self._example(table, column)}"
            yield f"{function}() is NULL for {values}{better}"

    def _units(self, table: str, column: Column) -> Iterator[str]:
        name = quoted(column.name)
        rows = self._first(
            f"SELECT unit({name}) AS u, count(*) AS n FROM {table} WHERE unit({name}) IS NOT NULL "  # noqa: S608
            f"GROUP BY 1 ORDER BY n DESC LIMIT {MAX_NAMED + 1}",
            whole=True,
        )
        if len(rows) > 1:
            listed = " · ".join(f"{plain(one) if one else 'none'} ×{count}" for one, count in rows[:MAX_NAMED])
            yield f"number({name}) leaves out the units, which differ: {listed}; unit({name}) is the unit"
        left = self._count(table, f"{name} IS NOT NULL AND number({name}) IS NULL")
        if left:
            example = f"{name} IS NOT NULL AND number({name}) IS NULL"
            shown = self._first(f"SELECT +{name} FROM {table} WHERE {example} LIMIT 1")  # noqa: S608
            yield f"number({name}) is NULL for {counted(left, 'value')} such as {_shown(shown[0])}"

    def _path_missing(self, after: Word, place: int, table: str, column: Column) -> Iterator[str]:
        """Say so if no row has the key that a query takes out of JSON."""
        way = at(self._words, place)
        function = at(self._words, place - 4).lower if after.text == "," else ""
        if way.kind != "text" or not (after.text in _INTO or function == "json_extract"):
            return
        name, key = quoted(column.name), text_of(way)
        if self._count(table, f"{name} -> {literal(key)} IS NOT NULL"):
            return
        keys = self._first(
            f"SELECT DISTINCT e.key FROM {table}, json_each({name}) e "  # noqa: S608  # our own names
            f"WHERE typeof(e.key) = 'text' LIMIT {MAX_COMPARED}"
        )
        near = nearest(key.rpartition(".")[2], keys) or keys[:MAX_NAMED]
        known = f"its keys: {', '.join(map(plain, near))}" if keys else self._held(table, column, key)
        yield f"no row of {table} has {shorten(key)} in {name}; {known}"

    def _texts_as_numbers(self) -> Iterator[str]:
        """Say so if the text that a function gives is compared with a number: SQLite finds them never equal."""
        words = self._words
        for place, word in enumerate(words):
            is_compared = word.lower in ("=", "==", "!=", "<>", "<", ">", "<=", ">=", "between", "in")
            if not is_compared or at(words, place - 1).text != ")":
                continue
            value = place + 2 if word.lower == "in" else place + 1
            opening = _opening(words, place - 1)
            function = at(words, opening - 1).lower
            if function in _OF_TEXT and at(words, value).kind == "number":
                call = self._source(opening - 1, place)
                yield f"{function}() gives a text, which never equals a number: CAST({call} AS INTEGER)"

    def _source(self, first: int, last: int) -> str:
        """Return some words of the query, with a blank where one is needed."""
        parts = [word.text for word in self._words[first:last]]
        return re.sub(r" ?([(),.]) ?", r"\1", " ".join(parts)).replace(",", ", ")

    # --- asking the tables

    def _count(self, table: str, condition: str) -> int:
        rows = self._first(f"SELECT count(*) FROM {table} WHERE {condition}")  # noqa: S608  # our own words
        return int(rows[0])

    def _example(self, table: str, column: Column) -> str:
        name = quoted(column.name)
        kind = f"typeof({name}) = 'text'" if column.is_text else f"{name} IS NOT NULL"
        rows = self._first(f"SELECT +{name} FROM {table} WHERE {kind} LIMIT 1")  # noqa: S608
        return _shown(rows[0]) if rows else "null"

    def _first(self, sql: str, *, whole: bool = False) -> list[Any]:
        """Return rows, or the first cell of each. A plus before a column keeps its cells as SQLite has them."""
        cursor = self._database.execute(sql)
        return cursor.fetchall() if whole else [row[0] for row in cursor]


def _opens(word: Word) -> bool:
    return word.text == "(" or word.lower == "distinct"


def _is_number_type(word: Word) -> bool:
    return word.lower.startswith(("int", "real", "num", "dec", "float", "double", "bigint"))


def _opening(words: Sequence[Word], place: int) -> int:
    """Return the place of the bracket that the one at a place closes."""
    depth = 0
    while place >= 0:
        depth += (words[place].text == ")") - (words[place].text == "(")
        if not depth:
            return place
        place -= 1
    return 0


def _literal(column: Column, value: Any) -> str:
    return literal(str(value)) if column.is_wide else literal(value)


def _lower(text: str) -> str:
    return f"lower({literal(text.strip())})"


def _shown(value: Any) -> str:
    return literal(shorten(value)) if isinstance(value, str) else plain(value)
