"""The protocol of Penstock and its worker processes: frames of one letter, a length and that many bytes, by turns.

A worker that has started says ``READY``. We send a ``JOB``, then for each text that it wants its ``DATA`` and a
``TEXT``, and a ``FINISH`` at the end. The worker answers the ``JOB`` with a ``READY`` that says which texts it wants,
each ``TEXT`` with any number of ``OUTPUT`` and a ``READY``, and the ``FINISH`` with ``OUTPUT`` and a ``DONE``; or at
any of its turns with a ``FAILED``, which ends the job. Between two jobs we may send a ``FORGET``, which is not
answered. While one side writes, the other reads: neither can block the other.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import BinaryIO

JOB: Final = b"J"
DATA: Final = b"D"
TEXT: Final = b"T"
FINISH: Final = b"F"
FORGET: Final = b"G"

OUTPUT: Final = b"O"
READY: Final = b"R"
DONE: Final = b"Z"
FAILED: Final = b"X"

LONGEST: Final = 1_048_576  # bytes of one frame: what a broken worker can make us read in one piece

_HEAD = struct.Struct(">cI")


class BrokenFrameError(Exception):
    """The other side ended in the middle of a frame, or never spoke frames at all."""


def write_frame(stream: BinaryIO, kind: bytes, payload: bytes = b"") -> None:
    """Write one frame; what is longer than ``LONGEST`` must be cut by the caller, who knows where."""
    stream.write(_HEAD.pack(kind, len(payload)))
    stream.write(payload)


def write_pieces(stream: BinaryIO, kind: bytes, data: bytes) -> None:
    """Write bytes of any length as frames of one kind."""
    view = memoryview(data)
    for at in range(0, len(view), LONGEST):
        piece = view[at : at + LONGEST]
        stream.write(_HEAD.pack(kind, len(piece)))
        stream.write(piece)


def read_frame(stream: BinaryIO) -> tuple[bytes, bytes] | None:
    """Return the next frame, or None when the other side has closed its end between two frames."""
    head = stream.read(_HEAD.size)
    if not head:
        return None
    if len(head) < _HEAD.size:
        raise BrokenFrameError("the stream ended inside a frame")
    kind, length = _HEAD.unpack(head)
    if length > LONGEST:
        raise BrokenFrameError(f"a frame of {length} bytes")
    payload = stream.read(length)
    if len(payload) < length:
        raise BrokenFrameError("the stream ended inside a frame")
    return kind, payload
