"""Make every call that a notice offers for the held result, and judge what comes back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock import count

if TYPE_CHECKING:
    from penstock import Gate

TOLERANCE: Final = 0.25  # by which a cost may differ from what was told


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An offered call: its arguments without the handle, what it should and did cost, and what is wrong with it."""

    kind: str
    arguments: dict[str, Any]
    told: int
    cost: int
    fault: str


def tokens_of(result: dict[str, Any]) -> int:
    """What the text of a result costs."""
    return sum(count(block["text"], "claude").tokens for block in result["content"] if block["type"] == "text")


def make_offers(gate: Gate, owner: str, notice: dict[str, Any], limit: int) -> list[Offer]:
    """Make all offered calls of our own tool."""
    offered = [("next", one) for one in notice.get("next", [])]
    offered += [("suggestion", one) for one in notice.get("suggestions", []) if "cache_id" in one["arguments"]]
    return [_made(gate, owner, kind, one, limit) for kind, one in offered]


def _made(gate: Gate, owner: str, kind: str, one: dict[str, Any], limit: int) -> Offer:
    result = json.loads(gate.fetch(owner, one["arguments"]))
    cost = tokens_of(result)
    told, how = next((one[name], name) for name in ("tokens", "at_most_tokens", "about_tokens") if name in one)
    text = next((block["text"] for block in result["content"] if block["type"] == "text"), "")
    fault = ""
    if result.get("isError"):
        fault = f"it fails: {text[:200]}"
    elif cost > limit:
        fault = f"it costs {cost}, over the limit of {limit}"
    elif text.startswith('{"type":"buffered_response"'):
        fault = "it leads to another notice"
    elif how == "at_most_tokens":
        fault = f"it costs {cost}, told were at most {told}" if cost > told else ""
    elif abs(cost - told) > TOLERANCE * max(1, told):
        fault = f"it costs {cost}, told were {told}"
    arguments = {name: value for name, value in one["arguments"].items() if name != "cache_id"}
    return Offer(kind=kind, arguments=arguments, told=told, cost=cost, fault=fault)
