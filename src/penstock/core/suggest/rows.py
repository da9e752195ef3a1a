"""The items of a document as values to learn from: all of them when that is cheap, else some taken at random places.

Lines of text are read as records too, as far as they show a file, a time or a level at their beginning, so that what
is learned from records is learned from search results and logs as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.json import scan
from penstock.core.shape import is_map
from penstock.core.toolkit.fields import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.core.json.index import Container, Read
    from penstock.core.sample import Form
    from penstock.core.subject import Subject
    from penstock.core.toolkit.fields import FieldPath

ALL_BYTES: Final = 1_048_576  # up to here every item is read, and shares are exact
ALL_ROWS: Final = 2_500  # beyond it counting takes longer than it is worth: a reader needs two digits
SOME_BYTES: Final = 1_048_576  # of a larger document
SOME_ROWS: Final = 1_500  # a part of 5 % is then known to within an eighth of itself
LEAST_SAMPLED: Final = 16  # items of a part seen among some of all: fewer, and nobody knows how many it has
LARGEST_ROW: Final = 131_072  # bytes; a larger item is a document of its own, and too costly to build
LEAST_ROWS: Final = 5  # parts of fewer items are not worth a call
SAMPLE_ROWS: Final = 32  # items whose text is counted to learn what a part's bytes cost
SAMPLE_BYTES: Final = 4_096  # of them together; more change the cost by less than the count itself is unsure
HEAD: Final = 160  # characters of a line that are looked at

_MULTIPLIER: Final = 6_364_136_223_846_793_005  # Knuth's, for numbers of 64 bits that look drawn by chance
_INCREMENT: Final = 1_442_695_040_888_963_407
_LINE_PATH = re.compile(r"\s*([^\s:()\[\]\"']+[/\\][^\s:()\[\]\"']+)")
_LINE_TIME = re.compile(
    r"\W{0,2}([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}"
    r"(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)"
)
_LEVELS: Final = ("EMERGENCY", "ALERT", "FATAL", "CRITICAL", "ERROR", "WARN", "NOTICE", "INFO", "DEBUG", "TRACE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some of the items: how many and how many bytes (scaled up from what was read), and the text of a few."""

    count: int
    size: float
    sample: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """``values[i]`` is item ``numbers[i]`` of the container; a member of a map is ``{"key": ..., "value": ...}``.

    ``sizes`` are in bytes of the document: where not all items were read, each stands for some that were not.
    """

    container: Container
    read: Read
    numbers: Sequence[int]
    values: list[Any]
    sizes: list[float]
    exact: bool
    _columns: dict[FieldPath, list[Any]] = field(default_factory=dict)
    _types: dict[FieldPath, set[type]] = field(default_factory=dict)

    def raw(self, at: int) -> bytes:
        """The original bytes of an item."""
        return self.container.item(self.read, self.numbers[at])

    def column(self, path: FieldPath) -> list[Any]:
        """The values of a field, ``ABSENT`` where an item has none; remembered, as every question begins with it."""
        if not path:
            return self.values
        if path not in self._columns:
            owners, name = self.column(path[:-1]), path[-1]
            self._columns[path] = [one.get(name, ABSENT) if type(one) is dict else ABSENT for one in owners]
        return self._columns[path]

    def all_are(self, kind: type, path: FieldPath) -> bool:
        """Whether every item is known to have a value of this type in the field."""
        if path not in self._types:
            self._types[path] = set(map(type, self.column(path)))
        return self.exact and self._types[path] == {kind}

    @property
    def least(self) -> int:
        """How many items of a part must have been seen."""
        return 2 if self.exact else LEAST_SAMPLED

    def part(self, numbers: Sequence[int]) -> Part:
        chosen = [numbers[at] for at in scattered(len(numbers), SAMPLE_ROWS)]
        return Part(
            count=-(-len(numbers) * self.container.count // len(self.values)),
            size=sum(map(self.sizes.__getitem__, numbers)),
            sample=few(self.raw(at) for at in chosen if is_small(self.container, self.numbers[at])),
        )


def read_rows(subject: Subject) -> Rows | None:
    """The items of the main container, decoded; None when there are too few to tell anything from."""
    container, form = subject.main, main_form(subject)
    if container is None or container.count < LEAST_ROWS:
        return None
    if container.kind == "object" and (form is None or not is_map(form)):
        return None  # its members are the fields of one thing
    exact = container.size <= ALL_BYTES and container.count <= ALL_ROWS
    average = max(1, container.size // container.count)
    some = max(8, min(SOME_ROWS, SOME_BYTES // average))
    numbers = range(container.count) if exact else scattered(container.count, some)
    sizes = [container.span(number, number + 1) for number in numbers]
    factor = container.span(0, container.count) / sum(sizes)
    return Rows(
        container=container,
        read=subject.read,
        numbers=numbers,
        values=_values(container, subject.read, numbers, exact=exact),
        sizes=[size * factor for size in sizes],
        exact=exact,
    )


def main_form(subject: Subject) -> Form | None:
    """What was learned of the main container; None if it was passed over, among the members of a wide object."""
    place = subject.form
    for step in subject.main.path if subject.main is not None else ():
        inner = place.fields.get(step) if isinstance(step, str) else place.item
        if inner is None:
            return None
        place = inner
    return place


def is_small(container: Container, number: int) -> bool:
    """Whether an item may be read: it costs as much as its bytes, and many are."""
    return container.span(number, number + 1) <= LARGEST_ROW


def few(parts: Iterable[bytes]) -> tuple[bytes, ...]:
    """The first of the parts, whole, until they are ``SAMPLE_BYTES`` together."""
    chosen: list[bytes] = []
    size = 0
    for part in parts:
        if size >= SAMPLE_BYTES:
            break
        chosen.append(part)
        size += len(part)
    return tuple(chosen)


def scattered(count: int, most: int) -> range | list[int]:
    """Up to ``most`` different numbers below ``count`` in order: as if drawn, but always the same ones.

    Even distances, and whatever else has a rule, fall into step with data that repeats itself every ten items.
    """
    if count <= most:
        return range(count)
    drawn: set[int] = set()
    state = count
    for _ in range(most):
        state = (state * _MULTIPLIER + _INCREMENT) % 2**64
        drawn.add(state * count >> 64)
    return sorted(drawn)


def _values(container: Container, read: Read, numbers: Sequence[int], *, exact: bool) -> list[Any]:
    if exact and container.kind == "array":
        whole = _value(read(container.start, container.end))
        if type(whole) is list:  # one call for all items takes a third of the time
            return whole
    decode = {"lines": _line, "object": _member}.get(container.kind, _value)
    return [decode(container.item(read, number)) if is_small(container, number) else None for number in numbers]


def _value(part: bytes) -> Any:
    """The item as Python has it; an object with a number that Python cannot hold, as far as its strings go."""
    try:
        return msgspec.json.decode(part)
    except (msgspec.MsgspecError, RecursionError):
        return _strings(part) if part[:1] == b"{" else None


def _strings(part: bytes) -> dict[str, str]:
    return {key: msgspec.json.decode(value) for key, value in scan.members(part) if value[:1] == b'"'}


def _member(part: bytes) -> Any:
    whole = b"{" + part + b"}"
    try:
        [(key, value)] = msgspec.json.decode(whole).items()
    except (msgspec.MsgspecError, RecursionError):
        [(key, inner)] = scan.members(whole)
        value = _value(inner)
    return {"key": key, "value": value}


def _line(part: bytes) -> dict[str, str]:
    """The file, the time and the level that a line begins with, as far as it does."""
    text = part[:HEAD].decode("utf-8", "ignore")
    found: dict[str, str] = {}
    if ("/" in text or "\\" in text) and (path := _LINE_PATH.match(text)) is not None:
        found["path"] = path[1]
    if (time := _LINE_TIME.match(text)) is not None:
        found["time"] = time[1]
    levels = [(text.find(level), level) for level in _LEVELS if level in text]
    if levels:
        found["level"] = min(levels)[1]
    return found
