"""What the middleware costs inside a FastMCP server, beside none and beside FastMCP's own limit on answers.

    python bench/middleware.py            all of it, about two minutes
    python bench/middleware.py --quick    half a minute, less sure

Every figure has its ratio to the baseline of the same run. Servers and client are in one process, over memory, so that
nothing but the middleware differs; each round asks all servers in turn.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import statistics
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final

from fastmcp import Client, FastMCP
from fastmcp.server.middleware.response_limiting import ResponseLimitingMiddleware

from penstock.middleware.fastmcp import PenstockMiddleware

if TYPE_CHECKING:
    from collections.abc import Callable

LARGE: Final = 10_000_000  # bytes
LIMIT: Final = 100_000  # bytes, about what 25,000 tokens are
ROW: Final = {"id": 0, "name": "Anna Svensson", "city": "Gothenburg", "score": 12.5, "tags": ["a", "b"]}
MIDDLEWARE: Final[dict[str, Callable[[], Any]]] = {
    "none": lambda: None,
    "ResponseLimitingMiddleware": lambda: ResponseLimitingMiddleware(max_size=LIMIT),
    "PenstockMiddleware": lambda: PenstockMiddleware(store="memory:"),
}


def rows() -> list[dict[str, Any]]:
    number = LARGE // len(json.dumps(ROW))
    return [{**ROW, "id": n} for n in range(number)]


def server(middleware: Any) -> FastMCP[Any]:
    mcp: FastMCP[Any] = FastMCP("bench")
    if middleware is not None:
        mcp.add_middleware(middleware)
    data = rows()
    text = json.dumps(data)

    @mcp.tool
    def tiny(n: int) -> str:
        return f"ok {n}"

    @mcp.tool
    def large_text() -> str:
        return text

    @mcp.tool
    def large_rows() -> list[dict[str, Any]]:
        return data

    return mcp


async def seconds(client: Client[Any], tool: str, **arguments: Any) -> float:
    start = time.perf_counter()
    await client.call_tool_mcp(tool, arguments)
    return time.perf_counter() - start


async def measure(*, quick: bool) -> dict[str, dict[str, list[float]]]:
    """Seconds of each call, by tool and middleware."""
    taken: dict[str, dict[str, list[float]]] = {
        tool: {name: [] for name in MIDDLEWARE} for tool in ("tiny", "large_text", "large_rows")
    }
    async with AsyncExitStack() as stack:
        clients = {name: await stack.enter_async_context(Client(server(make()))) for name, make in MIDDLEWARE.items()}
        for client in clients.values():
            for tool in taken:
                await seconds(client, tool, **({"n": 0} if tool == "tiny" else {}))
        for n in range(200 if quick else 2_000):
            for name, client in clients.items():
                taken["tiny"][name].append(await seconds(client, "tiny", n=n))
        for tool in ("large_text", "large_rows"):
            for _ in range(3 if quick else 9):
                for name, client in clients.items():
                    taken[tool][name].append(await seconds(client, tool))
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    logging.disable(logging.WARNING)  # one of them tells of every answer that it cuts
    taken = asyncio.run(measure(quick=parser.parse_args().quick))
    wanted = {
        "tiny": ("none", "<= 1.05x no middleware"),
        "large_text": ("ResponseLimitingMiddleware", "<= 0.33x ResponseLimitingMiddleware"),
        "large_rows": ("ResponseLimitingMiddleware", "<= 0.33x ResponseLimitingMiddleware"),
    }
    print("| median call, ms | " + " | ".join(MIDDLEWARE) + " | wanted of Penstock | ratio |")
    print("|---" * (len(MIDDLEWARE) + 3) + "|")
    for tool, by_name in taken.items():
        base, words = wanted[tool]
        ratio = statistics.median(
            ours / theirs for ours, theirs in zip(by_name["PenstockMiddleware"], by_name[base], strict=True)
        )
        medians = " | ".join(f"{statistics.median(one) * 1_000:.3f}" for one in by_name.values())
        print(f"| {tool} | {medians} | {words} | {ratio:.2f}x |")


if __name__ == "__main__":
    main()
