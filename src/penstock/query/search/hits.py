"""Find where a pattern matches: stretch by stretch, so that the text may come from a store and time can be watched."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.core.json.decoded import decoded, positions
from penstock.core.json.strings import whole_part
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.core.json.index import Read
    from penstock.query.search.pattern import Pattern

MOST: Final = 100_000  # matches that are counted; beyond that "at least" says as much
LONGEST: Final = 16_384  # bytes of a match that is found wherever it lies: stretches overlap by so much
BEFORE: Final = 64  # bytes before a stretch that RE2 may look at, for the beginnings of lines and words
NEAR: Final = 16  # bytes on either side of a match in which the character next to it is found
JSON_STRETCH: Final = 262_144  # Bytes of JSON per call. If they have a match, all escapes before it are counted.


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The positions of all matches, or of the first ``MOST`` when it is not ``complete``. ``lines`` counts the lines
    that they begin on."""

    starts: array[int]
    ends: array[int]
    complete: bool
    lines: int = 0

    @property
    def total(self) -> int:
        return len(self.starts)


def find(
    pattern: Pattern, read: Read, start: int, end: int, *, clock: Callable[[], float], seconds: float, most: int = MOST
) -> Hits:
    """Search what lies between two positions. Takes no longer than it may, and then says so."""
    starts, ends = array("Q"), array("Q")
    deadline = clock() + seconds
    free = start  # where the last match ends: the next one begins there or later
    lines, on_line = 0, False  # ``on_line``: no line has ended since the last match
    for view in _views(pattern, read, start, end):
        text, behind = view.text, view.place(view.stop)
        at = view.place(max(free, view.first))
        line_at = at
        places: list[int] = []
        complete = True
        while complete and (match := pattern.search(text, at)) is not None and match[0] < behind:
            first, last = match
            _in_time(clock, deadline, seconds)
            if first == last:
                raise CallerError("the pattern also matches an empty text", do="let it contain at least one character")
            if pattern.word and not _is_word(text, first, last):
                at = first + 1
                continue
            complete = len(starts) + len(places) // 2 < most
            if complete:
                lines += not on_line or text.find(b"\n", line_at, first) >= 0
                on_line = True
                places += match
                at = line_at = last
        spans = view.positions(places)
        starts.extend(spans[::2])
        ends.extend(spans[1::2])
        free = ends[-1] if ends else start
        if not complete:
            return Hits(starts=starts, ends=ends, complete=False, lines=lines)
        on_line = on_line and text.find(b"\n", line_at, behind) < 0
        _in_time(clock, deadline, seconds)
    return Hits(starts=starts, ends=ends, complete=True, lines=lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """The text that a pattern sees of a piece of the document. Of JSON, the strings in it are decoded.

    A match begins at the position ``first`` or later, and before ``stop``. ``left`` is where the piece begins.
    """

    piece: bytes
    left: int
    first: int
    stop: int
    text: bytes
    in_json: bool

    def place(self, position: int) -> int:
        """Return the place in the text for a position in the document."""
        size = position - self.left
        if not self.in_json:
            return size
        if size * 2 < len(self.piece):  # Decode the shorter side of the position.
            return len(decoded(self.piece[:size]))
        return len(self.text) - len(decoded(self.piece[size:]))

    def positions(self, places: Sequence[int]) -> list[int]:
        """Return the positions in the document for ascending places in the text."""
        in_piece = positions(self.piece, places) if self.in_json else places
        return [self.left + position for position in in_piece]


def _views(pattern: Pattern, read: Read, start: int, end: int) -> Iterator[_View]:
    """Yield a view of each stretch of a document, and of the bytes around it. In JSON none of them cuts an escape."""
    in_json = pattern.in_json
    whole = whole_part if in_json else _all_of
    stretch = min(pattern.stretch, JSON_STRETCH) if in_json else pattern.stretch
    left = first = start
    while first < end:
        stop = min(first + stretch, end)
        piece = read(left, min(stop + LONGEST, end))
        if stop < end:
            stop = left + whole(piece, 0, stop - left)
            piece = piece[: whole(piece, 0, len(piece))] if left + len(piece) < end else piece
        text = decoded(piece, hide_syntax=pattern.hide_syntax) if in_json else piece
        yield _View(piece=piece, left=left, first=first, stop=stop, text=text, in_json=in_json)
        left, first = left + whole(piece, 0, max(0, stop - BEFORE - left)), stop


def _all_of(_piece: bytes, _start: int, end: int) -> int:
    return end


def _is_word(text: bytes, first: int, last: int) -> bool:
    """Return True if no character of a word is right before or after a match."""
    before = text[max(0, first - NEAR) : first].decode("utf-8", "ignore")[-1:]
    after = text[last : last + NEAR].decode("utf-8", "ignore")[:1]
    return not (_is_part_of_word(before) or _is_part_of_word(after))


def _is_part_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _in_time(clock: Callable[[], float], deadline: float, seconds: float) -> None:
    if clock() > deadline:
        raise CallerError(
            f"the search took longer than {seconds:g} s and was stopped",
            do="use a simpler pattern, a plain text, or search under a path",
        )
