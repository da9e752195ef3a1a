"""A walk over a sample of the document that learns its types, and what weighs how much.

The sample is a few hundred items at even distances, read by position; nothing is decoded but keys, so no value can
fail to convert. Small documents are walked whole, and then all figures are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.core.json import scan
from penstock.core.json.path import EACH, Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.core.json.index import Container, Index, Read

MOST_ITEMS: Final = 200  # items of one large container; 200 gave the same shape as all of them in our measurements
MOST_BYTES: Final = 262_144  # of one container's items read for the sample: items may be large
MOST_FIELDS: Final = 200  # fields of one object walked; a wider object is a map, whose members are alike
MOST_LEVELS: Final = 12  # levels walked; nobody reads a shape deeper than that


@dataclass(slots=True, kw_only=True)
class Form:
    """What was seen at one place of the document: types, fields, items, and bytes (scaled up from the sample)."""

    scalars: dict[str, int] = field(default_factory=dict)
    objects: int = 0
    arrays: int = 0
    fields: dict[str, Form] = field(default_factory=dict)
    seen: int = 0
    item: Form | None = None
    items: float = 0.0
    size: float = 0.0
    exact: bool = True
    wide: bool = False

    def each(self) -> Form:
        """The form of an array's items."""
        self.item = self.item or Form()
        return self.item

    def walk(self, path: Path = ()) -> Iterator[tuple[Path, Form]]:
        """Every place with the form found there, parents first."""
        yield path, self
        for name, inner in self.fields.items():
            yield from inner.walk((*path, name))
        if self.item is not None:
            yield from self.item.walk((*path, EACH))


def learn(index: Index, read: Read) -> Form:
    """Learn the form of a whole document from its index."""
    form = Form()
    if index.root is not None and index.root.kind != "lines":
        _Learner(index=index, read=read).learn(form, index.root, 1.0, 0)
    return form


def spread(count: int, most: int) -> range | list[int]:
    """Up to ``most`` indexes at even distances, the first and the last among them."""
    if count <= most:
        return range(count)
    return sorted({round(i * (count - 1) / (most - 1)) for i in range(most)})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Learner:
    index: Index
    read: Read

    def learn(self, form: Form, container: Container, weight: float, level: int) -> None:
        """Learn from the parts of a container; those that are containers in the index are read by parts themselves."""
        form.seen += 1
        form.size += container.size * weight
        if container.kind == "object":
            form.objects += 1
            form.wide |= container.count > MOST_FIELDS
        else:
            form.arrays += 1
            form.items += container.count * weight
        average = max(1, container.size // max(1, container.count))
        chosen = spread(container.count, max(8, min(MOST_ITEMS, MOST_BYTES // average)))
        share = container.count / len(chosen) if chosen else 1.0
        exact = len(chosen) == container.count
        form.exact &= exact
        for number in chosen:
            # A container in the index is not read whole only to find out which one it is.
            step = number if container.kind != "object" else container.key(self.read, number)
            inner = form.fields.setdefault(step, Form()) if isinstance(step, str) else form.each()
            known = self.index.container((*container.path, step))
            if known is not None:
                self.learn(inner, known, weight * share, level + 1)
            else:
                part = container.item(self.read, number)
                value = scan.member_value(part) if container.kind == "object" else part
                _learn_value(inner, value, weight * share, level + 1, exact)


def _learn_value(form: Form, value: bytes, weight: float, level: int, exact: bool) -> None:
    form.seen += 1
    form.size += len(value) * weight
    form.exact &= exact
    first = value[0]
    if first == 0x7B:
        form.objects += 1
        parts = scan.fields(value) if level < MOST_LEVELS else {}
        form.wide |= len(parts) > MOST_FIELDS
        known = form.fields
        for key, inner in islice(parts.items(), MOST_FIELDS):
            if (place := known.get(key)) is None:
                place = known[key] = Form()
            _learn_value(place, bytes(inner), weight, level + 1, exact)
    elif first == 0x5B:
        form.arrays += 1
        found = scan.items(value) if level < MOST_LEVELS else []
        form.items += len(found) * weight
        chosen = spread(len(found), MOST_ITEMS)
        share = len(found) / len(chosen) if chosen else 1.0
        for number in chosen:
            _learn_value(form.each(), found[number], weight * share, level + 1, exact and share == 1.0)
    else:
        kind = scan.scalar_type(value)
        form.scalars[kind] = form.scalars.get(kind, 0) + 1
