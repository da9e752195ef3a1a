"""Windows: a span of text by character index, ending where a reader would end, or by line numbers from 1; and a span of
a list.

Windows put together, each from the ``next_index`` or ``next_line`` of the one before, are the text, character for
character. A line that is longer than the room is shown in part, and the window says at which character the rest begins.
"""

from __future__ import annotations

import codecs
from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from penstock.core.budget import Room, largest
from penstock.core.json.buffer import pieces
from penstock.core.json.scan import CHUNK
from penstock.core.key_style import Style, render
from penstock.core.plain import Plain
from penstock.core.reading.cut import character_start
from penstock.core.tokens.byte_classes import CONTINUATION
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.core.forms.document import Document, TextErrors
    from penstock.core.json.buffer import Bytes
    from penstock.core.json.index import Container, Read


T = TypeVar("T")
DEFAULT_LENGTH: Final = 10_000  # characters: about 2,500 tokens of prose
STEPS: Final = 32  # a window is within one part in so many of the longest that fits
GUESSES: Final = 6  # of its end
AIM: Final = 0.98  # of the room is what a guess is to take
LIKELY: Final = 3  # characters a token, for the first guess, or, where that is long,
PROBE: Final = 2_048  # characters at the beginning of a text that it is made from
LONG_TOKEN: Final = 8  # characters; few texts have longer tokens on average, so a window this long fills the room
LONGEST_BYTES: Final = 4  # bytes of a character in UTF-8
LONGEST_CHARACTER: Final = 64  # code points; what stacks more marks on one letter than this is cut inside


class Ruler(Plain, frozen=True, kw_only=True):
    """Finds the byte where a character stands: after every stretch of 64 KB, the bytes and the characters so far.

    ``total`` counts characters. Where they are as many as the bytes, every position is its own answer.
    """

    total: int
    size: int
    errors: TextErrors
    at_bytes: array[int]
    at_chars: array[int]

    def locate(self, index: int) -> tuple[int, int]:
        """Return the last mark at or before the character ``index``: its byte, and its own character index."""
        if self.total == self.size:
            return index, index
        mark = bisect_right(self.at_chars, index) - 1
        return self.at_bytes[mark], self.at_chars[mark]

    def byte_of(self, read: Read, index: int) -> int:
        """Return the byte at which a character stands; behind the last one, the size."""
        if self.total == self.size:
            return index
        mark = bisect_right(self.at_chars, index) - 1
        start, end = self.at_bytes[mark], (*self.at_bytes[mark + 1 : mark + 2], self.size)[0]
        before = read(start, end).decode("utf-8", self.errors)[: index - self.at_chars[mark]]
        return start + len(before.encode("utf-8", self.errors))

    def index_of(self, read: Read, position: int) -> int:
        """Return the character that stands at a byte."""
        if self.total == self.size:
            return position
        mark = bisect_right(self.at_bytes, position) - 1
        start = self.at_bytes[mark]
        return self.at_chars[mark] + len(read(start, position).decode("utf-8", self.errors))


def ruler(document: Document) -> Ruler:
    """Measure the text of a document once; reading a window then touches a stretch or two of it."""
    return document.once("ruler", lambda one: ruler_of(one.raw, one.errors))


def ruler_of(raw: Bytes, errors: TextErrors) -> Ruler:
    """Measure a text. One of ASCII needs no marks."""
    if isinstance(raw, bytes) and raw.isascii():
        return Ruler(total=len(raw), size=len(raw), errors=errors, at_bytes=array("Q", [0]), at_chars=array("Q", [0]))
    if errors == "strict":
        measuring = Measuring()
        for piece in pieces(raw):
            measuring.add(piece)
        return measuring.done(errors)
    at_bytes, at_chars = array("Q", [0]), array("Q", [0])
    for end, chars in _decoded(raw[:], errors):
        at_bytes.append(end)
        at_chars.append(at_chars[-1] + chars)
    return Ruler(total=at_chars[-1], size=len(raw), errors=errors, at_bytes=at_bytes, at_chars=at_chars)


class Measuring:
    """Measures UTF-8 that comes piece by piece. Characters are counted by their first bytes, in a third of the time
    that decoding them takes."""

    def __init__(self) -> None:
        self._at_bytes, self._at_chars = array("Q", [0]), array("Q", [0])
        self._rest = b""  # behind the last mark

    def step(self, size: int, chars: int) -> None:
        """Take a stretch of so many bytes and characters. Stretches have at most ``CHUNK`` bytes."""
        self._at_bytes.append(self._at_bytes[-1] + size)
        self._at_chars.append(self._at_chars[-1] + chars)

    def add(self, piece: bytes) -> None:
        """Take the next bytes, cut anywhere."""
        data = self._rest + piece
        self._rest = data[self._mark(data, len(data) - LONGEST_BYTES) :]

    def done(self, errors: TextErrors) -> Ruler:
        """Return the ruler of all bytes."""
        self._count(self._rest[self._mark(self._rest, len(self._rest)) :])
        total, size = self._at_chars[-1], self._at_bytes[-1]
        is_plain = total == size
        return Ruler(
            total=total,
            size=size,
            errors=errors,
            at_bytes=array("Q", [0]) if is_plain else self._at_bytes,
            at_chars=array("Q", [0]) if is_plain else self._at_chars,
        )

    def _mark(self, data: bytes, end: int) -> int:
        """Put marks behind stretches that end before ``end``. Returns where the last of them is."""
        at = 0
        while at + CHUNK < end:
            stop = at + CHUNK
            while stop < len(data) and data[stop] & 0xC0 == 0x80:
                stop += 1
            self._count(data[at:stop])
            at = stop
        return at

    def _count(self, stretch: bytes) -> None:
        chars = len(stretch) if stretch.isascii() else len(stretch.translate(None, CONTINUATION))
        self.step(len(stretch), chars)


def _decoded(raw: bytes, errors: TextErrors) -> Iterator[tuple[int, int]]:
    """Do the same for bytes that are no strict UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    for end in range(CHUNK, len(raw) + CHUNK, CHUNK):
        chars = len(decoder.decode(raw[end - CHUNK : end], final=end >= len(raw)))
        yield min(end, len(raw)) - len(decoder.getstate()[0]), chars


class Window(Plain, frozen=True, kw_only=True):
    """A span of text and where it lies in the whole, in characters."""

    text: str
    start_index: int
    total_length: int

    @property
    def end_index(self) -> int:
        return self.start_index + len(self.text)

    @property
    def has_more(self) -> bool:
        return self.end_index < self.total_length

    @property
    def next_index(self) -> int | None:
        return self.end_index if self.has_more else None

    @property
    def truncated(self) -> bool:
        """Return True if this is less than the whole text."""
        return len(self.text) < self.total_length

    def metadata(self, style: Style = "snake") -> dict[str, Any]:
        fields = {
            "total_length": self.total_length,
            "start_index": self.start_index,
            "end_index": self.end_index,
            "next_index": self.next_index,
            "has_more": self.has_more,
            "truncated": self.truncated,
        }
        return render(fields, style)


def window(
    read: Read, scale: Ruler, start_index: int = 0, max_length: int = DEFAULT_LENGTH, room: Room | None = None
) -> Window:
    """Return at most ``max_length`` characters from ``start_index``, within the room, ended at a line, word or
    character.

    Only a character made of more code points than ``max_length`` makes a window longer than asked for, so that
    windows always move on.
    """
    if start_index < 0:
        raise CallerError(f"start_index is {start_index}", do="give 0 or more")
    if max_length < 1:
        raise CallerError(f"max_length is {max_length}", do="give 1 or more")
    start = min(start_index, scale.total)
    # One character past the window tells whether its end parts a character; the rest is for one that is very long.
    ahead = _characters(read, scale, start, min(max_length + LONGEST_CHARACTER, scale.total - start))
    most = min(max_length, len(ahead))
    if room is not None:
        most = _fitting(ahead, most, room)
    end = _good_end(ahead, most) if start + most < scale.total else most
    return Window(text=ahead[:end], start_index=start, total_length=scale.total)


def _fitting(text: str, most: int, room: Room) -> int:
    """Return how many characters fit, up to ``most``, to within a step: a window ends at a line, not at the last
    character.

    Each try counts tokens, so the next one is guessed from what the one before cost, and the first from a short one.
    """
    low, high = 0, most + 1
    guess = min(most, room.tokens * LIKELY)
    if guess > 2 * PROBE:
        guess = max(1, min(most, int(PROBE / max(room.load(text[:PROBE]), 0.01) * AIM)))
    for _ in range(GUESSES):
        if high - low <= max(1, low // STEPS):
            break
        load = room.load(text[:guess])
        low, high = (guess, high) if load <= 1 else (low, guess)
        if 1 - 1 / STEPS <= load <= 1:
            break
        guess = min(max(low + 1, int(guess / max(load, 0.01) * AIM)), high - 1)
    return low or largest(min(most, STEPS), lambda n: room.fits(text[:n]))


def _characters(read: Read, scale: Ruler, start: int, length: int) -> str:
    at_byte, at_char = scale.locate(start)
    end_byte, _ = scale.locate(min(start + length, scale.total))
    if scale.total != scale.size:
        end_byte = min(end_byte + CHUNK + 4, scale.size)
    # An incremental decoder leaves out a character that the end of the stretch tears in two.
    decoder = codecs.getincrementaldecoder("utf-8")(scale.errors)
    text = decoder.decode(read(at_byte, end_byte), final=end_byte == scale.size)
    return text[start - at_char : start - at_char + length]


def _good_end(text: str, most: int) -> int:
    """Return where to end a window of at most ``most`` characters: behind a line, else behind a blank, else a
    character.

    A boundary in the first half is passed over: it would make twice as many windows.
    """
    line = text.rfind("\n", most // 2, most)
    if line >= 0 and character_start(text, line + 1) == line + 1:
        return line + 1
    for at in range(most, most // 2, -1):
        if text[at - 1].isspace() and character_start(text, at) == at:
            return at
    end = character_start(text, most)
    if end > 0:
        return end
    end = max(1, most)
    while end < min(len(text), LONGEST_CHARACTER) and character_start(text, end) != end:
        end += 1
    return end


class ListWindow(Plain, Generic[T], frozen=True, kw_only=True):
    """A span of a list and where it lies in the whole."""

    items: tuple[T, ...]
    total: int
    offset: int
    limit: int

    @property
    def has_more(self) -> bool:
        return self.offset + len(self.items) < self.total

    def metadata(self, style: Style = "snake") -> dict[str, Any]:
        fields = {"total": self.total, "offset": self.offset, "limit": self.limit, "has_more": self.has_more}
        return render(fields, style)


def list_window(items: Sequence[T], offset: int = 0, limit: int = 100) -> ListWindow[T]:
    """Return the items from ``offset``, at most ``limit`` of them; past the end there are none."""
    if offset < 0:
        raise CallerError(f"offset is {offset}", do="give 0 or more")
    if limit < 1:
        raise CallerError(f"limit is {limit}", do="give 1 or more")
    return ListWindow(items=tuple(items[offset : offset + limit]), total=len(items), offset=offset, limit=limit)


class LineWindow(Plain, frozen=True, kw_only=True):
    """A window and the lines it has, from 1. Past the end it is empty, with the totals."""

    window: Window
    start_line: int
    end_line: int
    total_lines: int
    cut: bool

    @property
    def next_line(self) -> int | None:
        """Return the first line that is not shown, or not whole."""
        following = self.end_line + (not self.cut)
        return following if following <= self.total_lines else None

    def metadata(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "total_lines": self.total_lines,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "next_line": self.next_line,
            "has_more": self.next_line is not None,
            "lines_after": max(0, self.total_lines - self.end_line),
        }
        if self.cut:
            fields["note"] = f"line {self.end_line:,} goes on: read it from start_index {self.window.end_index}"
        return fields


def line_window(
    read: Read, scale: Ruler, lines: Container | None, room: Room, *, start_line: int = 1, count: int | None = None
) -> LineWindow:
    """Return at most ``count`` lines from ``start_line`` on, as many as have room; a part of the first one if it has
    none."""
    total = 0 if lines is None else lines.count
    if lines is None or start_line > total:
        empty = Window(text="", start_index=scale.total, total_length=scale.total)
        return LineWindow(window=empty, start_line=total + 1, end_line=total, total_lines=total, cut=False)
    last = total if count is None else min(total, start_line - 1 + count)
    start = scale.index_of(read, lines.starts[start_line - 1])
    end = scale.index_of(read, min(lines.starts[last], lines.end))
    text = window(read, scale, start, min(end - start, room.tokens * LONG_TOKEN), room).text[: end - start]
    whole = len(text) == end - start
    if not whole and "\n" in text:  # without the beginning of a line that goes on
        text = text[: text.rfind("\n") + 1]
    cut = not whole and not text.endswith("\n")
    end_line = last if whole else start_line - 1 + text.count("\n") + cut
    text_window = Window(text=text, start_index=start, total_length=scale.total)
    return LineWindow(window=text_window, start_line=start_line, end_line=end_line, total_lines=total, cut=cut)
