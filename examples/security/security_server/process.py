"""One process of an engine, which gets no more than it needs: time, room for its output, an empty folder to stand in.

An engine only reads the scanned files. What could make it run them is shut: Python's isolated mode (``-I``) imports
nothing from the current folder or from PYTHONPATH, the current folder is an empty one, and the environment is ours.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Final

from penstock import UpstreamError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from pathlib import Path

PYTHON: Final = (sys.executable, "-I", "-X", "utf8")
MOST_OUTPUT: Final = 128 * 1_048_576  # bytes; 100,000 findings of bandit, with its snippets of code
MOST_SAID: Final = 200  # characters of an engine's last words
KEPT: Final = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH")


class Engines:
    """The processes that run, for a signal that comes from outside of every call. While one is being started its
    number is not known yet: then the signal is obeyed as soon as it is."""

    def __init__(self) -> None:
        self.running: set[int] = set()
        self._starting = 0
        self._signalled = 0

    @contextmanager
    def start(self) -> Iterator[None]:
        """Count the process that is started inside this among those that run."""
        self._starting += 1
        try:
            yield
        finally:
            self._starting -= 1
            self._obey()

    def end(self, number: int, _: object) -> None:
        """End all of them, and this process."""
        self._signalled = number
        self._obey()

    def _obey(self) -> None:
        if self._signalled and not self._starting:
            for pid in tuple(self.running):
                _end(pid)
            os._exit(128 + self._signalled)


_engines: Final = Engines()


@asynccontextmanager
async def time_limit(seconds: float) -> AsyncIterator[None]:
    """End what takes longer inside this, with its processes, and raise an ``UpstreamError``."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise UpstreamError(f"took longer than {seconds:g} s, and was ended") from None


async def run(
    command: Sequence[str],
    data: bytes = b"",
    *,
    most: int = MOST_OUTPUT,
    good: Sequence[int] = (0,),
    folder: Path | None = None,
    also: Sequence[str] = (),
) -> bytes:
    """Return what a command prints; raise an ``UpstreamError`` when it fails or says too much. Cancelled, it ends the
    process. It works in an empty folder unless one is given, and sees the variables ``also`` beside the usual ones."""
    with tempfile.TemporaryDirectory() as empty:
        kept = {name: os.environ[name] for name in (*KEPT, *also) if name in os.environ}
        try:
            with _engines.start():
                process = await _start(command, folder or empty, {"HOME": empty, **kept, "LC_ALL": "C.UTF-8"})
                _engines.running.add(process.pid)
        except OSError as error:
            raise UpstreamError(f"cannot be started: {error.strerror}") from error
        try:
            printed, errors, _ = await asyncio.gather(
                _read(process, process.stdout, most),
                _read(process, process.stderr, most),
                _feed(process.stdin, data),
            )
            code = await process.wait()
        finally:
            if process.returncode is None:
                _end(process.pid)
                await process.wait()
            _engines.running.discard(process.pid)
    if max(len(printed), len(errors)) > most:
        raise UpstreamError(f"said more than {most:,} bytes, and was ended")
    if code not in good:
        lines = errors.decode(errors="replace").strip().splitlines() or ["nothing was said about it"]
        raise UpstreamError(f"failed with code {code}: {lines[-1][:MOST_SAID]}")
    return printed


async def _start(command: Sequence[str], folder: Path | str, env: dict[str, str]) -> asyncio.subprocess.Process:
    """Start a process. Cancelled meanwhile, it waits until the process is known, and ends it with all that it started:
    asyncio would end the process alone, and wait for as long as another one holds its output."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
            env=env,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        process = await starting
        _end(process.pid)
        await process.wait()
        raise


async def _read(process: asyncio.subprocess.Process, stream: asyncio.StreamReader | None, most: int) -> bytes:
    """Return what a process writes to a stream. One that says too much is ended, and what it said already is read: a
    process is not over for asyncio while anything of its output waits."""
    parts: list[bytes] = []
    size = 0
    while stream is not None and (part := await stream.read(65_536)):
        if size > most:
            continue
        parts.append(part)
        size += len(part)
        if size > most:
            _end(process.pid)
    return b"".join(parts)


async def _feed(stream: asyncio.StreamWriter | None, data: bytes) -> None:
    if stream is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):  # an engine that has failed already does not listen
        stream.write(data)
        await stream.drain()
    stream.close()


def _end(pid: int) -> None:
    """End a process and whatever it has started."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)  # on Windows that is the end of it


def end_on_sigterm() -> None:
    """Let a server that is told to end take its engines with it, at once: its input may stay open for ever."""
    signal.signal(signal.SIGTERM, _engines.end)
