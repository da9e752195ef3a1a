"""Columns of a table in JSON: the fields of its rows, with dots for nested objects, and short ones from around them."""

from __future__ import annotations

import re
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from penstock.core.forms.reading import Field
from penstock.core.forms.rows import ColumnPath
from penstock.core.json.path import EACH, KEY, Path
from penstock.core.profile import Column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.core.forms.structure import Place

MOST_COLUMNS: Final = 1_800  # SQLite takes 2,000 columns in a table.
MOST_LEVELS: Final = 6  # Objects nested deeper than this stay JSON in one column.
MOST_CONTEXT: Final = 6  # Columns that rows get from each level around them.
SHORT: Final = 80  # A column from around the rows repeats in each row, so its texts have at most this many characters.
EMPTY: Final = "empty"  # The name of the column whose key is an empty text.
_ODD = re.compile(r"\W+", re.ASCII)


def flat(place: Place, path: Path = (), level: int = 0) -> list[tuple[Path, Place]]:
    """Return the places of columns: the fields of rows, and of objects nested in them, alone or as an array's only
    item."""
    columns: list[tuple[Path, Place]] = []
    for name, inner in place.fields.items():
        here = (*path, name)
        if not (inner.objects or inner.arrays) or level >= MOST_LEVELS or inner.above is not place or inner.is_tree:
            columns.append((here, inner))
            continue
        only = inner.each if inner.is_only(inner.arrays) and inner.most == 1 else None
        if inner.is_only(inner.objects) and inner.fields:
            columns += flat(inner, here, level + 1)
        elif only is not None and only.is_only(only.objects) and only.fields and not only.is_tree:
            columns += flat(only, (*here, 0), level + 1)
        else:
            columns.append((here, inner))
    return columns


def has_more(place: Place, level: int = 0) -> bool:
    """Return True if rows, or objects nested in them, have fields that are not columns because there are too many."""
    nested = (one for inner in place.fields.values() if inner.above is place for one in (inner, inner.each) if one)
    return place.more or (level < MOST_LEVELS and any(has_more(one, level + 1) for one in nested))


def own_columns(place: Place, taken: set[str]) -> list[Field]:
    """Return the columns of the rows at a place, under names that are not ``taken``."""
    if place.is_rows:
        return [unread(f"c{at + 1}", (at,)) for at in range(place.most)]
    columns = flat(place)
    fields = []
    for path, inner in columns[:MOST_COLUMNS]:
        name = free_name(dotted(path) or EMPTY, [], taken)
        fields.append(Field(name=name, column=inner.column, place=inner, path=ColumnPath(name=name, path=path)))
    if place.column.filled or place.arrays or not columns:
        name = free_name("value", [], taken)
        fields.append(Field(name=name, column=place.column, place=place, path=ColumnPath(name=name, path=())))
    return fields


def unread(name: str, path: Path, level: int = -1) -> Field:
    """Return a column whose cells are not profiled yet."""
    return Field(name=name, column=Column(), path=ColumnPath(name=name, path=path, level=level))


def key_column(keys: Column) -> list[Field]:
    """Return the column with the keys of a map."""
    return [Field(name="key", column=keys, path=ColumnPath(name="key", path=(KEY,)))]


def context_columns(steps: Path, around: Mapping[Path, Place], taken: set[str]) -> list[Field]:
    """Return columns that rows get from the items and members around them: keys, and short scalars. ``around`` has the
    places of those by the steps to them. These columns are not profiled yet."""
    fields = []
    levels = [at for at, step in enumerate(steps) if step in (EACH, KEY)][:-1]
    for level, at in enumerate(levels):
        place = around.get(steps[: at + 1])
        if place is None:
            continue
        word = next((step for step in reversed(steps[:at]) if isinstance(step, str)), "root")
        paths: list[Path] = [(KEY,)] if steps[at] == KEY else []
        paths += [path for path, inner in flat(place) if _is_label(inner)]
        for path in paths[:MOST_CONTEXT]:
            name = free_name(f"{word}.{'key' if path == (KEY,) else dotted(path)}", [], taken)
            fields.append(unread(name, path, level))
    return fields


def _is_label(place: Place) -> bool:
    """Return True if a column tells the rows of a table apart, in few characters."""
    column = place.column
    return place.is_only(column.filled) and column.bulk <= SHORT * column.filled and (column.different or 2) > 1


def dotted(path: Path) -> str:
    """Return a path inside a row as the name of a column: ``user.login``, ``locations[0].uri``."""
    try:
        return ".".join(path)  # type: ignore[arg-type]
    except TypeError:  # There are indexes among the steps.
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def free_name(name: str, words: list[str], taken: set[str]) -> str:
    """Return a name that no other has, in upper or lower case: the name, the whole way to it, or with a number. If
    ``words`` are given, the name needs no quotes in SQL."""
    if name and not words and (lower := name.lower()) not in taken:
        taken.add(lower)
        return name
    tried = chain((name, "_".join(words)), (f"{name}_{number}" for number in count(2)))
    names = (_bare(one) if words else one for one in tried)
    free = next(one for one in names if one and one.lower() not in taken)
    taken.add(free.lower())
    return free


def _bare(name: str) -> str:
    """Return a name that needs no quotes in SQL, or an empty text."""
    word = _ODD.sub("_", name).strip("_")
    return f"array_{word}" if word[:1].isdigit() else word
