"""The index of a text that is arriving, made by a process of its own: here the interpreter's lock is taken by the
thread that unescapes the text, and both would take turns.

The process reads in the ring that the text is written to (``stores.arriving``), in shared memory, so that nothing is
copied on the way. Through a pipe it hears how much has come, and says which parts it needs no more; then what
``core.forms.document.follow`` learned. Whatever keeps it from that (it needs an earlier part again, it was killed), the
caller does it instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from mmap import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.document import KIND, Kind
from penstock.core.json.index import load
from penstock.stores.arriving import BEHIND, RING
from penstock.stores.blocks import STRIPE

if TYPE_CHECKING:
    from penstock.stores.arriving import ArrivingBytes

SCRIPT: Final = Path(__file__).with_name("follower.py")
FOLDERS: Final = (str(Path(__file__).parents[2]), str(Path(msgspec.__file__).parents[1]))
CORES: Final = os.cpu_count() or 1
ANSWERS: Final = 65_536  # bytes read at a time of what the process says

_places = threading.Semaphore(CORES - 1)  # one core unescapes: more processes than others would only wait


class Follower:
    """A running process. Use it once, in one thread; ``stop`` it in any case."""

    def __init__(self, most: int) -> None:
        """Start it. ``most`` is how many bytes may come."""
        memory = os.memfd_create("penstock-arriving")
        try:
            os.truncate(memory, RING)
            self.ring = mmap(memory, RING)
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and script
                [
                    sys.executable,
                    "-I",
                    "-S",
                    str(SCRIPT),
                    str(memory),
                    *map(str, (STRIPE, RING, BEHIND, most)),
                    *FOLDERS,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={},
                bufsize=0,
                pass_fds=(memory,),
            )
        finally:
            os.close(memory)

    def announce(self, size: int) -> None:
        """Say that so many bytes were written behind the others; 0 at the end. Never raises."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended before, which who follows is told
            self._process.stdin.write(size.to_bytes(4, "little"))

    def follow(self, body: ArrivingBytes) -> dict[str, Any] | None:
        """Do what ``core.forms.document.follow`` does; None if the process could not."""
        assert self._process.stdout is not None
        left, ends, answer = 0, b"", bytearray()
        while part := self._process.stdout.read(ANSWERS):
            if ends:
                answer += part
                continue
            dots, ends, begin = part.partition(b"=")
            answer += begin
            left += len(dots)
            body.came_to((left + BEHIND) * STRIPE)
        try:
            kind, index = msgspec.msgpack.decode(answer, type=tuple[str, memoryview])  # no copy: the index may be long
        except msgspec.MsgspecError:  # it has ended before
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


def start_follower(most: int) -> Follower | None:
    """Start a process for a text of at most so many bytes, if there is a core for it, and memory can be shared."""
    if not hasattr(os, "memfd_create") or not _places.acquire(blocking=False):
        return None
    try:
        return Follower(most)
    except OSError:  # no more processes, or no memory for one
        _places.release()
        return None
