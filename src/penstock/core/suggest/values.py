"""Fields with a few values that come back again and again, and which of those values are worth asking for."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, Final

from penstock.core.suggest.narrow import Having
from penstock.core.suggest.rows import scattered
from penstock.core.suggest.words import is_name, letters, words
from penstock.core.toolkit.severity import Scale

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.suggest.rows import Rows
    from penstock.core.toolkit.fields import FieldPath

Value = str | int | bool

LOOKED_AT: Final = 200  # items at most in which fields are looked for
MOST_FIELDS: Final = 60  # fields of one item; a wider one is a map
LONGEST_VALUE: Final = 64  # characters; a longer value is a text
MOST_VALUES: Final = 20  # different values; with more, no single one is a large part
FILLED: Final = 0.6  # of the items have the field: one that most of them lack says nothing about the rest
REPEATED: Final = 3  # times that a value is there on average: fewer, and the field is rather a name or a number
FIELDS_OFFERED: Final = 3
VALUES_OFFERED: Final = 4

# What a reader most often narrows by comes first. Only under such a name is a number a kind of thing, not a quantity.
_USUAL: Final = words(
    "severity level loglevel priority status state statuscode code type kind category language lang role "
    "result outcome label environment env source service component module rule ruleid"
)


def flat(value: Any) -> Iterator[tuple[FieldPath, Any]]:
    """The fields of an item and of the objects in it, one level down; an item that is no object is its own field."""
    if not isinstance(value, dict):
        yield (), value
        return
    for name, inner in value.items():
        if isinstance(inner, dict):
            yield from (((name, deeper), part) for deeper, part in inner.items())
        else:
            yield (name,), inner


def looked_at(rows: Rows) -> Sequence[int]:
    """The items in which fields are looked for."""
    return scattered(len(rows.values), LOOKED_AT)


def sampled(rows: Rows) -> Iterator[tuple[FieldPath, Any]]:
    """The fields of some items, without those whose names no call should repeat."""
    for at in looked_at(rows):
        for path, value in islice(flat(rows.values[at]), MOST_FIELDS):
            if is_name(path):
                yield path, value


def frequent_values(rows: Rows) -> list[Having]:
    """The values to narrow by, the best of each field first: the most important, or else the most frequent."""
    found = [_values_of(rows, path) for path in _categorical(rows)[:FIELDS_OFFERED]]
    return [one for turn in zip_longest(*found) for one in turn if one is not None]


def _categorical(rows: Rows) -> list[FieldPath]:
    seen: defaultdict[FieldPath, Counter[Value]] = defaultdict(Counter)
    for path, value in sampled(rows):
        if path and _is_category(path, value):
            seen[path][value] += 1
    enough = FILLED * len(looked_at(rows))
    likely = [
        path
        for path, counted in seen.items()
        if 2 <= len(counted) <= MOST_VALUES
        and counted.total() >= max(enough, REPEATED * len(counted))
        and len(set(map(type, counted))) == 1
    ]
    return sorted(likely, key=lambda path: (_usualness(path), isinstance(next(iter(seen[path])), bool), len(path)))


def _is_category(path: FieldPath, value: Any) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_VALUE and value.isprintable()
    return isinstance(value, bool) or (isinstance(value, int) and letters(path[-1]) in _USUAL and abs(value) < 10**6)


def _usualness(path: FieldPath) -> int:
    names = [letters(name) for name in path]
    return min((_USUAL.index(name) for name in names if name in _USUAL), default=len(_USUAL))


def _values_of(rows: Rows, path: FieldPath) -> list[Having]:
    numbers: defaultdict[Value, list[int]] = defaultdict(list)
    column = rows.column(path)
    if {bool, int} <= set(map(type, column)):
        return []  # true and 1 are the same to us, and are not to jq
    for at, value in enumerate(column):
        if isinstance(value, (str, int)):  # a bool is an int
            numbers[value].append(at)
    known = [value for value in numbers if _is_category(path, value) and len(numbers[value]) >= rows.least]
    known.sort(key=lambda value: (-len(numbers[value]), str(value)))
    scale = Scale(field=path[-1])
    if sum(map(scale.knows, known)) * 2 > len(known):
        known.sort(key=lambda value: scale.grade(value)[0])
    return [Having(field=path, value=value, part=rows.part(numbers[value])) for value in known[:VALUES_OFFERED]]
