"""What a client does with an answer: measure it, and read on from its notice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tests.kit.answers import head_of, text_of
from tests.kit.gateway import FETCH

from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost

if TYPE_CHECKING:
    from tests.kit.gateway import Running

BUDGET: Final = 20_000  # tokens: the default of max_tokens
MOST_READS: Final = 500


def tokens(result: Any) -> int:
    """What an answer costs at most, JSON escaping included; of a resource or a prompt, that of its texts."""
    blocks = [*result.get("content", ()), *({"type": "text", **one} for one in result.get("contents", ()))]
    blocks += [message["content"] for message in result.get("messages", ())]
    others = {name: value for name, value in result.items() if name not in ("contents", "messages")}
    return cost(parse(json.dumps({**others, "content": blocks}, ensure_ascii=False).encode()), "claude")


def notice(result: dict[str, Any]) -> dict[str, Any]:
    """The notice, which is the first line."""
    told = head_of(result)
    assert isinstance(told, dict)
    assert told["type"] == "buffered_response"
    return told


def row_numbers(ranges: str) -> list[int]:
    """The rows that a notice says it shows, as in ``1-3, 412``."""
    ends = [[int(end.replace(",", "")) for end in one.split("-")] for one in ranges.split(", ")]
    return [number for first, *last in ends for number in range(first, (last or [first])[0] + 1)]


def fetch(gateway: Running, handle: str, action: str, **arguments: Any) -> dict[str, Any]:
    """The JSON of the first line of an answer."""
    result = gateway.call(FETCH, action=action, cache_id=handle, **arguments)
    assert "isError" not in result, result
    assert tokens(result) <= BUDGET
    told = head_of(result)
    assert isinstance(told, dict)
    return told


def windows(gateway: Running, handle: str) -> str:
    """The whole text, put together from its windows."""
    parts: list[str] = []
    at: int | None = 0
    while at is not None and len(parts) < MOST_READS:
        result = gateway.call(FETCH, action="get", cache_id=handle, start_index=at)
        assert tokens(result) <= BUDGET
        at = head_of(result)["next_index"]
        parts.append(text_of(result))
    return "".join(parts)


def pages(gateway: Running, handle: str) -> list[Any]:
    """All items, put together from the pages."""
    items: list[Any] = []
    for number in range(1, MOST_READS):
        page = fetch(gateway, handle, "get_page", page=number)
        items += page["items"]
        if not page["_pagination"]["has_more"]:
            return items
    raise AssertionError("the end was not reached")
