"""Run one SQL query on held results, in a worker process: their arrays are its tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.json.index import container_at
from penstock.errors import CallerError
from penstock.query.answer import SqlResult
from penstock.query.asked import check_asked
from penstock.query.process import Text
from penstock.query.questions import SqlQuestion, SqlTable
from penstock.query.sandbox import Load
from penstock.query.source import batches
from penstock.query.tables import spoken_of, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.core.json.index import Container, Read
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
    opened = [container_at(table.source.index, table.source.read, table.path) for table in meant]
    size = sum(container.size for container, _ in opened)
    question = SqlQuestion(
        sql=sql,
        tables=[
            SqlTable(name=table.names[0], others=list(table.names[1:]), keyed=container.kind == "object")
            for table, (container, _) in zip(meant, opened, strict=True)
        ],
        known=[name for table in tables for name in table.names],
        rows=sandbox.limits.rows,
        seconds=sandbox.limits.seconds * SHARE,
        length=size,
    )
    answered = sandbox.ask(question, _texts(opened), load=Load(size=size, at_once=size), what="query")
    return SqlResult(lines=answered.output, count=answered.told["count"], columns=tuple(answered.told["columns"]))


def _texts(opened: Sequence[tuple[Container, Read]]) -> Iterator[Text]:
    for number, (container, read) in enumerate(opened):
        first, last = (b"{", b"}") if container.kind == "object" else (b"[", b"]")
        for batch in batches(container, read):
            yield Text(pieces=(first, batch, last), note=number)
