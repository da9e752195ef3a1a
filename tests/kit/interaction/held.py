"""Reading what the gateway held, through the tool that it added, as a client would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.kit.answers import head_of, split
from tests.kit.interaction.conversation import FETCH

from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from tests.kit.interaction.wire import Reply, Wire

WIDE: Final[dict[str, Any]] = {"max_length": 10_000_000}
MOST_READS: Final = 400  # windows or pages of one result; more means that reading on does not move on


def texts_of(result: dict[str, Any]) -> list[str]:
    """The texts of an answer to a call, of a resource, or of a prompt."""
    blocks = [*result.get("content", ()), *result.get("contents", ())]
    blocks += [message["content"] for message in result.get("messages", ())]
    return [block["text"] for block in blocks if "text" in block]


def tokens_of(result: dict[str, Any]) -> int:
    return sum(count(text).tokens for text in texts_of(result))


def notice_of(reply: Reply) -> dict[str, Any]:
    """The notice, which is the first line."""
    notice = head_of(reply.result)
    assert isinstance(notice, dict)
    assert notice["type"] == "buffered_response", notice
    return notice


def row_numbers(ranges: str) -> list[int]:
    """The rows or lines that a notice says it shows, as in ``1-3, 412`` or ``none``."""
    if ranges == "none":
        return []
    ends = [[int(end.replace(",", "")) for end in one.split("-")] for one in ranges.split(", ")]
    return [number for first, *last in ends for number in range(first, (last or [first])[0] + 1)]


def fetch(wire: Wire, tool: str = FETCH, **arguments: Any) -> Reply:
    reply = wire.call(tool, arguments)
    assert not reply.result.get("isError"), reply.texts
    return reply


def told(wire: Wire, **arguments: Any) -> dict[str, Any]:
    """The JSON line that an action answers with; only that of a search has text behind it."""
    value, text = split(fetch(wire, **arguments).result)
    assert bool(text) == (arguments["action"] == "search")
    assert isinstance(value, dict)
    return value


def windows(wire: Wire, handle: str, tool: str = FETCH, **asked: Any) -> str:
    """All windows of the original text, put together; ``WIDE`` asks for as few of them as the budget allows."""
    parts: list[str] = []
    at = 0
    for _ in range(MOST_READS):
        place, text = split(fetch(wire, tool, cache_id=handle, action="get", start_index=at, **asked).result)
        assert place["start_index"] == at
        assert place["end_index"] - at == len(text)
        parts.append(text)
        if not place["has_more"]:
            assert place["next_index"] is None
            assert place["total_length"] == place["end_index"]
            return "".join(parts)
        at = place["next_index"]
    raise AssertionError(f"the end was not reached in {MOST_READS} windows")


def pages(wire: Wire, handle: str, path: str | None = None) -> list[Any]:
    """All items of an array, page by page."""
    items: list[Any] = []
    where = {"cache_id": handle} if path is None else {"cache_id": handle, "path": path}
    for number in range(1, MOST_READS):
        page = told(wire, action="get_page", page=number, **where)
        place = page["_pagination"]
        assert (place["page"], place["start_index"]) == (number, len(items))
        items += page[place["path"].removeprefix(".")] if place["path"].removeprefix(".") in page else page["items"]
        assert place["end_index"] == len(items)
        if not place["has_more"]:
            assert place["total"] == len(items)
            assert place["total_pages"] == number
            return items
    raise AssertionError(f"the end was not reached in {MOST_READS} pages")
