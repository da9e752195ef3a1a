"""Read and write file descriptors that other programs have made: pipes, sockets, terminals, some that never block."""

from __future__ import annotations

import os
import select

CHUNK = 65_536  # what a pipe holds; a larger buffer would be mapped and unmapped anew for every read
LARGE = 262_144  # for what comes after a full chunk: a large line is under way, and others wait behind it
WIDE = 1_048_576  # bytes that a pipe may hold where that can be said; the most that a user may ask for
F_SETPIPE_SZ = 1_031


def widen(descriptor: int) -> None:
    """Let a pipe hold more, so that a large line takes fewer turns between its writer and us."""
    try:
        import fcntl  # noqa: PLC0415

        fcntl.fcntl(descriptor, F_SETPIPE_SZ, WIDE)
    except (ImportError, OSError):
        return  # not on this system, or not for us


def read(descriptor: int, size: int = CHUNK) -> bytes:
    """Read what there is; nothing at the end."""
    while True:
        try:
            return os.read(descriptor, size)
        except BlockingIOError:  # a process that shares it has made it non-blocking; this one waits
            _ready(descriptor, reading=True)
        except OSError:  # a socket or a terminal that went away is an end like any other
            return b""


def write(descriptor: int, line: bytes) -> None:
    """Write all of it, however long that takes; raise an ``OSError`` when the reader has gone."""
    rest: bytes | memoryview = line
    while True:
        try:
            written = os.write(descriptor, rest)
        except BlockingIOError:
            _ready(descriptor, reading=False)
            continue
        if written == len(rest):
            return
        rest = memoryview(rest)[written:]


def has_room(descriptor: int, seconds: float = 0) -> bool:
    """Return True if a short line can be written, now or in some seconds, without waiting for its reader."""
    return bool(_events(descriptor, "POLLOUT", seconds))


def has_more(descriptor: int, seconds: float = 0) -> bool:
    """Return True if there is something to read, be it the end."""
    return bool(_events(descriptor, "POLLIN", seconds))


def is_left(descriptor: int) -> bool:
    """Return True if the other end was closed, even if there is still something to read before the end."""
    return hasattr(select, "poll") and bool(_events(descriptor, "", 0) & (select.POLLHUP | select.POLLERR))


def _ready(descriptor: int, *, reading: bool) -> None:
    select.select([descriptor] if reading else [], [] if reading else [descriptor], [])


def _events(descriptor: int, wanted: str, seconds: float) -> int:
    """Return the events of a descriptor, with hang-ups and errors; 1 on systems without ``poll``."""
    if not hasattr(select, "poll"):
        return 1
    looking = select.poll()
    looking.register(descriptor, getattr(select, wanted) if wanted else 0)
    return sum(event for _, event in looking.poll(seconds * 1_000))
