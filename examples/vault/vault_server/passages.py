"""The passage of a note that has most of a question's words.

SQLite's own ``snippet`` looks at every pair of matches, which takes a minute in a note that has thousands of them.
"""

from __future__ import annotations

import re
from collections import deque
from itertools import islice
from typing import Final

LONG: Final = 240  # characters of a passage: two or three sentences
SHORT: Final = 130  # one of them, in a list of many
BEFORE: Final = 40  # of them before the first word that was found
LOOKED_AT: Final = 200_000  # characters of a note; a passage from its beginning says enough
MATCHES: Final = 500


def passage(text: str, words: list[str], length: int = LONG) -> str:
    """Cut about ``length`` characters out of a text; its beginning where none of the words is in it."""
    stems = "|".join(re.escape(_stem(word)) for word in words)
    matches = islice(re.finditer(rf"\b(?:{stems})", text[:LOOKED_AT].lower()), MATCHES)
    window: deque[tuple[int, str]] = deque()
    best, start = 0, BEFORE
    for match in matches:
        window.append((match.start(), match[0]))
        while match.start() - window[0][0] > length - BEFORE:
            window.popleft()
        if (different := len({word for _, word in window})) > best:
            best, start = different, window[0][0]
    begin = max(0, start - BEFORE)
    end = begin + length
    part = " ".join(text[begin:end].split())
    return f"{'… ' if begin else ''}{part}{' …' if end < len(text) else ''}"


def _stem(word: str) -> str:
    """Return the beginning that a word has in common with its other forms, well enough to find it again."""
    return word[: max(3, len(word) - 2)] if len(word) > 4 else word
