"""Unpack files that are packed with gzip or zstd, told by their first bytes."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, Final

from penstock.errors import CallerError
from penstock.stores.zstd import ZstdError, open_zstd

if TYPE_CHECKING:
    from penstock.stores.zstd import Unpacking

MOST: Final = 4_294_967_296  # bytes; the largest limit that max_result_bytes can have
STEP: Final = 1 << 24  # bytes unpacked at once
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


def unpacked(name: str, data: bytes, most: int = MOST) -> bytes:
    """Return the data as it was before it was packed; what is not packed as it is. A small file that unpacks without
    end is refused at ``most`` bytes."""
    packed = io.BytesIO(data)
    if data.startswith(_GZIP):
        return _read(name, gzip.GzipFile(fileobj=packed), most)
    if data.startswith(_ZSTD):
        return _read(name, open_zstd(packed), most)
    return data


def _read(name: str, file: Unpacking, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        while part := file.read(STEP):
            parts.append(part)
            size += len(part)
            if size > most:
                raise CallerError(f"{name} has more than {most:,} bytes unpacked", do="give a smaller part of it")
    except (OSError, EOFError, zlib.error, ZstdError) as error:
        raise CallerError(f"{name} is packed, and damaged: {error}", do="copy or download it again") from None
    return b"".join(parts)
