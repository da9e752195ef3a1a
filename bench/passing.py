"""A call with 1 MB in its arguments: named by its handle, beside the same bytes sent by the client.

Real processes: a client here, ``penstock run``, and a server that tells the length of what it gets. CPU time is the
gateway's own; the median of the rounds counts.

    python bench/passing.py [--megabytes 1] [--rounds 20]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable

SERVER = """
import json, sys
text = ('a line of words, with ünïcode and "quotes"\\n' * 1_000_000)[: int(sys.argv[1])]
for line in sys.stdin:
    asked = json.loads(line)
    given = (asked.get("params") or {}).get("arguments") or {}
    told = {"content": [{"type": "text", "text": str(len(given["text"])) if "text" in given else text}]}
    if asked.get("method") == "initialize":
        info = {"name": "s", "version": "1"}
        told = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": told}), flush=True)
"""


class Gateway:
    """``penstock run`` in front of the server."""

    def __init__(self, size: int) -> None:
        command = [sys.executable, "-m", "penstock", "run", "--store", "memory:", "--", sys.executable, "-c", SERVER]
        self._process = subprocess.Popen([*command, str(size)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._watched = psutil.Process(self._process.pid)
        self._key = 0
        info = {"name": "bench", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._key += 1
        message = {"jsonrpc": "2.0", "id": self._key, "method": method, "params": params}
        self.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        return self.read()

    def write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        told: dict[str, Any] = json.loads(self._process.stdout.readline())["result"]
        return told

    def cpu(self) -> float:
        times = self._watched.cpu_times()
        return float(times.user + times.system)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def measured(gateway: Gateway, call: Callable[[], None], rounds: int) -> tuple[float, float]:
    """Milliseconds of a call, the median, and of the gateway's CPU for each."""
    call()
    before, taken = gateway.cpu(), []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1_000, (gateway.cpu() - before) / rounds * 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    gateway = Gateway(int(options.megabytes * 1_000_000))
    answer = gateway.request("tools/call", {"name": "read", "arguments": {}})
    handle = json.loads(answer["content"][0]["text"].partition("\n")[0])["cache_id"]
    parts, start = [], 0
    while True:
        window = {"action": "get", "cache_id": handle, "start_index": start, "max_length": 100_000}
        told = gateway.request("tools/call", {"name": "fetch_cached_response", "arguments": window})
        where, _, part = told["content"][0]["text"].partition("\n")
        parts.append(part)
        if (start := json.loads(where)["next_index"]) is None:
            break
    text = "".join(parts)
    ways = {"sent by the client": text, "by handle": f"held:{handle}"}

    def calling(given: str) -> Callable[[], None]:
        message = {"jsonrpc": "2.0", "id": 9, "method": "tools/call"}
        line = json.dumps({**message, "params": {"name": "keep", "arguments": {"text": given}}}, ensure_ascii=False)
        written = line.encode() + b"\n"

        def call() -> None:
            gateway.write(written)
            assert gateway.read()["content"][0]["text"] == str(len(text))

        return call

    print(
        "| a call with",
        f"{options.megabytes:g} MB | bytes from the client | ms | CPU of the gateway, ms |\n|---|---|---|---|",
    )
    for name, given in ways.items():
        taken, cpu = measured(gateway, calling(given), options.rounds)
        print(f"| {name} | {len(given.encode()):,} | {taken:.1f} | {cpu:.1f} |")
    gateway.close()


if __name__ == "__main__":
    main()
