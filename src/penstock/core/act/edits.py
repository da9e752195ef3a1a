"""Edit JSON and texts by splices, and show the changes as a small diff.

What is set, removed and appended at JSON paths leaves all other bytes, numbers, white space and key order included. All
paths are those of the document before the edit. New members and items are written with the separators that the
container has already.

Parts of a text are replaced, also of a text that is a JSON string: its other escapes stay as they are. In a whole JSON
document, parts of its decoded text are replaced. The diff has the lines that changed, by their numbers, long ones cut
around the change.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec import field

from penstock.core.json.decoded import positions
from penstock.core.json.lookup import container_at, span_at
from penstock.core.json.path import render
from penstock.core.json.scan import member_value
from penstock.core.json.splice import Splice, splice
from penstock.core.json.strings import quote_exactly
from penstock.core.plain import Plain
from penstock.core.text import counted, shorten
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path


AROUND: Final = 60  # characters of a long line before the change, and behind it
LONG: Final = 240  # characters of a line, or of several that changed together, that are shown whole
MOST_LINES: Final = 4  # lines of one side of a change


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


def literal_splices(text: bytes, find: bytes, new: bytes) -> Iterator[Splice]:
    """Yield a splice for each place where ``find`` stands, none overlapping another."""
    at = text.find(find)
    while at >= 0:
        yield Splice(at, at + len(find), new)
        at = text.find(find, at + len(find))


def in_json_string(literal: bytes, splices: Sequence[Splice]) -> list[Splice]:
    """Return the splices of a text as splices of the JSON string that it stands in, quotes included."""
    return in_json(literal, [Splice(one.start + 1, one.end + 1, one.new) for one in splices])


def in_json(document: bytes, splices: Sequence[Splice]) -> list[Splice]:
    """Return the splices of the decoded text of JSON as splices of the JSON itself.

    A splice inside one string is text, so its new text is escaped. Any other splice is JSON as it is written.
    """
    wanted = sorted({place for one in splices for place in (one.start, one.end)})
    position = dict(zip(wanted, positions(document, wanted), strict=True))
    placed: list[Splice] = []
    at = quotes = 0  # A position, and how many quotes around strings are before it.
    for one in splices:
        start, end = position[one.start], position[one.end]
        quotes += _count_quotes(document[at:start])
        replaced_quotes = _count_quotes(document[start:end])
        is_text = quotes % 2 == 1 and not replaced_quotes
        new = quote_exactly(one.new.decode("utf-8", "surrogatepass"))[1:-1] if is_text else one.new
        placed.append(Splice(start, end, new))
        quotes += replaced_quotes
        at = end
    return placed


def _count_quotes(piece: bytes) -> int:
    """Count the quotes that begin or end a string."""
    return piece.replace(b"\\\\", b"").replace(b'\\"', b"").count(b'"')


class ShownChange(Plain, frozen=True):
    """The lines of a diff that show how some lines changed, and the number of places at which they changed."""

    text: str
    places: int


def changes(text: bytes, splices: Sequence[Splice]) -> Iterator[ShownChange]:
    """Yield each change: the number of its first line, then the lines before and after it."""
    number, counted = 1, 0
    for group in _groups(text, splices):
        start, end = text.rfind(b"\n", 0, group[0].start) + 1, text.find(b"\n", group[-1].end)
        number += text.count(b"\n", counted, start)
        counted = start
        old = text[start : end if end >= 0 else len(text)]
        moved = [Splice(one.start - start, one.end - start, one.new) for one in group]
        first = moved[0].start
        last = moved[-1].end + sum(len(one.new) - (one.end - one.start) for one in moved)  # in the new text
        sides = [("-", old, moved[-1].end), ("+", splice(old, moved), last)]
        lines = [f"{sign}{line}" for sign, side, end in sides for line in _lines(side, first, end)]
        yield ShownChange("\n".join((f"@@ line {number:,} @@", *lines)), len(group))


def _groups(text: bytes, splices: Sequence[Splice]) -> Iterator[list[Splice]]:
    """Yield the splices that touch the same lines together."""
    group: list[Splice] = []
    for one in splices:
        if group and text.find(b"\n", group[-1].end, one.start) >= 0:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _lines(side: bytes, first: int, last: int) -> list[str]:
    """Return the lines of one side of a change that lies between two places; what is cut is counted."""
    middle = side[first:last].decode("utf-8", "replace")
    # Enough of what stands around it, and perhaps half a character.
    before = side[max(0, first - LONG * 4) : first].decode("utf-8", "ignore")
    behind = side[last : last + LONG * 4].decode("utf-8", "ignore")
    if len(before) + len(middle) + len(behind) > LONG:
        before = f"…{before[-AROUND:]}" if len(before) > AROUND else before
        behind = f"{behind[:AROUND]}…" if len(behind) > AROUND else behind
        cut = len(middle) - LONG
        middle = f"{middle[: LONG // 2]}…({cut:,} more characters)…{middle[-LONG // 2 :]}" if cut > 0 else middle
    lines = f"{before}{middle}{behind}".split("\n")
    left = len(lines) - MOST_LINES
    return lines if left <= 0 else [*lines[:MOST_LINES], f"+{counted(left, 'line')}"]
