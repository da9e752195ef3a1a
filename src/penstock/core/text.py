"""Words and short texts: counts with their nouns, texts cut with a mark, names that are alike, values made harmless."""

from __future__ import annotations

import difflib
import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_NAMES: Final = 2_000  # names compared; in a map of many more, likeness says nothing and takes seconds
ALIKE: Final = 0.65  # likeness of two names, of 1, from which one may be meant for the other
SHORT_NAME: Final = 3  # letters of a name that is looked for in longer ones; fewer are in many by chance
LONG_VALUE: Final = 60  # characters of a value that is shown among others

_BARE = re.compile(r"[^\s\"'|·×…](?:[^\"|·×…]*[^\s\"|·×…])?")
# A text that would be read as a number, as nothing, or as a word of ours.
_LIKE_OTHER = re.compile(
    r"[+-]?[0-9][0-9,.]*(?:[eE][+-]?[0-9]+)?|true|false|null|absent|[+][0-9,]+ .*|missing|\[.*|\{.*"
)


def split_words(text: str) -> tuple[str, ...]:
    """Split the words of a list that is easier to read without quotes."""
    return tuple(text.split())


def shorten(text: str, limit: int = 60) -> str:
    """Return enough of a long text to recognise it by, for an error message."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def nearest(wanted: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Return the known names most like the wanted one: those that differ only in case or signs first, then those that
    have it in them, then by likeness."""
    names = list(islice(known, MOST_NAMES))
    letters = _letters(wanted)
    same = [name for name in names if name.lower() == wanted.lower()]
    same += [name for name in names if letters and _letters(name) == letters]
    longer = [name for name in names if len(letters) >= SHORT_NAME and letters in _letters(name)]
    by_letters = {_letters(name): name for name in reversed(names) if letters}
    close = difflib.get_close_matches(letters, by_letters, n=limit, cutoff=ALIKE)
    return list(dict.fromkeys([*same, *sorted(longer, key=len), *(by_letters[one] for one in close)]))[:limit]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def counted(amount: int, noun: str, plural: str = "") -> str:
    """Write ``1 item``, ``1,204 items``."""
    return f"{amount:,} {noun if amount == 1 else plural or noun + 's'}"


def size_text(size: int) -> str:
    """Write ``412 bytes``, ``12 KB``, ``1.2 MB``."""
    if size < 1_000:
        return counted(size, "byte")
    if size < 999_500:
        return f"{size / 1e3:.3g} KB"
    return f"{size / 1e6:,.1f} MB" if size < 99_950_000 else f"{size / 1e6:,.0f} MB"


def plain(value: Any, limit: int = LONG_VALUE) -> str:
    """Return a value as it can stand in a line of facts or in a cell: no line break, separator or control character of
    it is one there. A text that could be taken for something else stands in quotes, as JSON; a long one is cut and
    marked."""
    if not isinstance(value, str):
        text = json.dumps(value) if isinstance(value, bool | None) else str(value)
        return text if len(text) <= limit else "".join(cut_at(text, limit))
    kept, mark = (value, "") if len(value) <= limit else cut_at(value, limit)
    if _BARE.fullmatch(kept) and kept.isprintable() and not _LIKE_OTHER.fullmatch(kept):
        return kept + mark
    quoted = json.dumps(kept.encode("utf-8", "replace").decode(), ensure_ascii=False)[:-1]
    safe = "".join(char if char.isprintable() and char not in "|·×…" else _escaped(char) for char in quoted)
    return f'{safe}{mark}"'


def cut_at(text: str, limit: int) -> tuple[str, str]:
    """Return the beginning of a text, and the mark that counts the characters left out: ``…[+204]``."""
    kept = text[: max(1, limit - 8)].rstrip()
    return kept, f"…[+{len(text) - len(kept):,}]"


def tally(values: Iterable[tuple[Any, int]], most: int = 6, *, more: int = 0) -> str:
    """Write values with their counts, ``open ×233 · pending ×98 · +37 values``: the first ``most``, and how many others
    there are, ``more`` of which are not among the values. Those that look alike when cut are cut elsewhere."""
    every = list(values)
    first = every[: most if len(every) + more > most + 1 else most + 1]
    texts = [plain(value) for value, _ in first]
    if len(set(texts)) < len(texts):
        texts = [_end_of(value) for value, _ in first]
    left = len(every) - len(first) + more
    parts = [f"{text} ×{count:,}" for text, (_, count) in zip(texts, first, strict=True)]
    return " · ".join([*parts, f"+{counted(left, 'value')}"] if left else parts)


def _end_of(value: Any) -> str:
    """Return the end of a long text, with the mark before it: names that begin alike differ there."""
    if not isinstance(value, str) or len(value) <= LONG_VALUE:
        return plain(value)
    kept = value[8 - LONG_VALUE :]
    return f"[+{len(value) - len(kept):,}]…{plain(kept)}"


def line_text(text: str, limit: int) -> str:
    """Return a line to show as it is: cut and marked when it is long, without characters that act on a terminal or a
    reader's eye (line breaks, escapes, changes of direction)."""
    kept, mark = (text, "") if len(text) <= limit else cut_at(text, limit)
    if not kept.isprintable():
        kept = "".join(char if char.isprintable() or char == "\t" else _escaped(char) for char in kept)
    return kept + mark


def without_signs(line: str) -> str:
    """Return a line of JSON in which every character that is not to be printed is an escape: the same JSON."""
    return line if line.isprintable() else "".join(char if char.isprintable() else _escaped(char) for char in line)


def _escaped(char: str) -> str:
    """Return a character as JSON escapes it; one beyond the first 65,536 as two halves."""
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + (code - 0x10000 >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def ranges_text(ranges: Iterable[tuple[int, int]]) -> str:
    """Write ranges from 0 to before their end, as people count: ``1-3, 412``."""
    return ", ".join(f"{first + 1}" if last == first + 1 else f"{first + 1}-{last}" for first, last in ranges)
