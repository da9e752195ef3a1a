"""Python's regular expressions where RE2 is not installed (Alpine): each runs in a worker, under its time limit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.query.sandbox.jobs import RegexMatch, RegexQuery
from penstock.query.sandbox.process import Text
from penstock.query.sandbox.sandbox import Load

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.share import Share

MOST: Final = 100_001  # matches of one text: one more than a search counts
_MATCHES: Final = msgspec.json.Decoder(list[RegexMatch])


@dataclass(slots=True, kw_only=True)
class WorkerRegexp:
    """Takes the place of RE2's compiled pattern in a search. The worker finds all matches of a window at once; they are
    handed out one by one, as long as each is asked for from where the last one ends."""

    sandbox: Sandbox
    share: Share
    pattern: str
    ignore_case: bool = False
    in_lines: bool = False
    _window: bytes = b""
    _next: int = -1
    _left: list[RegexMatch] = field(default_factory=list)

    def search(self, window: bytes, start: int) -> RegexMatch | None:
        """Return the next match from ``start`` on."""
        if window is not self._window or start != self._next:
            query = RegexQuery(
                pattern=self.pattern, ignore_case=self.ignore_case, in_lines=self.in_lines, start=start, most=MOST
            )
            self._left = matches_of(self.sandbox, query, window, share=self.share)[::-1]
            self._window, self._next = window, start
        if not self._left:
            return None
        match = self._left.pop()
        self._next = match.end
        return match


def matches_of(sandbox: Sandbox, query: RegexQuery, text: bytes, *, share: Share) -> list[RegexMatch]:
    """Return all matches that a worker finds in a text. Raises a ``CallerError`` for an expression that is wrong, or
    that takes too long."""
    load = Load(size=len(text), at_once=len(text))
    answered = sandbox.ask(query, [iter((Text(pieces=(text,)),))], load=load, what="search", share=share)
    return _MATCHES.decode(answered.output)
