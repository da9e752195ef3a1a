"""Run one SQL query on held results, in a worker process: their arrays are its tables."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from penstock.errors import CallerError
from penstock.query.answer import SqlResult
from penstock.query.asked import check_asked
from penstock.query.questions import SqlQuestion, SqlTable
from penstock.query.sandbox import Load
from penstock.query.source import size_of, texts_for
from penstock.query.tables import spoken_of, tables_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.query.sandbox import Sandbox
    from penstock.query.source import Source

LONGEST: Final = 20_000  # characters of a query; nobody writes longer ones by hand

SHARE: Final = 0.9  # of the time, after which SQLite stops by itself: that way the worker need not be killed

_READING = re.compile(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*(?:select|with|values)\b", re.IGNORECASE | re.DOTALL)


def run_sql(sql: str, sources: Mapping[str, Source], sandbox: Sandbox) -> SqlResult:
    """All rows of the query. A wrong one raises ``CallerError`` with SQLite's own words and what there is instead.

    ``sources`` are the held results by the names that the query may call them by.
    """
    check_asked(sql, what="SQL", longest=LONGEST)
    if not _READING.match(sql):
        raise CallerError("SQL can only read here", do="write a SELECT, like: SELECT count(*) FROM items")
    tables = tables_of(sources)
    meant = spoken_of(tables, sql)
    size = sum(size_of(table.source, table.spec) for table in meant)
    question = SqlQuestion(
        sql=sql,
        tables=[SqlTable(name=table.names[0], others=list(table.names[1:]), rows=table.spec.rows) for table in meant],
        known=[name for table in tables for name in table.names],
        rows=sandbox.limits.rows,
        seconds=sandbox.limits.seconds * SHARE,
        length=size,
    )
    texts = chain.from_iterable(texts_for(table.source, table.spec, at) for at, table in enumerate(meant))
    answered = sandbox.ask(question, texts, load=Load(size=size, at_once=size), what="query")
    return SqlResult(lines=answered.output, count=answered.told["count"], columns=tuple(answered.told["columns"]))
