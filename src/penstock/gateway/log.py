"""The log: one line each on stderr. Standard output belongs to the protocol."""

from __future__ import annotations

import json
import os
from typing import Final

from penstock.core.text import without_signs
from penstock.gateway import pipes

LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
STDERR: Final = 2
LONGEST: Final = 4_000  # bytes of a line; up to 4,096 a pipe takes whole, also when other processes write to it
PATIENCE: Final = 1.0  # seconds for a client to read; one that never reads its servers' stderr must not hold them up


class Log:
    """Writes what is severe enough."""

    def __init__(self, level: str = "warning", descriptor: int = STDERR) -> None:
        self._least = LEVELS[level]
        self._descriptor = descriptor
        self._lost = 0

    def note(self, level: str, text: str) -> None:
        if LEVELS[level] >= self._least:
            self.write(f"penstock: {level}: {text}")

    def message(self, sender: str, line: bytes, size: int) -> None:
        """Write the method and the size of a message at the level debug. ``line`` may be only the beginning
        of the message."""
        if self._least > LEVELS["debug"]:
            return
        try:
            members = json.loads(line)
            method = members.get("method") if isinstance(members, dict) else None
            what = method if isinstance(method, str) else "response" if isinstance(members, dict) else "batch"
        except (ValueError, RecursionError):
            what = "response" if len(line) < size else "a line that is not JSON"
        self.note("debug", f"{sender}: {what}, {size:,} bytes")

    def write(self, text: str) -> None:
        """Write one line, whatever the level: for what the server itself wrote."""
        if not pipes.has_room(self._descriptor, 0 if self._lost else PATIENCE):
            self._lost += 1
            return
        if self._lost:
            lost, self._lost = self._lost, 0
            self.write(f"penstock: warning: {lost} lines before this one were lost: the client does not read stderr")
        words = " ".join(text[:LONGEST].splitlines())
        if not words.isprintable():  # orders to a terminal, changes of direction: a server may write anything
            words = without_signs(words)
        line = words.encode("utf-8", "backslashreplace")[:LONGEST] + b"\n"
        try:
            os.write(self._descriptor, line)
        except OSError:
            return  # a client that has closed our stderr does not read it either
