"""A small MCP client over stdio for ``doctor`` and ``demo``: one request at a time, and a deadline for each.

A server that is missing, dies, hangs or writes other lines without end is one ``UpstreamError`` that says so.
``McpClient`` owns its process: when it is closed, the process has ended, and its children with it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Raw

from penstock import __version__
from penstock.cli.mcp_client_process import LONG_LINE, LONGEST, PARTING, Process
from penstock.core.answer.notice import encode
from penstock.core.text import counted, shorten
from penstock.errors import UpstreamError
from penstock.gateway.upstreams.process import how_it_ended
from penstock.protocol.wire import jsonrpc
from penstock.protocol.wire.lines import TooLong

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

T = TypeVar("T")

LEGACY: Final = "2025-11-25"  # the last version that opens with initialize
MODERN: Final = "2026-07-28"  # the first that does not
CLIENT: Final = {"name": "penstock", "version": __version__}
META: Final = "io.modelcontextprotocol/"
MAX_PAGES: Final = 1_000  # Pages of one list. No real server has as many; one that repeats a cursor would never end.
SAMPLES: Final = 5  # Lines of noise that are kept to be shown.


class RequestRefusedError(UpstreamError):
    """The server answered a request with an error."""

    def __init__(self, method: str, code: int, message: str) -> None:
        self.code = code
        self.message = shorten(" ".join(message.split()), LONG_LINE)
        super().__init__(f"the server refuses {method}: {self.message} ({code})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """A server's description of itself in its first response."""

    name: str
    version: str
    protocol: str
    modern: bool
    capabilities: frozenset[str]


class McpClient:
    """A client of one MCP server, which it starts and ends. One thread may use it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        timeout: float,
        parting: float = PARTING,
        environment: Mapping[str, str] | None = None,
        folder: str = "",
    ) -> None:
        self.noise: list[str] = []  # the first lines that are no message to us
        self.noise_total = 0
        self.process = Process(command, parting=parting, environment=environment, folder=folder)
        self._timeout = timeout
        self._meta: dict[str, Any] = {}
        self._last_id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.close()

    def greet(self) -> Greeting:
        """Send ``initialize``, or ``server/discover`` if the server refuses that."""
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT}
        try:
            result = self.ask_for("initialize", hello, dict[str, Any])
        except RequestRefusedError as refused:
            return self._discover(refused)
        self.process.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return _greeting(result, result.get("serverInfo"), str(result.get("protocolVersion", "")), modern=False)

    def _discover(self, refused: RequestRefusedError) -> Greeting:
        self._meta = {
            f"{META}protocolVersion": MODERN,
            f"{META}clientInfo": CLIENT,
            f"{META}clientCapabilities": {},
        }
        try:
            result = self.ask_for("server/discover", {}, dict[str, Any])
        except RequestRefusedError:
            raise refused from None
        meta = result.get("_meta")
        info = result.get("serverInfo") or (meta.get(f"{META}serverInfo") if isinstance(meta, dict) else None)
        return _greeting(result, info, MODERN, modern=True)

    def ask(self, method: str, params: Mapping[str, Any]) -> bytes:
        """Send one request, and return the bytes of its result."""
        self._last_id += 1
        sent = {**params, "_meta": self._meta} if self._meta else params
        line = encode({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": sent}) + b"\n"
        if not self.process.write(line):
            raise self._died(method)
        answer = self._answer_to(self._last_id, method)
        if isinstance(answer.result, Raw):
            return bytes(answer.result)
        raise RequestRefusedError(method, *_reason(jsonrpc.value(answer.error)))

    def ask_for(self, method: str, params: Mapping[str, Any], form: type[T]) -> T:
        """Send one request, and return its result decoded."""
        return _decoded(method, self.ask(method, params), form)

    def everything(self, method: str, key: str) -> list[bytes]:
        """Return every item of a list, over all its pages."""
        every: list[bytes] = []
        cursors: set[str] = set()
        params: dict[str, Any] = {}
        while True:
            page = self.ask_for(method, params, dict[str, Raw])
            items = _decoded(method, page.get(key, Raw(b"null")), list[Raw])
            every += [bytes(item) for item in items]
            cursor = _decoded(method, page.get("nextCursor", Raw(b"null")), object)
            if not isinstance(cursor, str) or not cursor:
                return every
            if cursor in cursors or len(cursors) == MAX_PAGES:
                raise UpstreamError(f"{method} of the server never ends: it has given {len(every):,} items so far")
            cursors.add(cursor)
            params = {"cursor": cursor}

    def _answer_to(self, number: int, method: str) -> jsonrpc.Message:
        """Wait for one response. Requests of the server are answered here, notifications are ignored."""
        until = time.monotonic() + self._timeout
        while True:
            line = self._line(until, method)
            message = jsonrpc.decode(line)
            if message is None or message.method is UNSET:
                if message is not None and message.id == Raw(b"%d" % number) and _says(message):
                    return message
                self._note_noise(line)
            elif message.method == method:  # our own request: something that repeats what it reads is no server
                self._note_noise(line)
            elif isinstance(message.id, Raw):
                self._answer(message.method, bytes(message.id))

    def _line(self, until: float, method: str) -> bytes:
        left = until - time.monotonic()
        if left <= 0:  # a server that writes without end always has a line to read
            raise self._hangs(method)
        try:
            line = self.process.read(left)
        except TimeoutError:
            raise self._hangs(method) from None
        if line is None:
            raise self._died(method)
        if isinstance(line, TooLong):
            raise UpstreamError(f"the server wrote a line of {line.size:,} bytes, {LONGEST:,} are the limit")
        return bytes(line)

    def _answer(self, method: str, key: bytes) -> None:
        if method == "ping":
            self.process.write(jsonrpc.answer(key, b"{}"))
        else:
            self.process.write(jsonrpc.failure(key, jsonrpc.METHOD_NOT_FOUND, "this client has no such method"))

    def _note_noise(self, line: bytes) -> None:
        if not line.strip():
            return  # some servers end their lines twice, and no client minds
        self.noise_total += 1
        if len(self.noise) < SAMPLES:
            self.noise.append(shorten(line.decode("utf-8", "replace").strip(), LONG_LINE))

    def noise_text(self) -> str:
        """Say how many lines of stdout were not answers, with the first of them."""
        return (
            f"it printed {counted(self.noise_total, 'line')} to stdout that {'is' if self.noise_total == 1 else 'are'} "
            f"not JSON-RPC: {shorten(self.noise[0], 80)!r}"
        )

    def _hangs(self, method: str) -> UpstreamError:
        noise = f"; {self.noise_text()}" if self.noise_total else ""
        return UpstreamError(
            f"the server did not answer {method} within {self._timeout:g} s{noise}",
            do="it may be waiting for input or a login; raise --timeout if it is just slow",
        )

    def _died(self, method: str) -> UpstreamError:
        code = self.process.end()
        how = how_it_ended(code) if self.process.ended_by_itself else "closed its stdout"
        return UpstreamError(f"the server {how} instead of answering {method}")


def _greeting(result: dict[str, Any], info: object, protocol: str, *, modern: bool) -> Greeting:
    known = info if isinstance(info, dict) else {}
    capabilities = result.get("capabilities")
    return Greeting(
        name=str(known.get("name") or "a server without a name"),
        version=str(known.get("version", "")),
        protocol=protocol,
        modern=modern,
        capabilities=frozenset(capabilities if isinstance(capabilities, dict) else ()),
    )


def _says(answer: jsonrpc.Message) -> bool:
    return answer.result is not UNSET or answer.error is not UNSET


def _reason(error: Any) -> tuple[int, str]:
    members = error if isinstance(error, dict) else {}
    code = members.get("code")
    return code if isinstance(code, int) else 0, str(members.get("message", ""))


def _decoded(method: str, result: bytes | Raw, form: type[T]) -> T:
    try:
        return msgspec.json.decode(result, type=form)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise UpstreamError(f"the server's answer to {method} is not what it should be: {error}") from None
