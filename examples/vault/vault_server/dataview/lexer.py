"""Words and signs of a query, each with the place where it stands."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from penstock import CallerError

LONGEST: Final = 10_000  # characters of a query; one that is longer was not written by hand
EXAMPLE: Final = "TABLE status, due FROM #project WHERE priority >= 4 SORT due ASC"

_PART: Final = re.compile(
    r"""(?P<space>\s+)
    | (?P<text>"(?:[^"\\]|\\.)*")
    | (?P<tag>\#[\w/-]+)
    | (?P<date>\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?)
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<name>[^\W\d][\w-]*)
    | (?P<link>!?\[\[[^\[\]\n]*\]\])
    | (?P<sign>=>|<=|>=|!=|&&|\|\||[-+*/%=<>!()\[\],.&|])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One word or sign: its kind, what it says, and where it stands."""

    kind: str
    text: str
    at: int

    def says(self, *words: str) -> bool:
        """Return True if this is one of these keywords or signs."""
        return self.kind in ("name", "sign") and self.text.upper() in words


def parts(query: str) -> list[Part]:
    """Split a query into its parts; the last one is the end."""
    if len(query) > LONGEST:
        raise mistake(f"a query of up to {LONGEST:,} characters", f"{len(query):,}", 0)
    read: list[Part] = []
    at = 0
    while at < len(query):
        match = _PART.match(query, at)
        if match is None:
            raise mistake('a word, a number, a "text" or a sign', query[at : at + 10], at)
        kind = match.lastgroup or ""
        if kind != "space":
            read.append(Part(kind=kind, text=match[0], at=at))
        at = match.end()
    return [*read, Part(kind="end", text="the end", at=at)]


def mistake(expected: str, got: str, at: int) -> CallerError:
    """Return the error for a query that cannot be read, with the place."""
    return CallerError(f"query: expected {expected} at character {at + 1}, got {got!r}", do=f"for example {EXAMPLE}")


def unquoted(text: str) -> str:
    """Return what stands between quotes."""
    try:
        plain: str = json.loads(text)
    except ValueError:  # an escape that JSON does not have
        return text[1:-1]
    return plain
