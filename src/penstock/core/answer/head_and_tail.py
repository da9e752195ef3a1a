"""Text without a form: its beginning and its end, cut where a reader would, and between them a mark that counts the
rest. Of data that is no text there is nothing to show."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from penstock.core.answer.preview_text import Preview, ShownRanges
from penstock.core.budget import largest
from penstock.core.forms.document import Kind
from penstock.core.json.buffer import count_of
from penstock.core.plain import Plain
from penstock.core.reading.cut import LONGEST_WORD, character_start
from penstock.core.reading.window import LONGEST_CHARACTER, ruler
from penstock.core.text import counted
from penstock.core.tokens.byte_classes import CONTINUATION

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.core.forms.document import Document, TextErrors

MOST: Final = 262_144  # At most 262,144 characters are shown, so that every search covers the same interval.
BYTES_PER_TOKEN: Final = 16  # No text has more than 16 bytes for each token on average.

_LONE = re.compile("[\ud800-\udfff]")


def head_and_tail(document: Document, room: Room) -> Preview:
    """Return head and tail of a text, about 70 to 30; nothing where not even the mark between them fits."""
    if document.kind is Kind.BINARY or not document.raw:
        return Preview(text="", shown=ShownRanges(unit="bytes", total=len(document.raw)))
    ends = document.once("ends", _Ends.of)
    limit = min(room.size, room.tokens * BYTES_PER_TOKEN)
    # Where a line ends, each end may be only half as long as it might be: what is longer than that is not drawn at all.
    most = min(ends.total, MOST)
    amount = largest(most, lambda amount: amount // 2 - 2 <= limit and room.fits(ends.draw(amount).text))
    preview = ends.draw(amount)
    return (
        preview
        if amount or room.fits(preview.text)
        else Preview(text="", shown=ShownRanges(unit="lines", total=ends.lines))
    )


class _Ends(Plain, frozen=True, kw_only=True):
    """The beginning and the end of a text, long enough to cut any preview from, and the counts of the whole."""

    first: str
    last: str
    total: int
    newlines: int
    terminated: bool

    @classmethod
    def of(cls, document: Document) -> _Ends:
        raw = document.raw
        reach = 4 * (MOST + LONGEST_CHARACTER)  # bytes: no character takes more than four
        first = _decode(raw[:reach], document.errors, final=len(raw) <= reach)
        end = raw[-reach:]
        if len(raw) > reach:  # the stretch may begin inside a character, which has up to three bytes more
            end = end[3 - len(end[:3].lstrip(CONTINUATION)) :]
        return cls(
            first=first,
            last=_decode(end, document.errors),
            total=ruler(document).total,
            newlines=count_of(raw, b"\n"),
            terminated=raw[-1:] == b"\n",
        )

    @property
    def lines(self) -> int:
        return self.newlines + (not self.terminated)

    def draw(self, amount: int) -> Preview:
        """Return at most this many characters from both ends; the head is all of the text when it is all that is
        asked."""
        if amount == self.total:
            whole = ShownRanges(unit="lines", ranges=((0, self.lines),), total=self.lines)
            return Preview(text=_clean(self.first), shown=whole, below="all of it")
        at_end = amount * 3 // 10
        head = self.first[: head_end(self.first, amount - at_end)]
        start = tail_start(self.last, at_end)
        tail = self.last[start:]
        begins_line = start > 0 and self.last[start - 1] == "\n"
        hidden = self.total - len(head) - len(tail)
        ranges = self._ranges(head, tail, begins_line=begins_line)
        lines = self.lines - ranges.count - len(ranges.cut)
        left = counted(hidden, "character") + (f" and {counted(lines, 'line')}" if lines > 0 else "")
        gap = f"… [{left} not shown] …"
        parts = (_clean(head), gap, "\n" if tail and begins_line else "", _clean(tail))
        return Preview(text="".join(parts), shown=ranges, below="its beginning and end")

    def _ranges(self, head: str, tail: str, *, begins_line: bool) -> ShownRanges:
        """Return the lines that are shown whole, at the beginning and at the end, and those that are cut."""
        first = head.count("\n")
        last = tail.count("\n") + (bool(tail) and not self.terminated) - (bool(tail) and not begins_line)
        cut: Counter[int] = Counter()
        cut[first] += len(head) - head.rfind("\n") - 1
        cut[self.lines - last - 1] += 0 if begins_line else len(tail.partition("\n")[0])
        ranges = ((0, first), (self.lines - last, self.lines))
        return ShownRanges(
            unit="lines",
            ranges=tuple(one for one in ranges if one[0] < one[1]),
            total=self.lines,
            cut=tuple((line, part) for line, part in cut.items() if part),
        )


def head_end(text: str, most: int) -> int:
    """Return where to end a head of at most ``most`` characters: behind a line, else behind a word, else a character.

    The answer grows with ``most``. A line end in the first half is passed over: it would waste too much room.
    """
    line = text.rfind("\n", most // 2, most)
    if line >= 0:
        return line + 1
    for at in range(most, max(0, most - LONGEST_WORD), -1):
        if text[at - 1].isspace() and (text[at - 1] == "\n" or _is_boundary(text, at)):
            return at
    near = range(most, max(0, most - LONGEST_CHARACTER), -1)
    return next((at for at in near if _is_boundary(text, at)), most)


def tail_start(text: str, most: int) -> int:
    """Return where to begin a tail of at most ``most`` characters, fewer than all, by the same rules from the other
    side."""
    first = len(text) - most
    line = text.find("\n", first - 1, len(text) - most // 2)
    if line >= 0:
        return line + 1
    for at in range(first, min(first + LONGEST_WORD, len(text))):
        is_end_of_line = text[at] == "\n" and text[at - 1] != "\n"
        if text[at - 1].isspace() and not is_end_of_line and _is_boundary(text, at):
            return at
    near = range(first, min(first + LONGEST_CHARACTER, len(text)))
    return next((at for at in near if _is_boundary(text, at)), first)


def _is_boundary(text: str, at: int) -> bool:
    """Return True if a position is between two characters. Only the surroundings are looked at: marks may stack up to
    MBs."""
    start = max(0, at - LONGEST_CHARACTER)
    return character_start(text[start : at + 1], at - start) == at - start


def _decode(data: bytes, errors: TextErrors, *, final: bool = True) -> str:
    """Decode bytes of a document; unless ``final``, a character torn by the end is left out."""
    return codecs.getincrementaldecoder("utf-8")(errors).decode(data, final=final)


def _clean(text: str) -> str:
    """Make a text fit to be sent: what UTF-8 cannot carry is replaced, character by character."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)
