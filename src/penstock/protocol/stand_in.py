"""Fit a stand-in into the response to a method that is no tool call.

Every method has JSON of its own around the notice and the preview. The gate has left room for that of a tool's
result; where another form takes more, the notice says less, so that the response stays within what the gate allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from penstock.core.answer.notice import FIGURES, LEAST, MARK, NOT_SHOWN, SPARED, encode, least_data
from penstock.core.answer.stand_in import joined, text_block
from penstock.core.budget import ENVELOPE
from penstock.core.json.strings import quote_exactly
from penstock.core.tokens.count import count
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.core.answer.stand_in import StandIn

    Members = dict[str, bytes]

RESERVED: Final = 2 * ENVELOPE  # bytes that the gate leaves for the JSON around the texts of an answer
STUB: Final = b"; held as "  # in a block that stands for another, and has its handle


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A stand-in with as much of its notice as there is room for: ``size`` bytes and ``tokens`` for all of it. With
    ``is_short`` a form takes as little room as it can."""

    parts: StandIn
    size: int
    is_short: bool = False

    @property
    def notice(self) -> dict[str, Any]:
        """Return the members of the notice."""
        return self.parts.notice

    @property
    def is_least(self) -> bool:
        """Return True if there is room only for the members that every notice has."""
        return not set(self.notice) - {*LEAST, "data"}

    @property
    def line(self) -> bytes:
        """Return the notice as one line of JSON."""
        return encode(self.notice)

    @property
    def message(self) -> str:
        return str(self.notice.get("message", ""))

    @property
    def blocks(self) -> list[bytes]:
        """Return the blocks of a response: the notice with the preview, then the others."""
        return [text_block(self.parts.text), *self.parts.blocks]

    def without_preview(self) -> Rendering:
        """Return the rendering for a response that has no place for the preview: its notice says that nothing is
        shown."""
        before, sentence, after = self.message.rpartition(self.parts.below or NOT_SHOWN)
        message = f"{before}{NOT_SHOWN}{after}" if sentence else f"{self.message} {NOT_SHOWN}"
        none_shown = {
            key: one if key in ("path", "of") else "none" for key, one in self.notice.get("shown", {}).items()
        }
        notice = {**self.notice, "message": message, **({"shown": none_shown} if none_shown else {})}
        return self._with(notice, preview="", members=_without_meta(self.parts.members, FIGURES))

    def within(self, form: Callable[[Rendering], bytes]) -> bytes:
        """Return the response in its form, with as much of the notice as there is room for."""
        closed = b""
        for shorter in self._shorter():
            closed = form(shorter)
            if len(closed) <= self.size and count(closed).upper <= self.parts.token_limit:
                break
        return closed

    def _with(self, notice: dict[str, Any], **changed: Any) -> Rendering:
        """Return the rendering with another notice, and with the other parts of the stand-in that are ``changed``."""
        return replace(self, parts=replace(self.parts, notice=notice, **changed))

    def _shorter(self) -> Iterator[Rendering]:
        """Yield the whole notice, then a shorter form of it without the figures for programs, then with less and less
        in it; last of all without the preview, and saying so, and without the mark."""
        yield self
        short = replace(self, is_short=True)._with(self.notice, members=_without_meta(self.parts.members, FIGURES))
        yield short
        notice = dict(self.notice)
        for name in SPARED:
            if notice.pop(name, None) is not None:
                yield short._with(dict(notice))
        least: dict[str, Any] = {name: notice[name] for name in LEAST if name in notice}
        least |= {"data": least_data(notice["data"])} if "data" in notice else {}
        yield short._with(least)
        message = f"Too large to show; {'held' if 'cache_id' in notice else 'not kept'}."
        stubs = tuple(block for block in self.parts.blocks if STUB in block)
        last = short._with({**least, "message": message}, preview="", blocks=stubs)
        yield last
        if "_meta" in dict(last.parts.members):
            yield last._with(last.notice, members=_without_meta(last.parts.members, MARK))


def rendering_of(parts: StandIn) -> Rendering:
    """Return a stand-in in full, with the room that the gate has left for the JSON around it."""
    answer = parts.raw
    text = len(quote_exactly(parts.text))
    around = len(answer) - text - sum(map(len, parts.blocks)) - len(dict(parts.members).get("_meta", b""))
    return Rendering(parts=parts, size=len(answer) + max(0, RESERVED - around))


def _without_meta(members: Iterable[tuple[str, bytes]], unwanted: str) -> tuple[tuple[str, bytes], ...]:
    """Return the members of a stand-in without one member of ``_meta``."""
    kept = dict(members)
    if "_meta" not in kept:
        return tuple(kept.items())
    meta = [(name, one) for name, one in jsonrpc.members(kept.pop("_meta")) if name != unwanted]
    return (*kept.items(), *([("_meta", joined(meta))] if meta else []))


def array(items: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(items) + b"]"
