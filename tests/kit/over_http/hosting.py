"""A gateway in front of a command, in the loop of the test itself, and a client that speaks plain HTTP to it."""

from __future__ import annotations

import asyncio
import functools
import io
import json
import sys
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec

import aiohttp
import uvicorn
from tests.kit.gateway import MODERN
from tests.kit.over_http.quick_server import QuickServer
from tests.kit.waiting import PATIENCE

from penstock.config.model import Config
from penstock.gateway.carry import Carrier
from penstock.gateway.carry_async import AsyncCarrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.http.app import App
from penstock.gateway.http.callers import Callers
from penstock.gateway.http.intake import Intake
from penstock.gateway.http.process_pool import ProcessPool
from penstock.gateway.log import Log
from penstock.gateway.observe.request_record import RecordedApp, RequestRecord
from penstock.gateway.upstreams.process import start
from penstock.web.listening import listen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Sequence

    from penstock.gateway.http.process_pool import PoolLimits

Message = dict[str, Any]
P = ParamSpec("P")

PUPPET: Final = (sys.executable, "-I", "-S", str(Path(__file__).with_name("scripted_server.py")))
ACCEPT: Final = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


def running(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test in an event loop of its own."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), 4 * PATIENCE))

    return run


@dataclass(slots=True)
class Clock:
    """Time that passes when the test says so."""

    time: float = 1_000.0

    def __call__(self) -> float:
        return self.time


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back for one request."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def messages(self) -> list[Message]:
        """All messages, whichever form they came in."""
        if self.headers.get("content-type") == "application/json":
            return [json.loads(self.body)]
        return [json.loads(line[6:]) for line in self.body.splitlines() if line.startswith(b"data: ")]

    @property
    def last(self) -> Message:
        return self.messages[-1]

    @property
    def text(self) -> str:
        return str(self.last["result"]["content"][0]["text"])

    @property
    def words(self) -> str:
        """Of the error that was answered."""
        return str(self.last["error"]["message"])


@dataclass(slots=True, kw_only=True)
class Client:
    """Speaks to a gateway, in a session of the legacy era once it has opened one."""

    url: str
    http: aiohttp.ClientSession
    session: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def _headers(self) -> dict[str, str]:
        named = {"mcp-session-id": self.session} if self.session else {}
        return {**ACCEPT, **named, **self.headers}

    async def post(self, body: Message | list[Message] | bytes) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {**(told(body) if isinstance(body, dict) else {}), **self._headers()}
        async with self.http.post(self.url, data=io.BytesIO(data), headers=headers) as answer:
            said = {name.lower(): value for name, value in answer.headers.items()}
            return Answer(status=answer.status, headers=said, body=await answer.read())

    async def open(self, version: str = "2025-11-25") -> Answer:
        """Begin a session."""
        answer = await self.post(initialize(version))
        self.session = answer.headers.get("mcp-session-id", "")
        if self.session:
            assert (await self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})).status == 202
        return answer

    async def call(
        self, tool: str, /, *, key: Any = 1, modern: bool = False, token: Any = None, **arguments: Any
    ) -> Answer:
        return await self.post(call(tool, key=key, modern=modern, token=token, **arguments))

    async def heard(self) -> list[Message]:
        """All that the server of this session has heard."""
        return list(json.loads((await self.call("heard", key="heard")).text))

    async def pid(self) -> int:
        return int(json.loads((await self.call("about", key="about")).text)["pid"])

    async def delete(self) -> int:
        async with self.http.delete(self.url, headers=self._headers()) as answer:
            return answer.status

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Listener]:
        async with self.http.get(self.url, headers=self._headers()) as answer:
            yield Listener(answer)


class Listener:
    """A stream on which the server speaks."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self.status = answer.status
        self._answer = answer

    async def next(self) -> Message | None:
        """The next message; None at the end."""
        while line := await self._answer.content.readline():
            if line.startswith(b"data: "):
                return dict(json.loads(line[6:]))
        return None

    async def line(self) -> bytes:
        return await self._answer.content.readline()


def call(tool: str, /, *, key: Any = 1, modern: bool = False, token: Any = None, **arguments: Any) -> Message:
    meta = {**(MODERN if modern else {}), **({} if token is None else {"progressToken": token})}
    params = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": key, "method": "tools/call", "params": params}


def told(message: Message) -> dict[str, str]:
    """The headers that repeat what stands in a request of the modern era."""
    params = message.get("params", {})
    version = params.get("_meta", {}).get("io.modelcontextprotocol/protocolVersion")
    if version is None or "method" not in message:
        return {}
    named = {"mcp-name": params["name"]} if "name" in params else {}
    return {"mcp-protocol-version": version, "mcp-method": message["method"], **named}


def initialize(version: str = "2025-11-25") -> Message:
    info = {"name": "tester", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


def progress(token: Any = "$token", done: int = 1) -> Message:
    return {"say": {"method": "notifications/progress", "params": {"progressToken": token, "progress": done}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    url: str
    http: aiohttp.ClientSession
    processes: ProcessPool
    records: list[RequestRecord]

    def client(self, **headers: str) -> Client:
        return Client(url=self.url, http=self.http, headers=headers)

    async def session(self, **headers: str) -> Client:
        """A client that has opened a session."""
        client = self.client(**headers)
        assert (await client.open()).status == 200
        return client


@asynccontextmanager
async def hosting(
    command: Sequence[str] = PUPPET,
    *,
    limits: PoolLimits | None = None,
    now: Callable[[], float] = time.monotonic,
    store: str = "memory:",
    proxies: Sequence[str] = (),
    **settings: Any,
) -> AsyncIterator[Gateway]:
    """A gateway on a port of its own; all its processes end with it. It trusts ``proxies`` to name addresses."""
    log = Log("error")
    config = Config(store=store, **settings)
    rules = ConfigRules(config)
    carrier = AsyncCarrier(Carrier(rules, log, command, over_http=True))
    processes = ProcessPool(functools.partial(start, command), carrier, limits, now=now)
    records: list[RequestRecord] = []
    app = App(processes, Intake(), callers=Callers(proxies), ended=carrier.close, failed=carrier.failed)
    recorded = RecordedApp(app, "/mcp", [records.append])
    server = QuickServer(uvicorn.Config(recorded, log_config=None, access_log=False, lifespan="on"))
    socket = listen("127.0.0.1", 0)
    serving = asyncio.create_task(server.serve([socket]))
    try:
        async with aiohttp.ClientSession() as http:
            url = f"http://127.0.0.1:{socket.getsockname()[1]}/mcp"
            yield Gateway(url=url, http=http, processes=processes, records=records)
    finally:
        server.end()
        await serving


async def holds(condition: Callable[[], bool] | Callable[[], Coroutine[Any, Any, bool]]) -> bool:
    """Whether a condition comes true, while the gateway goes on."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if (await found) if asyncio.iscoroutine(found) else found:
            return True
        await asyncio.sleep(0.01)
    return False
