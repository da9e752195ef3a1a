"""Binary data, told by its first bytes or by the base64 it is written in."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from penstock.core.json.buffer import Bytes

MIN_BASE64: Final = 256  # Characters. Shorter runs are ids, hashes and words, and cost little as they are.

_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\x7fELF", "application/x-elf"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\x00asm", "application/wasm"),
)
_DATA_URI = re.compile(rb"\s*data:([\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[^;,]*)*;base64,", re.IGNORECASE)
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]+={0,2}")
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"


def sniff(data: bytes, *, base64: bool = False) -> str | None:
    """Return the media type that the first bytes show, or None; for base64 text, of what it encodes."""
    head = _decode_head(data) if base64 else data[:32]
    if head[:4] == b"RIFF":
        return {b"WAVE": "audio/wav", b"WEBP": "image/webp"}.get(head[8:12])
    if head[4:8] == b"ftyp":
        return "video/mp4"
    return next((media for magic, media in _MAGIC if head.startswith(magic)), None)


def may_be_data_uri(head: bytes) -> bool:
    """Return True if data that begins so may be a base64 data URI."""
    return _DATA_URI.match(head) is not None


def data_uri(data: Bytes) -> str | None:
    """Return the media type of data that is one base64 data URI and nothing else; its payload is not checked in
    full."""
    match = _DATA_URI.match(data)
    if match is None or not _is_alphabet(data[match.end() :]):
        return None
    return match[1].decode("ascii").lower() if match[1] else "text/plain"


def looks_like_base64(data: bytes) -> bool:
    """Return True if all of the data is base64: long, unbroken but for line ends, and mixed as encoded bytes are."""
    if len(data) < MIN_BASE64 or not _is_alphabet(data):
        return False
    sample = data[:4_096]
    lower, upper, digits = (
        sum(map(sample.count, map(bytes, ([code] for code in range(first, last + 1)))))
        for first, last in ((0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39))
    )
    # Random bytes give 41 % lower, 41 % upper, 16 % digits; words and hex digests lack one of them.
    return min(lower, upper) * 10 > len(sample) and digits * 50 > len(sample)


def is_encoded(text: str) -> bool:
    """Return True if a text is a picture or other data in base64, or a data URI, as far as its beginning tells."""
    head = text[:4_096].encode("utf-8", "replace")
    return _DATA_URI.match(head) is not None or looks_like_base64(head)


def decoded_size(data: bytes) -> int:
    """Count how many bytes base64 text (or a base64 data URI) stands for."""
    match = _DATA_URI.match(data)
    payload = data[match.end() :] if match else data
    digits = len(payload) - len(payload.translate(None, _ALPHABET))
    return digits * 3 // 4


def _is_alphabet(data: bytes) -> bool:
    stripped = data.translate(None, b"\r\n").strip(b" \t")
    return _BASE64.fullmatch(stripped) is not None


def _decode_head(data: bytes) -> bytes:
    head = data[:256].translate(bytes.maketrans(b"-_", b"+/"), b"\r\n \t")[:64]
    try:
        return base64.b64decode(head[: len(head) // 4 * 4])
    except binascii.Error:
        return b""
