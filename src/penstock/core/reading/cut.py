"""Cutting a text where a reader would: after a word, never inside a character, with a marker that counts the rest.

A position lies inside a character when it parts a surrogate pair, a base from its combining marks, the members of
a joined emoji or flag, the letters of a Hangul syllable, or CR from LF.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from penstock.core.budget import largest
from penstock.core.json.strings import quote, unquote
from penstock.core.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Callable


MARKER: Final = "… [cut: {hidden} more characters]"
LONGEST_CHARACTER: Final = 4_096  # code points; what stacks more marks on one letter than this is cut inside
SHORT_MARKER: Final = "…"  # where the marker itself has no room, one character still says that something is missing
LONGEST_WORD: Final = 80  # characters; a longer run is base64, a path or a script without spaces: cut inside it
LONG_STRING: Final = 240  # characters of one string when room is short: enough to see what it is

_JOINER: Final = "\u200d"
_HANGUL_LEAD = ("\u1100", "\u115f")
_HANGUL_MIDDLE_OR_END = ("\u1160", "\u11ff")
_HANGUL_SYLLABLE = ("\uac00", "\ud7a3")
_STRING_MARKER: Final = "… [+{hidden} characters]"


class Cut(Plain, frozen=True, kw_only=True):
    """``text`` is what is left to show: the first ``kept`` of ``total`` characters, and a marker if that is not all."""

    text: str
    kept: int
    total: int

    @property
    def hidden(self) -> int:
        return self.total - self.kept


def cut_text(text: str, room: int | Callable[[str], bool], marker: str = MARKER) -> Cut:
    """Return as much of the text as has room, marker included; a text that has room whole comes back untouched.

    ``room`` is a number of characters, or a function that says whether a text fits. ``{hidden}`` in the marker is
    replaced by the number of characters left out. Where the marker itself has no room, nothing of the text is
    shown: a shorter marker would show more of it in less room, and more room must never show less.
    """
    fits = room if callable(room) else lambda one: len(one) <= room
    if fits(text):
        return Cut(text=text, kept=len(text), total=len(text))
    if not fits(_marked(text, 0, marker)):
        return Cut(text=SHORT_MARKER if fits(SHORT_MARKER) else "", kept=0, total=len(text))
    reached = largest(len(text) - 1, lambda end: fits(_marked(text, word_end(text, end), marker)))
    kept = word_end(text, reached)
    return Cut(text=_marked(text, kept, marker), kept=kept, total=len(text))


def word_end(text: str, end: int) -> int:
    """Find where the last whole word of ``text[:end]`` ends; inside the word when it is longer than words are."""
    end = character_start(text, end)
    if end >= len(text):
        return len(text)
    word = end
    while word > 0 and not text[word].isspace() and end - word < LONGEST_WORD:
        word -= 1
    if not text[word].isspace():
        return end
    return len(text[:word].rstrip())


def character_start(text: str, at: int) -> int:
    """Return the nearest position at or before ``at`` that is not inside a character."""
    at = max(0, min(at, len(text)))
    start = at
    while 0 < start < len(text) and _joined(text, start):
        start -= 1
        if at - start > LONGEST_CHARACTER:
            return at
    return start


def _joined(text: str, at: int) -> bool:
    """Return True if the characters before and after the position are one for a reader."""
    before, after = text[at - 1], text[at]
    if after < "\u0300":  # no mark, joiner or surrogate lies below, so that plain text costs one comparison
        return before == "\r" and after == "\n"
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    if _is_regional(before) and _is_regional(after):
        return _regionals_before(text, at) % 2 == 1
    return before == _JOINER or _extends(after) or _one_syllable(before, after)


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char) in ("Mn", "Mc", "Me")
        or char in (_JOINER, "\u200c")
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= char <= "\U000e007f"  # tags, which spell out regional flags
    )


def _one_syllable(before: str, after: str) -> bool:
    if not _within(after, _HANGUL_MIDDLE_OR_END):
        return _within(before, _HANGUL_LEAD) and (_within(after, _HANGUL_LEAD) or _within(after, _HANGUL_SYLLABLE))
    return any(_within(before, part) for part in (_HANGUL_LEAD, _HANGUL_MIDDLE_OR_END, _HANGUL_SYLLABLE))


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _regionals_before(text: str, at: int) -> int:
    """Count how many flag letters stand in a row before the position: they pair up from the left."""
    start = at
    while start > 0 and _is_regional(text[start - 1]):
        start -= 1
    return at - start


def _within(char: str, span: tuple[str, str]) -> bool:
    return span[0] <= char <= span[1]


def _marked(text: str, kept: int, marker: str) -> str:
    return text[:kept] + marker.replace("{hidden}", str(len(text) - kept))


def shorten_scalar(value: bytes, room: int | Callable[[str], bool] = LONG_STRING) -> bytes:
    """Return a scalar as it is, unless it is a long string (cut, with what is left out counted) or an absurdly long
    number.

    ``room`` is a number of characters, or tells whether a string fits.
    """
    if isinstance(room, int) and len(value) <= room:
        return value
    if value[:1] != b'"':
        return quote(f"[number of {len(value)} digits, truncated]") if len(value) > LONG_STRING else value
    text = unquote(value)
    cut = cut_text(text, room, marker=_STRING_MARKER)
    return quote(cut.text) if cut.hidden else value
