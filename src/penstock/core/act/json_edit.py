"""Set, remove and append at JSON paths as splices: all other bytes stay, numbers, white space and key order included.

All paths are those of the document before the edit. New members and items are written with the separators that the
container has already.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import field

from penstock.core.json.lookup import container_at, span_at
from penstock.core.json.path import render
from penstock.core.json.scan import member_value
from penstock.core.json.splice import Splice
from penstock.core.json.strings import quote_exactly
from penstock.core.plain import Plain
from penstock.core.text import shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path


class JsonEdit(Plain, frozen=True, kw_only=True):
    """The values to set and to append by their paths, as JSON, and the paths to remove."""

    set: Mapping[Path, bytes] = field(default_factory=dict)
    remove: Sequence[Path] = ()
    append: Mapping[Path, bytes] = field(default_factory=dict)


class _Plan(Plain):
    """The changes to the parts of one container."""

    container: Container
    removed: set[int] = field(default_factory=set)
    added: list[bytes] = field(default_factory=list)


def edit_json(index: Index, read: Read, edit: JsonEdit) -> list[Splice]:
    """Return the splices that make an edit, in order. Raises a ``CallerError`` for a path that is not there, and for
    changes at one place."""
    plans: dict[Path, _Plan] = {}

    def plan(path: Path) -> _Plan:
        if path not in plans:
            plans[path] = _Plan(container_at(index, read, path))
        return plans[path]

    splices: list[Splice] = []
    for path, value in edit.set.items():
        if path and isinstance(key := path[-1], str) and not _numbers(parent := plan(path[:-1]), read, key):
            if parent.container.kind != "object":
                span_at(index, read, path)  # which says what is wrong
            parent.added.append(quote_exactly(key) + _colon(parent.container, read) + value)
        else:
            splices.append(Splice(*span_at(index, read, path), value))
    for path in edit.remove:
        if not path:
            raise CallerError("the whole document cannot be removed", do="name a part of it")
        span_at(index, read, path)  # which says what is wrong, if something is
        parent, step = plan(path[:-1]), path[-1]
        parent.removed |= {step} if isinstance(step, int) else _numbers(parent, read, step)
    for path, value in edit.append.items():
        if (target := plan(path)).container.kind == "object":
            raise CallerError(f"{shorten(render(path))} is an object", do="set its member: set {path: value}")
        target.added.append(value)
    for one in plans.values():
        splices += _container_splices(one, read)
    return checked(sorted(splices))


def checked(splices: list[Splice]) -> list[Splice]:
    """Return splices that are in order, or raise a ``CallerError`` if two of them overlap."""
    for one, other in pairwise(splices):
        if other.start < one.end:
            raise CallerError("two changes are at the same place", do="make them one after the other, or as one")
    return splices


def _numbers(plan: _Plan, read: Read, key: str) -> set[int]:
    """Return which members have a key: several where it is duplicated, all of which have to go."""
    container = plan.container
    if container.kind != "object":
        return set()
    return {number for number in range(container.count) if container.key(read, number) == key}


def _container_splices(plan: _Plan, read: Read) -> list[Splice]:
    container, removed = plan.container, plan.removed
    count = container.count

    def end(number: int) -> int:
        return container.starts[number] + len(container.item(read, number))

    if len(removed) == count:  # it is empty, or will be
        between = b", " if container.kind == "object" else b","
        start = container.starts[0] if count else container.start + 1
        stop = end(count - 1) if count else start
        return [Splice(start, stop, between.join(plan.added))] if removed or plan.added else []
    splices, leading = [], 0
    for number in sorted(removed):
        if number == leading:  # with what stands between it and the next
            leading += 1
            splices.append(Splice(container.starts[number], container.starts[number + 1], b""))
        else:
            splices.append(Splice(end(number - 1), end(number), b""))
    if plan.added:
        between = _between(container, read, end)
        splices.append(Splice(end(count - 1), end(count - 1), b"".join(between + one for one in plan.added)))
    return splices


def _between(container: Container, read: Read, end: Callable[[int], int]) -> bytes:
    """Return what stands between the last two parts; with one part, a comma and what stands before it."""
    last = container.count - 1
    if last:
        return read(end(last - 1), container.starts[last])
    return b"," + read(container.start + 1, container.starts[0])


def _colon(container: Container, read: Read) -> bytes:
    """Return what stands between a key and its value."""
    if not container.count:
        return b":"
    member = container.item(read, container.count - 1)
    head = member[: len(member) - len(member_value(member))]
    return head[head.rindex(b'"') + 1 :]
