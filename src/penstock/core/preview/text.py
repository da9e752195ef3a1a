"""Any text: its beginning and its end, cut where a reader would, and between them a mark that counts the rest.

For Markdown the mark also lists headings of the part that is not shown, so that a reader knows what to ask for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.core.forms.document import Kind
from penstock.core.preview.base import Preview, Shown
from penstock.core.preview.cells import counted
from penstock.core.preview.lines import Lines, clean, decode, filled, lines_of, size_text
from penstock.core.reading.cut import LONGEST_WORD, character_start
from penstock.core.reading.window import LONGEST_CHARACTER, ruler
from penstock.core.sample import spread

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.core.forms.document import Document
    from penstock.core.subject import Subject

MOST: Final = 262_144  # characters shown at most, whatever the room: the search is over the same interval always
MOST_SCANNED: Final = 16_777_216  # bytes searched for headings; a larger text is not a document someone wrote
MOST_MARKS: Final = 10_000  # headings and fences looked at, more than any document has that is read in order
PER_HEADING: Final = 80  # characters of text shown for each heading listed, which gives headings about a third

_HEADING = re.compile(rb"\n(?:(#{1,6}) ([^\r\n]{1,320})|```|~~~)")


def text(subject: Subject, room: Room) -> Preview | None:
    """Head and tail of a text, about 70 to 30; None only where not even the mark between them fits."""
    document = subject.document
    if document.kind is Kind.BINARY or not document.raw:
        return None
    ends = subject.once("ends", lambda subject: _Ends.of(subject.document))
    headings = subject.once("headings", lambda subject: _headings(lines_of(subject)))
    lines = ends.newlines + (not document.raw.endswith(b"\n"))
    headline = f"{counted(lines, 'line')} of text, {size_text(len(document.raw))}"

    def draw(amount: int) -> Preview:
        head, tail = ends.cut(amount)
        hidden_lines = ends.hidden_lines(head, tail)
        shown = Shown(path=(), start=0, end=lines - hidden_lines, total=lines)
        characters = (ends.total - ends.hidden(head, tail), ends.total)
        if ends.hidden(head, tail) == 0:
            return Preview(text=clean(head), style="text", shown=shown, headline=headline, characters=characters)
        first = head.count("\n") + (not _whole_lines(head))
        hidden = [one for one in headings if first <= one.line < first + hidden_lines]
        listed = _listed(hidden, amount // PER_HEADING)
        mark = _mark(ends.hidden(head, tail), hidden_lines, listed, len(hidden))
        parts = (clean(head), "" if _whole_lines(head) else "\n", mark, "\n" if tail else "", clean(tail))
        return Preview(text="".join(parts), style="text", shown=shown, headline=headline, characters=characters)

    # Where a line ends, each end may be only half as long as it might be.
    return filled(min(ends.total, MOST), draw, room, lambda amount, size: amount // 2 - 2 > size)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
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
        first = decode(raw[:reach], document.errors, final=len(raw) <= reach)
        end = raw[-reach:]
        if len(raw) > reach:  # the stretch may begin inside a character, which has up to three bytes more
            end = end[3 - len(end[:3].lstrip(_CONTINUATION)) :]
        return cls(
            first=first,
            last=decode(end, document.errors),
            total=ruler(document).total,
            newlines=raw.count(b"\n"),
            terminated=raw.endswith(b"\n"),
        )

    def cut(self, amount: int) -> tuple[str, str]:
        """At most this many characters from both ends; the head is all of the text when it is all that is asked."""
        if amount == self.total:
            return self.first, ""
        at_end = amount * 3 // 10
        return self.first[: head_end(self.first, amount - at_end)], self.last[tail_start(self.last, at_end) :]

    def hidden(self, head: str, tail: str) -> int:
        return self.total - len(head) - len(tail)

    def hidden_lines(self, head: str, tail: str) -> int:
        """The lines of which nothing is shown."""
        ends = self.newlines - head.count("\n") - tail.count("\n")
        begun = not _whole_lines(head)
        last = self.hidden(head, tail) > 0 and not tail and not self.terminated
        return max(0, ends + last - begun)


def head_end(text: str, most: int) -> int:
    """Where to end a head of at most ``most`` characters: behind a line, else behind a word, else a character.

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
    """Where to begin a tail of at most ``most`` characters, fewer than all, by the same rules from the other side."""
    first = len(text) - most
    line = text.find("\n", first - 1, len(text) - most // 2)
    if line >= 0:
        return line + 1
    for at in range(first, min(first + LONGEST_WORD, len(text))):
        if text[at - 1].isspace() and _is_boundary(text, at):
            return at
    near = range(first, min(first + LONGEST_CHARACTER, len(text)))
    return next((at for at in near if _is_boundary(text, at)), first)


def _is_boundary(text: str, at: int) -> bool:
    """Whether a position lies between characters. Only the surroundings are looked at: marks may stack up to MBs."""
    start = max(0, at - LONGEST_CHARACTER)
    return character_start(text[start : at + 1], at - start) == at - start


def _whole_lines(head: str) -> bool:
    return not head or head.endswith("\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heading:
    line: int
    level: int
    text: str


def _headings(lines: Lines | None) -> list[_Heading]:
    """The headings of a text that is Markdown: one with sections, as a lone ``#`` also begins comments."""
    if lines is None or len(lines.body) > MOST_SCANNED:
        return []
    found: list[_Heading] = []
    fenced = False
    for match in islice(_HEADING.finditer(lines.body), MOST_MARKS):
        if match[1] is None:
            fenced = not fenced
        elif not fenced:
            number = bisect_right(lines.starts, match.start() + 1) - 1
            found.append(_Heading(line=number, level=len(match[1]), text=lines.text(number, 80)))
    return found if any(one.level > 1 for one in found) else []


def _listed(headings: list[_Heading], most: int) -> list[_Heading]:
    """The headings of the upper levels, as many as may be listed; of the level that does not fit whole, at even
    distances."""
    chosen: list[_Heading] = []
    for level in range(1, 7):
        same = [one for one in headings if one.level == level]
        room = most - len(chosen)
        chosen.extend(same[at] for at in spread(len(same), room)) if room > 1 else chosen.extend(same[:room])
    return sorted(chosen, key=lambda one: one.line)


def _mark(characters: int, lines: int, listed: list[_Heading], headings: int) -> str:
    amount = counted(characters, "character") + (f", {counted(lines, 'line')}" if lines else "")
    if not listed:
        return f"… [{amount} not shown] …"
    rows = "".join(f"{one.line + 1}: {one.text}\n" for one in listed)
    which = f"{len(listed)} of {headings:,}" if len(listed) < headings else "all"
    return f"… [{amount} not shown; {which} headings there, by line:\n{rows}] …"


_CONTINUATION: Final = bytes(range(0x80, 0xC0))
