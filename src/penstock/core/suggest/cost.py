"""What a narrower call would cost, from the bytes it would leave and what bytes of that kind cost.

Everything is scaled so that the whole costs what the caller says it does: a part is then wrong by the same factor as
the whole, and the two can be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.measure import count_document
from penstock.core.reading.page_item import minified
from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from penstock.core.subject import Subject
    from penstock.core.suggest.rows import Part

ENVELOPE: Final = 8  # tokens around an answer that has hardly any content
CHARACTERS: Final = 65_536  # bytes from which the length of a character is learned


class Meter:
    """Weighs parts of one document against the whole of it."""

    def __init__(self, subject: Subject, tokens: int, profile: str) -> None:
        body = subject.document.body
        self.whole = tokens
        self.per_byte = tokens / max(1, len(body))
        self._profile = profile
        self._kind = subject.main.kind if subject.main is not None else "lines"
        same = body is subject.document.raw
        counted = count_document(subject.document, profile) if same else count(body, profile)
        self._factor = tokens / max(1, counted.tokens)
        self._rest = self.per_byte * (len(body) - (subject.main.size if subject.main is not None else 0))
        head = body[:CHARACTERS]
        self.per_character = self.per_byte * len(head) / max(1, len(head.decode("utf-8", "ignore")))

    def asked_again(self, part: Part) -> int:
        """The tool's own answer with only this part of the items in it, and all that stands around them."""
        return self._rounded(self._rest + part.size * self._density(part.sample, part.sample))

    def filtered(self, part: Part) -> int:
        """The part alone, as a filter gives it: without white space."""
        return self._rounded(part.size * self._density(part.sample, tuple(map(self._minified, part.sample))))

    def left(self, share: float) -> int:
        """This share of the whole."""
        return self._rounded(self.whole * share)

    def page(self, part: Part, room: int) -> int:
        """A page laid down for whole items, when each shows only this part of itself."""
        items = max(1.0, self.whole - self._rest)
        return self._rounded(min(room, items) * min(1.0, self.filtered(part) / items))

    def first_bytes(self, budget: int) -> int:
        """How many bytes of the items fit into the budget beside what stands around them."""
        return int((budget - self._rest) / self.per_byte)

    def _density(self, sample: tuple[bytes, ...], written: tuple[bytes, ...]) -> float:
        size = sum(map(len, sample)) + len(sample)
        if not size:
            return self.per_byte
        return count(b",".join(written), self._profile).tokens * self._factor / size

    def _rounded(self, tokens: float) -> int:
        return ENVELOPE + round(tokens)

    def _minified(self, item: bytes) -> bytes:
        plain = self._kind == "lines" or not any(mark in item for mark in (b"\n", b": ", b", "))
        return item if plain else minified(item, keyed=self._kind == "object")
