"""Binary data: what it is and how large. No model can read the rest."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final

from penstock.core.forms import media as media_types
from penstock.core.forms.reading import Reading
from penstock.core.text import plain

if TYPE_CHECKING:
    from penstock.core.forms.document import Document

MAX_HEAD: Final = 65_536  # Bytes in which an image has its width and height. Thumbnails before them are smaller.
MAX_MEDIA: Final = 80  # Characters of a media type that came with the data, which may be anything.
_FRAME_MARKERS: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # JPEG: all but three of these begin a frame


def read(document: Document) -> Reading:
    """Read data that is no text: what it is, and how large."""
    words = ", ".join(_parts(document.raw[:], document.media, base64=document.base64))
    return Reading(form="binary", words=words, shape=plain(document.media or "bytes"))


def stub_text(data: bytes | str, media: str | None) -> str:
    """Return one line for a block's data, or for a long base64 string found inside other data.

    A string is base64 (as blocks carry it) or a data URI; bytes are binary as they stand unless they look like it.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    uri = media_types.data_uri(raw)
    is_base64 = isinstance(data, str) or uri is not None or media_types.looks_like_base64(raw)
    media = media or uri or media_types.sniff(raw, base64=is_base64)
    return f"[{', '.join(_parts(raw, media, base64=is_base64))}; not shown]"


def _parts(raw: bytes, media: str | None, *, base64: bool) -> list[str]:
    head = _decoded_head(raw) if base64 else raw[:MAX_HEAD]
    size = _dimensions(head)
    return [
        plain(media or "application/octet-stream", MAX_MEDIA),
        *([f"{size[0]}x{size[1]}"] if size else []),
        f"{media_types.decoded_size(raw) if base64 else len(raw):,} bytes",
        *(["base64"] if base64 else []),
    ]


def _decoded_head(raw: bytes) -> bytes:
    """Return the first bytes that base64 text or a data URI stands for; nothing where it is neither."""
    start = raw.find(b",", 0, 1_024) + 1 if raw[:64].lstrip()[:5].lower() == b"data:" else 0
    text = raw[start : start + MAX_HEAD * 4 // 3].translate(bytes.maketrans(b"-_", b"+/"), b"\r\n \t")
    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except binascii.Error:
        return b""


def _dimensions(head: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels, of the image types that say them near the front."""
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR" and len(head) >= 24:
        return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    if head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    if head.startswith(b"\xff\xd8"):
        return _jpeg_dimensions(head)
    return None


def _jpeg_dimensions(head: bytes) -> tuple[int, int] | None:
    """Walk over the segments, each with its length, to the one that begins the frame."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        if head[at + 1] in _FRAME_MARKERS:
            return int.from_bytes(head[at + 7 : at + 9], "big"), int.from_bytes(head[at + 5 : at + 7], "big")
        at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None
