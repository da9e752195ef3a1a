"""What a call and a held result cost a replica and its Redis, and what three replicas do under load.

    python bench/scale.py            about two minutes
    python bench/scale.py --quick    less than one

The first table is what the sizing in docs/how-to/scale-out.md is worked out from: processor time of one gateway, and
memory of Redis. The second is 64 clients that hold on one replica and read on another, undisturbed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import redis

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from tests.kit.answers import head_of
from tests.kit.scale.load import Load
from tests.kit.scale.serving import Serving, upstream
from tests.kit.stores.support import running

if TYPE_CHECKING:
    from tests.kit.stores.support import Server

CLIENTS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of one call: processor time of the gateway, and what Redis has more of afterwards."""

    what: str
    cpu: float
    size: int = 0
    stored: float = 0.0


def cost(gateway: Serving, server: Server, what: str, size: int, calls: int) -> Cost:
    """The mean of some calls whose result has this size."""
    process = psutil.Process(gateway.process.pid)
    gateway.text("mixed", size=size, seed=-1)  # what is imported at the first one is not its cost
    with redis.Redis(unix_socket_path=server.socket) as client:
        before, used = process.cpu_times(), client.info("memory")["used_memory"]
        for seed in range(calls):
            gateway.text("mixed", size=size, seed=seed)
        after = process.cpu_times()
        stored = (client.info("memory")["used_memory"] - used) / calls
    cpu = (after.user + after.system - before.user - before.system) / calls
    return Cost(what=what, cpu=cpu, size=size, stored=stored)


def reading(gateway: Serving, calls: int) -> Cost:
    handle = head_of(gateway.text("mixed", size=1_000_000, seed=1))["cache_id"]
    process = psutil.Process(gateway.process.pid)
    gateway.text("fetch_cached_response", action="get_page", cache_id=handle, page=1)
    before = process.cpu_times()
    for page in range(1, calls + 1):
        gateway.text("fetch_cached_response", action="get_page", cache_id=handle, page=page)
    after = process.cpu_times()
    return Cost(what="a page of it", cpu=(after.user + after.system - before.user - before.system) / calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with ExitStack() as stack:
        url, server = stack.enter_context(upstream()), stack.enter_context(running())
        replicas = [stack.enter_context(Serving("--url", url, "--store", server.url)) for _ in range(3)]
        first = replicas[0]
        costs = [
            cost(first, server, "passed, tiny", 0, 200 if quick else 2_000),
            cost(first, server, "held, 100 KB", 100_000, 20 if quick else 100),
            cost(first, server, "held, 1 MB", 1_000_000, 5 if quick else 20),
            reading(first, 50),
        ]
        print("| a call | ms of processor | KB of result | KB more in Redis | of the result |\n|---|---|---|---|---|")
        for one in costs:
            share = f"{one.stored / one.size:.2f}x" if one.size > 1_000 else "-"
            print(f"| {one.what} | {one.cpu * 1e3:.2f} | {one.size / 1e3:.1f} | {one.stored / 1e3:.1f} | {share} |")
        rss = ", ".join(f"{psutil.Process(one.process.pid).memory_info().rss / 1e6:.0f}" for one in replicas)
        load = Load([one.url for one in replicas], clients=CLIENTS, rounds=2 if quick else 6, rows=1_200)
        print(f"\n- 3 replicas, {CLIENTS} clients: {asyncio.run(load.run())}")
        print(f"- memory of the replicas before that: {rss} MB")


if __name__ == "__main__":
    main()
