"""``get``: the original text, by characters or by lines; or the text at a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.core.answer.block import read_block
from penstock.core.answer.notice import encode
from penstock.core.answer.stand_in import text_block
from penstock.core.forms.document import errors_for
from penstock.core.json import scan
from penstock.core.json.index import index_lines, reader
from penstock.core.json.lookup import value_at
from penstock.core.json.path import parse, render
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.plain import Plain
from penstock.core.reading.next_calls import room_of_window
from penstock.core.reading.window import LONG_TOKEN, Window, line_window, ruler_of, window
from penstock.core.text import shorten, without_signs
from penstock.core.tokens.count import count
from penstock.errors import CallerError
from penstock.gate.actions.request import LONG_FIELD, answer_within
from penstock.gate.held import BLOCKS
from penstock.gate.tool_results import block_result, text_result

if TYPE_CHECKING:
    from penstock.core.budget import Budget, Room
    from penstock.core.json.index import Container, Read
    from penstock.core.reading.window import Ruler
    from penstock.gate.actions.request import FetchRequest
    from penstock.gate.arguments import FetchArguments
    from penstock.gate.held import HeldReader

BY_CHARACTERS = ("start_index", "max_length")
BY_LINES = ("start_line", "lines", "end_line")


class _Text(Plain, frozen=True, kw_only=True):
    """A text that windows are taken of. ``lines`` are made when they are asked for."""

    read: Read
    ruler: Ruler
    known: Container | None = None

    def lines(self) -> Container | None:
        return self.known or index_lines(self.read(0, self.ruler.size)).root


class Get:
    """The place of the window in one line of JSON, then the text itself, exactly. A picture, a sound or a file comes
    whole, as the block that it was."""

    def run(self, request: FetchRequest) -> bytes:
        arguments = request.arguments
        path = arguments.optional_text("path")
        opened = request.opened_for(path)
        budget = request.budget(opened)
        kind, size = opened.held.meta.kind, opened.held.size("raw")
        spans = [name for name in (*BY_CHARACTERS, *BY_LINES, "path") if arguments.values.get(name) is not None]
        comes_back = kind in BLOCKS and budget.gives_back(size) and _fits_as_block(opened, budget)
        if comes_back and not spans:
            total = opened.ruler.total
            whole = Window(text="", start_index=total, total_length=total).metadata() | {"start_index": 0}
            opened.note_raw(0, size)
            return block_result(text_block(_where(whole)), opened.held.read(0, size))
        if budget.notice == "data" and not spans and (value := _fitting(opened, budget)):
            opened.note_raw(0, size)
            return text_result(value)
        text = _whole_text(opened) if path is None else _text_at(opened, path)
        length = arguments.number("max_length", 0, least=1)
        count = _lines(arguments)
        room = budget.whole if length or count else budget.page
        where: dict[str, Any] = {} if path is None else {"path": shorten(render(parse(path)), LONG_FIELD)}
        room = room_of_window(room).less(encode(where))
        by_lines = any(name in BY_LINES for name in spans)
        if by_lines and any(name in BY_CHARACTERS for name in spans):
            raise CallerError("lines and characters are both given", do="give start_line and lines, or start_index")
        note: dict[str, Any] = {}
        if kind in BLOCKS and not by_lines:
            without = f"without {' and '.join(spans)} it comes as it was"
            why = without if comes_back else "it is too large to come as it was"
            note["note"] = f"the JSON of a block of type {kind}, in parts: {why}"
        start = arguments.number("start_line", 1, least=1) if by_lines else arguments.number("start_index", 0, least=0)
        windows: list[Window] = []

        def cut(room: Room) -> tuple[str, str]:
            if by_lines:
                lines = line_window(text.read, text.ruler, text.lines(), room, start_line=start, count=count)
                windows.append(lines.window)
                return encode(where | lines.metadata()).decode(), lines.window.text
            part = window(text.read, text.ruler, start, length or room.tokens * LONG_TOKEN, room)
            windows.append(part)
            return _where(where | part.metadata() | note), part.text

        answer = answer_within(room, budget.whole, cut)
        _note(opened, path, text, windows[-1])
        return answer


def _fits_as_block(opened: HeldReader, budget: Budget) -> bool:
    """Return True if the members of a held block next to its picture, sound or file leave it within the budget."""
    raw = opened.held.read(0, opened.held.size("raw"))
    try:
        block = read_block(raw)
    except ValueError:  # half an emoji: only a lenient parser reads the block
        return budget.gives_back(len(raw), count(raw, budget.profile).upper)
    return budget.gives_back(len(raw), count(block.frame, budget.profile).upper)


def _lines(arguments: FetchArguments) -> int | None:
    """Return how many lines are asked for: their number, or the last one, which is a part of the window."""
    if (count := arguments.number("lines", 0, least=1)) or arguments.values.get("end_line") is None:
        return count or None
    start = arguments.number("start_line", 1, least=1)
    return arguments.number("end_line", 0, least=start) - start + 1


def _note(opened: HeldReader, path: str | None, text: _Text, part: Window) -> None:
    """Note a window of the original text."""
    if path is None and part.text:
        start, end = (text.ruler.byte_of(text.read, index) for index in (part.start_index, part.end_index))
        opened.note_raw(start, end)


def _fitting(opened: HeldReader, budget: Budget) -> str:
    """Return JSON whole, as the value that a program takes it for; nothing for what is too large, or no JSON."""
    size = opened.held.size("raw")
    if opened.held.meta.kind != "json" or size > budget.whole.size:
        return ""
    try:
        raw = scan.minify(opened.held.read(0, size))  # it becomes a part of one line
    except msgspec.DecodeError:  # there is a text around it
        return ""
    text = without_signs(raw.decode("utf-8", "surrogatepass"))
    return text if budget.whole.fits(text) else ""


def _whole_text(opened: HeldReader) -> _Text:
    """Return the original text. The lines of a text are in its index."""
    is_text = opened.index.is_text and opened.held.size("raw") == opened.index.size
    return _Text(read=opened.held.reader("raw"), ruler=opened.ruler, known=opened.index.root if is_text else None)


def _text_at(opened: HeldReader, path: str) -> _Text:
    """Return the text of the string at a path, with real line breaks; anything else as its JSON is written."""
    if opened.index.is_text:
        raise CallerError("a text has no paths", do="read it by start_line and lines, or by start_index")
    source = opened.source_of(parse(path))
    value = value_at(source.index, source.read, parse(path))
    text = unquote_to_bytes(value) if value[:1] == b'"' else value
    return _Text(read=reader(text), ruler=ruler_of(text, errors_for(text)))


def _where(metadata: dict[str, Any]) -> str:
    """Return the line that tells where a window lies."""
    del metadata["truncated"]
    return encode({**metadata, "characters_after": metadata["total_length"] - metadata["end_index"]}).decode()
