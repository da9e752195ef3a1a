"""A gateway on a real socket, in front of an upstream that sends the very bytes a test wants, when it wants them.

Upstream, gateway and client share one event loop, so that a test can hold each of them up without any clock.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import aiohttp
import uvicorn
from tests.kit.answers import head_of
from tests.kit.gateway import MODERN
from tests.kit.over_http.quick_server import QuickServer

from penstock.config import Config
from penstock.gateway.carry import Carrier
from penstock.gateway.carry_async import AsyncCarrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.http.app import App
from penstock.gateway.http.connection import Connection
from penstock.gateway.http.intake import Intake
from penstock.gateway.http.reverse_proxy import ReverseProxy
from penstock.gateway.log import Log
from penstock.gateway.observe.request_record import RecordedApp, RequestRecord
from penstock.web.guard import AccessGuard
from penstock.web.listening import listen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from penstock.gateway.http.intake import RequestLimits

PATIENCE: Final = 30.0  # seconds, which only a hang reaches
AS_JSON: Final = {"Content-Type": "application/json"}
LARGE: Final = "a line of a long text, again and again. " * 20_000  # 800 KB, far above every budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """Headers and a body, in the bytes that came."""

    headers: list[tuple[bytes, bytes]]
    body: bytes

    def header(self, name: str) -> bytes | None:
        """A header's value, whatever the case of its name."""
        return next((value for key, value in self.headers if key.lower() == name.lower().encode()), None)

    @property
    def message(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Came):
    """What an upstream was asked."""

    method: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard(Came):
    """What a client was answered."""

    status: int


class Wire:
    """The upstream's end of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def whole(self, body: bytes, status: str = "200 OK", **headers: str) -> None:
        """A whole answer; JSON unless it says otherwise."""
        await self.send(
            head(status, **{"content_type": "application/json", "content_length": str(len(body)), **headers})
        )
        await self.send(body)

    async def begin_stream(self, **headers: str) -> None:
        await self.send(head(content_type="text/event-stream", transfer_encoding="chunked", **headers))

    async def bit(self, data: bytes) -> None:
        """Some of a stream."""
        await self.send(b"%x\r\n%b\r\n" % (len(data), data))

    async def end_stream(self) -> None:
        await self.send(b"0\r\n\r\n")

    async def stream(self, *events: bytes, **headers: str) -> None:
        """A whole stream."""
        await self.begin_stream(**headers)
        for one in events:
            await self.bit(one)
        await self.end_stream()

    async def until_left(self) -> None:
        """Wait until the other side has hung up."""
        assert await self._reader.read(1) == b""

    def end(self) -> None:
        """Hang up."""
        self._writer.close()

    def reset(self) -> None:
        """Be gone without a word."""
        self._writer.transport.abort()

    @property
    def is_closing(self) -> bool:
        return self._writer.is_closing()


if TYPE_CHECKING:
    Answers = Callable[[Asked, Wire], Awaitable[None]]


def head(status: str = "200 OK", **headers: str) -> bytes:
    """The head of an answer."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "\r\n"]).encode("latin-1")


@dataclass(slots=True, kw_only=True)
class Place:
    """A gateway and its upstream. ``answers`` can be changed at any time."""

    answers: Answers
    asked: list[Asked] = field(default_factory=list)
    broken: list[BaseException] = field(default_factory=list)
    url: str = ""
    upstream: str = ""
    client: aiohttp.ClientSession = field(init=False)
    proxy: ReverseProxy = field(init=False)
    intake: Intake = field(init=False)
    carrier: AsyncCarrier = field(init=False)
    records: list[RequestRecord] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    async def post(self, message: Any, **headers: str) -> Heard:
        """Send a message, and hear the whole answer."""
        async with self.asking(message, **headers) as answer:
            return Heard(status=answer.status, headers=list(answer.raw_headers), body=await answer.read())

    @asynccontextmanager
    async def asking(self, message: Any, **headers: str) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send a message, and hear the answer bit by bit."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        async with self.client.post(self.url, data=body, headers={**AS_JSON, **_named(headers)}) as answer:
            yield answer

    async def ask(self, method: str, url: str = "", **headers: str) -> Heard:
        """Any other request, and the whole answer."""
        async with self.client.request(method, url or self.url, headers=_named(headers)) as answer:
            return Heard(status=answer.status, headers=list(answer.raw_headers), body=await answer.read())

    async def fetch(self, _key: Any = 99, /, headers: Mapping[str, str] | None = None, **arguments: Any) -> Any:
        """Call the gateway's own tool, and give the result."""
        return (await self.post(call("fetch_cached_response", _key, **arguments), **(headers or {}))).message["result"]

    async def connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the gateway, for bytes that no client would send."""
        place = urlsplit(self.url)
        return await asyncio.open_connection(place.hostname, place.port)

    def at(self, path: str) -> str:
        """Another path of the gateway."""
        return self.url.removesuffix("/mcp") + path


class Listed(Log):
    """A log that a test can read."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("debug")
        self._lines = lines

    def write(self, text: str) -> None:
        self._lines.append(text)


@asynccontextmanager
async def upstream(place: Place) -> AsyncIterator[str]:
    """A server that answers as ``place.answers`` says, and its address."""
    tasks: set[asyncio.Task[Any]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        wire = Wire(reader, writer)
        try:
            while (asked := await _read(reader)) is not None and not wire.is_closing:
                place.asked.append(asked)
                await place.answers(asked, wire)
        except ConnectionError:
            return  # the gateway has hung up, as it may
        except Exception as error:
            place.broken.append(error)
            raise
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**20)
    try:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}/mcp"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def gateway(
    answers: Answers,
    *,
    url: str = "",
    login: str = "",
    token: str = "",
    limits: RequestLimits | None = None,
    connections: int | None = None,
    **settings: Any,
) -> AsyncIterator[Place]:
    """A gateway in front of an upstream; ``url`` names another one, ``login`` stands before the upstream's name.
    ``connections`` are the most that may be open."""
    place = Place(answers=answers)
    async with asyncio.timeout(PATIENCE * 4), upstream(place) as address:
        config = Config(**{"store": "memory:", **settings})
        rules, log = ConfigRules(config), Listed(place.log)
        place.upstream = url or address.replace("//", f"//{login}", 1)
        place.carrier = AsyncCarrier(Carrier(rules, log, (place.upstream,), over_http=True))
        place.intake = Intake(limits)
        place.proxy = ReverseProxy(place.upstream, place.carrier, strips_authorization=bool(token))
        app = App(
            place.proxy,
            place.intake,
            guard=AccessGuard(token=token),
            ended=place.carrier.close,
            failed=place.carrier.failed,
        )
        watched = RecordedApp(app, "/mcp", [place.records.append])
        listening = listen("127.0.0.1", 0)
        place.url = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        server = QuickServer(
            uvicorn.Config(
                watched,
                log_config=None,
                http=Connection,
                ws="none",
                lifespan="on",
                access_log=False,
                server_header=False,
                date_header=False,
                limit_concurrency=connections,
            )
        )
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            async with aiohttp.ClientSession(
                auto_decompress=False, skip_auto_headers=("User-Agent", "Accept"), max_field_size=100_000
            ) as client:
                place.client = client
                yield place
        finally:
            server.end()
            await serving
    assert not place.broken, place.broken


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        top = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = top.removesuffix(b"\r\n\r\n").split(b"\r\n")
    method, target, _ = first.decode().split(" ")
    headers = [(name, value.strip()) for name, _, value in (line.partition(b":") for line in lines)]
    asked = Asked(method=method, target=target, headers=headers, body=b"")
    body = await reader.readexactly(int(asked.header("content-length") or 0))
    return Asked(method=method, target=target, headers=headers, body=body)


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


# Messages


def request(method: str, key: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": key, "method": method, "params": params}


def call(tool: str, key: Any = 1, /, **arguments: Any) -> dict[str, Any]:
    return request("tools/call", key, name=tool, arguments=arguments)


def modern_call(tool: str, key: Any = 1, /, **arguments: Any) -> dict[str, Any]:
    return request("tools/call", key, name=tool, arguments=arguments, _meta=MODERN)


def result(text: str, key: Any = 1, **members: Any) -> bytes:
    """An answer with one text, in a spelling that nobody would write anew by chance."""
    content = json.dumps({"content": [{"type": "text", "text": text}], **members})
    return b'{ "result" : ' + content.encode() + b', "jsonrpc":"2.0", "id" :' + json.dumps(key).encode() + b" }"


def sse(data: bytes, key: str = "", end: bytes = b"\n") -> bytes:
    """An event, with an id when it has one."""
    lines = [b"event: message", *([f"id: {key}".encode()] if key else []), b"data: " + data, b"", b""]
    return end.join(lines)


def notice(message: Mapping[str, Any]) -> dict[str, Any]:
    """What stands in for a held result."""
    told: dict[str, Any] = head_of(message["result"])
    assert told["type"] == "buffered_response"
    return told


def datas(stream: bytes) -> list[Any]:
    """The messages of a stream."""
    lines = [line.removeprefix(b"data: ") for line in stream.splitlines() if line.startswith(b"data: ")]
    return [json.loads(line) for line in lines if line]


def run(scenario: Awaitable[None]) -> None:
    """Play a scenario to its end."""

    async def played() -> None:
        await scenario

    asyncio.run(played())
