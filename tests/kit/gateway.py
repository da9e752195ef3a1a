"""A real ``penstock run`` process, spoken to in lines, by a client that trusts it in nothing.

Every line it writes must be a message, and every request must have exactly one answer by the time it has ended; both
are checked at the end of each ``with``. Nothing waits for ever.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    import signal
    from collections.abc import Mapping, Sequence

Message = dict[str, Any]

FETCH: Final = "fetch_cached_response"
MODERN: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HASTY: Final = (str(Path(__file__).with_name("impatient_penstock.py")),)
LIMITED: Final = str(Path(__file__).with_name("limited_penstock.py"))
ODD: Final = Path(__file__).with_name("faulty_server.py")


def python(file: Path, *arguments: str) -> list[str]:
    """The command of a server that is a Python script with nothing but the standard library."""
    return [sys.executable, "-I", "-S", str(file), *arguments]


def code(text: str) -> list[str]:
    """The command of a server that is these lines of Python."""
    return [sys.executable, "-I", "-S", "-c", text]


class Running:
    """One gateway; options come before the server's command, or name the server where that is None. ``entry`` is
    what stands for ``python -m penstock``."""

    def __init__(
        self,
        server: Sequence[str] | None = (),
        *options: str,
        store: str = "memory:",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        entry: Sequence[str] = ("-m", "penstock"),
        reads: bool = True,
        reads_stderr: bool = True,
    ) -> None:
        command = [] if server is None else ["--", *(server or python(ODD))]
        self.process = subprocess.Popen(
            [sys.executable, *entry, "run", "--store", store, *options, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=None if env is None else dict(env),
            cwd=cwd,
        )
        self.lines: list[bytes] = []
        self.cancelled: set[Any] = set()  # requests that need no answer any more
        self._asked: list[Any] = []
        self._stderr = bytearray()
        self._messages: list[Message] = []
        self._parsed = 0
        self._parsing = threading.Lock()
        self._next = 0
        self._gone = not reads
        readers = (self._read, self._read_stderr) if reads_stderr else (self._read,)
        self._threads = [threading.Thread(target=read, daemon=True) for read in readers]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.close()
                self.wait()
                self.check()
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.close()
            for thread in self._threads:
                thread.join(PATIENCE)
            for end in (self.process.stdout, self.process.stderr):
                assert end is not None
                end.close()

    # To the gateway

    def send(self, raw: bytes) -> None:
        """Write these bytes, as they are."""
        assert self.process.stdin is not None
        rest = memoryview(raw)
        while rest:
            rest = rest[os.write(self.process.stdin.fileno(), rest) :]

    def ask(self, method: str, params: Mapping[str, Any] | None = None, *, key: Any = None) -> Any:
        """Send a request, and give its id."""
        if key is None:
            self._next += 1
            key = self._next
        message = {"jsonrpc": "2.0", "id": key, "method": method, **({} if params is None else {"params": params})}
        self._asked.append(key)
        self.send(json.dumps(message).encode() + b"\n")
        return key

    def expect(self, *keys: Any) -> None:
        """Take note of requests that are sent as bytes."""
        self._asked += keys

    def ask_tool(self, tool: str, /, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification."""
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}).encode() + b"\n")

    def cancel(self, key: Any) -> None:
        self.cancelled.add(key)
        self.tell("notifications/cancelled", {"requestId": key})

    def close(self) -> None:
        """Say that nothing more will be asked."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def stop_reading(self) -> None:
        """Close the end at which the gateway is read."""
        assert self.process.stdout is not None
        self._gone = True
        self._threads[0].join(PATIENCE)
        self.process.stdout.close()

    def vanish(self) -> None:
        """Be gone, as a client that was killed: nobody writes to the gateway any more, and nobody reads from it."""
        self.stop_reading()
        self.close()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    # From the gateway

    def answer(self, key: Any) -> Message:
        """Wait for the answer to a request."""
        found: list[Message] = []

        def is_there() -> bool:
            found[:] = [one for one in self.messages() if one.get("id") == key and "method" not in one]
            return bool(found) or not self._reading()

        assert until(is_there), f"no answer to {key!r} in time; stderr: {self.stderr[-2_000:]}"
        is_there()  # what came before the end counts
        assert found, f"it ended without an answer to {key!r}; stderr: {self.stderr[-2_000:]}"
        return found[0]

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Ask, and give the result."""
        message = self.answer(self.ask(method, params))
        assert "result" in message, message
        return message["result"]

    def open(self, client: str = "tester", **capabilities: Any) -> Any:
        """Shake hands as a client of the legacy era, and give what the server says of itself."""
        info = {"name": client, "version": "1"}
        told = self.request(
            "initialize", {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info}
        )
        self.tell("notifications/initialized")
        return told

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool, and give the result."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def text(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool, and give the first text of its result."""
        return str(self.call(tool, **arguments)["content"][0]["text"])

    def error(self, key: Any) -> str:
        """Wait for the error that a request is answered with, and give its words."""
        message = self.answer(key)
        assert "error" in message, message
        return str(message["error"]["message"])

    def server(self) -> int:
        """The process id of the server."""
        return int(json.loads(self.text("about"))["pid"])

    def messages(self) -> list[Message]:
        """All that came so far; each line is read once."""
        with self._parsing:
            for line in self.lines[self._parsed :]:
                self._messages += _messages(line)
                self._parsed += 1
            return list(self._messages)

    def wait(self) -> int:
        """Wait for the end, and give the exit code."""
        code = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        return code

    @property
    def stderr(self) -> str:
        return bytes(self._stderr).decode("utf-8", "replace")

    def says(self, words: str) -> bool:
        """Whether stderr has these words, sooner or later."""
        return until(lambda: words in self.stderr)

    def check(self) -> None:
        """Nothing but protocol on stdout, no traceback on stderr, and one answer for each request."""
        told = [one for one in self.messages() if "method" not in one]
        answers = Counter(_hashable(one["id"]) for one in told if not (one["id"] is None and "error" in one))
        asked = Counter(map(_hashable, self._asked))
        free = set(map(_hashable, self.cancelled))
        wrong = {key: (asked[key], answers[key]) for key in asked | answers if key not in free}
        wrong = {key: counts for key, counts in wrong.items() if counts[0] != counts[1]}
        assert not wrong, f"asked and answered, by id: {wrong}; stderr: {self.stderr[-2_000:]}"
        for words in ("Traceback", "relayed unread", "could not be made", "unforeseen"):
            assert words not in self.stderr, self.stderr

    def _read(self) -> None:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        parts: list[bytes] = []
        while not self._gone:
            if not select.select([descriptor], [], [], 0.05)[0]:
                continue
            chunk = os.read(descriptor, 1_048_576)
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                self.lines.append(b"".join((*parts, end, b"\n")))
                parts.clear()
            parts.append(rest)
            if not chunk:
                break
        if last := b"".join(parts):
            self.lines.append(last)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        descriptor = self.process.stderr.fileno()
        while chunk := os.read(descriptor, 65_536):
            self._stderr += chunk

    def _reading(self) -> bool:
        return self._threads[0].is_alive()


def _messages(line: bytes) -> list[Message]:
    assert line.endswith(b"\n"), f"half a line: {line[:200]!r}"
    told = json.loads(line)
    messages = told if isinstance(told, list) else [told]
    for one in messages:
        assert one["jsonrpc"] == "2.0"
        assert "method" in one or "result" in one or "error" in one, line[:200]
    return messages


def _hashable(key: Any) -> str:
    return json.dumps(key)
