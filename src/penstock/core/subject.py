"""A document with all that was learned of it, as previews and suggestions take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.core import index as indexing
from penstock.core.sample import Form, learn, spread

if TYPE_CHECKING:
    from penstock.core.document import Document
    from penstock.core.index import Container, Index, Read


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """``main`` is the container that a reader would page through, if there is one."""

    document: Document
    index: Index
    form: Form
    read: Read

    @property
    def main(self) -> Container | None:
        return self.index.main

    def items(self, numbers: range | list[int]) -> list[bytes]:
        """These parts of the main container, each in its original bytes."""
        container = self.main
        return [] if container is None else [container.item(self.read, number) for number in numbers]

    def sample(self, most: int = 200, most_bytes: int = 262_144) -> list[bytes]:
        """Parts of the main container at even distances, all of them when there are few."""
        container = self.main
        if container is None or container.count == 0:
            return []
        average = max(1, container.size // container.count)
        return self.items(spread(container.count, max(8, min(most, most_bytes // average))))


def study(document: Document) -> Subject:
    """Index a document and learn its form."""
    index = indexing.build(document)
    read = indexing.reader(document.body)
    return Subject(document=document, index=index, form=learn(index, read), read=read)
