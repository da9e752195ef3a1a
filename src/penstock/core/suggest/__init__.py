"""Refinements of a call whose result was too large, each with its reason and the tokens that it would cost.

``suggest`` here learns, collects offers and chooses; start with it. In the order in which it uses them:

- facets: what was learned of the data. rows: its items, decoded; values: fields with frequent values; places:
  directories and kinds of files; spans: times; weights: heavy fields, and the levels of a tree.
- narrow: the ways to narrow, each a type with its reason in words. cost: what a part of the data costs.
- calls: narrower calls to the tool itself. schema: what its input schema accepts; parameters: what its parameters
  are for; limits, globs, moments: what to give for them.
- held: narrower readings of the held result. offer: the choice of the best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.suggest.calls import narrower_calls
from penstock.core.suggest.cost import Meter
from penstock.core.suggest.facets import learn
from penstock.core.suggest.held import readings
from penstock.core.suggest.offer import Suggestion, choose
from penstock.core.suggest.parameters import Call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.core.subject import Subject

__all__ = ["Suggestion", "suggest"]

NARROW: Final = 0.9  # of the whole's tokens: what saves less is no refinement


def suggest(
    subject: Subject,
    *,
    tokens: int,
    budget: int,
    tool: str,
    arguments: Mapping[str, Any],
    schema: Mapping[str, Any] | None = None,
    fetch_tool: str = "fetch_cached_response",
    handle: str | None = None,
    most: int = 5,
    profile: str = "claude",
) -> tuple[Suggestion, ...]:
    """Narrower calls than ``tool(arguments)``, whose answer was ``subject`` and cost ``tokens``; best saving first.

    Calls whose answer would cost more than ``budget`` are suggested only if none is known that would fit. Without a
    ``handle`` nothing is held, and only calls to the tool itself are suggested.
    """
    if tokens <= 0 or budget <= 0 or most <= 0:
        return ()
    facets = learn(subject, Meter(subject, tokens, profile), budget)
    offers = list(narrower_calls(facets, Call(arguments, schema), tool))
    if handle is not None:
        offers.extend(readings(facets, fetch_tool, handle, budget))
    narrower = [offer for offer in offers if offer.tokens <= tokens * NARROW]
    fitting = [offer for offer in narrower if offer.tokens <= budget]
    chosen = choose(fitting or sorted(narrower, key=lambda offer: offer.tokens), most)
    return tuple(offer.suggestion(facets.wording) for offer in chosen)
