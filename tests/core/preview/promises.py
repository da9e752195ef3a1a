"""What every preview promises, whatever the data and the room: it fits, can be sent, counts truly, and only grows."""

from __future__ import annotations

import re
from collections.abc import Callable

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.preview.base import Preview
from penstock.core.subject import Subject, study

Make = Callable[[Subject, Room], Preview | None]

ROOMS = [
    *(Room(tokens=tokens, size=8_192) for tokens in (0, 8, 16, 30, 40, 50, 70, 90, 200, 500, 1_500)),
    Room(tokens=10_000_000),
]
WIDE = ROOMS[-1]


def shown(make: Make, data: str | bytes, room: Room | None = None) -> Preview | None:
    return make(study(read(data)), room or Room(tokens=1_500, size=8_192))


def must_show(make: Make, data: str | bytes, room: Room | None = None) -> Preview:
    found = shown(make, data, room)
    assert found is not None
    return found


def growing(make: Make, data: str | bytes) -> list[Preview]:
    """The previews of growing rooms, each of which was checked."""
    subject = study(read(data))
    found: list[Preview] = []
    for room in ROOMS:
        preview = make(subject, room)
        if preview is None:
            assert not found, "a larger room shows less"
            continue
        assert room.fits(preview.text)
        preview.text.encode()
        preview.headline.encode()
        assert 0 == preview.shown.start <= preview.shown.end <= preview.shown.total
        assert not found or found[-1].shown.end <= preview.shown.end, "a larger room shows less"
        found.append(preview)
    return found


def hidden(text: str, noun: str) -> int:
    """How many things the marks in a preview say are not shown."""
    marks = re.findall(rf"(?m)^… ([\d,]+) {noun}s? not shown", text)
    return sum(int(number.replace(",", "")) for number in marks)
