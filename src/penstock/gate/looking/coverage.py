"""Lists the parts of a held result that the model has read, with the calls that read them, in order.

Parts are fractions of the document from 0 to 1, so that they can be drawn as a strip; rows are told beside where a call
has shown them whole. What the preview shows of a row may be less than all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.core.act import receipts
from penstock.core.act.receipts import Range, joined
from penstock.core.json.lookup import container_at
from penstock.core.json.path import parse
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.core.json.index import Container
    from penstock.gate.held import HeldReader

DIGITS: Final = 6  # of a fraction: finer than any strip is wide


def coverage_of(opened: HeldReader) -> dict[str, Any]:
    """Return what was read. ``complete`` is false where more was read than is kept, ``calls_complete`` where calls are
    missing; ``read_by`` says which actions show rows whole."""
    entry = opened.held.entry
    main = opened.main if opened.index.root is not None else None
    calls = receipts.calls(entry.seen)
    rows = None if main is None else opened.rows_read(main)
    return {
        "noun": _noun(main),
        "count": 0 if main is None else main.count,
        "complete": not receipts.is_full(entry.seen),
        "calls_complete": len(calls) >= entry.reads,
        "reads": entry.reads,
        "rows_read": None if rows is None else receipts.size(rows),
        "read": _all_spans(opened),
        "preview": _preview(opened, main),
        "calls": [
            {
                "time": call.time,
                "words": call.words,
                "size": call.size,
                "failed": call.failed,
                "spans": _spans(opened, call.ranges),
                "rows": _rows(opened, main, call.ranges),
            }
            for call in calls
        ],
    }


def _noun(main: Container | None) -> str:
    return "rows" if main is None else {"lines": "lines", "object": "members"}.get(main.kind, "rows")


def _all_spans(opened: HeldReader) -> list[list[float]]:
    seen = opened.held.entry.seen
    return _spans(
        opened, [(stream, one) for stream in (receipts.RAW, receipts.BODY) for one in receipts.ranges(seen, stream)]
    )


def _spans(opened: HeldReader, ranges: Iterable[tuple[int, Range]]) -> list[list[float]]:
    """Return ranges of bytes as fractions of their stream, joined where they touch."""
    sizes = {receipts.RAW: opened.held.size("raw"), receipts.BODY: opened.index.size}
    fractions = sorted(
        Range(round(10**DIGITS * one.start / size), round(10**DIGITS * one.end / size))
        for stream, one in ranges
        if (size := sizes[stream])
    )
    return [[one.start / 10**DIGITS, one.end / 10**DIGITS] for one in joined(fractions)]


def _rows(opened: HeldReader, main: Container | None, every: Iterable[tuple[int, Range]]) -> list[list[int]]:
    """Return the rows of the main table that ranges have whole, from 0 to before the end."""
    if main is None:
        return []
    ranges = sorted(one for stream, one in every if stream == opened.stream)
    return [list(one) for one in receipts.rows_read(main, opened.body, ranges)]


def _preview(opened: HeldReader, main: Container | None) -> dict[str, Any]:
    """Return what the first answer showed, by rows where the rows of the preview are parts of a container."""
    preview = opened.held.meta.extra.get("shown") or {}
    rows = [Range(*one) for one in preview.get("ranges", ())]
    container = _container(opened, str(preview.get("path", "."))) or main
    spans: list[list[float]] = []
    if container is not None and rows and rows[-1].end <= container.count:
        starts = container.starts
        spans = _spans(opened, [(opened.stream, Range(starts[one.start], starts[one.end])) for one in rows])
    return {"unit": preview.get("unit", "rows"), "rows": [list(one) for one in rows], "spans": spans}


def _container(opened: HeldReader, path: str) -> Container | None:
    try:
        return container_at(opened.index, opened.body, parse(path)) if not opened.index.is_text else None
    except PenstockError:  # rows of several arrays, or made of a text
        return None
