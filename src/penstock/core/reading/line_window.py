"""Windows of whole lines: a span of text by line numbers from 1, within the room.

Windows put together, each from the ``next_line`` of the one before, are the text. A line that is longer than the room
is shown in part, and the window says at which character the rest begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.core.plain import Plain
from penstock.core.reading.next_calls import LONG_TOKEN
from penstock.core.reading.window import Window, window

if TYPE_CHECKING:
    from penstock.core.budget import Room
    from penstock.core.json.index import Container, Read
    from penstock.core.reading.window import Ruler


class LineWindow(Plain, frozen=True, kw_only=True):
    """A window and the lines it has, from 1. Past the end it is empty, with the totals."""

    window: Window
    start_line: int
    end_line: int
    total_lines: int
    cut: bool

    @property
    def next_line(self) -> int | None:
        """Return the first line that is not shown, or not whole."""
        following = self.end_line + (not self.cut)
        return following if following <= self.total_lines else None

    def metadata(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "total_lines": self.total_lines,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "next_line": self.next_line,
            "has_more": self.next_line is not None,
            "lines_after": max(0, self.total_lines - self.end_line),
        }
        if self.cut:
            fields["note"] = f"line {self.end_line:,} goes on: read it from start_index {self.window.end_index}"
        return fields


def line_window(
    read: Read, scale: Ruler, lines: Container | None, room: Room, *, start_line: int = 1, count: int | None = None
) -> LineWindow:
    """Return at most ``count`` lines from ``start_line`` on, as many as have room; a part of the first one if it has
    none."""
    total = 0 if lines is None else lines.count
    if lines is None or start_line > total:
        empty = Window(text="", start_index=scale.total, total_length=scale.total)
        return LineWindow(window=empty, start_line=total + 1, end_line=total, total_lines=total, cut=False)
    last = total if count is None else min(total, start_line - 1 + count)
    start = scale.index_of(read, lines.starts[start_line - 1])
    end = scale.index_of(read, min(lines.starts[last], lines.end))
    text = window(read, scale, start, min(end - start, room.tokens * LONG_TOKEN), room).text[: end - start]
    whole = len(text) == end - start
    if not whole and "\n" in text:  # without the beginning of a line that goes on
        text = text[: text.rfind("\n") + 1]
    cut = not whole and not text.endswith("\n")
    end_line = last if whole else start_line - 1 + text.count("\n") + cut
    text_window = Window(text=text, start_index=start, total_length=scale.total)
    return LineWindow(window=text_window, start_line=start_line, end_line=end_line, total_lines=total, cut=cut)
