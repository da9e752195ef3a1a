"""Decode some fields of many objects: msgspec skips all others, which takes a fraction of the time."""

from __future__ import annotations

from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.core.json.decimals import ExactDecoder
from penstock.core.json.path import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.json.path import Path, Step


def projection(
    paths: Sequence[Path], *, by_key: bool = False, only: bool = False
) -> Callable[[bytes], list[list[Any]]] | None:
    """Return a reader of an array of objects, or ``by_key`` of a map of them, that gives the values at each of some
    paths; the path ``(KEY,)`` gives the keys of a map. None where other paths are not of keys alone, or one leads
    through the value of another. The reader raises ``msgspec.MsgspecError`` where a value on the way is no object, and
    with ``only`` where an object on the way has a key that no path leads to."""
    inside = [path for path in paths if not (by_key and path == (KEY,))]
    try:
        item, getters = _item(inside, only=only)
    except (TypeError, ValueError):
        return None
    decoder = ExactDecoder(dict[str, item] if by_key else list[item])  # type: ignore[valid-type]

    def read(text: bytes) -> list[list[Any]]:
        decoded = decoder.decode(text)
        objects = list(decoded.values()) if isinstance(decoded, dict) else decoded
        columns = iter([getter(objects) for getter in getters])
        return [list(decoded) if by_key and path == (KEY,) else next(columns) for path in paths]

    return read


def _item(paths: Sequence[Path], *, only: bool) -> tuple[type, list[Callable[[Sequence[Any]], list[Any]]]]:
    tree: dict[str, Any] = {}
    for path in paths:
        *way, last = map(_key, path)
        node = tree
        for step in way:
            node = node.setdefault(step, {})
            if not isinstance(node, dict):
                raise TypeError
        if node.setdefault(last, Any) is not Any:
            raise TypeError
    getters = [_getter(tree, path) for path in paths]
    return _struct(tree, only=only), getters


def _key(step: Step) -> str:
    if isinstance(step, int):
        raise TypeError
    return step


def _struct(tree: dict[str, Any], *, only: bool) -> type:
    """Return a type with these fields, all of which may be missing; an inner object that is missing has nothing in
    it."""
    fields: list[tuple[str, Any, Any]] = []
    for number, inner in enumerate(tree.values()):
        if not isinstance(inner, dict):
            fields.append((f"f{number}", Any, None))
            continue
        kind = _struct(inner, only=only)
        fields.append((f"f{number}", kind | None, msgspec.field(default_factory=repeat(kind()).__next__)))
    names = {f"f{number}": key for number, key in enumerate(tree)}
    return msgspec.defstruct("Item", fields, rename=names, gc=False, forbid_unknown_fields=only)


def _getter(tree: dict[str, Any], path: Path) -> Callable[[Sequence[Any]], list[Any]]:
    steps = []
    for step in path:
        steps.append(f"f{list(tree).index(str(step))}")
        tree = tree[str(step)]
    get = attrgetter(".".join(steps))

    def column(values: Sequence[Any]) -> list[Any]:
        try:
            return list(map(get, values))
        except AttributeError:  # an object on the way is null
            return [_reach(value, steps) for value in values]

    return column


def _reach(value: Any, steps: list[str]) -> Any:
    for step in steps:
        if value is None:
            return None
        value = getattr(value, step)
    return value
