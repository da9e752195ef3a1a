"""A FastMCP server over HTTP in its four kinds: stateful or not, with JSON or streams for answers. It prints its ports,
and ends with its standard input."""

from __future__ import annotations

import asyncio
import json
import socket
import sys

import uvicorn
from fastmcp import Context, FastMCP

KINDS = [(stateless, plain) for stateless in (False, True) for plain in (False, True)]

shop = FastMCP("shop")


@shop.tool
def rows(n: int) -> list[dict[str, object]]:
    return [{"id": one, "state": "open" if one % 3 else "closed"} for one in range(n)]


@shop.tool
async def count(ctx: Context, to: int) -> str:
    for one in range(to):
        await ctx.report_progress(one, to)
    return f"counted to {to}"


@shop.tool
async def name(ctx: Context) -> str:
    answer = await ctx.elicit("What is your name?", response_type=str)
    return f"hello {getattr(answer, 'data', '?')}"


@shop.tool
def fail() -> str:
    raise ValueError("no such thing")


async def main() -> None:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in KINDS]
    servers = []
    for stateless, plain in KINDS:
        app = shop.http_app(stateless_http=stateless, json_response=plain)
        servers.append(uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)))
    serving = [asyncio.create_task(server.serve(sockets=[one])) for server, one in zip(servers, sockets, strict=True)]
    while not all(server.started for server in servers):
        await asyncio.sleep(0.01)
    print(json.dumps([one.getsockname()[1] for one in sockets]), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for server in servers:
        server.should_exit = True
    await asyncio.wait(serving)


asyncio.run(main())
