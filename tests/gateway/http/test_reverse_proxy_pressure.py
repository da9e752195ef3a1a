"""A client that does not read holds up its own upstream, and nobody's memory."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import psutil

from tests.kit.over_http.upstreams import PATIENCE, Asked, Place, Wire, call, result, run, sse, upstream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

NOTE: Final = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 65_000}}
EVENT: Final = sse(json.dumps(NOTE).encode())
EVENTS: Final = 3_100  # 200 MB
ROOM: Final = 64_000_000  # bytes that the gateway may take for itself: two buffers, and what Python keeps for later
STILL: Final = 30  # other calls that are answered while nothing more is taken from the upstream


@asynccontextmanager
async def process(url: str) -> AsyncIterator[tuple[int, psutil.Process]]:
    """A gateway in a process of its own, and its port."""
    command = ("-m", "penstock", "serve", "--url", url, "--port", "0", "--store", "memory:")
    made = await asyncio.create_subprocess_exec(sys.executable, *command, stderr=asyncio.subprocess.PIPE)
    try:
        assert made.stderr is not None
        line = await made.stderr.readline()
        assert b" at http://" in line, line
        yield int(line.split(b":")[-1].split(b"/")[0]), psutil.Process(made.pid)
    finally:
        if made.returncode is None:
            made.terminate()
        async with asyncio.timeout(PATIENCE):
            await made.wait()


def post(message: object) -> bytes:
    body = json.dumps(message).encode()
    return (
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
        % (len(body), body)
    )


def test_a_reader_that_reads_nothing_does_not_fill_the_memory_of_the_gateway() -> None:
    sent = 0

    async def answers(asked: Asked, wire: Wire) -> None:
        nonlocal sent
        if asked.message["id"] == 2:
            await wire.whole(result("small", 2))
            return
        await wire.begin_stream()
        for _ in range(EVENTS):
            await wire.bit(EVENT)
            sent += 1
        await wire.bit(sse(result("done")))
        await wire.end_stream()

    async def scenario() -> None:
        place = Place(answers=answers)
        async with asyncio.timeout(PATIENCE * 4), upstream(place) as url, process(url) as (port, gateway):
            other = await asyncio.open_connection("127.0.0.1", port)

            async def is_answered() -> None:
                other[1].write(post(call("small", 2)))
                assert await other[0].readuntil(result("small", 2))

            await is_answered()
            before, most = gateway.memory_info().rss, 0
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1_024)
            writer.write(post(call("large", 1)))
            seen, still = -1, 0
            while still < STILL:
                still = still + 1 if sent == seen > 0 else 0
                seen = sent
                await is_answered()
                most = max(most, gateway.memory_info().rss)
            assert sent < EVENTS  # held up, and none of it is lost:
            await reader.readuntil(b"\r\n\r\n")
            size = 0
            while True:
                length = int(await reader.readline(), 16)
                await reader.readexactly(length + 2)
                size += length
                most = max(most, gateway.memory_info().rss)
                if not length:
                    break
            assert size == EVENTS * len(EVENT) + len(sse(result("done")))
            assert most - before < ROOM
            for one in (writer, other[1]):
                one.close()
                await one.wait_closed()

    run(scenario())
