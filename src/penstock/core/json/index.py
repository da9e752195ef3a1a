"""Finds where the parts of a document lie, so that a page or a path is a slice and never a parse of the whole.

An ``Index`` is small beside its document, can be written to bytes and read back, and answers together with a
``Read`` function (positions in, bytes out): the document may be in memory or in a store's blocks. Only the root and
what is larger than a batch is in it; a smaller container is split again when a path leads to it, in a millisecond.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

from penstock.core.json import nesting, scan
from penstock.core.json.buffer import pieces
from penstock.core.json.positions import Collector, Positions

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from penstock.core.json.buffer import Bytes
    from penstock.core.json.path import Path

Read = Callable[[int, int], bytes]

BATCH: Final = 1_048_576  # bytes read at a time: as objects of ours they take up to 35 times that
MOST_KEYS: Final = 1_000  # keys of an object kept by name; a wider object is a map, and is searched instead
LONG_KEY: Final = 1_024  # bytes at the beginning of a member in which its key is looked for first

_QUOTE: Final = ord('"')

ContainerKind = Literal["array", "object", "records", "lines"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """An array, an object, JSON values or lines of text: its parts begin at ``starts``, whose last entry closes it."""

    path: Path
    kind: ContainerKind
    start: int
    end: int
    starts: Positions
    keys: tuple[str, ...] | None = None

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        return self.end - self.start

    def item(self, read: Read, index: int) -> bytes:
        """Return the original bytes of one part: an item, a ``"key": value`` member, or a line."""
        if self.kind == "lines":
            return read(self.starts[index], self.starts[index + 1] - 1)
        return read(self.starts[index], self.starts[index + 1]).strip(b", \t\r\n")

    def key(self, read: Read, index: int) -> str:
        """Return the key of one part of an object."""
        if self.keys is not None:
            return self.keys[index]
        start, end = self.starts[index], self.starts[index + 1]
        key = scan.member_key(read(start, min(end, start + LONG_KEY)))
        return scan.member_key(read(start, end)) or "" if key is None else key

    def span(self, first: int, last: int) -> int:
        """Return how many bytes the parts from ``first`` to before ``last`` take, separators included."""
        return self.starts[last] - self.starts[first]

    def batches(self, size: int = BATCH) -> Iterator[range]:
        """Return the numbers of all parts, in ranges of about ``size`` bytes; a larger part is a range of its own."""
        first = 0
        while first < self.count:
            reached = bisect_right(self.starts, self.starts[first] + size, lo=first) - 1
            last = min(max(first + 1, reached), self.count)
            yield range(first, last)
            first = last

    def joined(self, read: Read, parts: range | None = None) -> bytes:
        """Join parts that follow each other as one JSON array (of an object, as one object; of lines, of strings); all
        of them when none are named."""
        parts = range(self.count) if parts is None else parts
        span = read(self.starts[parts.start], self.starts[parts.stop])
        match self.kind:
            case "object":
                return b"{" + span.rstrip(b", \t\r\n") + b"}"
            case "records":
                return b"[" + b",".join(self._values(span, parts)) + b"]"
            case "lines":
                return msgspec.json.encode(span.removesuffix(b"\n").decode("utf-8", "replace").split("\n"))
        return b"[" + span.rstrip(b", \t\r\n") + b"]"

    def _values(self, span: bytes, parts: range) -> Iterator[bytes]:
        first = self.starts[parts.start]
        for number in parts:
            yield span[self.starts[number] - first : self.starts[number + 1] - first].strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """All that is needed to read a document by parts. ``containers`` has the root first, then whatever is large."""

    size: int
    depth: int
    containers: tuple[Container, ...]
    _by_path: dict[Path, Container] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_path", {one.path: one for one in reversed(self.containers)})

    @property
    def root(self) -> Container | None:
        return self.containers[0] if self.containers else None

    @property
    def is_text(self) -> bool:
        """Return True if the parts are lines."""
        return bool(self.containers) and self.containers[0].kind == "lines"

    def container(self, path: Path) -> Container | None:
        return self._by_path.get(path)

    def with_container(self, container: Container) -> Index:
        """Return the same index with one container more, so that it need not be split again."""
        known = container.path in self._by_path
        return self if known else replace(self, containers=(*self.containers, container))


def build(body: Bytes) -> Index | None:
    """Index a JSON array or object. None if the data is neither, or is nested too deep to be read."""
    start, end = scan.bounds(body)
    splitter = _Splitter(body)
    try:
        if not scan.is_container(body[start : start + 1]):
            return None
        scan.check(body)
        depth = splitter.split(start, end, ())
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    return Index(size=len(body), depth=depth, containers=splitter.containers()) if depth <= scan.MAX_DEPTH else None


def index_whole(body: bytes, depth: int) -> Index:
    """Index an array or object that is known to be JSON of this depth."""
    splitter = _Splitter(body, has_depth=False)
    splitter.split(*scan.bounds(body), ())
    return Index(size=len(body), depth=depth, containers=splitter.containers())


def index_lines(body: Bytes) -> Index:
    """Index the lines of a text."""
    if not body[:1]:
        return Index(size=0, depth=0, containers=())
    starts = Collector(len(body))
    for first, steps in scan.line_steps(body):
        starts.add(first, steps)
    root = Container(path=(), kind="lines", start=0, end=len(body), starts=starts.done())
    return Index(size=len(body), depth=0, containers=(root,))


def index_values(body: Bytes) -> Index | None:
    """Index JSON values that stand one after the other, on lines of their own or not; None unless there are two or
    more, and the first is a container."""
    root = split_values(body)
    if root is None:
        return None
    runs = ((root.starts[run.start], root.starts[run.stop]) for run in root.batches())
    depth = max(nesting.depth(body[start:end]) for start, end in runs)
    return Index(size=len(body), depth=depth, containers=(root,)) if depth <= scan.MAX_DEPTH else None


def split_values(body: Bytes) -> Container | None:
    """Return the same values, however deep they are, as a container."""
    starts = Collector(len(body))
    first = scan.first_place(body)
    if not scan.is_container(body[first : first + 1]):
        return None
    try:
        for first, steps in scan.value_steps(body):
            starts.add(first, steps)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    root = Container(path=(), kind="records", start=0, end=len(body), starts=starts.done())
    return root if root.count > 1 else None


def reader(body: Bytes) -> Read:
    """Return a ``Read`` over a document."""
    return lambda start, end: body[start:end]


def split_value(value: bytes, path: Path = (), base: int = 0) -> Container:
    """Return the container that is all of ``value``, an array or an object in JSON without white space around it, which
    begins at ``base`` in its document."""
    parts = _Parts(value, 0, len(value), base)
    for _ in parts.find():
        pass
    return parts.container(path)


def minified(data: Bytes | memoryview, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield what ``scan.minify`` gives of the JSON value between two positions, in pieces of about a batch."""
    if end is None:
        start, end = scan.bounds(data)
    is_long = end - start > BATCH
    if is_long and data[start] == _QUOTE:
        yield from pieces(data, start, end)
        return
    if not is_long or not scan.is_container(bytes(data[start : start + 1])):
        yield scan.minify(bytes(data[start:end]))
        return
    opening, closing = bytes(data[start : start + 1]), bytes(data[end - 1 : end])
    before = opening
    for run in _Parts(data, start, end).find():
        yield before
        before = b","
        if run.value is None:
            parts = bytes(data[run.start : run.end]).rstrip(b", \t\r\n")
            yield scan.minify(b"".join((opening, parts, closing)))[1:-1]
            continue
        if run.key is not None:
            yield bytes(data[run.start : run.value]).rstrip(b": \t\r\n") + b":"
        yield from minified(data, run.value, run.end)
    yield closing


def dump(index: Index) -> bytes:
    """Write an index to bytes, for a store."""
    containers = [(one.path, one.kind, one.start, one.end, one.starts.dump(), one.keys) for one in index.containers]
    return msgspec.msgpack.encode({"size": index.size, "depth": index.depth, "containers": containers})


def load(data: bytes | memoryview) -> Index:
    """Read an index that ``dump`` wrote."""
    fields = msgspec.msgpack.decode(data)
    containers = (
        Container(
            path=tuple(path),
            kind=kind,
            start=start,
            end=end,
            starts=Positions.load(*starts),
            keys=None if keys is None else tuple(keys),
        )
        for path, kind, start, end, starts, keys in fields["containers"]
    )
    return Index(size=fields["size"], depth=fields["depth"], containers=tuple(containers))


class _Run(NamedTuple):
    """Some whole parts of a container. Of a single part ``value`` is the place of its value, and ``key`` its name."""

    start: int
    end: int
    value: int | None = None
    key: str | None = None


class _Splitter:
    """Splits a container, and those inside it that are larger than a batch, into their parts."""

    def __init__(self, body: Bytes, *, has_depth: bool = True) -> None:
        self._body = body
        self._has_depth = has_depth
        self._containers: list[Container] = []

    def containers(self) -> tuple[Container, ...]:
        """Return all containers, the root first."""
        return tuple(sorted(self._containers, key=lambda one: one.start))

    def split(self, start: int, end: int, path: Path) -> int:
        """Split the container between two positions. Returns its depth, unless that is known."""
        parts = _Parts(self._body, start, end)
        deepest = 0
        for run in parts.find():
            if run.value is None or run.end - run.start <= BATCH:
                deepest = max(deepest, nesting.depth(self._body[run.start : run.end])) if self._has_depth else 0
            elif scan.is_container(self._body[run.value : run.value + 1]):
                step = parts.count - 1 if run.key is None else run.key
                deepest = max(deepest, self.split(run.value, run.end, (*path, step)))
        self._containers.append(parts.container(path))
        return deepest + 1


class _Parts:
    """Finds the parts of one container: many at a time where a piece of it tells them, else one after the other."""

    def __init__(self, body: Bytes | memoryview, start: int, end: int, base: int = 0) -> None:
        self._body = body
        self._start = start
        self._end = end
        self._base = base
        self._keyed = body[start : start + 1] == b"{"
        self._starts = Collector(base + end)
        self._keys: list[str] = []
        self.count = 0

    def find(self) -> Iterator[_Run]:
        """Find all parts, and yield runs of them."""
        at, end = self._start + 1, self._end - 1
        while (at := scan.first_place(self._body, at)) < end:
            piece = bytes(self._body[at : min(at + scan.RUN, end)])
            if at + len(piece) == end:
                found = (len(piece), *scan.part_steps(piece, keyed=self._keyed))
            elif (some := scan.whole_parts(piece, keyed=self._keyed)) is not None:
                found = some
            else:
                at = yield from self._one_by_one(at, at + len(piece))
                continue
            stop, begin, steps, keys = found
            self._add(at + begin, steps, keys)
            yield _Run(at, at + stop)
            at += stop

    def _one_by_one(self, at: int, stop: int) -> Generator[_Run, None, int]:
        """Find the parts that begin before a place. Returns where the next one begins, or the end."""
        while at < stop:
            key, value = scan.open_member(self._body, at) if self._keyed else (None, at)
            end = scan.value_end(self._body, value)
            self._add(at, (), () if key is None else (key,))
            yield _Run(at, end, value, key)
            at = scan.first_place(self._body, end)
            if self._body[at : at + 1] == b",":
                at = scan.first_place(self._body, at + 1)
        return at

    def _add(self, begin: int, steps: Sequence[int], keys: Sequence[str]) -> None:
        self._starts.add(self._base + begin, steps)
        self._keys += keys[: MOST_KEYS + 1 - len(self._keys)]
        self.count += len(steps) + 1

    def container(self, path: Path) -> Container:
        """Return the container, whose parts were found."""
        self._starts.add(self._base + self._end - 1)
        return Container(
            path=path,
            kind="object" if self._keyed else "array",
            start=self._base + self._start,
            end=self._base + self._end,
            starts=self._starts.done(),
            keys=tuple(self._keys) if self._keyed and len(self._keys) <= MOST_KEYS else None,
        )
