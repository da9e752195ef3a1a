"""The notice: one line of JSON that says what was held, what is shown below it, and which calls read on.

It comes before the preview, so that nobody takes the preview for the whole; and every call in it runs verbatim.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.json.path import render, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.budget import Room
    from penstock.core.measure import Measure
    from penstock.core.preview.base import Preview
    from penstock.core.suggest import Suggestion

TOOL_NAME: Final = "fetch_cached_response"
HANDLE_LENGTH: Final = 24  # "r_" and 128 random bits in base64
SAMPLE_HANDLE: Final = "r_X7qZ0kW9vJ3bN5mT1yR8cL"  # as long and as dense as a real one, to count with
NOT_KEPT: Final = " The rest was not kept: the store failed; narrow the call and repeat it."
LONGEST_URI: Final = 200  # characters; it is the caller's, and no better known in full
SHORT_SHAPE: Final = 160  # characters of the shape when room is short


@dataclass(frozen=True, slots=True, kw_only=True)
class NextCall:
    """A call that reads on, without the handle, and what its answer costs. ``hidden`` is the number of another held
    part of the result, when the call is for that one."""

    arguments: dict[str, Any]
    tokens: int
    hidden: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """All that a notice says, apart from the handle, which exists only once the store has committed. ``byte_limit`` is
    told where it is that, and not the tokens, which the result exceeds; ``exceeds`` is false where the result would
    have fitted, and is held since its tool's always are."""

    tool: str
    measure: Measure
    token_limit: int
    byte_limit: int | None = None
    exceeds: bool = True
    preview: Preview
    next_calls: tuple[NextCall, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    failed: bool = False
    cause: str = ""
    uri: str | None = None
    fetch_tool: str = TOOL_NAME

    def render(
        self,
        handle: str | None,
        expires_in_s: int | None,
        hidden_handles: Sequence[str] = (),
        *,
        room: Room | None = None,
    ) -> bytes:
        """The notice as one line of JSON, with as much of it as the room allows; without a handle it says that the
        rest was not kept, and offers only calls to the tool itself."""
        forms: Sequence[dict[str, Any]] = self._forms(handle, expires_in_s, hidden_handles)
        for form in forms:
            line = encode(form)
            if room is None or room.fits(line):
                return line
        return encode(forms[-1])

    def _forms(
        self, handle: str | None, expires_in_s: int | None, hidden_handles: Sequence[str]
    ) -> list[dict[str, Any]]:
        """The notice in full, then with less and less, down to what no reader can do without."""
        full = self._full(handle, expires_in_s, hidden_handles)
        forms = [full]
        suggestions = list(full.get("suggestions", ()))
        while suggestions:
            suggestions.pop()
            forms.append({**full, "suggestions": list(suggestions)})
        bare = {key: value for key, value in full.items() if key != "suggestions"}
        forms.append({**bare, "shape": shorten(self.measure.shape, SHORT_SHAPE)})
        forms.append({key: value for key, value in bare.items() if key not in ("shape", "metadata")})
        least: dict[str, Any] = {key: full[key] for key in ("type", "cache_id", "message") if key in full}
        forms.append(least)
        forms.append({**least, "message": "Too large to show whole; held." if handle else "Too large; not kept."})
        return forms

    def _full(self, handle: str | None, expires_in_s: int | None, hidden_handles: Sequence[str]) -> dict[str, Any]:
        shown = self.preview.shown
        metadata: dict[str, Any] = {
            "total_tokens": self.measure.tokens.tokens,
            "total_bytes": self.measure.size,
            "item_count": self.measure.items,
            "max_depth": self.measure.depth,
        }
        if self.preview.depth is not None:
            metadata["truncated_at_depth"] = self.preview.depth
        metadata |= {"would_exceed_limit": self.exceeds, "token_limit": self.token_limit}
        if self.byte_limit is not None:
            metadata["byte_limit"] = self.byte_limit
        if expires_in_s is not None and handle is not None:
            metadata["expires_in_s"] = expires_in_s
        told: dict[str, Any] = {"type": "buffered_response"}
        if handle is not None:
            told["cache_id"] = handle
        told["tool"] = shorten(self.tool, 128)
        if self.uri is not None:
            told["uri"] = shorten(self.uri, LONGEST_URI)
        told |= {
            "message": self.message if handle is not None else self.message + NOT_KEPT,
            "metadata": metadata,
            "shape": self.measure.shape,
            "shown": {
                "path": shorten(render(shown.path), 200),
                "from": shown.start,
                "to": shown.end,
                "of": shown.total,
            },
        }
        if handle is not None:
            told["next"] = [
                {
                    "tool": self.fetch_tool,
                    "arguments": {
                        "cache_id": handle if call.hidden is None else hidden_handles[call.hidden],
                        **call.arguments,
                    },
                    "tokens": call.tokens,
                }
                for call in self.next_calls
                if call.hidden is None or call.hidden < len(hidden_handles)
            ]
        suggestions = [
            {"why": one.why, "tool": one.tool, "arguments": with_handle(one.arguments, handle), "tokens": one.tokens}
            for one in self.suggestions
            if handle is not None or one.tool != self.fetch_tool
        ]
        if suggestions:
            told["suggestions"] = suggestions
        return told

    @property
    def message(self) -> str:
        """What happened, in two sentences."""
        shown = self.preview.shown
        number = shown.end - shown.start
        below = f"Shown below: {number:,} of {shown.total:,}." if shown.total else "Not shown."
        if shown.total and number == shown.total:
            below = "Shown below in part."  # all of them are there, but none whole, or this would not be a notice
            if self.preview.characters is not None:
                below = "Shown below: {:,} of {:,} characters.".format(*self.preview.characters)
        failed = ""
        if self.failed:
            failed = f"The tool failed: {self.cause} Its error is " if self.cause else "The tool failed; its error is "
        cost = f", about {self.measure.tokens.tokens:,} tokens" if self.measure.tokens.tokens else ""
        why = "too large to show whole" if self.exceeds else "held, as all that this tool gives"
        return f"{failed}{self.preview.headline}{cost}: {why}. {below}"


def with_handle(arguments: dict[str, Any], handle: str | None) -> dict[str, Any]:
    """The arguments with the real handle in the place of the sample one."""
    return {key: handle if value == SAMPLE_HANDLE else value for key, value in arguments.items()}


def encode(told: dict[str, Any]) -> bytes:
    """One line of JSON, whatever strings the caller's arguments have in them: lone surrogates become escapes."""
    try:
        return msgspec.json.encode(told)
    except UnicodeEncodeError:
        return json.dumps(told, separators=(",", ":")).encode()
