"""A client that speaks plain HTTP to a real ``penstock serve``, with the words of ``Wire``."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from tests.kit.interaction.wire import Reply
from tests.kit.scale.serving import Serving
from tests.kit.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Mapping

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


class HttpWire:
    """One session with a gateway that runs as long as this. ``options`` are those of ``penstock serve``."""

    def __init__(self, *options: str) -> None:
        self._serving = Serving(*options)
        self._session: dict[str, str] = {}
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._serving.__exit__(kind)

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> Reply:
        self._number += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": self._number, "method": method}
        lines = self._post(message if params is None else {**message, "params": params})
        line = next(one for one in lines if json.loads(one).get("id") == self._number)
        return Reply(line=line, message=json.loads(line))

    def notify(self, method: str) -> None:
        self._post({"jsonrpc": "2.0", "method": method})

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Reply:
        return self.request("tools/call", {"name": tool, "arguments": dict(arguments or {})})

    def stderr(self) -> str:
        return self._serving.stderr

    def _post(self, message: Mapping[str, Any]) -> list[bytes]:
        """Send one message, and return the messages that come back, from a body or from a stream of events."""
        connection = HTTPConnection("127.0.0.1", self._serving.port, timeout=PATIENCE)
        try:
            path = urlsplit(self._serving.url).path
            connection.request("POST", path, json.dumps(message).encode(), {**HEADERS, **self._session})
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        assert answer.status in {200, 202}, (answer.status, body[:500])
        if (session := answer.headers.get("mcp-session-id")) is not None:
            self._session = {"mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
        if "event-stream" in answer.headers.get("content-type", ""):
            return [line.removeprefix(b"data: ") for line in body.splitlines() if line.startswith(b"data: {")]
        return [body] if body else []
