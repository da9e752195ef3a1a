"""Run the server of an ``McpClient``: lines in, lines out, and an end that leaves no child process behind."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from io import BufferedReader, FileIO
from typing import TYPE_CHECKING, Final, cast

from penstock.core.text import shorten
from penstock.gateway.upstreams.process import SIGKILL, SIGTERM, cannot_start, spelled_out
from penstock.protocol.wire.lines import Line, LineBuffer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

READ: Final = 65_536  # bytes at once: a larger buffer is mapped and unmapped for every read
LONGEST: Final = 268_435_456  # bytes of a line; the largest result that the gateway takes by default
WAITING: Final = 16  # lines read ahead; a server that writes without end has to wait, and fills no memory
PARTING: Final = 2.0  # seconds that a process has to end when its stdin is closed, and again after SIGTERM
FIRST_WORDS: Final = 8  # lines of stderr, the first and the last, that are kept for the case that the server fails:
LAST_WORDS: Final = 12  # many servers say the cause first, and then how they are to be used
LONG_LINE: Final = 400  # characters of a line of noise or of stderr that are kept


class Process:
    """A running command. One thread may use it; two threads of its own read its stdout and stderr."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        parting: float = PARTING,
        environment: Mapping[str, str] | None = None,
        folder: str = "",
    ) -> None:
        self.ended_by_itself = True
        self._parting = parting
        self._lines: queue.Queue[Line | None] = queue.Queue(WAITING)
        self._hung_up = False
        self._words = _Words()
        self._process = _start(command, environment, folder)
        self._stdin = cast("FileIO", self._process.stdin)
        out, err = cast("FileIO", self._process.stdout), cast("FileIO", self._process.stderr)
        threading.Thread(target=_read_lines, args=(out, self._lines), daemon=True).start()
        self._listening = threading.Thread(target=_listen, args=(err, self._words), daemon=True)
        self._listening.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def words(self) -> list[str]:
        """Return the first and the last lines of its stderr, with a word about those between."""
        return self._words.lines

    def write(self, line: bytes) -> bool:
        """Write to its stdin. False if it has closed it."""
        try:
            self._stdin.write(line)
        except (OSError, ValueError):  # the second when we have closed it ourselves
            return False
        return True

    def read(self, seconds: float) -> Line | None:
        """Return the next line of its stdout, or None at the end. Raises ``TimeoutError``."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        self._hung_up = line is None
        return line

    def end(self) -> int:
        """End it and its children: by closing its stdin, then by signals. Returns how it ended."""
        self._stdin.close()
        if self._process.returncode is None:
            self.ended_by_itself = self._ends_within(self._parting)
            if not self.ended_by_itself:
                self._signal(SIGTERM)
                self._ends_within(self._parting)
            # At once: its number can be another's only after all numbers there are have been given away.
            self._signal(SIGKILL)
            self._process.wait()
            # What it wrote last says most about its end; a child that left the group can keep that pipe open.
            self._listening.join(self._parting)
        return self._process.wait()

    def close(self) -> None:
        """End it, and unblock the thread that reads its stdout."""
        self.end()
        with suppress(TimeoutError):  # a child that left the group keeps that pipe open too
            while not self._hung_up:
                self.read(self._parting)

    def _ends_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _signal(self, number: int) -> None:
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError, PermissionError):  # nothing is left; macOS says it the second way
                os.killpg(self._process.pid, number)


class _Words:
    """The first and the last lines of what a server writes on stderr."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=LAST_WORDS)
        self._dropped = 0

    def add(self, line: str) -> None:
        if len(self._first) < FIRST_WORDS:
            self._first.append(line)
            return
        self._dropped += len(self._last) == LAST_WORDS
        self._last.append(line)

    @property
    def lines(self) -> list[str]:
        between = [f"... {self._dropped:,} more lines ..."] if self._dropped else []
        return [*self._first, *between, *self._last]


def _start(command: Sequence[str], environment: Mapping[str, str] | None, folder: str) -> subprocess.Popen[bytes]:
    command = spelled_out(command, folder)
    try:
        return subprocess.Popen(  # noqa: S603  (the user's own command)
            # Windows starts npx.cmd only by its full name.
            [shutil.which(command[0]) or command[0], *command[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            env={**os.environ, **environment} if environment else None,
            cwd=folder or None,
        )
    except (OSError, ValueError) as error:
        raise cannot_start(command[0], error) from None


def _read_lines(stream: FileIO, lines: queue.Queue[Line | None]) -> None:
    """Queue whole lines of stdout. This thread closes the stream: only the reader knows when that is safe."""
    cut = LineBuffer(lambda: LONGEST)
    with stream:
        while data := stream.read(READ):
            for line in cut.feed(data):
                lines.put(line)
    if (rest := cut.rest()) is not None:
        lines.put(rest)
    lines.put(None)


def _listen(stream: FileIO, words: _Words) -> None:
    with BufferedReader(stream) as lines:
        while line := lines.readline(READ):
            if text := line.decode("utf-8", "replace").rstrip():
                words.add(shorten(text, LONG_LINE))
