"""A ``penstock serve`` process that is asked over HTTP, with the calls of ``Wire``; so one test can ask both."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, Self

from tests.kit.interaction.wire import PATIENCE, Reply
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SERVING = re.compile(r"at (http://\S+)")


class HttpWire:
    """One session of a client over HTTP."""

    def __init__(self, options: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "penstock", "serve", "--port", "0", *options]
        self._process = subprocess.Popen(
            command, cwd=cwd, env=None if env is None else dict(env), stderr=subprocess.PIPE, text=True
        )
        self._said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        until(lambda: bool(self._url()) or self._process.poll() is not None)
        self.session = ""
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self._process.stderr is not None
        self._process.stderr.close()

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> Reply:
        """Ask, and give the answer with the events that came before it."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": dict(params or {})}
        lines = self._post(message)
        answered = [line for line in lines if json.loads(line).get("id") == self._number]
        assert len(answered) == 1, (lines, self._said)
        return Reply(line=answered[0], message=json.loads(answered[0]), before=tuple(lines[: lines.index(answered[0])]))

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **params: Any) -> Reply:
        return self.request("tools/call", {"name": tool, "arguments": dict(arguments or {}), **params})

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        self._post({"jsonrpc": "2.0", "method": method, "params": dict(params or {})})

    def stderr(self) -> str:
        return "".join(self._said)

    def _post(self, message: Mapping[str, Any]) -> list[bytes]:
        headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        if self.session:
            headers |= {"mcp-session-id": self.session, "mcp-protocol-version": "2025-11-25"}
        asked = urllib.request.Request(self._url(), json.dumps(message).encode(), headers)
        try:
            with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
                self.session = answer.headers.get("mcp-session-id") or self.session
                body, kind = answer.read(), answer.headers.get("content-type", "")
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{error.code}: {error.read()[:500]!r}; {self._said}") from None
        if "event-stream" not in kind:
            return [body] if body else []
        return [line[5:].strip() for line in body.splitlines() if line.startswith(b"data:") and line[5:].strip()]

    def _url(self) -> str:
        found = _SERVING.search("".join(self._said))
        return found[1] if found else ""

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._said.append(line)
