"""What the gate gave for a result that it holds, on its way into the answer of another method.

Every method has JSON of its own around the notice and the preview. The gate has left room for that of a tool's
result; where another form takes more, the notice says less, so that the answer stays within what the gate allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.notice import encode
from penstock.core.answer.stand_in import text_block
from penstock.core.budget import ENVELOPE
from penstock.core.tokens.count import count
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Members = dict[str, bytes]

NOTICE: Final = '{"type":"buffered_response"'
RESERVED: Final = 2 * ENVELOPE  # bytes that the gate leaves for the JSON around the texts of an answer
SPARED: Final = ("shape", "metadata")  # what a notice can do without, in this order, once it has no suggestions
LEAST: Final = ("type", "cache_id", "message")
STUB: Final = b"; held as "  # in a block that stands for another, and has its handle


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """What the notice says; the blocks after it, the preview first; the members that were kept; and how many bytes and
    tokens there are for all of it. With ``is_short`` a form takes as little room as it can."""

    told: dict[str, Any]
    others: tuple[bytes, ...]
    members: Members
    size: int
    tokens: int
    is_short: bool = False

    @property
    def is_least(self) -> bool:
        """Whether there is room for nothing that can be done without."""
        return "shown" not in self.told

    @property
    def notice(self) -> bytes:
        """One line of JSON."""
        return encode(self.told)

    @property
    def message(self) -> str:
        return str(self.told.get("message", ""))

    @property
    def blocks(self) -> list[bytes]:
        return [text_block(self.notice.decode()), *self.others]

    def within(self, form: Callable[[StandIn], bytes]) -> bytes:
        """The answer in its form, with as much of the notice as there is room for."""
        closed = b""
        for shorter in self._shorter():
            closed = form(shorter)
            if len(closed) <= self.size and count(closed).upper <= self.tokens:
                break
        return closed

    def _shorter(self) -> Iterator[StandIn]:
        """The notice in full, then with fewer suggestions, in a shorter form, and with less and less in it; last of all
        without the preview, and saying so."""
        yield self
        told = dict(self.told)
        given = told.pop("suggestions", ())
        suggestions = given if isinstance(given, list) else ()
        for number in range(len(suggestions) - 1, 0, -1):
            yield replace(self, told={**told, "suggestions": suggestions[:number]})
        yield replace(self, told=told)
        short = replace(self, told=told, is_short=True)
        yield short
        for name in SPARED:
            told = {key: one for key, one in told.items() if key != name}
            yield replace(short, told=told)
        least: dict[str, Any] = {name: told[name] for name in LEAST if name in told}
        yield replace(short, told=least)
        message = f"Too large to show; {'held' if 'cache_id' in told else 'not kept'}."
        stubs = tuple(block for block in self.others if STUB in block)
        yield replace(short, told={**least, "message": message}, others=stubs)


def read_stand_in(answer: bytes) -> StandIn | None:
    """What stands in for a held result; None for an answer that does not."""
    try:
        members = dict(jsonrpc.members(answer))
        first, *others = jsonrpc.items(members.pop("content"))
        text = jsonrpc.text_at(first, "text")
        told = jsonrpc.value(text.encode()) if text.startswith(NOTICE) else None
    except (ValueError, KeyError):
        return None
    if not isinstance(told, dict):
        return None
    texts = sum(len(dict(jsonrpc.members(block)).get("text", b"")) for block in (first, *others[:1]))
    around = len(answer) - texts - sum(map(len, others[1:])) - len(members.get("_meta", b""))
    metadata = told.get("metadata")
    limit = metadata.get("token_limit") if isinstance(metadata, dict) else None
    return StandIn(
        told=told,
        others=tuple(others),
        members=members,
        size=len(answer) + max(0, RESERVED - around),
        tokens=limit if isinstance(limit, int) else count(answer).upper,
    )


def array(items: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(items) + b"]"
