"""Recordings of what a gateway and its server said to each other: written by ``run --record``, read by ``replay``.

A file of JSON lines. The first says what it is and what was left out; each other one has the seconds since the start,
who sent it (``client`` is the gateway), and the ``message``, or the ``line`` where it was none.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from penstock import __version__
from penstock.errors import CallerError
from penstock.gateway.redact import RULES, Redactor
from penstock.protocol.wire.lines import LineBuffer, TooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.gateway.upstreams.process import Child

FORMAT: Final = 1
CHUNK: Final = 65_536  # bytes read at once
LONGEST: Final = 268_435_456  # bytes of a line; the largest result that the gateway takes by default

Sender = Literal["client", "server"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One line of a conversation; ``message`` is None for a line that was no JSON."""

    sender: Sender
    message: Any
    line: str = ""


class Recorder:
    """Write a recording. Each line is on the disk when the next one passes: a crash is what recordings are for."""

    def __init__(self, file: str, redactor: Redactor, now: Callable[[], float] = time.monotonic) -> None:
        try:
            self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        except OSError as error:
            raise CallerError(
                f"--record: {file} cannot be written: {error.strerror}", do="give another file, in a folder that exists"
            ) from None
        self._redactor = redactor
        self._now = now
        self._began = now()
        self._lock = threading.Lock()
        self._write({"penstock_recording": FORMAT, "penstock": __version__, "left_out": RULES})

    def note(self, sender: Sender, line: bytes) -> None:
        """Write one line of the conversation."""
        entry: dict[str, Any] = {"t": round(self._now() - self._began, 3), "from": sender}
        with self._lock:
            before = self._redactor.count
            try:
                entry["message"] = self._redactor.message(msgspec.json.decode(line))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                entry["line"] = self._redactor.text(line.decode("utf-8", "replace").rstrip("\r\n"))
            if self._redactor.count > before:
                entry["left_out"] = self._redactor.count - before
            self._write(entry)

    def _write(self, entry: dict[str, Any]) -> None:
        os.write(self._file, msgspec.json.encode(entry) + b"\n")


def record(server: Child, recorder: Recorder) -> None:
    """Put the recorder between a gateway and its server: the server's file descriptors become those of pipes."""
    to_copy, to_server = os.pipe()
    from_server, from_copy = os.pipe()
    threading.Thread(target=_copy, args=(to_copy, server.stdin, recorder, "client"), daemon=True).start()
    threading.Thread(target=_copy, args=(server.stdout, from_copy, recorder, "server"), daemon=True).start()
    server.stdin, server.stdout = to_server, from_server


def _copy(source: int, target: int, recorder: Recorder, sender: Sender) -> None:
    lines = LineBuffer(lambda: LONGEST)
    try:
        while chunk := os.read(source, CHUNK):
            for line in lines.feed(chunk):
                if not isinstance(line, TooLong):
                    recorder.note(sender, bytes(line))
            _write_all(target, chunk)
    except OSError:
        pass  # one side has gone: the other sees the end of its pipe
    finally:
        os.close(source)
        os.close(target)


def _write_all(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]


def read_recording(file: str) -> tuple[list[Recorded], int]:
    """Return the lines of a recording, and how many values were left out of it."""
    try:
        with open(file, "rb") as opened:
            lines = opened.read().splitlines()
    except OSError as error:
        raise CallerError(f"{file} cannot be read: {error.strerror}", do="check its name and rights") from None
    entries = list(_entries(lines))
    if not entries or entries[0].get("penstock_recording") != FORMAT:
        raise CallerError(f"{file} is no recording", do="make one: penstock run --record FILE COMMAND ARGS...")
    left_out = sum(one["left_out"] for one in entries[1:] if isinstance(one.get("left_out"), int))
    recorded = [
        Recorded(sender=one["from"], message=one.get("message"), line=str(one.get("line", "")))
        for one in entries[1:]
        if one.get("from") in ("client", "server")
    ]
    return recorded, left_out


def _entries(lines: Iterable[bytes]) -> Iterable[dict[str, Any]]:
    for line in lines:
        try:
            value = msgspec.json.decode(line)
        except msgspec.MsgspecError:
            continue  # the last line of a process that was killed may be cut
        if isinstance(value, dict):
            yield value
