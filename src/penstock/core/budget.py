"""Room: how much an answer may cost, and the one way to find how much of something fits into it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

from penstock.core.tokens.count import count_json_string, wire_size

if TYPE_CHECKING:
    from collections.abc import Callable


NO_LIMIT: Final = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Tokens and bytes that a text may take on the wire, where it is written as a JSON string, and the lines it may
    have when it is read."""

    tokens: int
    size: int = NO_LIMIT
    profile: str = "claude"
    lines: int = NO_LIMIT

    def fits(self, text: str | bytes) -> bool:
        """Whether the text fits by its upper bound; a text with no more bytes than tokens allowed is not counted."""
        if len(text) > self.size:  # no need to look at all of something huge
            return False
        if self.lines < NO_LIMIT and line_count(text) > self.lines:
            return False
        length = wire_length(text)
        return length <= self.size and (length <= self.tokens or self.cost(text) <= self.tokens)

    def cost(self, text: str | bytes) -> int:
        """The tokens that the text is charged: its upper bound, JSON escaping included."""
        return count_json_string(text, self.profile).upper

    def less(self, *texts: str | bytes) -> Self:
        """The room that is left when these texts have taken theirs."""
        tokens = self.tokens - sum(self.cost(text) for text in texts)
        size = self.size - sum(wire_length(text) for text in texts)
        return replace(self, tokens=max(0, tokens), size=max(0, size))

    def limited(self, *, tokens: int | None = None, size: int | None = None) -> Self:
        """The same room, but no larger than this."""
        return replace(
            self,
            tokens=self.tokens if tokens is None else min(self.tokens, tokens),
            size=self.size if size is None else min(self.size, size),
        )


def largest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest ``n`` up to ``most`` for which ``fits(n)`` was seen to hold; 0 is taken to fit.

    Halving the same interval for every budget makes the answer grow with the budget even where ``fits`` has small
    dents: whenever a smaller budget goes up, so does a larger one. That keeps a bigger budget from showing less.
    """
    if most <= 0 or fits(most):
        return max(0, most)
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def line_count(text: str | bytes) -> int:
    return 1 + (text.count("\n") if isinstance(text, str) else text.count(b"\n"))


def wire_length(text: str | bytes) -> int:
    """The bytes of a text written inside a JSON string, quotes not counted; bytes are taken as UTF-8."""
    return wire_size(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
