"""Measures a document: bytes, tokens, rows, depth, shape, and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core.forms.recognise import read_form
from penstock.core.tokens.count import Count, count

if TYPE_CHECKING:
    from penstock.core.forms.document import Document, Kind
    from penstock.core.forms.reading import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The figures of one document. ``items`` counts the rows of its main table; where those were not counted, its
    lines, or the parts of its root."""

    kind: Kind
    size: int
    tokens: Count
    items: int
    depth: int
    reading: Reading

    @property
    def form(self) -> str:
        return self.reading.form

    @property
    def shape(self) -> str:
        return self.reading.shape

    @property
    def main(self) -> str:
        """Return where the main table lies."""
        return self.reading.main.path if self.reading.main is not None else "."


def measure(
    document: Document, profile: str = "claude", *, reading: Reading | None = None, tokens: Count | None = None
) -> Measure:
    """Measure a document; what is known already is used again."""
    reading = read_form(document) if reading is None else reading
    main = reading.main
    return Measure(
        kind=document.kind,
        size=len(document.raw),
        tokens=count(document.raw, profile) if tokens is None else tokens,
        items=document.parts if main is None or main.about else main.rows,
        depth=document.depth,
        reading=reading,
    )
