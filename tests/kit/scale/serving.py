"""Real ``penstock serve`` processes and the server behind them, for tests that look at them from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    import signal
    from collections.abc import Iterator, Mapping, Sequence

UPSTREAM = Path(__file__).with_name("upstream.py")


@contextmanager
def upstream() -> Iterator[str]:
    """The URL of a running server."""
    with subprocess.Popen([sys.executable, str(UPSTREAM)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.kill()


class Serving:
    """One gateway; ``options`` are those of the command line. With a ``port`` it comes back where it was before."""

    def __init__(
        self, *options: str, port: int = 0, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "penstock", "serve", "--port", str(port), *options],
            stderr=subprocess.PIPE,
            env=None if env is None else {**os.environ, **env},
            cwd=cwd,
        )
        self._said = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self.says(" at http://"), self.stderr
        self.url = next(line for line in self.stderr.splitlines() if " at http://" in line).rpartition(" at ")[2]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.process.terminate()
            self.wait()
            assert kind is not None or "Traceback" not in self.stderr, self.stderr
        finally:
            self.kill()

    @property
    def stderr(self) -> str:
        return bytes(self._said).decode()

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def says(self, words: str) -> bool:
        """Whether stderr has these words, sooner or later."""
        until(lambda: words in self.stderr or not self._reader.is_alive())
        return words in self.stderr

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait(self) -> int:
        """The exit code."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def kill(self) -> None:
        """As ``kill -9``; nothing happens if it has ended."""
        self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()

    def call(self, tool: str, *, headers: Mapping[str, str] | None = None, **arguments: Any) -> Any:
        """Call a tool, and give its answer."""
        status, body = post(self.url, tool, arguments, headers)
        assert status == 200, (status, body)
        return json.loads(body)

    def text(self, tool: str, *, headers: Mapping[str, str] | None = None, **arguments: Any) -> str:
        """Call a tool, and give the first text of its result."""
        return str(self.call(tool, headers=headers, **arguments)["result"]["content"][0]["text"])

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
        status, body = request(self.url, "GET", path, headers=headers)
        return status, body.decode()

    def _read(self) -> None:
        assert self.process.stderr is not None
        while chunk := os.read(self.process.stderr.fileno(), 65_536):
            self._said += chunk


def message(tool: str, arguments: Mapping[str, Any]) -> bytes:
    """A call of a tool."""
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def post(
    url: str, tool: str, arguments: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    """Call a tool over a connection of its own: the status, and what came with it."""
    return request(url, "POST", urlsplit(url).path, message(tool, arguments), headers)


def request(
    url: str, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", urlsplit(url).port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {"content-type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def refusal(options: Sequence[str], env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """The exit code and the words of a gateway that does not start."""
    done = subprocess.run(
        [sys.executable, "-m", "penstock", "serve", *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env=None if env is None else {**os.environ, **env},
    )
    return done.returncode, done.stderr
