"""Import zstd: the standard library's from Python 3.14 on, its backport before."""

from __future__ import annotations

import sys
from typing import BinaryIO, Final, Protocol

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZstdError = zstd.ZstdError

_OPTIONS: Final[dict[int, int]] = {
    zstd.CompressionParameter.compression_level: 1,  # matched or beat level 3 on blocks of this size, in less time
    zstd.CompressionParameter.checksum_flag: 1,  # damage becomes an error, never other bytes
}


class Unpacking(Protocol):
    """A packed file that is read as it was before."""

    def read(self, size: int, /) -> bytes: ...


def open_zstd(file: BinaryIO) -> Unpacking:
    """Read a packed file, of whatever number of frames."""
    return zstd.ZstdFile(file)


class Compressor:
    """Make one frame of each piece. Reuse it: making it costs as much as compressing a small piece."""

    __slots__ = ("_inner",)

    def __init__(self) -> None:
        self._inner = zstd.ZstdCompressor(options=_OPTIONS)

    def frame(self, piece: memoryview) -> bytes:
        return self._inner.compress(piece, mode=self._inner.FLUSH_FRAME)


def decompress(frame: bytes | memoryview, length: int) -> bytes:
    """Return the piece of this length that a frame holds. Never unpacks more, and refuses a frame that is cut."""
    inner = zstd.ZstdDecompressor()
    piece = inner.decompress(frame, max_length=length)
    if not inner.eof or len(piece) != length:
        raise ZstdError("the frame is not whole, or not of this piece")
    return piece
