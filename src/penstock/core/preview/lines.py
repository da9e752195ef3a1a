"""What the previews of text share: lines read by position, words for counts, and the one way to fill a room."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from penstock.core.budget import Room, largest
from penstock.core.forms.document import Kind, TextErrors
from penstock.core.preview.cells import counted, reach
from penstock.core.reading.cut import word_end

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Sequence

    from penstock.core.preview.base import Preview
    from penstock.core.subject import Subject

T = TypeVar("T")

LONGEST_LINE: Final = 300  # characters of one line shown: enough for what a line says, and twenty fit a preview
MOST_READ: Final = 20_000  # lines looked at one by one, in about 50 ms; a longer text is sampled
STRETCHES: Final = 100  # stretches of a sample, at even distances
STRETCH: Final = 150  # lines in a row in each: long enough for the bursts that logs come in

_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The lines of a text, as people count them: a newline at the very end opens no further line."""

    body: bytes
    starts: array[int]
    count: int
    errors: TextErrors

    def span(self, number: int) -> tuple[int, int]:
        """Where a line lies in the body, without its line end."""
        start, end = self.starts[number], self.starts[number + 1] - 1
        return start, end - (end > start and self.body[end - 1] == 0x0D)

    def raw(self, number: int, most: int) -> bytes:
        """The first bytes of a line."""
        start, end = self.span(number)
        return self.body[start : min(end, start + most)]

    def text(self, number: int, most: int = LONGEST_LINE) -> str:
        """A line to show: as it is, or if it is long its beginning and how much is missing."""
        start, end = self.span(number)
        stop = min(end, start + 4 * most)  # no character takes more than four bytes
        text = decode(self.body[start:stop], self.errors, final=stop == end)
        if stop == end and len(text) <= most:
            return clean(text)
        kept = text[: word_end(text, most)]
        hidden = end - start - len(kept.encode("utf-8", self.errors))
        return f"{clean(kept)}… [+{counted(hidden, 'byte')}]"

    def sample(self, most: int = 200) -> list[bytes]:
        """The beginnings of lines from all over the text: runs of ten in a row, as lines stand beside their like."""
        runs = stretches(self.count, most // 10, 10)
        return [self.raw(number, 400) for run in runs for number in run]


def lines_of(subject: Subject) -> Lines | None:
    """The lines of a document that is text."""
    root = subject.index.root
    document = subject.document
    if document.kind is not Kind.TEXT or root is None:
        return None
    count = root.count - (root.count > 1 and root.starts[root.count - 1] >= root.end)
    return Lines(body=document.body, starts=root.starts, count=count, errors=document.errors)


def stretches(count: int, most: int = STRETCHES, length: int = STRETCH) -> list[range]:
    """All numbers up to ``count`` as one range, or else ``most`` ranges of ``length`` at even distances, the first
    and the last numbers among them."""
    if count <= most * length:
        return [range(count)]
    firsts = (round(at * (count - length) / (most - 1)) for at in range(most))
    return [range(first, first + length) for first in firsts]


def examined(count: int) -> list[range]:
    """The lines to look at one by one: all, or a sample that is known to be one as it has more than one range."""
    return [range(count)] if count <= MOST_READ else stretches(count)


def filled(
    most: int, draw: Callable[[int], Preview], room: Room, exceeds: Callable[[int, int], bool] | None = None
) -> Preview | None:
    """The preview of the largest amount that fits, up to ``most``; None where not even nothing fits.

    What ``draw`` makes of an amount must not depend on the room: that is what keeps more room from showing less.
    ``exceeds`` tells of an amount that is certain to take more than so many bytes: it is then not drawn at all.
    """
    limit = reach(room)
    amount = largest(most, lambda n: not (exceeds and exceeds(n, limit)) and room.fits(draw(n).text))
    found = draw(amount)
    return found if amount or room.fits(found.text) else None


def interleave(pattern: Sequence[int], *parts: Sequence[T]) -> Iterator[T]:
    """Take from the parts in turn, as the pattern says, until all are used up."""
    iterators = [iter(part) for part in parts]
    left = set(range(len(parts)))
    while left:
        for number in pattern:
            for item in iterators[number]:
                yield item
                break
            else:
                left.discard(number)


def decode(data: bytes, errors: TextErrors, *, final: bool = True) -> str:
    """Bytes of a document as text; unless ``final``, a character torn by the end is left out."""
    return codecs.getincrementaldecoder("utf-8")(errors).decode(data, final=final)


def clean(text: str) -> str:
    """The text as it can be sent: what UTF-8 cannot carry is replaced, character by character."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)


def gap(what: str) -> str:
    """The mark that stands for what is not shown."""
    return f"… {what} not shown …"


def size_text(size: int) -> str:
    """``412 bytes``, ``12 KB``, ``1.2 MB``."""
    if size < 1_000:
        return counted(size, "byte")
    if size < 999_500:
        return f"{size / 1e3:.3g} KB"
    return f"{size / 1e6:,.1f} MB" if size < 99_950_000 else f"{size / 1e6:,.0f} MB"
