"""The lines of a text, some at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.core.json.index import index_lines

if TYPE_CHECKING:
    from penstock.core.json.index import Container, Read
    from penstock.gate.held import HeldReader

MOST: Final = 1_000  # lines of one window
LONG: Final = 2_000  # characters of a line that are shown, with its length
KEPT: Final = 4  # results whose lines are kept at hand, where they are not in the index


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesWindow:
    """Lines from the number ``start``, counted from 0, of ``total``. A longer line has its length."""

    start: int
    total: int
    lines: list[str | dict[str, Any]]


class TextLines:
    """Read lines of the original, whatever it is. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Container] = OrderedDict()

    def window(self, opened: HeldReader, start: int, count: int) -> LinesWindow:
        """Return some lines."""
        container = self._lines(opened)
        if container is None:
            return LinesWindow(start=0, total=0, lines=[])
        read = opened.held.reader("raw")
        last = min(start + min(count, MOST), container.count)
        lines = [_line(container, read, number) for number in range(start, last)]
        return LinesWindow(start=start, total=container.count, lines=lines)

    def _lines(self, opened: HeldReader) -> Container | None:
        if opened.index.is_text and opened.held.size("raw") == opened.index.size and not opened.held.has_own_body:
            return opened.index.root
        handle = opened.held.entry.handle
        with self._lock:
            known = self._kept.get(handle)
        if known is None:
            known = index_lines(opened.held.read(0, opened.held.size("raw"))).root
        if known is not None:
            with self._lock:
                self._kept[handle] = known
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return known


def _line(lines: Container, read: Read, number: int) -> str | dict[str, Any]:
    start, end = lines.starts[number], lines.starts[number + 1] - 1
    text = read(start, min(end, start + 4 * LONG)).decode("utf-8", "replace")
    if end - start <= LONG or (end - start <= 4 * LONG and len(text) <= LONG):
        return text
    return {"text": text[:LONG], "bytes": end - start}
