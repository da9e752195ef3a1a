"""A raw line of JSON-RPC to a process and back: what was written is known to the byte, and nothing waits for ever.

It knows nothing of MCP beyond the shape of a message, so that what it reports is the servers' and the gateway's doing
and not its own. One thread reads; requests are answered in the order in which they are asked.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final, Self

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

PATIENCE: Final = 60.0  # seconds for one answer: a cold node on a loaded machine needs ten; only a hang needs more


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer: the line as it came, and the messages that came before it."""

    line: bytes
    message: dict[str, Any] = field(repr=False)
    before: tuple[bytes, ...] = ()

    @property
    def result(self) -> dict[str, Any]:
        assert "result" in self.message, f"an error instead of a result: {self.line[:500]!r}"
        result = self.message["result"]
        assert isinstance(result, dict)
        return result

    @property
    def error(self) -> dict[str, Any]:
        assert "error" in self.message, f"a result instead of an error: {self.line[:500]!r}"
        error = self.message["error"]
        assert isinstance(error, dict)
        return error

    @property
    def texts(self) -> list[str]:
        return [block["text"] for block in self.result["content"] if block["type"] == "text"]


class Wire:
    """A process that is spoken to in lines. ``handlers`` answer what the server asks of its client, by method; ``meta``
    goes along with every request."""

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        handlers: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.handlers = dict(handlers or {})
        self._meta = meta
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the wire
        self._process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            cwd=cwd,
            env={**os.environ, **(env or {})},
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def request(self, method: str, params: Mapping[str, Any] | None = None, *, patience: float = PATIENCE) -> Reply:
        """Ask, serve what the server asks meanwhile, and wait for the answer."""
        self._number += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": self._number, "method": method}
        if self._meta is not None:
            params = {"_meta": self._meta, **(params or {})}
        self.send(message if params is None else {**message, "params": params})
        return self._await(self._number, time.monotonic() + patience)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **params: Any) -> Reply:
        return self.request("tools/call", {"name": tool, "arguments": dict(arguments or {}), **params})

    def call_all(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Reply]:
        """Make these calls at once, before any of them is answered, and give the answers in the order of the calls."""
        numbers = range(self._number + 1, self._number + 1 + len(calls))
        self._number += len(calls)
        for number, (tool, arguments) in zip(numbers, calls, strict=True):
            params = {"name": tool, "arguments": dict(arguments)}
            self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        answered: dict[Any, Reply] = {}
        deadline = time.monotonic() + PATIENCE
        while len(answered) < len(calls):
            line = self._next(deadline)
            message = parsed(line)
            if "method" in message:
                self._serve(message)
            else:
                assert message["id"] not in answered, "a request was answered twice"
                answered[message["id"]] = Reply(line=line, message=message)
        return [answered[number] for number in numbers]

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else {**message, "params": params})

    def send(self, message: Mapping[str, Any]) -> None:
        self.send_line(json.dumps(message, separators=(",", ":")).encode())

    def send_line(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise AssertionError(f"the process ended ({self._process.wait(10)}); stderr: {self.stderr()}") from None

    def hear(self, wanted: Callable[[dict[str, Any]], bool], *, patience: float = PATIENCE) -> list[bytes]:
        """All lines up to and including the first message that is wanted."""
        heard: list[bytes] = []
        deadline = time.monotonic() + patience
        while True:
            line = self._next(deadline)
            heard.append(line)
            message = parsed(line)
            self._serve(message)
            if wanted(message):
                return heard

    def _await(self, number: int, deadline: float) -> Reply:
        before: list[bytes] = []
        while True:
            line = self._next(deadline)
            message = parsed(line)
            if message.get("id") == number and "method" not in message:
                return Reply(line=line, message=message, before=tuple(before))
            before.append(line)
            self._serve(message)

    def _serve(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None or "id" not in message:
            return
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if method in self.handlers:
            self.send({**answer, "result": self.handlers[method](message.get("params", {}))})
        else:
            self.send({**answer, "error": {"code": -32601, "message": "Method not found"}})

    def _next(self, deadline: float) -> bytes:
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise AssertionError(f"no answer in time; stderr: {self.stderr()}") from None
        if line is None:
            raise AssertionError(f"the process ended ({self._process.wait()}); stderr: {self.stderr()}")
        return line

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def stderr(self) -> str:
        """The end of what the process said on its stderr so far."""
        self._stderr.seek(0)
        return self._stderr.read().decode("utf-8", "replace")[-2_000:]

    def family(self) -> list[psutil.Process]:
        """The process and all that it started."""
        process = psutil.Process(self._process.pid)
        return [process, *process.children(recursive=True)]

    def close(self, *, patience: float = PATIENCE) -> int:
        """End the conversation by closing stdin, and give the exit code; a process that stays fails the test."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            return self._process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there after stdin closed: {self._process.args!r}") from None

    def end(self) -> None:
        """Whatever the process is doing, end it: some servers stay when stdin is closed, so clients do this too."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.wait()
        self._reader.join(10)
        self._process.stdout.close()
        self._stderr.close()


def parsed(line: bytes) -> dict[str, Any]:
    message = json.loads(line)
    assert isinstance(message, dict), line[:200]
    return message
