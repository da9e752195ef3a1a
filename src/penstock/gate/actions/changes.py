"""``changes``: what differs between two held results, by default from the one that the same call gave before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.core.changes.compare import MAX_SIZE, UNCHANGED, compare
from penstock.core.changes.since import are_same
from penstock.errors import CallerError
from penstock.gate.actions.page_of import paged_result
from penstock.gate.actions.request import Rooms
from penstock.gate.comparing import version_of_held

if TYPE_CHECKING:
    from penstock.gate.actions.request import FetchRequest
    from penstock.gate.held import HeldReader


class Changes:
    """The changes in words, then each as one item of pages. Applied to the earlier result they give the later one."""

    def run(self, request: FetchRequest) -> bytes:
        arguments = request.arguments
        opened = request.open_text(arguments.handle)
        earlier = _earlier(request, opened)
        words, listed = _compared(earlier, opened)
        size = Rooms.of(request.budget(opened)).wanted(arguments)
        room, lowered = size.room, size.surely
        fields = {"since": earlier.held.entry.handle, "changes": words}
        fields |= {"lowered": lowered} if lowered else {}
        return paged_result(listed, fields, Rooms(page=room, hard=room), arguments.number("page", 1, least=1))


def _earlier(request: FetchRequest, opened: HeldReader) -> HeldReader:
    """Open the held result to compare with."""
    since = request.arguments.optional_text("since")
    if since is not None:
        return request.open_text(since)
    known = opened.held.meta.extra.get("since")
    if known is None:
        raise CallerError(
            "no earlier result of this call is stored",
            do="pass since: the cache_id to compare with (action list shows them)",
        )
    try:
        return request.open_text(str(known))
    except CallerError as error:
        raise CallerError(
            error.what, do="give since, or repeat the call: its new result is compared with this one"
        ) from None


def _compared(earlier: HeldReader, later: HeldReader) -> tuple[str, bytes]:
    """Compare two held results: the changes in words, and as an array. Of those that are too large to be read whole
    nothing is told but that they are the same."""
    before, now = earlier.held, later.held
    size = now.size("raw")
    if max(before.size("raw"), size) > MAX_SIZE:
        if before.size("raw") == size and are_same(before.reader("raw"), now.reader("raw"), size):
            return UNCHANGED, b"[]"
        raise CallerError(
            f"one of them has more than {MAX_SIZE:,} bytes", do="compare the handles of what filter gives of both"
        )
    changes = compare(version_of_held(before), version_of_held(now))
    return changes.words, b"[" + b",".join(changes.listed()) + b"]"
