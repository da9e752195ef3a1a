"""Where the parts of a document lie, so that a page or a path is a slice and never a parse of the whole.

An ``Index`` is small beside its document, can be written to bytes and read back, and answers together with a
``Read`` function (positions in, bytes out): the document may be in memory or in a store's blocks.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from penstock.core.forms.document import Document, Kind
from penstock.core.json import scan
from penstock.core.json.path import Path, nearest, render, shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator

Read = Callable[[int, int], bytes]

LEAST_INDEXED: Final = 4_096  # bytes; a smaller container is split again when asked for, in microseconds,
LEAST_SHARE: Final = 16  # unless it is more than one part in this many of the document, and may be its main one
MOST_KEYS: Final = 1_000  # keys of an object kept by name; a wider object is a map, and is searched instead
LONG_KEY: Final = 1_024  # bytes at the beginning of a member in which its key is looked for first
MOST_ARRAYS: Final = 1_000  # arrays listed; more would be longer than any preview
MOST_VISITS: Final = 20_000  # containers looked into; a map of a million small objects is not worth the wait
WORK: Final = 12  # times the document's size that indexing may read: nested objects are read once per level
FEW: Final = 8  # items; an array this short may be a wrapper around the data, so it is looked into

ContainerKind = Literal["array", "object", "records", "lines"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """An array, an object, JSON lines or lines of text: its parts begin at ``starts``, whose last entry closes it."""

    path: Path
    kind: ContainerKind
    start: int
    end: int
    starts: array[int]
    keys: tuple[str, ...] | None = None

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        return self.end - self.start

    def item(self, read: Read, index: int) -> bytes:
        """The original bytes of one part: an item, a ``"key": value`` member, or a line."""
        if self.kind == "lines":
            return read(self.starts[index], self.starts[index + 1] - 1)
        return read(self.starts[index], self.starts[index + 1]).strip(b", \t\r\n")

    def key(self, read: Read, index: int) -> str:
        """The key of one part of an object."""
        if self.keys is not None:
            return self.keys[index]
        start, end = self.starts[index], self.starts[index + 1]
        key = scan.member_key(read(start, min(end, start + LONG_KEY)))
        return scan.member_key(read(start, end)) or "" if key is None else key

    def span(self, first: int, last: int) -> int:
        """How many bytes the parts from ``first`` to before ``last`` take, separators included."""
        return self.starts[last] - self.starts[first]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayInfo:
    """An array of the document; ``exact`` is False for a path through ``[]``, whose items were counted by sample."""

    path: Path
    items: int
    size: int
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """All that is needed to read a document by parts. ``containers`` has the root and whatever is large."""

    kind: Kind
    size: int
    depth: int
    containers: tuple[Container, ...]
    arrays: tuple[ArrayInfo, ...]
    arrays_total: int
    complete: bool = True
    _by_path: dict[Path, Container] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_path", {one.path: one for one in reversed(self.containers)})

    @property
    def root(self) -> Container | None:
        return self.containers[0] if self.containers else None

    def container(self, path: Path) -> Container | None:
        return self._by_path.get(path)

    @property
    def main(self) -> Container | None:
        """The container that a reader would page through: the array that is most of the document and has the most
        items, else the largest array, else the widest object."""
        arrays = [one for one in self.containers if one.kind != "object"]
        for candidates in (arrays, [one for one in self.containers if one.kind == "object"]):
            bulk = [one for one in candidates if one.size * 2 >= self.size]
            if bulk:
                return max(bulk, key=lambda one: one.count)
            heavy = [one for one in candidates if one.size * 10 >= self.size]
            if heavy:
                return max(heavy, key=lambda one: one.size)
        return self.root


def build(document: Document) -> Index:
    """Index a document. Text is split into lines, binary data into nothing."""
    body = document.body
    containers: list[Container] = []
    arrays: list[ArrayInfo] = []
    complete = True
    match document.kind, document.parts:
        case Kind.JSON, parts:
            containers, arrays, complete = _walk(body, parts)
        case Kind.JSONL, array() as records:
            containers.append(_lines("records", body, records))
        case Kind.TEXT, _ if body:
            containers.append(_lines("lines", body, scan.line_starts(body)))
        case _:
            pass
    return Index(
        kind=document.kind,
        size=len(body),
        depth=document.depth,
        containers=tuple(containers),
        arrays=tuple(arrays[:MOST_ARRAYS]),
        arrays_total=len(arrays),
        complete=complete,
    )


def reader(body: bytes) -> Read:
    """A ``Read`` over bytes in memory."""
    return lambda start, end: body[start:end]


def value_at(index: Index, read: Read, path: Path) -> bytes:
    """The original bytes of the value at ``path``; a path that is not there names the nearest keys."""
    container, rest = _deepest(index, path)
    if not rest:
        return read(container.start, container.end)
    value = _step_in_container(container, read, rest[0], path)
    done = path[: len(path) - len(rest) + 1]
    for step in rest[1:]:
        value = _step_in_value(value, step, done, path)
        done = (*done, step)
    return value


def container_at(index: Index, read: Read, path: Path) -> tuple[Container, Read]:
    """The container at ``path`` and the function to read its parts with (a small one is read and split here)."""
    if (known := index.container(path)) is not None:
        return known, read
    value = value_at(index, read, path)
    if not scan.is_container(value):
        raise CallerError(
            f"{shorten(render(path))} is a single {scan.scalar_type(value)}, not an array or object",
            do="read the path above it, or read it as text",
        )
    return split_value(value, path), reader(value)


def split_value(value: bytes, path: Path = ()) -> Container:
    """The container that is all of ``value``: an array or an object in JSON, without white space around it."""
    return _split(value, 0, len(value), path)[0]


def dump(index: Index) -> bytes:
    """Write an index to bytes, for a store."""
    return msgspec.msgpack.encode(
        {
            "kind": index.kind,
            "size": index.size,
            "depth": index.depth,
            "complete": index.complete,
            "arrays_total": index.arrays_total,
            "arrays": [(one.path, one.items, one.size, one.exact) for one in index.arrays],
            "containers": [
                (one.path, one.kind, one.start, one.end, one.starts.typecode, one.starts.tobytes(), one.keys)
                for one in index.containers
            ],
        }
    )


def load(data: bytes) -> Index:
    """Read an index that ``dump`` wrote."""
    told = msgspec.msgpack.decode(data)
    return Index(
        kind=Kind(told["kind"]),
        size=told["size"],
        depth=told["depth"],
        complete=told["complete"],
        arrays_total=told["arrays_total"],
        arrays=tuple(
            ArrayInfo(path=tuple(path), items=items, size=size, exact=exact)
            for path, items, size, exact in told["arrays"]
        ),
        containers=tuple(
            Container(
                path=tuple(path),
                kind=kind,
                start=start,
                end=end,
                starts=array(code, packed),
                keys=None if keys is None else tuple(keys),
            )
            for path, kind, start, end, code, packed, keys in told["containers"]
        ),
    )


def _lines(kind: ContainerKind, body: bytes, starts: array[int]) -> Container:
    return Container(path=(), kind=kind, start=0, end=len(body), starts=starts)


def _walk(body: bytes, parts: scan.Parts) -> tuple[list[Container], list[ArrayInfo], bool]:
    """Visit the containers that are reached through objects and short arrays, the largest first."""
    start, end = scan.bounds(body)
    waiting: list[tuple[int, int, Path]] = [(start - end, start, ())]
    containers: list[Container] = []
    arrays: list[ArrayInfo] = []
    work = len(body) * WORK
    least = min(LEAST_INDEXED, len(body) // LEAST_SHARE)
    visits = 0
    while waiting and work > 0 and visits < MOST_VISITS:
        negative, at, path = heapq.heappop(waiting)
        work += negative
        visits += 1
        container, values = _split(body, at, at - negative, path, parts if not path else None)
        if container.size >= least or not path:
            containers.append(container)
        if container.kind == "array":
            arrays.append(ArrayInfo(path=path, items=container.count, size=container.size))
        for step, first, last in values:
            if body[first] in b"[{":
                heapq.heappush(waiting, (first - last, first, (*path, step)))
    arrays.sort(key=lambda one: (len(one.path), -one.size))
    return containers, arrays, not waiting


def _split(
    body: bytes, start: int, end: int, path: Path, parts: scan.Parts | None = None
) -> tuple[Container, Iterator[tuple[str | int, int, int]]]:
    """Split one container; the second part is the spans of the values worth looking into."""
    if body[start] == 0x5B:
        starts = parts if isinstance(parts, array) else scan.item_starts(body, start, end)
        container = Container(path=path, kind="array", start=start, end=end, starts=starts)
        few = container.count if container.count <= FEW else 0
        return container, ((i, starts[i], _end_before(body, starts[i + 1])) for i in range(few))
    starts = array("I" if len(body) < 2**32 else "Q")
    keys: list[str] = []
    values: list[tuple[str | int, int, int]] = []
    for key, at, first, last in scan.member_spans(body, start, end, parts if isinstance(parts, dict) else None):
        starts.append(at)
        if len(keys) <= MOST_KEYS:
            keys.append(key)
        if body[first] in b"[{" and (len(keys) <= MOST_KEYS or last - first >= LEAST_INDEXED):
            values.append((key, first, last))
    starts.append(end - 1)
    names = tuple(keys) if len(keys) <= MOST_KEYS else None
    if names is None:  # in a map of very many members only the large ones are looked into: the rest are alike
        values = [value for value in values if value[2] - value[1] >= LEAST_INDEXED]
    return Container(path=path, kind="object", start=start, end=end, starts=starts, keys=names), iter(values)


def _end_before(body: bytes, end: int) -> int:
    """Where the item ends that is followed by no more than a separator before ``end``."""
    while body[end - 1] in b", \t\r\n":
        end -= 1
    return end


def _deepest(index: Index, path: Path) -> tuple[Container, Path]:
    """The indexed container that leads furthest along ``path``, and the steps that remain."""
    for length in range(len(path), -1, -1):
        if (found := index.container(path[:length])) is not None:
            return found, path[length:]
    raise CallerError(f"a {index.kind} result has no paths", do="read it as text, by window")


def _step_in_container(container: Container, read: Read, step: str | int, path: Path) -> bytes:
    if isinstance(step, int):
        if container.kind == "object":
            raise _no_index(container.path, step)
        if not 0 <= step < container.count:
            raise _past_end(container.path, step, container.count)
        item = container.item(read, step)
        return msgspec.json.encode(item.decode(errors="replace")) if container.kind == "lines" else item
    if container.kind != "object":
        raise _no_key(container.path, step, path, ())
    if container.keys is None:
        return _step_in_value(read(container.start, container.end), step, container.path, path)
    for number in range(container.count - 1, -1, -1):  # the last of duplicate keys counts, as parsers have it
        if container.keys[number] == step:
            return scan.member_value(container.item(read, number))
    raise _no_key(container.path, step, path, container.keys)


def _step_in_value(value: bytes, step: str | int, done: Path, path: Path) -> bytes:
    if isinstance(step, int):
        if value[:1] != b"[":
            raise _no_index(done, step)
        items = scan.items(value)
        if not 0 <= step < len(items):
            raise _past_end(done, step, len(items))
        return items[step]
    if value[:1] != b"{":
        raise _no_key(done, step, path, ())
    found = dict(scan.members(value))
    if step not in found:
        raise _no_key(done, step, path, tuple(found))
    return found[step]


def _no_index(at: Path, step: int) -> CallerError:
    return CallerError(
        f"{shorten(render(at))} is not an array, so it has no item {step}", do="name one of its keys instead"
    )


def _past_end(at: Path, step: int, count: int) -> CallerError:
    last = f"the last is {count - 1}" if count else "it is empty"
    return CallerError(f"{shorten(render(at))} has {count} items, so no item {step}", do=f"count from 0; {last}")


def _no_key(at: Path, step: str, path: Path, keys: tuple[str, ...]) -> CallerError:
    near = nearest(step, keys) or list(keys[:5])
    known = ", ".join(render((*at, shorten(key))) for key in near)
    return CallerError(
        f"there is no {shorten(step)!r} in {shorten(render(at))} (asked for {shorten(render(path))})",
        do=f"nearest: {known}" if near else "it has no fields; ask for its outline to see its form",
    )
