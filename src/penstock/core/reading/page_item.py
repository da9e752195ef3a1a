"""One item of a page: minified, with only some of its fields, or cut inside because it is larger than the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.json import scan
from penstock.core.json.index import reader, split_value
from penstock.core.json.strings import quote
from penstock.core.reading.indicator import Indicator
from penstock.core.reading.outline import outline_within
from penstock.core.reading.scalar import shorten_scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.budget import Room
    from penstock.core.json.path import Path


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
