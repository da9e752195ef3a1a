"""Tell of what types JSON values are, and part them into objects, arrays, texts, truths and numbers.

Every value of a result comes through here, so all of it is work of C: the parser's own check of types takes a fifth of
the time that asking each value for its type does.
"""

from __future__ import annotations

from itertools import compress, repeat
from operator import is_not
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.row_numbers import Numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.row_numbers import RowNumbers

NoneType = type(None)
NESTED: Final = frozenset((dict, list))
MIXED: Final = object  # the type that values of several types have in common
FEW: Final = 32  # values that are asked one by one: to set up a check takes longer

_LISTS: Final[dict[Any, Any]] = {str: list[str], int: list[int], bool: list[bool]}
_LISTS_WITH_NULLS: Final[dict[Any, Any]] = {str: list[str | None], int: list[int | None], bool: list[bool | None]}
_LEFT_OUT: Final = frozenset[None]().__contains__  # takes what is no value, and keeps nothing
_CLASSES: Final = (dict, list, str, bool, int)  # the first type of each class, in the order of their parts


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
    only = only_type(values) if only is None else only
    if only is not None and only is not MIXED:
        if only is not NoneType:
            yield {only: len(values)}, values, rows
        return
    if (filled := _but_null(values)) is not None:
        some = [one for one in values if one is not None]
        yield {filled: len(some)}, some, Numbers(_filled, rows, values)
        return
    parts: dict[type, list[Any]] = {kind: [] for kind in _CLASSES}
    take = {kind: some.append for kind, some in parts.items()} | {float: parts[int].append, NoneType: _LEFT_OUT}
    for one in values:
        take[type(one)](one)
    for kind, some in parts.items():
        if some:
            kinds = {kind: len(some)} if kind is not int else _numbers(some)
            yield kinds, some, rows if len(some) == len(values) else Numbers(_of_kinds, rows, values, kinds)


def _numbers(values: list[Any]) -> dict[type, int]:
    """Count integers and others."""
    whole = list(map(type, values)).count(int)
    return {kind: count for kind, count in ((int, whole), (float, len(values) - whole)) if count}


def _of_kinds(rows: RowNumbers, values: list[Any], kinds: dict[type, int]) -> Iterator[int]:
    return (row for row, one in zip(rows, values, strict=True) if type(one) in kinds)


def _but_null(values: list[Any]) -> type | None:
    """Return the type that all values have but null, where some are null. It is looked for among few values, or texts,
    integers and truths."""
    if len(values) <= FEW:
        kinds = set(map(type, values))
        kinds.discard(NoneType)
        return kinds.pop() if len(kinds) == 1 else None
    first = next((type(one) for one in values if one is not None), NoneType)
    return first if first in _LISTS and None in values and _are(values, _LISTS_WITH_NULLS[first]) else None


def _filled(rows: RowNumbers, values: list[Any]) -> Iterator[int]:
    return compress(rows, map(is_not, values, repeat(None)))
