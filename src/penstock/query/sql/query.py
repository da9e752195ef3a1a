"""Run one SQL query on held results, in a worker process: their arrays are its tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.forms.rows import RowSpec
from penstock.core.sql_text import quoted
from penstock.core.text import shorten
from penstock.errors import CallerError
from penstock.query.check_text import check_text
from penstock.query.results import SqlResult
from penstock.query.sandbox.jobs import SqlQuery, SqlSource, SqlTable
from penstock.query.sandbox.sandbox import Load
from penstock.query.source import texts_for
from penstock.query.sql.tables import MAIN, guards, spoken_of, tables_of, uses_schemas
from penstock.share import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.query.source import Keeping, Source
    from penstock.query.sql.tables import Table

LONGEST: Final = 20_000  # characters of a query; no user writes longer ones by hand
MOST_NAMED: Final = 40  # columns of the main table that an error for a wrong name lists
WRITING: Final = frozenset(
    (
        *("ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP", "END", "EXPLAIN"),
        *("INSERT", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT", "UPDATE", "VACUUM"),
    )
)
SHARE: Final = 0.9  # of the time, after which SQLite stops by itself: that way the worker need not be killed

_READING = re.compile(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*(?:select|with|values)\b", re.IGNORECASE | re.DOTALL)


def run_sql(sql: str, sources: Mapping[str, Source], sandbox: Sandbox) -> SqlResult:
    """Return all rows of the query. A wrong one raises ``CallerError`` with SQLite's own words and what there is
    instead.

    ``sources`` are the held results by the names that the query may call them by.
    """
    check_text(sql, what="SQL", longest=LONGEST)
    tables = tables_of(sources)
    if not _READING.match(sql):
        raise _not_a_query(sql, tables, several=len(sources) > 1)
    schemas = len(sources) > 1 or uses_schemas(tables, sql)
    meant = [(table, spoken) for table in tables if (spoken := spoken_of(table, sql))]
    keeping = _keeping(sources)
    size = sum(table.size for table, _ in meant)
    query = SqlQuery(
        sql=sql,
        sources=[
            SqlSource(
                tables=[_table_spec(table, spoken) for table, spoken in meant if table.schema == name],
                key=source.key if keeping else "",
                schema=name if schemas else "",
            )
            for name, source in sources.items()
        ],
        schemas=schemas,
        guards=guards([table for table, _ in meant], sql) if len(sources) > 1 else {},
        known=_known(tables, several=len(sources) > 1),
        columns=_columns(tables[0]),
        rows=sandbox.limits.rows,
        output=sandbox.limits.page,
        seconds=sandbox.limits.seconds * SHARE,
        length=size,
    )
    texts = [texts_for(table.source, table.spec) for table, _ in meant]
    share = next((source.share for source in sources.values()), UNKNOWN)
    load = Load(size=size, at_once=size)
    answered = sandbox.ask(query, texts, load=load, what="query", keeping=keeping, share=share)
    summary = answered.summary
    return SqlResult(
        lines=answered.output,
        count=summary["count"],
        sent=summary["sent"],
        columns=tuple(summary["columns"]),
        notes=tuple(summary["notes"]),
    )


def _table_spec(table: Table, spoken: list[str]) -> SqlTable:
    return SqlTable(name=table.names[0], spoken=spoken, rows=table.spec.rows)


def _not_a_query(sql: str, tables: list[Table], *, several: bool) -> CallerError:
    """Return the error for a statement that does not begin as a query does."""
    names = _known(tables, several=True) if several else [table.names[0] for table in tables]
    first, *others = map(shorten, names[:MOST_NAMED])
    columns = _columns(tables[0])
    do = f"tables: {', '.join([columns or first, *others])}"
    word = sql.split(None, 1)[0] if sql.split() else ""
    if not word or word.upper() in WRITING:
        return CallerError("SQL can only read here", do=f"write a SELECT; {do}")
    return CallerError(f"SQL: unknown statement {shorten(word)!r}; only SELECT is allowed", do=do)


def _known(tables: list[Table], *, several: bool) -> list[str]:
    """Return the names of all tables as a query has to write them."""
    if not several:
        return [name for table in tables for name in table.names]
    return [table.schema if table.names[0] == MAIN else f"{table.schema}.{table.names[0]}" for table in tables]


def _columns(table: Table) -> str:
    """Return the main table with the columns that are known of it."""
    rows = table.spec.rows
    names = [quoted(shorten(one.name)) for one in rows.columns[:MOST_NAMED]] if isinstance(rows, RowSpec) else []
    return f"{table.names[0]}({', '.join(names)})" if names else ""


def _keeping(sources: Mapping[str, Source]) -> list[Keeping]:
    """Return the results that a worker may keep, if it may keep all of them, for one owner."""
    keeping = [source.keeping for source in sources.values() if source.keeping is not None]
    if len({one.owner for one in keeping}) != 1 or len(keeping) < len(sources):
        return []
    return keeping
