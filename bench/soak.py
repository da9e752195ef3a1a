"""Keep ``penstock run`` and ``penstock serve`` under mixed load, and see whether anything grows.

    python bench/soak.py                            20 seconds, as fast as it goes
    python bench/soak.py --seconds 3600 --pause 0.5   an hour, each client waiting half a second after each call

The load: small results, large ones that are held and read, queries, tools that fail, write rubbish or end their server,
and clients that vanish without a word. Before it, clients that never come back open sessions until ``serve`` has nearly
all the processes that it may have. Figures come from /proc, at every tenth of the time; those of the first tenth, when
all parts are loaded, and of the end stand side by side in the table. Latencies are medians and 95th percentiles of the
first third and of the last. Beside the gateways one client calls the server without any gateway: what other work on the
machine costs shows there too, and the ratios to it tell growth from load. At last both gateways are compared with new
ones, call by call in turns: what is slower in the old ones is growth.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urlsplit

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator

FETCH: Final = "fetch_cached_response"
STORE_BYTES: Final = 32_000_000  # of each store: it is full, and evicts, for most of an hour
KINDS: Final = (*["small"] * 6, "large", "large", "query", "window", "fault")
DIRECT: Final = ("small", "large")  # without a gateway
TURNS: Final = (*["small"] * 5, "large", "query", "window")  # calls to an old gateway and to a new one, at the end
COMPARING: Final = 0.05  # of the time is spent on them, for each of the gateways,
LEAST_COMPARING: Final = 5.0  # but at least so many seconds
COMPARED: Final = {"small": "small", "large": "large", "query": "large", "window": "small"}  # direct ones
VANISHING: Final = 0.005  # of all calls: each leaves a session behind, which has its place for half a minute at least
FAULTS: Final = ("error", "rubbish", "exit", "no such handle")
PATIENCE: Final = 60.0  # seconds for an answer
CLIENTS: Final = 4  # over HTTP; over stdio there is one
PROCESSES: Final = 32  # of serve, which is its default: the sessions that clients left end to make room for others
SAMPLES: Final = 10
VERSION: Final = "2025-11-25"
ACCEPT: Final = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def upstream() -> None:
    """The server behind the gateways: a line in, a line out."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        name = asked.get("params", {}).get("name", "")
        if name == "exit":
            os._exit(3)
        if name == "rubbish":
            print("rubbish " * 100, "{")
        rows = 5_000 if name == "large" else 3
        table = [
            {"id": n, "state": random.choice(("open", "closed")), "note": f"row {random.random()}"} for n in range(rows)
        ]
        result: dict[str, Any] = {"content": [{"type": "text", "text": json.dumps(table)}], "isError": name == "error"}
        if asked["method"] == "initialize":
            info = {"name": "soaked", "version": "1"}
            result = {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": info}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)


SERVER: Final = (sys.executable, os.path.abspath(__file__), "--upstream")


def message(method: str, key: int | None = None, **params: Any) -> bytes:
    return json.dumps(
        {"jsonrpc": "2.0", **({} if key is None else {"id": key}), "method": method, "params": params}
    ).encode()


INITIALIZE: Final = message(
    "initialize", 0, protocolVersion=VERSION, capabilities={}, clientInfo={"name": "soak", "version": "1"}
)
INITIALIZED: Final = message("notifications/initialized")


class Client(Protocol):
    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Call a tool and return the response; None if the server ended."""

    def vanish(self) -> None:
        """Go away in the middle of a request, and come back as another client."""


class StdioClient:
    """One ``penstock run``. Its client vanishes by cancelling a request; its server never ends, as that would end the
    gateway too."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._key = 0
        self._send(INITIALIZE)
        self._heard(0)
        self._send(INITIALIZED)

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        self._key += 1
        self._send(message("tools/call", self._key, name=tool if tool != "exit" else "error", arguments=arguments))
        return self._heard(self._key)

    def vanish(self) -> None:
        self._key += 1
        self._send(message("tools/call", self._key, name="large", arguments={}))
        self._send(message("notifications/cancelled", requestId=self._key))

    def _send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def _heard(self, key: int) -> Any:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            heard = json.loads(line)
            if heard.get("id") == key:
                return heard
        raise SystemExit("penstock run has ended")


class HttpClient:
    """A legacy session of ``penstock serve``. A client that vanishes resets its connection, and never sends DELETE."""

    def __init__(self, url: str) -> None:
        self._place = urlsplit(url)
        self._key = 0
        self._begin()

    def _begin(self) -> None:
        """Open a session; wait, as the gateway asks, while all processes are taken."""
        self._connection = HTTPConnection("127.0.0.1", self._place.port, timeout=PATIENCE)
        self._session = ""
        deadline = time.monotonic() + PATIENCE
        while self._post(INITIALIZE)[0] == 503 and time.monotonic() < deadline:
            time.sleep(1.0)
        self._post(INITIALIZED)

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        self._key += 1
        try:
            status, body = self._post(message("tools/call", self._key, name=tool, arguments=arguments))
        except (OSError, HTTPException):
            self._begin()
            return None
        if status == 404:  # the session has ended with its server: the protocol has clients begin again
            self._begin()
            return self.call(tool, arguments)
        lines = [one[6:] for one in body.splitlines() if one.startswith(b"data: ")] or [body]
        return json.loads(lines[-1])

    def vanish(self) -> None:
        body = message("tools/call", 1, name="large", arguments={})
        self._connection.request("POST", self._place.path, body, self._headers())
        assert self._connection.sock is not None
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._connection.close()
        self._begin()

    def _headers(self) -> dict[str, str]:
        return {**ACCEPT, **({"mcp-session-id": self._session} if self._session else {})}

    def _post(self, body: bytes) -> tuple[int, bytes]:
        self._connection.request("POST", self._place.path, body, self._headers())
        answer = self._connection.getresponse()
        self._session = answer.headers.get("mcp-session-id") or self._session
        return answer.status, answer.read()


class Load:
    """What one client does until the end, and how long each kind of call took."""

    def __init__(self, client: Client, seed: int, pause: float, kinds: tuple[str, ...] = KINDS) -> None:
        self._client = client
        self._pause = pause
        self._kinds = kinds
        self._random = random.Random(seed)
        self._handle = ""
        self.failed = 0
        self.took: dict[str, list[tuple[float, float]]] = defaultdict(list)  # when it was, and the seconds

    def once(self, kind: str) -> None:
        """Make one call of a kind."""
        begun = time.monotonic()
        answer = self._call(kind)
        if answer is None or "result" not in answer:
            self.failed += kind != "fault"
            return
        self.took[kind].append((begun, time.monotonic() - begun))
        first = answer["result"]["content"][0]["text"]
        if kind == "large" and first.startswith('{"type":"buffered_response"'):
            self._handle = json.loads(first.partition("\n")[0])["cache_id"]

    def run(self, until: float) -> None:
        while time.monotonic() < until:
            time.sleep(self._pause)
            kind = self._random.choice(self._kinds)
            if self._kinds is KINDS and self._random.random() < VANISHING:
                self._client.vanish()
                continue
            self.once(kind)

    def _call(self, kind: str) -> Any:
        if kind == "fault":
            tool = self._random.choice(FAULTS)
            given = {"cache_id": "r_" + "x" * 22} if tool == "no such handle" else {}
            return self._client.call(FETCH if given else tool, given)
        if kind == "query" and self._handle:
            sql = "SELECT state, count(*) FROM items GROUP BY 1"
            return self._client.call(FETCH, {"action": "sql", "cache_id": self._handle, "sql": sql})
        if kind == "window" and self._handle:
            at = self._random.randrange(100_000)
            return self._client.call(FETCH, {"action": "get", "cache_id": self._handle, "start_index": at})
        return self._client.call("large" if kind == "large" else "small", {})


def figures(process: subprocess.Popen[bytes], store: Path) -> dict[str, float]:
    """Look at a gateway from outside; descriptors and threads are of the gateway's own process."""
    seen = psutil.Process(process.pid)
    workers = [one for one in map(_seen, seen.children(recursive=True)) if one is not None]
    size = sum(one.stat().st_size for one in store.parent.glob(f"{store.name}*"))
    return {
        "memory, MB": round(seen.memory_info().rss / 1e6, 1),
        "memory of workers, MB": round(sum(rss for rss, _ in workers) / 1e6, 1),
        "CPU, s": round(sum(seen.cpu_times()[:2]) + sum(cpu for _, cpu in workers), 2),
        "descriptors": seen.num_fds(),
        "threads": seen.num_threads(),
        "processes": 1 + len(seen.children(recursive=True)),
        "store, MB": round(size / 1e6, 1),
    }


def _seen(child: psutil.Process) -> tuple[float, float] | None:
    """Return the memory and the CPU time of a child of a gateway; None for an upstream, or one that has just ended."""
    try:
        if "--upstream" in child.cmdline():
            return None
        return child.memory_info().rss, sum(child.cpu_times()[:2])
    except psutil.NoSuchProcess:
        return None


@contextmanager
def direct() -> Iterator[subprocess.Popen[bytes]]:
    """Run the server without a gateway, and end it."""
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def gateway(store: Path, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a gateway whose log goes to a file, and end it."""
    env = {**os.environ, "PENSTOCK_STORE": f"sqlite://{store}", "PENSTOCK_MAX_STORE_BYTES": str(STORE_BYTES)}
    full = [sys.executable, "-m", "penstock", *command, "--", *SERVER]
    pipe = subprocess.PIPE if command[0] == "run" else None
    log = (store.parent / f"{command[0]}.log").open("wb")
    with log, subprocess.Popen(full, stdin=pipe, stdout=pipe, stderr=log, env=env) as process:
        try:
            yield process
        finally:
            process.terminate()


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def until_it_listens(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def latencies(loads: list[Load], baseline: list[Load], begun: float, ended: float) -> list[str]:
    lines = []
    for kind in sorted({kind for load in loads for kind in load.took}):
        thirds = _thirds(loads, kind, begun, ended)
        told = [f"{statistics.median(one) * 1e3:.1f} / {_late(one) * 1e3:.1f} ms" if one else "none" for one in thirds]
        number = sum(len(load.took[kind]) for load in loads)
        lines.append(f"  {kind + ', median / 95 %':24}{told[0]:>22}{told[1]:>22}   {number:,} calls")
        if loads is not baseline and kind in COMPARED:
            without = _thirds(baseline, COMPARED[kind], begun, ended)
            told = [_ratio(one, other) for one, other in zip(thirds, without, strict=True)]
            lines.append(f"  {f'  x direct {COMPARED[kind]}':24}{told[0]:>22}{told[1]:>22}")
    return lines


def in_turns(old: Client, new: Client, seconds: float) -> list[str]:
    """Call an old gateway and a new one in turns; return the medians of both, and the ratio of the old one."""
    pair = [Load(client, seed, 0.0, TURNS) for seed, client in enumerate((old, new))]
    for each in pair:
        for kind in ("large", "query"):  # all parts are loaded, and there is something to ask
            each.once(kind)
        each.took.clear()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for kind in TURNS:
            for each in pair:
                each.once(kind)
    lines = []
    for kind in dict.fromkeys(TURNS):
        before, after = ([s for _, s in each.took[kind]] for each in pair)
        told = [f"{statistics.median(one) * 1e3:.1f} ms" for one in (before, after)]
        ratio = statistics.median(before) / statistics.median(after)
        lines.append(
            f"  {kind + ', old and new':24}{told[0]:>22}{told[1]:>22}   {ratio:.2f}x, {len(after):,} calls each"
        )
    return lines


def _thirds(loads: list[Load], kind: str, begun: float, ended: float) -> tuple[list[float], list[float]]:
    """Return the seconds of all calls of a kind, in the first third of the time and in the last."""
    third = (ended - begun) / 3
    took = [one for load in loads for one in load.took[kind]]
    return [s for at, s in took if at < begun + third], [s for at, s in took if at > ended - third]


def _ratio(took: list[float], without: list[float]) -> str:
    return f"{statistics.median(took) / statistics.median(without):.1f}x" if took and without else "none"


def _late(took: list[float]) -> float:
    return sorted(took)[int(len(took) * 0.95)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds that each client waits before each call")
    parser.add_argument("--upstream", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.upstream:
        upstream()
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pen")))
        stores = {name: folder / f"{name}.db" for name in ("run", "serve")}
        port = free_port()
        over_stdio = stack.enter_context(gateway(stores["run"], "run"))
        over_http = stack.enter_context(
            gateway(stores["serve"], "serve", "--port", str(port), "--max-processes", str(PROCESSES))
        )
        until_it_listens(port)
        url = f"http://127.0.0.1:{port}/mcp"
        alone = [Load(StdioClient(stack.enter_context(direct())), 99, given.pause, DIRECT)]
        over_stdio_client = StdioClient(over_stdio)
        loads = {"direct": alone, "run": [Load(over_stdio_client, 0, given.pause)]}
        for _ in range(PROCESSES - 2 * CLIENTS):  # places are left for clients that vanish in the first seconds
            HttpClient(url)
        loads["serve"] = [Load(HttpClient(url), seed, given.pause) for seed in range(1, CLIENTS + 1)]
        begun = time.monotonic()
        ended = begun + given.seconds
        threads = [threading.Thread(target=one.run, args=(ended,)) for each in loads.values() for one in each]
        for thread in threads:
            thread.start()
        gateways = {"run": over_stdio, "serve": over_http}
        series = []
        for tenth in range(1, SAMPLES + 1):
            time.sleep(max(0.0, begun + tenth * given.seconds / SAMPLES - time.monotonic()))
            series.append({name: figures(process, stores[name]) for name, process in gateways.items()})
            for name, seen in series[-1].items():
                seen["calls"] = sum(len(took) for load in loads[name] for took in load.took.values())
            print(f"after {time.monotonic() - begun:,.0f} s: {series[-1]}", file=sys.stderr, flush=True)
        for thread in threads:
            thread.join()
        first, last = series[0], series[-1]
        turns = compared(
            stack, folder, over_stdio_client, HttpClient(url), max(LEAST_COMPARING, given.seconds * COMPARING)
        )
        for name, each in loads.items():
            failed = sum(one.failed for one in each)
            print(f"{name}: {given.seconds:,.0f} s; {failed} calls beside the faults got no result")
            for figure, before in first.get(name, {}).items():
                most = max(one[name][figure] for one in series)
                print(f"  {figure:24}{before:>22,}{last[name][figure]:>22,}   {most:,} at most")
            if name in first:
                told = [f"{_cost(series[at - 1][name], series[at][name]):.1f} ms" for at in (1, -1)]
                print(f"  {'CPU of a call':24}{told[0]:>22}{told[1]:>22}   in the second tenth and in the last")
            print("\n".join([*latencies(each, alone, begun, ended), *turns.get(name, ())]))


def compared(stack: ExitStack, folder: Path, run: Client, serve: Client, seconds: float) -> dict[str, list[str]]:
    """Start new gateways, and compare the old ones with them."""
    port = free_port()
    new_run = stack.enter_context(gateway(folder / "new run.db", "run"))
    stack.enter_context(gateway(folder / "new serve.db", "serve", "--port", str(port)))
    until_it_listens(port)
    new_serve = HttpClient(f"http://127.0.0.1:{port}/mcp")
    return {"run": in_turns(run, StdioClient(new_run), seconds), "serve": in_turns(serve, new_serve, seconds)}


def _cost(before: dict[str, float], after: dict[str, float]) -> float:
    """Return the CPU time of one call between two looks, in milliseconds, over all kinds of calls."""
    return (after["CPU, s"] - before["CPU, s"]) * 1e3 / max(1, after["calls"] - before["calls"])


if __name__ == "__main__":
    main()
