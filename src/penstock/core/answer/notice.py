"""The notice: one line of JSON that says what is stored, how it is built, and which call to make next.

It comes before the preview, so that no reader takes the preview for the whole. Every call in it runs verbatim: ``next``
has the arguments of the reading tool in addition to ``cache_id``. A notice in the style ``full`` or ``data`` also has
the figures, the rows that are shown and the cost of each call, as programs read them. In the style ``brief`` the
figures and the rows that are shown are in ``_meta``, which models do not read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.budget import TOOL_NAME
from penstock.core.tables.roles import MAX_NAME
from penstock.core.text import counted, plain, shorten, without_signs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.core.answer.preview_text import Preview
    from penstock.core.answer.suggest import Suggestion
    from penstock.core.budget import NoticeStyle, Room
    from penstock.core.changes.since import Since
    from penstock.core.forms.reading import Table
    from penstock.core.measure import Measure

HANDLE_LENGTH: Final = 24  # A handle has 24 characters: "r_" and 128 random bits in base64.
SAMPLE_HANDLE: Final = "r_X7qZ0kW9vJ3bN5mT1yR8cL"  # Costs as many tokens as most random handles do.
NOT_KEPT: Final = " The rest was not kept: the store failed; narrow the call and repeat it."
NOT_SHOWN: Final = "Nothing of it is shown."
LONGEST_URI: Final = 200  # An address is cut after 200 characters. The caller knows it.
FIGURES: Final = "penstock/figures"  # in the ``_meta`` of a brief stand-in
MARK: Final = "penstock/notice"  # in the ``_meta`` of a real stand-in, and of the tool that reads what it stands for
MOST_TABLES: Final = 4  # A notice names at most 4 tables next to the main one. The action info has all.
AROUND_ANSWER: Final = 22  # An answer in the style data has 22 tokens around its data.
LEAST: Final = ("type", "cache_id", "success", "cached", "message")  # Members that every notice has.
# Members that a notice does without if there is no room, the first of them first.
SPARED: Final = ("suggestions", "tables", "shape", "metadata", "shown", "next", "changes")
MAX_TABLE_COLUMNS: Final = 12  # A notice names at most 12 columns of a further table. The action info has all.


@dataclass(frozen=True, slots=True, kw_only=True)
class NextCall:
    """A call that reads on, without the handle, and what its answer costs, or ``at_most``. ``hidden`` is the number of
    another held part of the result, when the call is for that one; ``tool`` another tool than the one that reads."""

    arguments: dict[str, Any]
    tokens: int
    at_most: bool = False
    hidden: int | None = None
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """All that a notice says, apart from the handle, which exists only once the store has committed. ``reason`` is the
    figure that decided, with its limit; ``exceeds`` is false where the result would have fitted; ``partial`` says that
    the tool has more than this."""

    tool: str
    measure: Measure
    token_limit: int
    reason: str
    preview: Preview
    byte_limit: int | None = None
    exceeds: bool = True
    next_calls: tuple[NextCall, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    failed: bool = False
    cause: str = ""
    partial: str = ""
    uri: str | None = None
    since: Since | None = None
    fetch_tool: str = TOOL_NAME
    style: NoticeStyle = "brief"

    def render(
        self,
        handle: str | None,
        expires_in_s: int | None,
        hidden_handles: Sequence[str] = (),
        *,
        room: Room | None = None,
    ) -> bytes:
        """Return the notice as one line of JSON, with as much of it as the room allows beside the preview; without a
        handle it says that the rest was not kept, and offers only calls to the tool itself."""
        return encode(self.fitted(handle, expires_in_s, hidden_handles, room=room))

    @property
    def shortest(self) -> bytes:
        """Return the same with no more than what no reader can do without."""
        return encode(self._forms(SAMPLE_HANDLE, 10**9, ())[-1])

    def leaves_room(self, room: Room) -> bool:
        """Return True if the preview leaves room for the shortest notice."""
        return self._fits(self.shortest, room)

    def fitted(
        self,
        handle: str | None,
        expires_in_s: int | None,
        hidden_handles: Sequence[str] = (),
        *,
        room: Room | None = None,
    ) -> dict[str, Any]:
        """Return the members of the notice, with as much of it as the room allows beside the preview."""
        forms = self._forms(handle, expires_in_s, hidden_handles)
        return next((form for form in forms if room is None or self._fits(encode(form), room)), forms[-1])

    def _fits(self, line: bytes, room: Room) -> bool:
        """Return True if a line and the preview fit together: they are one text, and are counted as one."""
        return room.fits(line_and_text(line.decode(), self.preview.text).encode("utf-8", "surrogatepass"))

    def _forms(
        self, handle: str | None, expires_in_s: int | None, hidden_handles: Sequence[str]
    ) -> list[dict[str, Any]]:
        """Return the whole notice, then with less and less, down to what no reader can do without."""
        if self.style == "brief":
            whole = self._brief(handle, expires_in_s, hidden_handles)
        else:
            whole = self._full(handle, expires_in_s, hidden_handles)
        forms = [whole]
        for name in SPARED:
            if name in whole:
                forms.append(_without(forms[-1], name))
        least: dict[str, Any] = {key: whole[key] for key in LEAST if key in whole}
        least |= {"data": least_data(whole["data"])} if "data" in whole else {}
        forms.append(least)
        forms.append({**least, "message": "Too large; stored." if handle else "Too large; not kept."})
        return forms

    def _brief(self, handle: str | None, expires_in_s: int | None, hidden_handles: Sequence[str]) -> dict[str, Any]:
        """Return the members that a model needs: the message, how the data is built, and one call to make next."""
        members: dict[str, Any] = {"type": "buffered_response"}
        if handle is not None:
            members["cache_id"] = handle
        if self.uri is not None:
            members["uri"] = shorten(self.uri, LONGEST_URI)
        members["message"] = self.description + (NOT_KEPT if handle is None else stored_for(expires_in_s))
        if self.since is not None:
            members["changes"] = str(self.since)
        members["shape"] = self.measure.shape
        if len(self.measure.reading.tables) > 1:
            members["tables"] = tables_text(self.measure.reading.tables)
        call = self._next_arguments(handle, hidden_handles)
        if handle is not None and call is not None:
            is_usual = self.fetch_tool == TOOL_NAME
            members["next"] = call if is_usual else {"tool": self.fetch_tool, **call}
        if others := self._other_calls(handle):
            members["suggestions"] = others
        return members

    def figures(self, expires_in_s: int | None) -> dict[str, Any]:
        """Return what a brief notice leaves out, for programs."""
        return {
            "tool": shorten(self.tool, 128),
            "metadata": self._metadata(expires_in_s),
            "shown": self.preview.shown.as_dict(),
        }

    def _next_arguments(self, handle: str | None, hidden_handles: Sequence[str]) -> dict[str, Any] | None:
        """Return the arguments of the reading tool for the next call with this handle: a query if there is one, else
        the first page, or the first block of a result without text."""
        queries = (one.arguments for one in self.suggestions if one.is_read)
        reads = (one for one in self.next_calls if not one.tool)
        of_handle = (one.arguments for one in reads if one.hidden is None or [handle] == [*hidden_handles[:1]])
        return next(queries, None) or next(of_handle, None)

    def _other_calls(self, handle: str | None) -> list[dict[str, Any]]:
        """Return the calls of other tools: the one that fetches more pages, and a narrower call of the tool itself."""
        of_handle = [] if handle is None else [one for one in self.next_calls if one.tool]
        more = [{"tool": one.tool, "arguments": {"cache_id": handle, **one.arguments}} for one in of_handle]
        return [*more, *(one.as_dict() for one in self.suggestions if not one.is_read)]

    def _full(self, handle: str | None, expires_in_s: int | None, hidden_handles: Sequence[str]) -> dict[str, Any]:
        members: dict[str, Any] = {"type": "buffered_response"}
        if handle is not None:
            members["cache_id"] = handle
        members["tool"] = shorten(self.tool, 128)
        if self.uri is not None:
            members["uri"] = shorten(self.uri, LONGEST_URI)
        in_data = self.style == "data"
        members |= {
            **({"success": not self.failed, "cached": handle is not None} if in_data else {}),
            "message": self.message if handle is not None else self.message + NOT_KEPT,
            **({"data": self._data(handle)} if in_data else {}),
            **({} if self.since is None else {"changes": str(self.since)}),
            "metadata": self._metadata(expires_in_s if handle is not None else None),
            "shape": self.measure.shape,
        }
        if len(tables := self.measure.reading.tables) > 1:
            rows = {one.name: f"{one.about} {one.rows}" if one.about else one.rows for one in tables[: MOST_TABLES + 1]}
            left = len(tables) - len(rows)
            members["tables"] = {**rows, "…": f"+{counted(left, 'table')}"} if left else rows
        members["shown"] = self.preview.shown.as_dict()
        if handle is not None:
            members["next"] = [
                {
                    "tool": call.tool or self.fetch_tool,
                    "arguments": {
                        "cache_id": handle if call.hidden is None else hidden_handles[call.hidden],
                        **call.arguments,
                    },
                    "at_most_tokens" if call.at_most else "tokens": call.tokens,
                }
                for call in self.next_calls
                if call.hidden is None or call.hidden < len(hidden_handles)
            ]
        suggestions = [
            self._priced(one).as_dict(handle)
            for one in self.suggestions
            if handle is not None or one.tool != self.fetch_tool
        ]
        if suggestions:
            members["suggestions"] = suggestions
        return members

    def _priced(self, suggestion: Suggestion) -> Suggestion:
        """Return a suggestion with the tokens of what stands around its answer in the style ``data``."""
        if self.style != "data" or suggestion.tool != self.fetch_tool:
            return suggestion
        return replace(suggestion, tokens=suggestion.tokens + AROUND_ANSWER)

    def _data(self, handle: str | None) -> dict[str, Any]:
        """Return what the style ``data`` says of a result: a kilobyte has 1,024 bytes, so that a size is exact."""
        how = (
            f"read it with {self.fetch_tool}: info, get_page, filter, get" if handle is not None else "narrow the call"
        )
        return {
            "cached": handle is not None,
            **({} if handle is None else {"cache_id": handle}),
            "size_kb": self.measure.size / 1_024,
            "estimated_tokens": self.measure.tokens.tokens,
            "usage_hint": how,
        }

    def _metadata(self, expires_in_s: int | None) -> dict[str, Any]:
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
        if expires_in_s is not None:
            metadata["expires_in_s"] = expires_in_s
        return metadata

    @property
    def message(self) -> str:
        """Return what the result is, which figure was too large, and what is shown."""
        return f"{self.description} {self.below}"

    @property
    def description(self) -> str:
        """Return what the result is, which figure was too large, and whether the tool has more."""
        failed = ""
        if self.failed:
            failed = f"The tool failed: {self.cause} Its error is " if self.cause else "The tool failed; its error is "
        partial = f" {self.partial}" if self.partial else ""
        return f"{failed}{self.measure.reading.words}, {self.reason}.{partial}"

    @property
    def below(self) -> str:
        """Return the sentence of the message that says what the preview has."""
        return f"Below: {self.preview.below}." if self.preview.below else NOT_SHOWN


def repeat_notice(since: Since) -> dict[str, Any]:
    """Return the notice of a result whose data the same conversation was told about before, under this handle."""
    message = f"Unchanged: the same data as {since.seconds:,} s ago. The earlier notice of this cache_id still applies."
    return {"type": "buffered_response", "cache_id": since.handle, "message": message}


def stored_for(seconds: int | None) -> str:
    """Return the sentence about the lifetime of a stored result, if it has one."""
    if seconds is None:
        return ""
    for length, unit in ((3_600, "h"), (60, "min")):
        if seconds % length == 0:
            return f" Stored for {seconds // length:,} {unit}."
    return f" Stored for {seconds:,} s."


def tables_text(tables: Sequence[Table]) -> dict[str, str]:
    """Return how many rows each table has. For further tables, also return their columns and how they are joined."""
    main, *others = tables
    texts = {main.name: _rows_text(main)}
    for table in others[:MOST_TABLES]:
        join = f", _row = {table.inside}.rowid" if table.inside else ""
        names = [plain(field.name, MAX_NAME) for field in table.fields]
        more = f", +{counted(len(names) - MAX_TABLE_COLUMNS, 'column')}" if len(names) > MAX_TABLE_COLUMNS else ""
        texts[table.name] = f"{_rows_text(table)}{join}: {', '.join(names[:MAX_TABLE_COLUMNS])}{more}"
    if len(others) > MOST_TABLES:
        texts["…"] = f"+{counted(len(others) - MOST_TABLES, 'table')}"
    return texts


def _rows_text(table: Table) -> str:
    return f"{table.about} {table.rows}" if table.about else str(table.rows)


def least_data(data: dict[str, Any]) -> dict[str, Any]:
    """Return of the style's ``data`` what no reader can do without."""
    return {key: data[key] for key in ("cached", "cache_id") if key in data}


def _without(members: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in members.items() if key not in names}


def line_and_text(line: str, text: str) -> str:
    """Return the text of an answer: one line of JSON, then the exact text behind a line break, if there is any."""
    return f"{line}\n{text}" if text else line


def encode(members: dict[str, Any]) -> bytes:
    """Write one line of JSON, whatever strings the caller's arguments have in them: what UTF-8 cannot carry, what ends
    a line and what turns the direction of reading become escapes."""
    try:
        line = msgspec.json.encode(members).decode()
    except UnicodeEncodeError:
        line = json.dumps(members, separators=(",", ":"))
    return without_signs(line).encode()
