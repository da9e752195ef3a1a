"""The tables of held results: what each is called, and which of them a query speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.forms.reading import TableSpec
from penstock.core.sql_text import in_quotes
from penstock.core.text import shorten
from penstock.errors import CallerError
from penstock.query.check_text import check_text
from penstock.query.source import PLAIN, bare, lines_of, size_of
from penstock.query.sql.names import AMBIGUOUS, distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.query.source import Source

MAIN: Final = "items"
LINES: Final = "lines"
LONGEST: Final = 1_000  # characters of a source's name, more than any handle or file name has

# SQLite's own tables, functions and schemas.
_RESERVED = re.compile(r"sqlite_|pragma_|(?:json_each|json_tree|main|temp)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of one source: its own name, then other names by which a query may call it. ``schema`` is the name of
    its source."""

    names: tuple[str, ...]
    source: Source
    spec: TableSpec
    schema: str

    @property
    def size(self) -> int:
        """Return the bytes that are sent for it."""
        return size_of(self.source, self.spec)


def tables_of(sources: Mapping[str, Source]) -> list[Table]:
    """Return all tables that there are, the main one of each source first.

    The main table is called ``items``, and by its key where it has one, and as its source is. Every text has the table
    ``lines`` beside others. A name that SQLite keeps for itself gets ``array_`` before it.
    """
    _check_names(sources)
    return [table for name, source in sources.items() for table in _tables(name, source)]


def _tables(schema: str, source: Source) -> Iterator[Table]:
    source.root()
    main = source.tables[0] if source.tables else TableSpec(name=MAIN, rows=bare(source))
    others = list(source.tables[1:])
    if (lines := lines_of(source)) is not None and lines.rows != main.rows:
        others.append(lines)
    taken = {schema.lower(), MAIN}
    named = {spec.name.lower() for spec in others}  # by the notice; no other table may have that name
    names = [MAIN, schema] if schema.lower() != MAIN else [MAIN]
    key = LINES if main.rows == PLAIN else main.path.rpartition(".")[2]
    called = _free(key)
    if key.isidentifier() and called.lower() not in taken and key.lower() not in named:
        names.append(distinct(called, taken))
    yield Table(names=tuple(names), source=source, spec=main, schema=schema)
    for spec in others:
        yield Table(names=(distinct(_free(spec.name), taken),), source=source, spec=spec, schema=schema)


def is_named(name: str, sql: str) -> bool:
    """Return True if a name stands in a query. A name that is nowhere in its text is not meant."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql, re.IGNORECASE) is not None


def spoken_of(table: Table, sql: str) -> list[str]:
    """Return the names of a table that a query may mean. That of its source counts for the main one only where it is
    not just the schema of others."""
    before = rf"(?<!\w){re.escape(table.schema)}(?!\w)(?!\s*[\"`\]]?\s*\.)"
    names = [name for name in table.names if is_named(name, sql)]
    only_schema = names == [table.schema] and re.search(before, sql, re.IGNORECASE) is None
    return [] if only_schema else names


def uses_schemas(tables: Sequence[Table], sql: str) -> bool:
    """Return True if a query writes the name of a source before that of one of its tables."""
    pairs = ((table.schema, name) for table in tables for name in table.names)
    between = r"[\"`\]]?\s*\.\s*[\"`\[]?"
    return any(
        re.search(rf"(?<!\w){re.escape(schema)}{between}{re.escape(name)}(?!\w)", sql, re.IGNORECASE)
        for schema, name in pairs
    )


def guards(tables: Sequence[Table], sql: str) -> dict[str, str]:
    """Make views for names that several sources have a table by: a source's own name is its main table, any other has
    to be written with its source."""
    owners: dict[str, list[str]] = {}
    for table in tables:
        for name in table.names:
            owners.setdefault(name.lower(), []).append(table.schema)
    schemas = {table.schema.lower(): table.schema for table in tables}
    made: dict[str, str] = {}
    for name, several in owners.items():
        if len(several) > 1 and is_named(name, sql):
            choices = " or ".join(f"{schema}.{name}" for schema in several)
            own = (
                f"{in_quotes(schemas[name])}.{in_quotes(schemas[name])}"
                if name in schemas
                else in_quotes(f"{AMBIGUOUS}{choices}")
            )
            made[name] = f"SELECT * FROM {own}"  # noqa: S608  # our own names
    return made


def _check_names(sources: Mapping[str, Source]) -> None:
    """Refuse names that no query could use, or that SQLite takes for one another or for something of its own."""
    seen: dict[str, str] = {}
    for name in sources:
        check_text(name, what="name of a result", longest=LONGEST)
        if _RESERVED.match(name):
            raise CallerError(f"SQLite keeps the name {shorten(name)!r} for itself", do="give the result another name")
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise CallerError(
                f"SQL takes the names {shorten(other)!r} and {shorten(name)!r} for the same",
                do="give one of the results another name",
            )


def _free(name: str) -> str:
    return f"array_{name}" if _RESERVED.match(name) else name
