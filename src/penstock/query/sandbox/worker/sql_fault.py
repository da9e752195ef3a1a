"""Explains a query that does not work: in SQLite's words, with the tables and columns that there are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.sql_text import quoted
from penstock.core.text import nearest
from penstock.query.sandbox.worker.fault import Fault, shorten
from penstock.query.sandbox.worker.sql_dialect import dialect_hint
from penstock.query.sql.names import AMBIGUOUS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from penstock.query.sandbox.jobs import SqlQuery
    from penstock.query.sandbox.worker.sql_column import Column
    from penstock.query.sandbox.worker.sql_table import Table

LONG_NAME: Final = 60  # bytes of one name in a complaint
MOST_NEAR: Final = 3  # names like the wrong one that the error lists

_MISSING = re.compile(r"no such (column|table): (.*)", re.DOTALL)


def explain(error: sqlite3.Error, tables: Sequence[Table], query: SqlQuery) -> Fault:
    """Return the fault behind an error of SQLite, in words that help to repair the query."""
    message, known = str(error), query.known
    if missing := _MISSING.match(message):
        return no_such_column(missing[2], tables) if missing[1] == "column" else _no_such_table(missing[2], query)
    if message == "interrupted":
        return Fault(
            f"the query took longer than {query.seconds:g} s and was stopped",
            do="select fewer rows before joining or sorting, and end recursion with a LIMIT",
        )
    if "not authorized" in message or "prohibited" in message:
        return Fault("SQL can only read here: SELECT, WITH and VALUES", do=f"tables: {_tables(known)}")
    if "one statement at a time" in message:
        return Fault("SQL: only one statement at a time", do="send one SELECT")
    if "user-defined aggregate" in message:
        return Fault(
            "SQL: median, percentile, stddev and variance take numbers only, and percentile a percent from 0 to 100",
            do=f"number(x) makes a number of a text; {_schema(tables)}",
        )
    hint = dialect_hint(message, query.sql)
    return Fault(f"SQL: {message}", do=hint + (_schema(tables) or f"tables: {_tables(known)}"))


def no_such_column(name: str, tables: Sequence[Table]) -> Fault:
    columns = dict.fromkeys(column.name for table in tables for column in table.all_columns())
    # What stands before a dot is a table, or a part of the name of a column, which then needs quotes.
    near = dict.fromkeys((*_nearest(name, columns), *_nearest(name.rpartition(".")[2], columns)))
    hint = f"nearest: {', '.join(map(quoted, list(near)[:MOST_NEAR]))}; " if near else ""
    hint += "".join(f"keys that are too many for columns are in {one.more}, as JSON; " for one in tables if one.more)
    return Fault(
        f"SQL: no such column: {shorten(name, LONG_NAME)} (quote names with \"\" and texts with '')",
        do=f"{hint}{_schema(tables)}",
    )


def _no_such_table(name: str, query: SqlQuery) -> Fault:
    if AMBIGUOUS in name:
        return Fault(
            f"SQL: several results have {name.partition(AMBIGUOUS)[2]}", do="write it with its result before it"
        )
    bare = name.rpartition(".")[2]
    near = _nearest(bare, query.known)
    hint = f"nearest: {', '.join(near)}; " if near else ""
    columns = f"; {query.columns}" if query.columns else ""
    return Fault(f"SQL: no such table: {shorten(name, LONG_NAME)}", do=f"{hint}tables: {_tables(query.known)}{columns}")


def _tables(known: Iterable[str]) -> str:
    return ", ".join(shorten(name, LONG_NAME) for name in known)


def _nearest(wanted: str, known: Iterable[str]) -> list[str]:
    return nearest(shorten(wanted, LONG_NAME), {shorten(name, LONG_NAME) for name in known})


def _schema(tables: Sequence[Table]) -> str:
    """Return the tables with their columns: ``items(id, ok bool, tags JSON)``."""
    return "; ".join(f"{table.name}({', '.join(map(_column_text, table.all_columns()))})" for table in tables)


def _column_text(column: Column) -> str:
    name = quoted(shorten(column.name, LONG_NAME))
    renamed = "" if column.name == column.key else f" (key {shorten(column.key, LONG_NAME)!r})"
    return f"{name}{renamed} {column.content}".rstrip()
