"""Writes one item of a page (minified, with only some of its fields, or cut inside because it is larger than the page)
and what stands around the items: nothing but a name, or the other fields of the object around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.json import scan
from penstock.core.json.index import reader, split_value
from penstock.core.json.strings import quote
from penstock.core.plain import Plain
from penstock.core.reading.cut import shorten_scalar
from penstock.core.reading.indicator import Indicator
from penstock.core.reading.outline import outline_within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.budget import Room
    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path


SHARE: Final = 5  # the other fields may take one part in this many of a page
LARGE_FIELD: Final = 4  # and one field one part in this many of theirs
FAR_LARGER: Final = 16  # bytes for each token of its room: no part of such a field would fit
MOST_FIELDS: Final = 40  # a wider object is a map, and its other members are not about these items


def minified(part: bytes, *, keyed: bool = False) -> bytes:
    """Return an item, or a ``"key": value`` member when ``keyed``, without white space between its tokens."""
    return scan.minify(b"{" + part + b"}")[1:-1] if keyed else scan.minify(part)


def project(item: bytes, wanted: Sequence[Path]) -> bytes:
    """Return only these fields of an object, in the object's order; a field may be a path (``.user.name``)."""
    parts: list[bytes] = []
    for key, value in scan.members(item):
        deeper = [path[1:] for path in wanted if path[:1] == (key,)]
        if () in deeper or (deeper and value[:1] != b"{"):
            parts.append(quote(key) + b":" + value)
        elif deeper:
            parts.append(quote(key) + b":" + project(value, deeper))
    return b"{" + b",".join(parts) + b"}"


def shorten_item(item: bytes, room: Room, *, keyed: bool = False) -> bytes:
    """Return one item cut inside so that it fits: a container shows its upper levels, a string its beginning."""
    if keyed:
        value = scan.member_value(item)
        key = item[: len(item) - len(value)]
        return key + shorten_item(value, room.less(key))
    if room.fits(item):
        return item
    if not scan.is_container(item):
        return shorten_scalar(item, lambda part: room.fits(quote(part)))
    text = outline_within(split_value(item), reader(item), room).text
    return text if room.fits(text) else Indicator().mark(item)


class Frame(Plain, frozen=True, kw_only=True):
    """JSON members before and after the paged one. ``omitted`` counts fields that had no room at all."""

    name: str = "items"
    before: tuple[bytes, ...] = ()
    after: tuple[bytes, ...] = ()
    omitted: int = 0

    def render(self, items: bytes, pagination: bytes) -> bytes:
        members = [*self.before, quote(self.name) + b":" + items, *self.after, b'"_pagination":' + pagination]
        return b"{" + b",".join(members) + b"}"


def frame_for(index: Index, read: Read, container: Container, room: Room) -> Frame:
    """Return the frame for pages of a container: an array that is a field of the root object keeps the object around
    it, unless its name alone would fill the page."""
    root = index.root
    if root is None or root.kind != "object" or len(container.path) != 1 or root.keys is None:
        return Frame()
    share = room.limited(tokens=room.tokens // SHARE, size=room.size // SHARE)
    one = share.limited(tokens=share.tokens // LARGE_FIELD, size=share.size // LARGE_FIELD)
    if not share.fits(str(container.path[0])):
        return Frame()
    before: list[bytes] = []
    after: list[bytes] = []
    omitted = 0
    place = before
    for number, key in enumerate(root.keys):
        if key == container.path[0]:
            place = after
            continue
        if number >= MOST_FIELDS or key == "_pagination":
            omitted += 1
            continue
        part = root.item(read, number)
        member = _member(part, one)
        is_emptied = scan.member_value(member) == b'""' != scan.member_value(part)  # cut to nothing, without a mark
        if is_emptied or not share.fits(member):
            omitted += 1
            continue
        share = share.less(member)
        place.append(member)
    return Frame(name=str(container.path[0]), before=tuple(before), after=tuple(after), omitted=omitted)


def _member(part: bytes, room: Room) -> bytes:
    """Return a field beside the items: cut to its room, or only counted where it is far larger."""
    value = scan.member_value(part)
    if len(value) > FAR_LARGER * room.tokens and scan.is_container(value):
        return minified(part[: len(part) - len(value)] + Indicator().mark(value), keyed=True)
    return shorten_item(minified(part, keyed=True), room, keyed=True)
