"""What the gateway adds to a tiny call over HTTP, beside what FastMCP's proxy adds in the same run.

    python bench/over_http.py            about two minutes
    python bench/over_http.py --quick    half a minute, less sure

The server behind all of them is plain ASGI with JSON answers, so that nearly all of the time is that of who stands in
between. Every round asks all targets in turn over connections that stay open; ``added`` is a round's median of a target
less that of direct, and what is printed are medians of rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VERSION: Final = "2025-11-25"
HEADERS: Final = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": VERSION,
}
INFO: Final = {"name": "bench", "version": "1"}
TOOL: Final = {"name": "tiny", "description": "says ok", "inputSchema": {"type": "object", "properties": {}}}
RESULTS: Final[dict[str, Any]] = {
    "initialize": {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": INFO},
    "tools/list": {"tools": [TOOL]},
    "tools/call": {"content": [{"type": "text", "text": "ok"}]},
}
DIRECT: Final = "direct"
OURS: Final = "penstock"
CONNECTED: Final = "FastMCP's proxy, connected"
NAMES: Final = (DIRECT, OURS, "FastMCP's proxy", CONNECTED)
SECONDS: Final = 60.0  # for a process to begin, and for an answer


async def upstream(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The server that is called: an answer out of a table."""
    if scope["type"] != "http":
        return
    asked = json.loads((await receive()).get("body") or b"{}")
    method = asked.get("method")
    body, status = b"", 202 if asked else 405
    if "id" in asked:
        known = method in RESULTS
        told = {"result": RESULTS[method]} if known else {"error": {"code": -32_601, "message": f"no {method}"}}
        body, status = json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}).encode(), 200
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def serve(app: Any, port: int, lifespan: Literal["on", "off"]) -> None:
    import uvicorn

    config = uvicorn.Config(
        app, port=port, log_config=None, access_log=False, http="httptools", lifespan=lifespan, timeout_keep_alive=600
    )
    await uvicorn.Server(config).serve()


async def serve_fastmcp(port: int, url: str, *, connected: bool) -> None:
    """FastMCP's proxy: as it is by default, or with one connection to the server that all calls share."""
    from fastmcp import Client
    from fastmcp.server import create_proxy

    async with Client(url) as client:
        app = create_proxy(client if connected else url).http_app(path="/mcp", json_response=True)
        await serve(app, port, "on")


@dataclass(slots=True, kw_only=True)
class Target:
    """Somebody to ask, over one connection that stays open."""

    name: str
    url: str
    medians: list[float] = field(default_factory=list)
    _connection: HTTPConnection | None = None
    _headers: dict[str, str] = field(default_factory=lambda: dict(HEADERS))

    def open(self) -> None:
        """Shake hands, as every client of the legacy era does."""
        self._connection = HTTPConnection("127.0.0.1", urlsplit(self.url).port, timeout=SECONDS)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": INFO}
        session = self._ask("initialize", params)
        if session:
            self._headers["mcp-session-id"] = session
        self._ask("notifications/initialized", None)

    def call(self) -> float:
        """Seconds of a tiny call."""
        start = time.perf_counter()
        self._ask("tools/call", {"name": "tiny", "arguments": {}})
        return time.perf_counter() - start

    def _ask(self, method: str, params: Any) -> str:
        assert self._connection is not None
        key = {} if params is None else {"id": 1, "params": params}
        body = json.dumps({"jsonrpc": "2.0", "method": method, **key}).encode()
        self._connection.request("POST", "/mcp", body, self._headers)
        answer = self._connection.getresponse()
        told = answer.read()
        if answer.status >= 300 or b'"error"' in told:
            raise SystemExit(f"{self.name}: {method} failed: {answer.status} {told[:200]!r}")
        return answer.headers.get("mcp-session-id") or ""


@contextmanager
def started(words: Sequence[str], port: int) -> Iterator[str]:
    """A process that serves at a port; the URL."""
    with subprocess.Popen([sys.executable, *words], stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + SECONDS
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise SystemExit(f"{' '.join(words)} did not begin to serve") from None
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def memory(port: int) -> float:
    """MB of the process that listens at a port; 0 where that cannot be known."""
    import psutil

    for one in psutil.Process().children():
        if any(place.status == "LISTEN" and place.laddr.port == port for place in one.net_connections("tcp")):
            return float(one.memory_info().rss / 1e6)
    return 0.0


def measure(targets: Sequence[Target], *, rounds: int, calls: int) -> None:
    for target in targets:
        target.open()
        for _ in range(calls):
            target.call()
    for number in range(rounds):
        for target in [*targets[number % len(targets) :], *targets[: number % len(targets)]]:
            target.medians.append(statistics.median(target.call() for _ in range(calls)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--serve", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        kind, port, *url = asked.serve
        work = serve(upstream, int(port), "off")
        if url:
            work.close()
            work = serve_fastmcp(int(port), url[0], connected=kind == CONNECTED)
        with suppress(ImportError):
            import uvloop

            uvloop.run(work)
            return
        asyncio.run(work)
        return
    with ExitStack() as stack:
        ports = {name: free_port() for name in NAMES}
        url = stack.enter_context(started([__file__, "--serve", DIRECT, str(ports[DIRECT])], ports[DIRECT]))
        commands = {name: [__file__, "--serve", name, str(port), url] for name, port in ports.items() if name != DIRECT}
        port = str(ports[OURS])
        commands[OURS] = ["-m", "penstock", "serve", "--url", url, "--port", port, "--store", "memory:"]
        targets = [Target(name=DIRECT, url=url)]
        for name, command in commands.items():
            targets.append(Target(name=name, url=stack.enter_context(started(command, ports[name]))))
        measure(targets, rounds=5 if asked.quick else 15, calls=40 if asked.quick else 100)
        show(targets, {name: memory(port) for name, port in ports.items()})


def added(one: Target, base: Target) -> float:
    return statistics.median(mine - plain for mine, plain in zip(one.medians, base.medians, strict=True))


def show(targets: Sequence[Target], rss: dict[str, float]) -> None:
    base, ours, *theirs = targets
    print("| tiny call over HTTP, p50 | ms | added, ms | x direct | RSS, MB |\n|---|---|---|---|---|")
    for one in targets:
        ratio = statistics.median(mine / plain for mine, plain in zip(one.medians, base.medians, strict=True))
        median = statistics.median(one.medians)
        print(
            f"| {one.name} | {median * 1e3:.3f} | {added(one, base) * 1e3:.3f} | {ratio:.2f}x | {rss[one.name]:.0f} |"
        )
    own = added(ours, base)
    print(f"\n- adds <= 1 ms: {'yes' if own <= 1e-3 else 'NO'} ({own * 1e3:.3f} ms)")
    for one in theirs:
        less = added(one, base) / own
        print(f"- adds >= 3x less than {one.name}: {'yes' if less >= 3 else 'NO'} ({less:.1f}x less)")


if __name__ == "__main__":
    main()
