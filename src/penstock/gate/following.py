"""The index of a text that is arriving, made by a process of its own: here the interpreter's lock is taken by the
thread that unescapes the text, and both would take turns.

The process gets the text through a pipe, a megabyte at a time, and keeps the last few. It answers with what
``core.forms.document.follow`` learned. Whatever keeps it from that (it needs an earlier part again, it was killed), the
caller does it instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.document import KIND, Kind
from penstock.core.json.index import load

if TYPE_CHECKING:
    from penstock.core.json.long_bytes import LongBytes

SCRIPT: Final = Path(__file__).with_name("follower.py")
FOLDERS: Final = (str(Path(__file__).parents[2]), str(Path(msgspec.__file__).parents[1]))
CORES: Final = os.cpu_count() or 1
F_SETPIPE_SZ: Final = 1_031
WIDE: Final = 1_048_576  # bytes that the pipe holds, where that can be said: one piece of the text

_places = threading.Semaphore(CORES - 1)  # one core unescapes: more processes than others would only wait


class Follower:
    """A running process. Use it once, in one thread; ``stop`` it in any case."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and script
            [sys.executable, "-I", "-S", str(SCRIPT), *FOLDERS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ},  # Windows needs that one
            bufsize=0,
        )

    def follow(self, body: LongBytes) -> dict[str, Any] | None:
        """Do what ``core.forms.document.follow`` does; None if the process could not. Raises what keeps the text from
        coming to its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        _widen(self._process.stdin.fileno())
        try:
            for _, piece in body.pieces():
                rest = memoryview(piece)
                while rest:
                    rest = rest[os.write(self._process.stdin.fileno(), rest) :]
            self._process.stdin.close()
            kind, index = msgspec.msgpack.decode(self._process.stdout.read(), type=tuple[str, bytes])
        except (OSError, msgspec.MsgspecError):  # it has ended before
            return None
        return {KIND: Kind(kind), "index": load(index)}

    def stop(self) -> None:
        """End the process, if it still runs, and make place for another one."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()
        _places.release()


def start_follower() -> Follower | None:
    """Start a process, if there is a core for it."""
    if not _places.acquire(blocking=False):
        return None
    try:
        return Follower()
    except OSError:  # no more processes, or no memory for one
        _places.release()
        return None


def _widen(descriptor: int) -> None:
    try:
        import fcntl  # noqa: PLC0415

        fcntl.fcntl(descriptor, F_SETPIPE_SZ, WIDE)
    except (ImportError, OSError):
        return  # not on this system, or not for us
