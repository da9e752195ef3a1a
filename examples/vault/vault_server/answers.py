"""The form of every answer, and the metadata that says how to read on.

A list is one JSON object: the items, ``pagination`` (total, offset, limit, hasMore) and, when there is more, ``next``:
the call that gives it. A text is two blocks, the text itself and its metadata (totalLength, startIndex, endIndex,
nextIndex, hasMore, truncated), and a third with ``next``. Every ``next`` can be called as it stands.

A list that is asked for in a size above Penstock's budget is held by Penstock. A window of text that does not fit, by
its tokens or by ``MOST_BYTES``, is made smaller instead, and ``next`` gives the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock import ListWindow, Room, Window, fits, list_window, read, ruler, window
from server_parts.answers import as_json, texts

if TYPE_CHECKING:
    from fastmcp.tools.base import ToolResult

MOST_BYTES: Final = 40_000  # of what is shown; written as JSON, with its metadata, no answer reaches 50 KB


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that could be made next."""

    tool: str
    arguments: dict[str, Any]

    def with_(self, **changes: Any) -> Call:
        """Return the same call with other arguments."""
        return Call(tool=self.tool, arguments={**self.arguments, **changes})

    def as_dict(self) -> dict[str, Any]:
        """Return the call as it stands in an answer; arguments that are None are left out."""
        arguments = {name: value for name, value in self.arguments.items() if value is not None}
        return {"tool": self.tool, "arguments": arguments}


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Makes answers. ``max_tokens`` is Penstock's budget."""

    max_tokens: int
    room: Room = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "room", Room(tokens=self.max_tokens * 9 // 10, size=MOST_BYTES))

    def listing(self, key: str, part: ListWindow[Any], more: Call, **also: Any) -> ToolResult:
        """Answer with a part of a list that is read on by its offset."""
        while True:
            end = part.offset + len(part.items)
            answer: dict[str, Any] = {key: list(part.items), **also, "pagination": part.metadata("camel")}
            if part.has_more:
                answer["next"] = more.with_(offset=end).as_dict()
            text = as_json(answer)
            if len(part.items) < 2 or not self._is_wide(text):
                return texts(text)
            half = list_window(part.items, 0, len(part.items) // 2)
            part = ListWindow(items=half.items, total=part.total, offset=part.offset, limit=part.limit)

    def best(self, key: str, items: list[Any], total: int, limit: int, more: Call, **also: Any) -> ToolResult:
        """Answer with the first of a list that has no offset: a caller that wants the rest asks for all, and Penstock
        holds it."""
        part = ListWindow(items=tuple(items), total=total, offset=0, limit=limit)
        answer = {key: items, **also, "pagination": part.metadata("camel")}
        if part.has_more:
            answer["next"] = more.as_dict()
        text = as_json(answer)
        if len(items) > 1 and self._is_wide(text):
            return self.best(key, items[: len(items) // 2], total, limit, more, **also)
        return texts(text)

    def text(self, whole: str, start_index: int, max_length: int, more: Call, before: str = "") -> ToolResult:
        """Answer with a window of a text; ``before`` stands before the metadata."""
        part = self.window(whole, start_index, max_length)
        return self.blocks(part.text, part, max_length, more, before)

    def blocks(self, first: str, part: Window, max_length: int, more: Call, before: str = "") -> ToolResult:
        """Answer with a text, its metadata, and the call for more of it. The metadata names the limit of one answer
        where that, and not the caller, has made the window smaller."""
        metadata = text_metadata(part)
        if part.has_more and len(part.text) < max_length and not self._has_room(part.text):
            metadata["limitedTo"] = f"{self.room.tokens:,} tokens or {MOST_BYTES:,} bytes of text in one answer"
        blocks = [first, before + as_json(metadata)]
        if part.has_more:
            blocks.append(as_json({"next": more.with_(startIndex=part.end_index).as_dict()}))
        return texts(*blocks)

    def window(self, whole: str, start_index: int, max_length: int) -> Window:
        """Return the window that is asked for, shortened until it fits whatever its script."""
        document = read(whole, "strict")
        raw = document.raw
        return window(lambda start, end: raw[start:end], ruler(document), start_index, max_length, self.room)

    def _has_room(self, text: str) -> bool:
        """Return True if a tenth more of a text would still fit: a window may end at the line or word before it."""
        return self.room.fits(text + text[: max(1, len(text) // 10)])

    def _is_wide(self, text: str) -> bool:
        """Return True if a text would pass by its tokens although it has too many bytes."""
        return len(text) * 4 > MOST_BYTES and len(text.encode()) > MOST_BYTES and fits(text, self.max_tokens)


def text_metadata(part: Window) -> dict[str, Any]:
    """Return the metadata of a window; ``nextIndex`` only where there is a next one."""
    return {name: value for name, value in part.metadata("camel").items() if value is not None}
