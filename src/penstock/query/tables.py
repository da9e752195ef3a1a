"""The arrays of held results as tables: what each is called, and which of them a query speaks of."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from penstock.core.json.path import shorten
from penstock.errors import CallerError
from penstock.query.asked import check_asked
from penstock.query.names import distinct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.core.json.index import Index
    from penstock.core.json.path import Path
    from penstock.query.source import Source

MAIN: Final = "items"
LONGEST: Final = 1_000  # characters of a source's name, more than any handle or file name has

_ODD = re.compile(r"\W+", re.ASCII)
_RESERVED = re.compile(r"sqlite_|pragma_|json_(?:each|tree)\Z", re.IGNORECASE)  # SQLite's own tables and functions


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A container of one source, under the names by which a query may call it."""

    names: tuple[str, ...]
    source: Source
    path: Path


def tables_of(sources: Mapping[str, Source]) -> list[Table]:
    """All tables that there are, the main ones first.

    The main table of a source is its root, if that is an array, or its largest array. It has the source's name, and
    if there is one source only, also the name ``items``. An array is called by its last key, or by its whole path
    where two share a key; among several sources the name of its source stands before that. A name that SQLite keeps
    for itself gets ``array_`` before it.
    """
    _check_names(sources)
    single = len(sources) == 1
    mains: list[Table] = []
    others: list[Table] = []
    taken = {name.lower() for name in (*sources, MAIN)}
    for name, source in sources.items():
        root = source.root()
        path = (root if root.kind != "object" else source.index.main or root).path
        names = (MAIN, name) if single and name.lower() != MAIN else (name,)
        mains.append(Table(names=names, source=source, path=path))
    for at, (name, source) in enumerate(sources.items()):
        for path, word in _array_names(source.index, mains[at].path).items():
            called = _free(word if single else f"{name}_{word}")
            if path != mains[at].path:
                others.append(Table(names=(distinct(called, taken),), source=source, path=path))
            elif called.lower() not in taken:
                mains[at] = replace(mains[at], names=(*mains[at].names, distinct(called, taken)))
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


def _array_names(index: Index, main: Path) -> dict[Path, str]:
    """The arrays with the shortest clear name for each. Those inside of the items of the table ``main`` are no tables
    of their own, unless one of them is most of the document, in a wrapper such as ``[{"rows": [...]}]``."""
    inner = len(main)
    bulk = None if index.main is None else index.main.path
    paths = [
        one.path
        for one in index.arrays
        if one.path and (one.path[:inner] != main or len(one.path) <= inner or one.path == bulk)
    ]
    last = Counter(_word(path[-1:]).lower() for path in paths)
    return {path: _word(path[-1:] if last[_word(path[-1:]).lower()] == 1 else path) for path in paths}


def _word(path: Path) -> str:
    """The steps as a name that needs no quotes in SQL."""
    word = _ODD.sub("_", "_".join(map(str, path))).strip("_")
    return word if word[:1].isalpha() else f"array_{word}"
