"""The request of an action: the arguments of one call, and what the gate does for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from penstock.core.answer.notice import encode, line_and_text
from penstock.core.budget import DATA_PAGE, ENVELOPE, Room, largest, wire_length
from penstock.core.plain import Plain
from penstock.gate.tool_results import json_result, text_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.budget import Budget
    from penstock.core.fit import Hold
    from penstock.gate.arguments import FetchArguments
    from penstock.gate.held import HeldReader
    from penstock.gate.owners import Owner
    from penstock.gate.records import Origin
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.stores import Entry

LONG_FIELD: Final = 200  # characters of what the caller wrote that are repeated in an answer
BYTES_PER_TOKEN: Final = 4  # bytes: a page of more bytes than this for each token has more tokens than it may


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest(ABC):
    """One call of the fetch tool: its arguments, and what its action may do for the owner and the client of the call.
    A new document may have ``max_bytes``."""

    arguments: FetchArguments
    now: float
    fetch_tool: str
    owner: Owner
    max_bytes: int

    @abstractmethod
    def open_handle(self, handle: str) -> HeldReader:
        """Open a held result with its tables."""

    @abstractmethod
    def open_text(self, handle: str) -> HeldReader:
        """Open it without the tables that the first question to a text makes."""

    @abstractmethod
    def budget_for(self, tool: str) -> Budget:
        """Return the budget of answers about results of a tool."""

    @abstractmethod
    def list_held(self) -> Sequence[Entry]:
        """Return the entries that the caller may see in a list."""

    @abstractmethod
    def hold(self, hold: Hold, origin: Origin) -> bytes:
        """Hold the result of an action, and return its stand-in."""

    @abstractmethod
    def keep(self, raw: bytes, origin: Origin) -> Entry:
        """Hold a new document, and return its entry. Raises a ``PenstockError`` if the store does not keep it."""

    @abstractmethod
    def sandbox(self) -> Sandbox:
        """Return the workers that run queries."""

    def opened(self) -> HeldReader:
        """Open the one held result that the call names."""
        return self.open_handle(self.arguments.handle)

    def opened_for(self, path: str | None) -> HeldReader:
        """Open it for reading: without a path the text itself, which needs no tables."""
        return self.opened() if path is not None else self.open_text(self.arguments.handle)

    def budget(self, opened: HeldReader) -> Budget:
        """Return the budget of answers about a held result: that of the tool which gave it."""
        return self.budget_for(opened.held.meta.tool)


class Action(Protocol):
    """One action of the fetch tool."""

    def run(self, request: FetchRequest) -> bytes:
        """Answer a call with an MCP result within its budget. Raises a ``PenstockError`` when that cannot be done."""


class PageSize(Plain, frozen=True, kw_only=True):
    """The room of a page as the caller wants it, and a word for where that is more than an answer may have:
    ``is_less`` whatever the data is, else where its tokens fill a page before its bytes do."""

    room: Room
    word: str = ""
    is_less: bool = False

    @property
    def surely(self) -> str:
        """Return the word if the size is more than any answer may have."""
        return self.word if self.is_less else ""

    def lowered(self, page: str, total_pages: int) -> str:
        """Return the word if pages end at the limit of tokens, as this one does, before they have the size that was
        asked for; where all is on one page, nothing is lowered."""
        if total_pages <= 1 or not self.word:
            return ""
        by_tokens = self.room.cost(page) / max(1, self.room.tokens)
        return self.word if self.is_less or by_tokens > wire_length(page) / max(1, self.room.size) else ""


class Rooms(Plain, frozen=True, kw_only=True):
    """The room that an answer should take, and the most that it may take. ``page_bytes`` are those of a page of items
    where the call names no size, None where the tokens of ``page`` are its size."""

    page: Room
    hard: Room
    page_bytes: int | None = None

    @classmethod
    def of(cls, budget: Budget) -> Rooms:
        return cls(page=budget.page, hard=budget.whole, page_bytes=DATA_PAGE if budget.notice == "data" else None)

    def wanted(self, arguments: FetchArguments) -> PageSize:
        """Return the size of a page as the caller wants it."""
        tokens, size = arguments.page_size()
        if tokens is None and size is None:
            size = self.page_bytes
        if tokens is None and size is None:
            return PageSize(room=self.page)
        room = self.hard.limited(tokens=None if tokens is None else tokens - ENVELOPE, size=size)
        is_less = room.tokens < (tokens or 0) - ENVELOPE or room.size < (size or 0)
        is_less = is_less or (size or 0) > BYTES_PER_TOKEN * self.hard.tokens
        if size is None and not is_less:
            return PageSize(room=room)
        name, number = ("page_tokens", tokens) if tokens is not None else ("page_size_kb", (size or 0) // 1_024)
        word = f"{name} {number:,} is more than an answer may have: pages are of {room.tokens:,} tokens at most"
        return PageSize(room=room.less(word, '"lowered":""'), word=word, is_less=is_less)


def answer_within(room: Room, hard: Room, made: Callable[[Room], tuple[str, str]]) -> bytes:
    """Return the line and the text that ``made`` gives for a room, as one answer. If they do not fit together, because
    the cost of a large text is sampled, they are made again for less."""
    while True:
        line, text = made(room)
        whole = line_and_text(line, text).encode("utf-8", "surrogatepass")  # a large text is sampled by bytes
        if hard.fits(whole) or room.tokens <= 1:
            return text_result(line, text)
        room = room.limited(tokens=room.tokens * 49 // 50)


def as_many(most: int, answer: Callable[[int], dict[str, Any]], room: Room) -> bytes:
    """Return the answer with as many rows as have room."""
    return json_result(answer(largest(most, lambda number: room.fits(encode(answer(number))))))


def seconds_left(expires: float | None, now: float) -> int | None:
    """Return the seconds until something expires; None for what never does."""
    return None if expires is None else max(0, round(expires - now))
