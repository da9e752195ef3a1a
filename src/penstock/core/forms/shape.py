"""The data's type in one line, as a programmer would write it: ``{matches: [{file: str, line: int, text?: str}]}``.

``?`` after a name: the field is missing in some objects. ``{<key>: T}``: an object used as a map. ``…``: more than
is shown. It is what jq and SQL see, merged over all values.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from penstock.core.json.strings import quote
from penstock.core.text import shorten

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from penstock.core.forms.reading import Field
    from penstock.core.forms.structure import Place
    from penstock.core.profile import Column

LONGEST: Final = 300  # characters; the notice carries the shape, and the facts below it name the columns anyway
STEPS: Final = ((8, 24), (6, 16), (4, 12), (3, 12), (3, 6), (2, 12), (2, 6), (1, 12), (1, 4))  # levels and fields
OWN: Final = (12, 6, 0)  # Fields of the main rows, which a reader needs to name columns: fewer if names are long.
LONG_NAME: Final = 40  # characters of a field's name

_PLAIN = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)
_TYPES: Final = {str: "str", bool: "bool", int: "int", float: "float"}


class _TooLongError(Exception):
    pass


def shape(place: Place, longest: int = LONGEST, way: Collection[Place] = ()) -> str:
    """Write what lies at a place in at most ``longest`` characters, with as many levels and fields as that allows.

    ``way`` are the places that lead to the main rows, and the rows. They count as one level, and have up to 12
    fields, so that the fields of the rows are written even if hardly anything else is.
    """
    places = frozenset(map(id, way))
    for own in OWN if way else (0,):
        for levels, most in STEPS:
            try:
                return _Writer(most, longest, places, own).write(place, levels)
            except _TooLongError:
                continue
    return "{…}" if place.objects else "[…]"


def shape_of_rows(fields: Iterable[Field], rows: int) -> str:
    """Return the shape of a table that a text is: an array of objects."""
    parts: list[str] = []
    for field in fields:
        part = f"{_name(field.name)}{'?' if field.filled < rows else ''}: {types(field.column) or 'null'}"
        if sum(map(len, parts)) + len(part) > LONGEST:
            parts.append("…")
            break
        parts.append(part)
    return "[{" + ", ".join(parts) + "}]"


def types(column: Column) -> str:
    """Return the types of the scalars of a column; 1 and 1.5 in one are numbers of one kind."""
    return _names_of(tuple(column.kinds))


@lru_cache(maxsize=256)
def _names_of(kinds: tuple[type, ...]) -> str:
    names = [_TYPES.get(kind, "str") for kind in kinds]
    return "|".join(name for name in dict.fromkeys(names) if name != "int" or "float" not in names)


class _Writer:
    def __init__(self, most: int, longest: int, way: frozenset[int], own: int) -> None:
        self.most = most
        self.left = longest
        self.way = way  # Identities of places, which have at least ``own`` fields.
        self.own = own

    def write(self, place: Place, levels: int, *, is_way_back: bool = False) -> str:
        """Write a place. What a tree has beside objects, at its roots or below, is told where its way back is."""
        kinds: list[str] = []
        if place.objects:
            kinds.append(self._object(place, levels) if levels > 0 else "{…}")
        if place.is_tree and not is_way_back:
            return self._take("|".join([*kinds, *(["…"] if place.count > place.objects else [])]))
        if place.arrays:
            kinds.append(self._array(place, levels) if levels > 0 else "[…]")
        if place.column.filled:
            kinds.append(types(place.column))
        if place.count > place.filled:
            kinds.append("null")
        return self._take("|".join(kinds) or "null")

    def _array(self, place: Place, levels: int) -> str:
        if place.each is None or not place.each.count:
            return "[]"
        return f"[{self._inner(place, place.each, levels)}]"

    def _object(self, place: Place, levels: int) -> str:
        if place.keyed is not None:
            return "{<key>: " + self._inner(place, place.keyed, levels) + "}"
        parts = []
        most = max(self.own, self.most) if id(place) in self.way else self.most
        for number, (name, inner) in enumerate(place.fields.items()):
            if number >= most and id(inner) not in self.way:
                continue
            everywhere = inner.above is place and not inner.is_tree and inner.count >= place.objects
            mark = "" if everywhere else "?"
            parts.append(f"{self._take(_name(name))}{mark}: {self._inner(place, inner, levels)}")
        if len(place.fields) > most or place.more:
            parts.append("…")
        return "{" + ", ".join(parts) + "}"

    def _inner(self, place: Place, inner: Place, levels: int) -> str:
        """Return what lies below; the way back of a tree is not written anew."""
        is_way_back = inner.above is not place
        if is_way_back and inner.is_only(inner.objects):
            return "{…}"
        return self.write(inner, levels - (id(inner) not in self.way), is_way_back=is_way_back)

    def _take(self, text: str) -> str:
        """Count what is written: a shape that grows too long is given up at once."""
        self.left -= len(text) if text.isidentifier() or "{" not in text else 4
        if self.left < 0:
            raise _TooLongError
        return text


def _name(name: str) -> str:
    short = shorten(name, LONG_NAME)
    return short if _PLAIN.fullmatch(short) else quote(short).decode()
