"""Suggestions, and the choice of the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from penstock.core.suggest.narrow import Narrowing, Wording

OF_A_KIND: Final = 2  # suggestions; with more, a reader would see one idea in variations


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A call that can be made as it stands, why it is worth making, and the tokens that its answer would cost."""

    why: str
    tool: str
    arguments: dict[str, Any]
    tokens: int

    def as_dict(self) -> dict[str, Any]:
        """The suggestion as a notice carries it."""
        return {"why": self.why, "tool": self.tool, "arguments": self.arguments, "tokens": self.tokens}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A call that may be suggested, and what it narrows to."""

    narrowing: Narrowing
    tool: str
    arguments: dict[str, Any]
    tokens: int

    def suggestion(self, say: Wording) -> Suggestion:
        return Suggestion(why=self.narrowing.why(say), tool=self.tool, arguments=self.arguments, tokens=self.tokens)

    def repeats(self, other: Offer) -> bool:
        """Whether one of the two is enough."""
        about = (self.narrowing.kind, self.narrowing.about) == (other.narrowing.kind, other.narrowing.about)
        return about or (self.tool, self.arguments) == (other.tool, other.arguments)


def choose(offers: list[Offer], most: int) -> list[Offer]:
    """The first of each kind, those that save most; then a second of each kind, of another group if there is one.

    Offers of a kind come in the order of their worth, which is not their saving: one item of a rare kind saves more
    than the forty that somebody is looking for. The chosen ones are in the order of their saving.
    """
    firsts: dict[str, Offer] = {}
    for offer in offers:
        firsts.setdefault(offer.narrowing.kind, offer)
    chosen: list[Offer] = []
    for offer in sorted(firsts.values(), key=_cost):
        if len(chosen) < most and not any(offer.repeats(other) for other in chosen):
            chosen.append(offer)
    for first in tuple(chosen):
        others = [
            offer
            for offer in offers
            if offer.narrowing.kind == first.narrowing.kind and not any(offer.repeats(other) for other in chosen)
        ]
        others.sort(key=lambda offer: offer.narrowing.group == first.narrowing.group)
        chosen.extend(others[: min(OF_A_KIND - 1, most - len(chosen))])
    return sorted(chosen, key=_cost)


def _cost(offer: Offer) -> int:
    return offer.tokens
