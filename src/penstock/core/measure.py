"""What a document is, in figures: bytes, tokens, items, depth, arrays, shape, and what weighs most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.forms.document import Document, Kind
from penstock.core.json import index as indexing
from penstock.core.json.index import ArrayInfo, Index
from penstock.core.json.path import EACH, Path
from penstock.core.sample import Form, learn
from penstock.core.shape import is_map, shape
from penstock.core.tokens.count import Count, count

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_HEAVY: Final = 12  # places listed by weight
MOST_INNER: Final = 40  # arrays inside items that are listed: a recursive tree has one per level
INNER_LEVELS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """How many bytes of the document lie at a path; through ``[]`` all items together, scaled up from a sample."""

    path: Path
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The figures of one document. ``items`` counts what ``main`` holds: records, lines, or nothing for binary."""

    kind: Kind
    size: int
    tokens: Count
    items: int
    depth: int
    main: Path
    arrays: tuple[ArrayInfo, ...]
    arrays_total: int
    shape: str
    heavy: tuple[Weight, ...]


def measure(
    document: Document, profile: str = "claude", *, index: Index | None = None, form: Form | None = None
) -> Measure:
    """Measure a document; an index or a form that is there already is used again."""
    index = indexing.build(document) if index is None else index
    form = learn(index, indexing.reader(document.body)) if form is None else form
    main = index.main
    inner = [one for one in _inner_arrays(form) if one.path[-1:] != (EACH,) or one.items]
    return Measure(
        kind=document.kind,
        size=len(document.raw),
        tokens=count_document(document, profile),
        items=main.count if main is not None else 0,
        depth=document.depth,
        main=main.path if main is not None else (),
        arrays=(*index.arrays, *inner[:MOST_INNER]),
        arrays_total=index.arrays_total + len(inner),
        shape=shape(form) or _plain_shape(document),
        heavy=_heavy(form),
    )


def count_document(document: Document, profile: str) -> Count:
    """The tokens of a document as it came."""
    return document.once(f"tokens by {profile}", lambda document: count(document.raw, profile))


def _plain_shape(document: Document) -> str:
    if document.kind is Kind.BINARY:
        return f"{document.media or 'bytes'}{' in base64' if document.base64 else ''}"
    return "text"


def _inner_arrays(form: Form) -> Iterator[ArrayInfo]:
    for path, place in form.walk():
        if place.arrays and EACH in path and path.count(EACH) <= INNER_LEVELS:
            yield ArrayInfo(path=path, items=round(place.items), size=round(place.size), exact=place.exact)


def _heavy(form: Form) -> tuple[Weight, ...]:
    """The heaviest places. A place that is little more than one child inside it is passed over for that child, and
    the members of a map are left to the map."""
    weights: list[Weight] = []
    waiting: list[tuple[Path, Form]] = [((), form)]
    while waiting:
        path, place = waiting.pop()
        children = [((*path, name), inner) for name, inner in place.fields.items()] if not is_map(place) else []
        if place.item is not None:
            children.append(((*path, EACH), place.item))
        if path and not any(inner.size >= place.size * 0.9 for _, inner in children):
            weights.append(Weight(path=path, size=round(place.size)))
        waiting.extend(children)
    weights.sort(key=lambda one: -one.size)
    return tuple(weights[:MOST_HEAVY])
