"""Tell of what types JSON values are, and part them into objects, arrays, texts, truths and numbers.

Every value of a result comes through here, so all of it is work of C: the parser's own check of types takes a fifth of
the time that asking each value for its type does.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.row_numbers import Numbers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from penstock.core.row_numbers import RowNumbers


NoneType = type(None)
NESTED: Final = frozenset((dict, list))
NUMBERS: Final = frozenset((int, float))
MIXED: Final = object  # the type that values of several types have in common
FEW: Final = 32  # values that are asked one by one: to set up a check takes longer
SOME: Final = 128  # values that are all asked whether there is one type among them

_LISTS: Final[dict[Any, Any]] = {str: list[str], int: list[int], bool: list[bool]}
_LISTS_WITH_NULLS: Final[dict[Any, Any]] = {str: list[str | None], int: list[int | None], bool: list[bool | None]}
_LEFT_OUT: Final = frozenset[None]().__contains__  # takes what is no value, and keeps nothing
_SCALARS: Final[dict[type, None]] = dict.fromkeys((str, bool, int, float))  # in the order of their parts


def only_type(values: list[Any]) -> type | None:
    """Return the type that all of some values have; None where they have several, or there are none."""
    kind = type(values[0]) if values else None
    if len(values) > FEW:
        if len(set(map(type, values[:: len(values) // FEW]))) > 1:  # of mixed ones the first tell
            return None
        if kind in _LISTS:
            return kind if _are(values, _LISTS[kind]) else None
    return kind if kind is not None and list(map(type, values)).count(kind) == len(values) else None


def _are(values: list[Any], kind: Any) -> bool:
    try:
        msgspec.convert(values, kind)
    except msgspec.ValidationError:
        return False
    return True


def by_class(
    values: list[Any], rows: RowNumbers, only: type | None = None
) -> Iterator[tuple[dict[type, int], list[Any], RowNumbers]]:
    """Split values by class, without nulls: the types of each part with their counts, its values, and their rows.
    ``only`` is the type that all have, where that is known, or ``MIXED``."""
    for kinds, some, numbers in by_nesting(values, rows, only):
        if is_one_class(kinds):
            yield kinds, some, numbers
            continue
        parts: dict[type, list[Any]] = {kind: [] for kind in (str, bool, int)}
        take = {kind: part.append for kind, part in parts.items()} | {float: parts[int].append, NoneType: _LEFT_OUT}
        for one in some:
            take[type(one)](one)
        for kind, part in parts.items():
            if part:
                own = {kind: len(part)} if kind is not int else {one: kinds[one] for one in kinds if one in NUMBERS}
                yield own, part, Numbers(_of_kinds, numbers, some, own)


def by_nesting(
    values: list[Any], rows: RowNumbers, only: type | None = None
) -> Iterator[tuple[dict[type, int], list[Any], RowNumbers]]:
    """Split the same into objects, arrays and scalars. Scalars of several classes stay together, and nulls may be
    between them: of most columns no more is ever asked than how many are of which type."""
    only = only_type(values) if only is None else only
    if only is not None and only is not MIXED:
        if only is not NoneType:
            yield {only: len(values)}, values, rows
        return
    few = len(values) <= SOME
    seen = set(map(type, values if few else values[:: len(values) // FEW]))
    seen.discard(NoneType)
    if len(seen) == 1 and (few or _are_or_null(values, *seen)):
        some = [one for one in values if one is not None]
        yield dict.fromkeys(seen, len(some)), some, Numbers(_of_kinds, rows, values, seen)
        return
    types = {} if not NESTED.isdisjoint(seen) else _types_of(values)
    if not types or not NESTED.isdisjoint(types):
        parts: dict[type, list[Any]] = {kind: [] for kind in (dict, list, str)}
        take = {kind: part.append for kind, part in parts.items()} | {NoneType: _LEFT_OUT}
        take |= dict.fromkeys(_SCALARS, parts[str].append)
        for one in values:
            take[type(one)](one)
        for kind in (dict, list):
            if parts[kind]:
                yield {kind: len(parts[kind])}, parts[kind], Numbers(_of_kinds, rows, values, (kind,))
        values, rows = parts[str], Numbers(_of_kinds, rows, values, _SCALARS)
        types = _types_of(values)
    kinds = {kind: types[kind] for kind in _SCALARS if kind in types}
    if len(kinds) < len(types) and is_one_class(kinds):
        values, rows = [one for one in values if one is not None], Numbers(_of_kinds, rows, values, kinds)
    if values:
        yield kinds, values, rows


def _types_of(values: list[Any]) -> dict[type, int]:
    """Count the types of values; of few without a counter, which takes longer to make."""
    if len(values) > FEW:
        return Counter(map(type, values))
    types: dict[type, int] = {}
    for kind in map(type, values):
        types[kind] = types.get(kind, 0) + 1
    return types


def is_one_class(kinds: Collection[type]) -> bool:
    """Return True if values of these types are all texts, all truths or all numbers, or all objects or arrays."""
    return len(kinds) == 1 or NUMBERS.issuperset(kinds)


def _are_or_null(values: list[Any], kind: type) -> bool:
    """Return True if all of many values have a type or are null. The parser checks texts, integers and booleans."""
    return _are(values, _LISTS_WITH_NULLS[kind]) if kind in _LISTS else set(map(type, values)) <= {kind, NoneType}


def _of_kinds(rows: RowNumbers, values: list[Any], kinds: Collection[type]) -> Iterator[int]:
    return (row for row, one in zip(rows, values, strict=True) if type(one) in kinds)
