"""A document with all that was learned of it, as previews and suggestions take it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.core.json import index as indexing
from penstock.core.sample import Form, learn, spread

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.document import Document
    from penstock.core.json.index import Container, Index, Read

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """``main`` is the container that a reader would page through, if there is one."""

    document: Document
    index: Index
    form: Form
    read: Read
    main: Container | None
    _made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, name: str, make: Callable[[Subject], T]) -> T:
        """What ``make`` finds out about this subject. It is asked once: a preview is tried in more than one room."""
        if name not in self._made:
            self._made[name] = make(self)
        found: T = self._made[name]
        return found

    def forget(self) -> None:
        """Let go of what was found out: it refers to this subject, and both would wait for the garbage collector."""
        self._made.clear()

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
    return Subject(document=document, index=index, form=learn(index, read), read=read, main=index.main)
