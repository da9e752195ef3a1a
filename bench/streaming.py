"""Very large results through the gateway, beside the server alone: wall time, memory, CPU, other calls meanwhile.

The server has the result ready and writes it as fast as its pipe takes it (all but ``made``), or makes it row by row
while it writes (``made``), as most servers do. Rounds of the gateway and of the server alone take turns; of several the
least time of each counts, as whatever else the machine does can only make it longer. A server over stdio answers one
call after the other: behind a large result a tiny one waits for the whole of it, without a gateway too, and that is the
figure beside it. CPU and memory are those of the gateway. Memory is what the process has of its own: pages of the files
that hold a very long result belong to the kernel, which takes them back when it needs them, and are in ``with files``.
Linux only.

    python bench/streaming.py                            50 and 200 MB, three rounds: penstock run -- COMMAND
    python bench/streaming.py --over serve               penstock serve -- COMMAND
    python bench/streaming.py --over run-url             penstock run --url; ready is JSON, made an event
    python bench/streaming.py --over serve-url           penstock serve --url, likewise
    python bench/streaming.py --over combined-url        penstock run --config, with that server in it
    python bench/streaming.py --sizes 50 --rounds 1 --modes ready
    python bench/streaming.py --modes structured,both,twin  data in structuredContent, alone, beside a text that says
                                                         something else, and beside one that says the same

``floor`` is not Penstock, but the least that Python does with a result that the server has ready: read, unescape, write
to a file (``streaming_parts/floor.py``). Nothing that does more can be faster.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.streaming_parts import over_http
from bench.streaming_parts.over_http import HttpClient, free_port

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY = 200  # MB above idle that a result of 200 MB may take, and in all that one of 50 MB may
RATIOS = {50: 6.0}  # wall time, as a multiple of the server alone; above 64 MB time is not a goal
LOOKS = 0.005  # seconds between two looks at the memory
PATIENCE = 120  # seconds for one result
FLOOR = [sys.executable, "-I", str(Path(__file__).with_name("streaming_parts") / "floor.py")]

SERVER = r"""
import json, os, sys

def write(data):
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest[:1 << 20]):]

def row(at):
    person = {"id": at, "name": f"user {at}", "mail": f"u{at}@example.com", "active": at % 3 == 0}
    address = {"city": f"city {at % 99}", "zip": at % 99999}
    tags = ["red", "blue"][:at % 3]
    return {**person, "score": at % 999 / 8, "tags": tags, "address": address, "note": "näme " * (at % 9)}

def parts(size):
    done, at = 0, 0
    while done < size:
        rows = ",".join(json.dumps(row(n), ensure_ascii=False) for n in range(at, at + 500))
        part = json.dumps(("," if at else "[") + rows, ensure_ascii=False)[1:-1].encode()
        at += 500
        done += len(part)
        yield part
    yield b"]"

def answer(key, body, data=b""):
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % key)
    for part in body:
        write(part)
    write(b'"}],')
    write(data)
    write(b'"isError":false}}\n')

def structured(size):
    rows = b",".join(json.dumps(row(n), ensure_ascii=False).encode() for n in range(500))
    return b'"structuredContent":{"rows":[' + b",".join([rows] * (size // len(rows))) + b"]},"

size, mode = int(sys.argv[1]), sys.argv[-1]
ready, data = b"rows", b""
if mode in ("ready", "floor"):
    ready = b"".join(parts(size))
elif mode == "structured":
    data = structured(size)
elif mode == "both":
    ready, data = b"".join(parts(size // 2)), structured(size // 2)
elif mode == "twin":
    ready = b"".join(parts(size // 2))
    data = b'"structuredContent":{"result":' + json.loads(b'"%b"' % ready).encode() + b"},"

for line in sys.stdin.buffer:
    asked = json.loads(line)
    key, method = asked.get("id"), asked.get("method")
    if method == "initialize":
        info = {"name": "bench", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
        write(json.dumps({"jsonrpc": "2.0", "id": key, "result": result}).encode() + b"\n")
    elif method == "tools/call" and asked["params"]["name"] == "tiny":
        answer(key, [b"ok"])
    elif method == "tools/call":
        answer(key, parts(size) if mode == "made" else [ready], data)
"""


class Client:
    """Speaks to the server, or to the gateway before it."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._rest: list[bytes] = []
        self._lines: list[bytes] = []
        self._key = 0
        info = {"name": "bench", "version": "1"}
        self.wait(self.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}))
        for _ in range(5):
            self.wait(self.call("tiny"))

    def send(self, method: str, params: dict[str, Any]) -> int:
        self._key += 1
        message = {"jsonrpc": "2.0", "id": self._key, "method": method, "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        return self._key

    def call(self, tool: str) -> int:
        return self.send("tools/call", {"name": tool, "arguments": {}})

    def wait(self, key: int) -> int:
        """Wait for the response of this id, or for any other one; return the id of the one that came."""
        while not self._lines:
            self._read()
        head = self._lines.pop(0)[:200]
        found = int(head.split(b'"id":', 1)[1].split(b",", 1)[0])
        return found if key == found or key == 0 else self.wait(key)

    def _read(self) -> None:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            raise TimeoutError
        chunk = os.read(self.process.stdout.fileno(), 1 << 20)
        if not chunk:
            raise EOFError
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._lines.append(b"".join((*self._rest, end)))
            self._rest = []
        self._rest.append(rest)

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)


@dataclass(frozen=True, kw_only=True)
class Figures:
    wall: float
    idle: float = 0.0
    peak: float = 0.0
    resident: float = 0.0
    cpu: float = 0.0
    stall: float = 0.0


def measured(begin: Callable[[], Client | HttpClient], tool: str, *, gateway: bool) -> Figures:
    client = begin()
    try:
        time.sleep(1.5 if gateway else 0)  # a quiet moment, in which a gateway imports what it will need
        process = psutil.Process(client.process.pid)
        idle, cpu = memory(process, "VmRSS"), sum(process.cpu_times()[:4])
        watch = Watch(process)
        start = time.perf_counter()
        client.wait(client.call(tool))
        wall = time.perf_counter() - start
        peak = watch.stop()
        if not gateway:
            return Figures(wall=wall, stall=stalled(client, tool))
        resident, cpu = memory(process, "VmHWM"), sum(process.cpu_times()[:4]) - cpu
        peak += idle - watch.first  # its program, which it shares with others, is a file too
        return Figures(wall=wall, idle=idle, peak=peak, resident=resident, cpu=cpu, stall=stalled(client, tool))
    finally:
        client.close()


class Watch:
    """Looks at the memory that a process has of its own, until it is stopped."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._ends = threading.Event()
        self.first = self._most = memory(process, "RssAnon")
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        self._ends.set()
        self._thread.join()
        return self._most

    def _look(self) -> None:
        while not self._ends.wait(LOOKS):
            self._most = max(self._most, memory(self._process, "RssAnon"))


def stalled(client: Client | HttpClient, tool: str) -> float:
    """The longest tiny call while a large one is handled, in seconds."""
    large, longest = client.call(tool), 0.0
    time.sleep(0.05)
    while True:
        start = time.perf_counter()
        tiny = client.call("tiny")
        is_done = False
        while (found := client.wait(0)) != tiny:
            is_done = is_done or found == large
        longest = max(longest, time.perf_counter() - start)
        if is_done:
            return longest


def memory(process: psutil.Process, name: str) -> float:
    """Memory of the gateway alone, in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(name)) * 1_024 / 1e6


def pair(over: str, size: int, mode: str) -> tuple[Figures, Figures]:
    """The server alone, and through the gateway."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        ours = [
            sys.executable,
            "-m",
            "penstock",
            over.split("-", maxsplit=1)[0],
            "--store",
            f"sqlite://{folder}/held.db",
        ]
        at, behind = str(free_port()), str(free_port())
        listens = ["--port", at] if over.startswith("serve") else []
        if not over.endswith("-url"):
            server = [sys.executable, "-I", "-S", "-c", SERVER, str(size * 1_000_000), mode]
            direct = measured(lambda: Client(server), mode, gateway=False)
            before = FLOOR if mode == "floor" else [*ours, *listens, "--"]
            return direct, measured(lambda: gateway_of([*before, *server], at), mode, gateway=True)
        code = SERVER[: SERVER.index("for line in")] + over_http.SERVER
        server = [sys.executable, "-I", "-c", code, str(size * 1_000_000), behind, mode]
        direct = measured(lambda: HttpClient(server, int(behind)), mode, gateway=False)
        upstream = HttpClient(server, int(behind))
        try:
            url = f"http://127.0.0.1:{behind}/mcp"
            command = [*ours, *listens, "--url", url]
            if over == "combined-url":
                file = Path(folder, "servers.json")
                file.write_text(json.dumps({"mcpServers": {"bench": {"url": url}}}))
                command = ["run" if part == "combined" else part for part in ours] + ["--config", str(file)]
            return direct, measured(lambda: gateway_of(command, at), mode, gateway=True)
        finally:
            upstream.close()


def gateway_of(command: list[str], port: str) -> Client | HttpClient:
    return HttpClient(command, int(port)) if "serve" in command else Client(command)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="50,200", help="MB, with commas between them")
    parser.add_argument("--modes", default="ready,made,floor", help="also structured, both, twin")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--over", default="run", choices=("run", "serve", "run-url", "serve-url", "combined-url"))
    asked = parser.parse_args()
    columns = [
        "MB, server",
        "direct, s",
        "gateway, s",
        "ratio",
        "CPU, s",
        "idle, MB",
        "peak, MB",
        "above idle",
        "with files",
    ]
    print("| " + " | ".join([*columns, "tiny call, ms", "the same, direct"]) + " |")
    print("|---" * (len(columns) + 2) + "|")
    for size in map(int, asked.sizes.split(",")):
        for mode in asked.modes.split(","):
            pairs = [pair(asked.over, size, mode) for _ in range(asked.rounds)]
            direct, ours = (min(one, key=lambda figures: figures.wall) for one in zip(*pairs, strict=True))
            peak = min(pair[1].peak for pair in pairs)
            resident = min(pair[1].resident for pair in pairs)
            stall = min(pair[1].stall for pair in pairs)
            least = min(pair[0].stall for pair in pairs)
            cpu = min(pair[1].cpu for pair in pairs)
            print(
                f"| {size}, {mode} | {direct.wall:.2f} | {ours.wall:.2f} | {ours.wall / direct.wall:.1f}x | {cpu:.2f} "
                f"| {ours.idle:.0f} | {peak:.0f} | {peak - ours.idle:.0f} | {resident:.0f} "
                f"| {stall * 1e3:.0f} | {least * 1e3:.0f} |",
                flush=True,
            )
    print(f"\nLimits: ratio {RATIOS}, {MEMORY} MB above idle for 200 MB, {MEMORY} MB in all for 50 MB.")


if __name__ == "__main__":
    main()
