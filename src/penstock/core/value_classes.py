"""Split JSON values by class: objects, arrays, texts, booleans, and numbers.

Every value of a result comes through here. One set of the types tells most often that all values have the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBERS: Final = frozenset((int, float))
CLASSES: Final = (*(frozenset((kind,)) for kind in (dict, list, str, bool)), NUMBERS)


def by_class(values: list[Any]) -> Iterator[tuple[dict[type, int], list[Any]]]:
    """Yield the values of each class without nulls, and the types among them with their numbers."""
    types = set(map(type, values))
    if type(None) in types:
        types.discard(type(None))
        values = [one for one in values if one is not None]
    for kinds in (types,) if len(types) == 1 else filter(None, map(types.intersection, CLASSES)):
        some = values if len(kinds) == len(types) else [one for one in values if type(one) in kinds]
        if len(kinds) == 1:
            yield dict.fromkeys(kinds, len(some)), some
        else:
            integers = list(map(type, some)).count(int)
            yield {int: integers, float: len(some) - integers}, some
