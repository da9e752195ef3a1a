"""Split JSON values by class: objects, arrays, texts, booleans, and numbers.

Every value of a result comes through here. One set of the types tells most often that all values have the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBERS: Final = frozenset((int, float))


def by_class(values: list[Any]) -> Iterator[tuple[dict[type, int], list[Any]]]:
    """Yield the values of each class without nulls, and the types among them with their numbers."""
    types = set(map(type, values))
    if len(types) == 1:
        if values[0] is not None:
            yield dict.fromkeys(types, len(values)), values
        return
    types.discard(type(None))
    if len(types) == 1:
        some = [one for one in values if one is not None]
        yield dict.fromkeys(types, len(some)), some
        return
    parts: dict[type, list[Any]] = {kind: [] for kind in (dict, list, str, bool, int)}
    take = {kind: part.append for kind, part in parts.items()}
    take |= {float: parts[int].append, type(None): _drop}
    for one in values:
        take[type(one)](one)
    for kind, part in parts.items():
        if part:
            integers = sum(type(one) is int for one in part) if kind is int and float in types else len(part)
            kinds = {kind: integers, float: len(part) - integers}
            yield {one: count for one, count in kinds.items() if count}, part


def _drop(_: None) -> None:
    pass
