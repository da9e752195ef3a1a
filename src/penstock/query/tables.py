"""The tables of held results: what each is called, and which of them a query speaks of."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from penstock.core.forms.reading import TableSpec
from penstock.core.text import shorten
from penstock.errors import CallerError
from penstock.query.asked import check_asked
from penstock.query.names import distinct
from penstock.query.source import bare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.query.source import Source

MAIN: Final = "items"
LONGEST: Final = 1_000  # characters of a source's name, more than any handle or file name has

_RESERVED = re.compile(r"sqlite_|pragma_|json_(?:each|tree)\Z", re.IGNORECASE)  # SQLite's own tables and functions


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of one source, under the names by which a query may call it."""

    names: tuple[str, ...]
    source: Source
    spec: TableSpec


def tables_of(sources: Mapping[str, Source]) -> list[Table]:
    """All tables that there are, the main ones first.

    The main table of a source has the source's name, and if there is one source only, also the name ``items``; it and
    the others have their own names as well, among several sources with the name of their source before it. A name that
    SQLite keeps for itself gets ``array_`` before it.
    """
    _check_names(sources)
    single = len(sources) == 1
    taken = {name.lower() for name in (*sources, MAIN)}
    mains: list[Table] = []
    others: list[Table] = []
    for name, source in sources.items():
        source.root()
        main = source.tables[0] if source.tables else TableSpec(name=MAIN, rows=bare(source))
        names = (MAIN, name) if single and name.lower() != MAIN else (name,)
        key = main.path.rpartition(".")[2]
        called = _free(key if single else f"{name}_{key}")
        told = {spec.name.lower() for spec in source.tables[1:]}  # by the notice; no other table may have that name
        if key.isidentifier() and called.lower() not in taken and key.lower() not in told:
            names = (*names, distinct(called, taken))
        mains.append(Table(names=names, source=source, spec=main))
        for spec in source.tables[1:]:
            called = _free(spec.name if single else f"{name}_{spec.name}")
            others.append(Table(names=(distinct(called, taken),), source=source, spec=spec))
    return [*mains, *others]


def spoken_of(tables: Sequence[Table], sql: str) -> list[Table]:
    """The tables that a query may mean, with only those names: a name that is nowhere in the text is not meant."""

    def is_named(name: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql, re.IGNORECASE) is not None

    found = (replace(table, names=tuple(filter(is_named, table.names))) for table in tables)
    return [table for table in found if table.names]


def _check_names(sources: Mapping[str, Source]) -> None:
    """Refuse names that no query could use, or that SQLite takes for one another or for something of its own."""
    seen: dict[str, str] = {}
    for name in sources:
        check_asked(name, what="name of a result", longest=LONGEST)
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
