"""Read an export as the resource that its link names: in full where it fits, else a part, and the way to the next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from penstock.core.act.export import MIME
from penstock.core.answer.notice import encode
from penstock.core.budget import largest
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.budget import Budget
    from penstock.gate.held import HeldReader

_URI: Final = re.compile(r"penstock://export/(r_[\w-]{22})/([^/?#]+)(?:\?from=([0-9]{1,18}))?", re.ASCII)
NOTE: Final = 200  # bytes of the note after a part, beside the address in it


def read_export(uri: str, open_handle: Callable[[str], HeldReader], budget: Budget) -> bytes:
    """Return the result of ``resources/read``. Raises a ``CallerError`` when there is no such export of the caller."""
    match = _URI.fullmatch(uri)
    if match is None:
        raise CallerError(f"there is no resource {uri[:200]!r}")
    handle, name, start = match[1], unquote(match[2]), int(match[3] or 0)
    opened = open_handle(handle)
    size = opened.held.size("raw")
    if opened.held.meta.extra.get("export") != name or start > size:
        raise CallerError(f"there is no resource {uri[:200]!r}")
    mime = MIME.get(name.rpartition(".")[2], MIME["txt"])
    data = opened.held.read(start, min(size, start + budget.text_bytes))
    if start + len(data) == size and budget.whole.fits(encode(whole := _content(uri, mime, data))):
        opened.note_raw(start, size)
        return encode({"contents": [whole]})
    base = uri.partition("?")[0]
    room = budget.whole.less(uri, f"{base}?from={size}", f"{base}?from={size}", "x" * NOTE)
    end = start + _cut(data, largest(len(data), lambda most: room.fits(data[:most])))
    following = f"{base}?from={end}"
    note = f"bytes {start:,} to {end:,} of {size:,}; the rest is at {following}"
    opened.note_raw(start, end)
    contents = [
        _content(uri, mime, data[: end - start]),
        _content(following, MIME["txt"], note.encode()),
    ]
    return encode({"contents": contents})


def _content(uri: str, mime: str, text: bytes) -> dict[str, Any]:
    return {"uri": uri, "mimeType": mime, "text": text.decode("utf-8", "replace")}


def _cut(data: bytes, most: int) -> int:
    """Return where a part ends: after a whole line, or at least after a whole character."""
    line = data.rfind(b"\n", 0, most) + 1
    if line:
        return line
    while most > 1 and most < len(data) and data[most] & 0xC0 == 0x80:
        most -= 1
    return max(1, most)
