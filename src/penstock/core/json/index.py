"""Finds where the parts of a document lie, so that a page or a path is a slice and never a parse of the whole.

An ``Index`` is small beside its document, can be written to bytes and read back, and answers together with a
``Read`` function (positions in, bytes out): the document may be in memory or in a store's blocks. Only the root and
what is larger than a batch is in it; a smaller container is split again when a path leads to it, in a millisecond.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import sub
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from penstock.core.json import nesting, scan
from penstock.core.json.long_bytes import Bytes, gathered, most_of
from penstock.core.json.positions import Collector, Positions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.json.path import Path

Read = Callable[[int, int], bytes]

BATCH: Final = 1_048_576  # bytes read at a time: as objects of ours they take up to 35 times that
LEAP: Final = 131_072  # bytes of items that are parsed at a time; the C library maps larger blocks anew for each
PIECES: Final = 4  # of a batch, whose parts are found one piece at a time: each part is an object for a moment
MOST_KEYS: Final = 1_000  # keys of an object kept by name; a wider object is a map, and is searched instead
LONG_KEY: Final = 1_024  # bytes at the beginning of a member in which its key is looked for first

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
    """Index a JSON array or object; None when the data is neither, or nested too deep to be read.

    Every byte goes through the parser on the way, a batch at a time, so this is also the test whether it is JSON.
    """
    start = scan.first_place(body)
    builder = _Builder(body)
    try:
        if not scan.is_container(body[start : start + 1]):
            return None
        end = builder.add(start, most_of(body), ())
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    if builder.deepest > scan.MAX_DEPTH or not scan.is_blank_from(body, end):
        return None
    containers = sorted(builder.containers, key=lambda one: one.start)
    return Index(size=len(body), depth=builder.deepest, containers=tuple(containers))


def index_whole(body: bytes, depth: int) -> Index:
    """Index an array or object that is known to be JSON of this depth, and is small enough to be parsed at once."""
    return Index(size=len(body), depth=depth, containers=tuple(split_large(body, *scan.bounds(body))))


def index_lines(body: Bytes) -> Index:
    """Index the lines of a text."""
    if not body[:1]:
        return Index(size=0, depth=0, containers=())
    starts = Collector(most_of(body))
    for first, steps in scan.line_steps(body):
        starts.add(first, steps)
    root = Container(path=(), kind="lines", start=0, end=len(body), starts=starts.done())
    return Index(size=len(body), depth=0, containers=(root,))


def index_values(body: Bytes) -> Index | None:
    """Index JSON values that stand one after the other, on lines of their own or not; None unless there are two or
    more, and the first is a container."""
    climb = nesting.Climb(body, 0, most_of(body))
    root = split_values(body, climb)
    if root is None or climb.deepest > scan.MAX_DEPTH:
        return None
    return Index(size=len(body), depth=climb.deepest, containers=(root,))


def split_values(body: Bytes, climb: nesting.Climb | None = None) -> Container | None:
    """Return the same values, however deep they are, as a container. ``climb`` goes with them, so that nothing has to
    be read again."""
    starts = Collector(most_of(body))
    first = scan.first_place(body)
    if not scan.is_container(body[first : first + 1]):
        return None
    try:
        for first, steps in scan.value_steps(body):
            starts.add(first, steps)
            while climb is not None and climb.at < min(first, climb.end):
                climb.advance()
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
    return split(value, 0, len(value), path, base)


def split(body: bytes, start: int, end: int, path: Path, base: int = 0) -> Container:
    """Return the container between two positions, which is split at once and not piece by piece."""
    parts = _Parts(body, start, base)
    parts.take_all(end)
    return parts.container(path, end)


def split_large(body: bytes, start: int, end: int, path: Path = ()) -> Iterator[Container]:
    """Return the container between two positions, and the ones inside it that are larger than a batch. Every byte
    goes through the parser on the way."""
    container = split(body, start, end, path)
    yield container
    for number in range(container.count) if container.starts.widest > BATCH else ():
        if container.span(number, number + 1) > BATCH:
            step: str | int = number
            at = container.starts[number]
            behind = at + len(container.item(reader(body), number))
            if container.kind == "object":
                step, at = scan.open_member(body, at)
            if scan.is_container(body[at : at + 1]):
                yield from split_large(body, at, behind, (*path, step))


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


class _Builder:
    """Indexes a container, and the large ones inside it, in one pass over the bytes."""

    def __init__(self, body: Bytes) -> None:
        self.body = body
        self.containers: list[Container] = []
        self.deepest = 0

    def add(self, start: int, limit: int, path: Path) -> int:
        """Add the container that begins at ``start``, and return where it ends."""
        parts = _Parts(self.body, start)
        climb = nesting.Climb(self.body, start + 1, limit, level=1)
        first = start + 1
        while (end := climb.advance_within()) is None:
            if len(path) + climb.deepest > scan.MAX_DEPTH:  # said now, and not level by level
                raise msgspec.DecodeError("nested too deep")
            if climb.at - first < BATCH // PIECES:
                continue
            if (comma := climb.next_comma()) is not None:
                parts.take(first, comma)
                first = self._leap(parts, comma, limit, path)
                if first > climb.at:
                    self.deepest = max(self.deepest, len(path) + climb.deepest)
                    climb = nesting.Climb(self.body, first, limit, level=1)
            elif climb.level > 1 and climb.at - first >= BATCH:  # inside a part that is larger than a batch
                self.deepest = max(self.deepest, len(path) + climb.deepest)
                first = self._add_large(parts, climb.last_comma(first), limit, path, first)
                climb = nesting.Climb(self.body, first, limit, level=1)
        parts.take(first, end - 1)
        self.deepest = max(self.deepest, len(path) + climb.deepest)
        self.containers.append(parts.container(path, end))
        return end

    def _leap(self, parts: _Parts, comma: int, limit: int, path: Path) -> int:
        """Take the items behind a comma up to what looks like the same gap, piece by piece, without following their
        brackets. What parses as items is items: a place inside one would leave it open. Returns where what follows
        begins."""
        gap = None if parts.keyed else scan.between_objects(self.body, comma)
        while gap is not None:
            first = comma + 1
            piece = self.body[first : min(first + LEAP, limit)]
            piece = piece[: piece.rfind(gap) + 1]
            try:
                if not piece:
                    return first
                parts.take_piece(first, piece)
            except msgspec.DecodeError:
                return first
            comma = first + len(piece)
            self.deepest = max(self.deepest, len(path) + 1 + nesting.depth_at_once(piece))
        return comma + 1

    def _add_large(self, parts: _Parts, comma: int | None, limit: int, path: Path, first: int) -> int:
        """Take the small parts up to the comma, then the large one behind it. Returns where what follows begins."""
        if comma is not None:
            parts.take(first, comma)
            first = comma + 1
        step, value = parts.open(first)
        if not scan.is_container(self.body[value : value + 1]):
            raise msgspec.DecodeError("brackets behind something that is no container")
        return parts.close(self.add(value, limit, (*path, step)))


class _Parts:
    """The parts of one container, as they are found."""

    def __init__(self, body: Bytes, start: int, base: int = 0) -> None:
        self.body = body
        self.start = start
        self.base = base
        self.keyed = body[start : start + 1] == b"{"
        self.starts = Collector(base + most_of(body))
        self.keys: list[str] = []
        self.count = 0
        self.expected = False  # a comma stands before: something must follow it

    def take(self, first: int, last: int) -> None:
        """Take the parts between two positions, a comma or a bracket behind them."""
        self.take_piece(first, self.body[first:last])

    def take_piece(self, first: int, piece: bytes) -> None:
        """Take the same, of which the bytes are known."""
        if not piece.strip():
            if self.expected:
                raise msgspec.DecodeError("nothing behind a comma")
            return
        if self.count and not self.expected:
            raise msgspec.DecodeError("no comma between two parts")
        if self.keyed:
            self._take_members(b"{" + piece + b"}", 0, len(piece) + 2, first - 1)
        else:
            begin, steps = scan.item_steps(piece)
            self._add(first + begin, steps)

    def take_all(self, end: int) -> None:
        """Take all parts of the container, which ends at ``end``."""
        body = gathered(self.body)  # which it is: a long one is taken piece by piece
        if self.keyed:
            self._take_members(body, self.start, end)
        elif (items := scan.all_item_steps(body, self.start, end)) is not None:
            self._add(*items)

    def _take_members(self, data: bytes, start: int, end: int, base: int = 0) -> None:
        keys, places = scan.member_starts(data, start, end)
        if places:
            self.keys += keys[: MOST_KEYS + 1 - len(self.keys)]
            self._add(base + places[0], list(map(sub, places[1:], places)))

    def _add(self, begin: int, steps: Sequence[int]) -> None:
        self.starts.add(self.base + begin, steps)
        self.count += len(steps) + 1
        self.expected = True

    def open(self, first: int) -> tuple[str | int, int]:
        """Begin one part: its key or number, and where its value begins."""
        if self.count and not self.expected:
            raise msgspec.DecodeError("no comma between two parts")
        step: str | int = self.count
        begin = value = first + scan.bounds(self.body[first : first + BATCH])[0]
        if self.keyed:
            step, value = scan.open_member(self.body, begin)
            self.keys += [step] if len(self.keys) <= MOST_KEYS else []
        self.starts.add(self.base + begin)
        self.count += 1
        return step, value

    def close(self, end: int) -> int:
        """End the part that was begun. Returns where the next one begins, or the closing bracket stands."""
        behind = end + scan.bounds(self.body[end : end + BATCH])[0]
        self.expected = self.body[behind : behind + 1] == b","
        return behind + 1 if self.expected else behind

    def container(self, path: Path, end: int) -> Container:
        if self.body[end - 1 : end] != (b"}" if self.keyed else b"]"):
            raise msgspec.DecodeError("a container that ends with another bracket")
        self.starts.add(self.base + end - 1)
        keys = tuple(self.keys) if self.keyed and len(self.keys) <= MOST_KEYS else None
        kind: ContainerKind = "object" if self.keyed else "array"
        start, end = self.base + self.start, self.base + end
        return Container(path=path, kind=kind, start=start, end=end, starts=self.starts.done(), keys=keys)
