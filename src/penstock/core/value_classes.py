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
FEW: Final = 32  # values that are asked one by one: to set up a check takes longer

_LISTS: Final[dict[Any, Any]] = {str: list[str], int: list[int], bool: list[bool]}
_LISTS_WITH_NULLS: Final[dict[Any, Any]] = {str: list[str | None], int: list[int | None], bool: list[bool | None]}
_CODES: Final = {NoneType: 0, dict: 1, list: 2, str: 3, bool: 4, int: 5, float: 6}
# The classes of values: the types of each, and a table that leaves of their codes those of the class.
_GROUPS: Final[tuple[tuple[tuple[type, ...], bytes], ...]] = tuple(
    (group, bytes(code in {_CODES[kind] for kind in group} for code in range(256)))
    for group in ((dict,), (list,), (str,), (bool,), (int, float))
)


def only_type(values: list[Any]) -> type | None:
    """Return the type that all of some values have; None where they have several, or there are none."""
    kind = type(values[0]) if values else None
    if kind in _LISTS and len(values) > FEW:
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
    ``only`` is the type that all have, where that is known."""
    only = only or only_type(values)
    if only is not None:
        if only is not NoneType:
            yield {only: len(values)}, values, rows
        return
    if (filled := _but_null(values)) is not None:
        some = [one for one in values if one is not None]
        yield {filled: len(some)}, some, Numbers(_filled, rows, values)
        return
    codes = bytes(map(_CODES.__getitem__, map(type, values)))  # counted and chosen by ten times as fast as the types
    for group, chosen in _GROUPS:
        if counts := {kind: count for kind in group if (count := codes.count(_CODES[kind]))}:
            if sum(counts.values()) == len(values):
                yield counts, values, rows
            else:
                flags = codes.translate(chosen)
                yield counts, list(compress(values, flags)), Numbers(compress, rows, flags)


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
