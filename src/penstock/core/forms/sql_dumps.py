"""SQL dumps, as mysqldump, pg_dump and sqlite3's .dump write them: CREATE TABLE, COPY and INSERT INTO.

A dump of one table is that table: ``items`` has its rows. Of several, ``items`` has a row for each table (``table``,
``rows``, ``columns`` with their types), and each table that has rows is a table of its own, under its name without the
schema. A text is a dump when all of its statements are such as dumps have, and rows are written out in them. Rows
are those that are inserted: what changes or removes them behind is counted, told, and not applied.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from penstock.core.forms import sql_values
from penstock.core.forms.sql_values import NAME, NAMES, Values, bare, columns_of, names_in, without_comment
from penstock.core.forms.tables import free_name
from penstock.core.forms.text_form import BATCH, DoesNotHoldError, Options, Sample, TextForm, Words
from penstock.core.text import counted, plain, tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.forms.reading import Table
    from penstock.core.forms.text_form import Batch, Batches, Columns, Lines, Tables
    from penstock.core.profile import Column

MOST_TABLES: Final = 200  # tables whose rows can be asked for; of others the rows are counted
MOST_NAMES: Final = 20_000  # tables of a dump; more are no dump
MOST_COLUMNS: Final = 1_900  # columns that SQL takes
MOST_STATEMENT: Final = 100_000  # lines of one statement; more are a quote that never ends
LINES: Final = 500  # lines of a statement that are looked at together
LONGEST_ROW: Final = 10_000_000  # characters; longer ones are no row
FACTS: Final = 10  # lines about the columns of the largest tables
FEW: Final = 12  # different values of a column that are told

_IF: Final = r"(?:if\s++not\s++exists\s++)?+"
_CREATE = re.compile(
    rf"create\s++(?:(?:global|local|temp|temporary|unlogged|foreign)\s++)*+table\s++{_IF}({NAME})\s*+\((.*)",
    re.I | re.S,
)
_INSERT = re.compile(
    rf"(?:insert|replace)\s++(?:(?:ignore|low_priority|delayed|or\s++\w++)\s++)*+into\s++(?:only\s++)?+({NAME})\s*+"
    r"(\([^()']*+\))?\s*+(?:overriding\s++\w++\s++value\s++)?+values?\b",
    re.IGNORECASE,
)
_COPY = re.compile(rf"copy\s++({NAME})\s*+(?:\(([^()]*+)\))?\s*+from\s++stdin\b.*;", re.IGNORECASE)
_STATEMENT = re.compile(
    r"(?:create|alter|set|select|drop|lock|unlock|begin|commit|rollback|pragma|grant|revoke|comment|use|delimiter|start|"
    r"end|analyze|vacuum|truncate|delete|update|go|insert|replace|copy|declare|security|refresh|reset|cluster|attach)\b",
    re.IGNORECASE,
)
_ROUTINE = re.compile(r"create\s++(?:\S++\s++){0,6}?(?:trigger|function|procedure|event|package)\b", re.IGNORECASE)
_ROUTINE_END = re.compile(r"(?:end\b[^;]*+;?[;$/*\s]*+|delimiter\s++;\s*+|go\s*+)", re.IGNORECASE)
_ROWS_OR_TABLE = re.compile(r"\s*+(?:create\s++(?:\w+\s+)?table|insert|replace|copy)\s", re.IGNORECASE)
_COMMENTS: Final = ("--", "/*", "#", "\\")
_WORDS: Final = ("create", "insert", "replace", "copy")
_CHANGING = re.compile(r"(delete|truncate|update)\s", re.IGNORECASE)
_BACKSLASHED = re.compile(r"\\.", re.DOTALL)
_AFTER_ROWS = re.compile(r"\s*+(?:on\s++(?:conflict|duplicate)\b.*)?;?\s*+(?:--.*)?", re.IGNORECASE | re.DOTALL)


def recognise(sample: Sample) -> Options | None:
    """Return how values are written, if the beginning has the first statements of a dump."""
    lines = [line for line in sample.head if line and not line.isspace()]
    if not lines or not (lines[0].startswith(_COMMENTS) or _STATEMENT.match(lines[0])):
        return None
    if not any(word in sample.folded for word in _WORDS) or not any(map(_ROWS_OR_TABLE.match, sample.lines)):
        return None
    head = "\n".join(line[:2_000] for line in lines)
    escaping = "`" in head and ("ENGINE=" in head or "MySQL" in head or "MariaDB" in head or "LOCK TABLES" in head)
    return {"escaping": escaping}


def recognise_one(sample: Sample) -> Options | None:
    """Return the same, if there is one table in the sample."""
    options = recognise(sample)
    if options is None:
        return None
    matches = (_CREATE.match(line + "(") or _INSERT.match(line) or _COPY.match(line) for line in sample.lines)
    names = {bare(NAMES.findall(one[1])[-1]) for one in matches if one is not None}
    return {**options, "single": True} if len(names) == 1 else None


@dataclass(slots=True)
class _Table:
    """A table of a dump: its columns with their types, and the rows that were not given out yet."""

    name: str
    key: str | None  # under which rows are given out; None where they are only counted
    columns: dict[str, str] = field(default_factory=dict)
    count: int = 0
    cells: list[list[str]] = field(default_factory=list)  # of these rows, column by column,
    waiting: list[str] = field(default_factory=list)  # and the names of these columns
    is_copied: bool = False


@dataclass(slots=True, kw_only=True)
class DumpParser:
    options: Options
    nouns: dict[str, str] = field(default_factory=dict)
    tables: dict[str, _Table] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: {"items", "lines"})
    values: Values = field(init=False)
    others: int = 0  # statements that are neither CREATE TABLE nor rows
    changes: Counter[str] = field(default_factory=Counter)  # those that change or remove rows that stand before them
    is_single: bool = field(init=False)
    known: tuple[str, _Table, list[str]] = ("\n", _Table("", None), [])  # how the last INSERT began

    def __post_init__(self) -> None:
        self.values = Values(escaping=self.options["escaping"])
        self.is_single = self.options.get("single", False)
        self.nouns["items"] = "rows" if self.is_single else "tables"

    def parse(self, lines: Lines) -> Batches:
        source = iter(lines)
        run: list[str] = []  # rows of the last lines, each of which is an INSERT that begins like the last one
        if not self.is_single:
            yield {"items": {"table": [], "rows": [], "columns": []}}
        for line in source:
            start = self.known[0]
            is_whole = line.startswith(start) and line[-1] == ";" and "\\" not in line and not line.count("'") & 1
            if is_whole:
                run.append(line[len(start) :])
            if run and (not is_whole or len(run) >= LINES):
                yield from self._insert_all(run)
            if not is_whole:
                yield from self._read(line.lstrip(" \t\ufeff"), source)
        if run:
            yield from self._insert_all(run)
        for table in self.tables.values():
            if table.cells:
                yield self._columns(table)
        if not self.tables or (self.is_single and not self._has_rows()):
            raise DoesNotHoldError("no table")
        if not self.is_single:
            every = list(self.tables.values())
            columns = [", ".join(f"{name} {kind}".strip() for name, kind in one.columns.items()) for one in every]
            names = [one.key or one.name for one in every]
            yield {"items": {"table": names, "rows": [one.count for one in every], "columns": columns}}

    def _read(self, text: str, source: Iterator[str]) -> Batches:
        """Take the statement that begins with a line."""
        start, table, names = self.known
        if not text or text.startswith(("--", "#")) or (text[0] == "\\" and not text.startswith("\\.")):
            return
        if text.startswith("/*"):
            _skip_comment(text, source)
        elif text.startswith(start):
            yield from self._insert(table, names, text[len(start) :], source)
        elif (copy := _COPY.match(text)) is not None:
            yield from self._copy(copy, source)
        elif (insert := _INSERT.match(text)) is not None:
            self.known = (insert[0], self._table(insert[1]), names_in(insert[2]))
            yield from self._insert(*self.known[1:], text[insert.end() :], source)
        else:
            yield from self._statement(text, source)

    def _table(self, written: str) -> _Table:
        words = [bare(one) for one in NAMES.findall(written)]
        name = ".".join(words)
        table = self.tables.get(name)
        if table is None:
            if len(self.tables) >= (1 if self.is_single else MOST_NAMES):
                raise DoesNotHoldError("another table")
            own = "items" if self.is_single else None
            if own is None and len(self.tables) < MOST_TABLES:
                own = free_name(words[-1] or "table", words, self.taken)
            table = self.tables[name] = _Table(name=name, key=own)
        return table

    def _statement(self, text: str, source: Iterator[str]) -> Batches:
        """Take a statement that has no rows in it."""
        if _STATEMENT.match(text) is None:
            raise DoesNotHoldError("a line that no dump has")
        if text[:9].lower() == "delimiter":
            return
        if (change := _CHANGING.match(text)) and "sqlite_seq" not in text and self._has_rows():
            self.changes[change[1].upper()] += 1
        if _ROUTINE.match(text) and "$" not in text:
            _skip_routine(text, source)
            self.others += 1
            return
        whole = self._whole(text, source)
        if (create := _CREATE.match(whole)) is not None:
            table = self._table(create[1])
            table.columns = table.columns or columns_of(sql_values.inside(create[2]))
            if len(table.columns) > MOST_COLUMNS:
                raise DoesNotHoldError("too many columns")
        elif (insert := _INSERT.match(whole)) is not None:  # the values begin on a later line
            yield from self._insert(self._table(insert[1]), names_in(insert[2]), whole[insert.end() :], source)
        elif re.match(r"(?:insert|replace|copy)\b", whole, re.I):
            raise DoesNotHoldError("rows that are not written out")
        else:
            self.others += 1

    def _has_rows(self) -> bool:
        return any(one.count for one in self.tables.values())

    def _whole(self, text: str, source: Iterator[str]) -> str:
        """Return all lines of a statement, to the one that ends with a semicolon outside of quotes."""
        parts = [text]
        quoted, dollar = self._quotes(text), sql_values.dollar_quote(text, "")
        while quoted or dollar or not without_comment(parts[-1]).endswith(";"):
            if not quoted and not dollar and len(parts) > 1 and re.match(r"\s*+(?:go\s*+$|values?\b)", parts[-1], re.I):
                break
            line = next(source, None)
            if line is None or len(parts) > MOST_STATEMENT:
                raise DoesNotHoldError("a statement without an end")
            parts.append(line)
            dollar = sql_values.dollar_quote(line, dollar)
            quoted = quoted if dollar else quoted ^ self._quotes(line if quoted else without_comment(line))
        return "\n".join(parts)

    def _quotes(self, line: str) -> bool:
        """Tell whether a line has an odd number of quotes: a text goes on behind it, or ended in it."""
        if self.values.escaping and "\\" in line:
            line = _BACKSLASHED.sub("", line)
        return bool(line.count("'") & 1)

    def _insert_all(self, rests: list[str]) -> Batches:
        """Take the rows of some INSERTs together; each by itself where more than rows follows."""
        _, table, names = self.known
        rest = "\n".join([one[:-1] for one in rests])
        columns, at = self._parted(table, names, rest)
        if rest[at:].strip():
            for one in rests:
                yield from self._insert(table, names, one, iter(()))
        else:
            yield from self._take(table, names, columns, is_copied=False)
        rests.clear()

    def _insert(self, table: _Table, names: list[str], rest: str, source: Iterator[str]) -> Batches:
        """Take the rows of one INSERT, over one or many lines."""
        while True:
            rest, has_ended = self._some(rest, source)
            columns, at = self._parted(table, names, rest)
            yield from self._take(table, names, columns, is_copied=False)
            if has_ended:
                if _AFTER_ROWS.fullmatch(rest, at) is None:
                    raise DoesNotHoldError("a row that is none")
                return
            rest = rest[at:]
            if len(rest) > LONGEST_ROW:
                raise DoesNotHoldError("a row without an end")

    def _parted(self, table: _Table, names: list[str], rest: str) -> tuple[list[tuple[str, ...]], int]:
        """Return the cells of the rows that a text begins with, column by column, and the place behind them."""
        width = len(names or table.columns) or self.values.width(rest)
        if width > MOST_COLUMNS:
            raise DoesNotHoldError("too many columns")
        rows = self.values.rows(width).findall(rest)
        at = len(rest) - len(rows.pop()[-1]) if rows and rows[-1][-1] else len(rest)
        return list(zip(*rows, strict=True))[:-1], at

    def _some(self, rest: str, source: Iterator[str]) -> tuple[str, bool]:
        """Add lines until the statement ends, or until there are some hundred and no text in quotes goes on."""
        parts, last = [rest], rest
        quoted = self._quotes(rest)
        while quoted or not (has_ended := last.endswith(";") or without_comment(last).endswith(";")):
            if len(parts) >= LINES and (not quoted or len(parts) > MOST_STATEMENT):
                break
            line = next(source, None)
            if line is None:
                raise DoesNotHoldError("a statement without an end")
            last = line
            parts.append(line)
            quoted ^= self._quotes(line)
        if quoted:
            raise DoesNotHoldError("a quote without an end")
        return "\n".join(parts), has_ended

    def _copy(self, copy: re.Match[str], source: Iterator[str]) -> Batches:
        """Take the rows of one COPY, to the line that ends them."""
        table = self._table(copy[1])
        names = names_in(copy[2])
        rows: list[Sequence[str]] = []
        for line in source:
            if line == "\\.":
                yield from self._take(table, names, _transposed(rows), is_copied=True)
                return
            rows.append(line.split("\t"))
            if len(rows) >= BATCH:
                yield from self._take(table, names, _transposed(rows), is_copied=True)
                rows = []
        raise DoesNotHoldError("rows without an end")

    def _take(self, table: _Table, names: list[str], columns: list[tuple[str, ...]], *, is_copied: bool) -> Batches:
        """Take the cells of some rows, and give out those of the table if they are many."""
        if not columns:
            return
        table.count += len(columns[0])
        names = names or list(table.columns) or [f"c{at}" for at in range(1, len(columns) + 1)]
        table.columns = table.columns or dict.fromkeys(names, "")
        if len(names) > MOST_COLUMNS or len(columns) != len(names):
            raise DoesNotHoldError("rows of different lengths")
        if table.key is None:
            return
        if table.cells and (table.waiting != names or table.is_copied != is_copied):
            raise DoesNotHoldError("rows with different columns")
        table.waiting, table.is_copied = names, is_copied
        table.cells = table.cells or [[] for _ in names]
        for kept, cells in zip(table.cells, columns, strict=True):
            kept.extend(cells)
        if len(table.cells[0]) >= BATCH:
            yield self._columns(table)

    def _columns(self, table: _Table) -> Batch:
        """Return the rows of a table that were not given out yet."""
        columns: Columns = {}
        texts = self.options.get("text", ())
        taken: set[str] = set()
        for name, cells in zip(table.waiting, table.cells, strict=True):
            as_text = name in texts
            if table.is_copied:
                made = sql_values.copied(cells, table.columns.get(name, ""), as_text=as_text)
            else:
                made = sql_values.inserted(cells, escaping=self.values.escaping, as_text=as_text)
            columns[free_name(name or "empty", [], taken)] = made
        table.cells = []
        return {table.key or table.name: columns}

    def words(self, tables: Tables) -> Words:
        every = sorted(self.tables.values(), key=lambda one: -one.count)
        rows = sum(one.count for one in every)
        if self.is_single:
            amount = counted(rows, "row") + self._unapplied()
            return Words(what=f"an SQL dump of the table {plain(every[0].name)}: {amount}")
        amount = counted(rows, "row") if rows else "no rows"
        facts = []
        if rows:
            counts = [(one.key or one.name, one.count) for one in every if one.count]
            facts.append(f"rows by table: {tally(counts, FEW)}")
            empty = len(every) - len(counts)
            facts += [f"tables without rows: {empty:,}"] if empty else []
        largest = {one.key: one for one in every[:3]}
        chosen = sorted((one for one in tables[1:] if one.name in largest), key=lambda one: -one.count)
        facts += [line for one in chosen for line in _column_facts(one)][:FACTS]
        what = f"an SQL dump: {counted(len(every), 'table')}, {amount}{self._unapplied()}"
        return Words(what=what, facts=tuple(facts))

    def _unapplied(self) -> str:
        """Describe statements that change rows."""
        return f" as inserted (not applied: {tally(self.changes.most_common())})" if self.changes else ""


def _transposed(rows: list[Sequence[str]]) -> list[tuple[str, ...]]:
    try:
        return list(zip(*rows, strict=True))
    except ValueError:
        raise DoesNotHoldError("rows of different lengths") from None


def _column_facts(table: Table) -> Iterator[str]:
    """Return what divides a table, and what its times and numbers reach from and to."""
    for one in table.fields:
        words = _column_words(one.column)
        if words:
            absent = one.column.rows - one.column.filled
            yield f"{table.name}.{one.name}: {words}" + (f" · absent ×{absent:,}" if absent else "")


def _column_words(column: Column) -> str:
    if column.is_time and column.earliest is not None and column.latest is not None:
        return f"{plain(column.earliest.value)} .. {plain(column.latest.value)}"
    different = column.different
    if different is not None and 2 <= different <= FEW and different * 3 <= column.filled and not column.hidden:
        line = tally(column.values(), FEW)
        return line if len(line) <= 150 else ""
    return ""


def _skip_comment(text: str, source: Iterator[str]) -> None:
    line: str | None = text[2:]
    while line is not None and "*/" not in line:
        line = next(source, None)
    if line is None:
        raise DoesNotHoldError("a comment without an end")


def _skip_routine(text: str, source: Iterator[str]) -> None:
    if _ROUTINE_END.search(text[-20:].rpartition(" ")[2]):
        return
    for line in source:
        if _ROUTINE_END.fullmatch(line.strip()):
            return
    raise DoesNotHoldError("a routine without an end")


ONE: Final = TextForm(name="sql_table", title="an SQL dump", recognise=recognise_one, make=DumpParser, needs_whole=True)
FORM: Final = TextForm(name="sql_dump", title="an SQL dump", recognise=recognise, make=DumpParser, needs_whole=True)
