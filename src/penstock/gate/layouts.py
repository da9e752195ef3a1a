"""Make held results readable, and keep at hand where the parts of those used last lie."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from penstock.errors import CallerError
from penstock.gate.held import FORMATS, HeldReader, Layout, layout_of

if TYPE_CHECKING:
    from penstock.core.forms.converted import Convert
    from penstock.share import Share
    from penstock.stores import Held

MOST: Final = 16  # results whose layout is kept at hand: it is some 3 % of its result


class Layouts:
    """Open held results. A handle names one result for ever, so a layout never goes stale. Threads may share it."""

    def __init__(self, convert: Convert) -> None:
        self._convert = convert
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Layout] = OrderedDict()

    def open(self, held: Held, owner: str, share: Share | None = None) -> HeldReader:
        """Return a held result of an owner, to be read by windows. Raises for one that another version wrote."""
        handle = held.entry.handle
        if held.meta.extra.get("format") not in FORMATS:
            raise CallerError(
                f"the held result {handle[:40]!r} was written by another version of Penstock",
                do="repeat the call that gave it",
            )
        with self._lock:
            layout = self._kept.pop((owner, handle), None)
        layout = layout or layout_of(held)
        self.remember(owner, handle, layout)
        return HeldReader(held=held, layout=layout, owner=owner, share=share)

    def with_tables(self, opened: HeldReader) -> HeldReader:
        """Return the held result with its tables: those of a long text in another language are made now. Only the last
        one that was made is kept: its JSON may be as large as the text."""
        if not opened.is_later:
            return opened
        made = opened.convert(self._convert)
        with self._lock:
            for key in [key for key, layout in self._kept.items() if layout.converted is not None]:
                del self._kept[key]
        self.remember(opened.owner or "", opened.held.entry.handle, made)
        return replace(opened, layout=made)

    def remember(self, owner: str, handle: str, layout: Layout) -> None:
        """Keep a layout as the one last used."""
        with self._lock:
            self._kept[owner, handle] = layout
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)

    def forget(self, owner: str, handle: str) -> None:
        """Let go of the layout of a result that is dropped."""
        with self._lock:
            self._kept.pop((owner, handle), None)
