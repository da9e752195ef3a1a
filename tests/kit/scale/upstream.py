"""An MCP server over HTTP with JSON answers, as small as can be: ``python upstream.py`` prints its port and serves.

``echo`` gives its text back. ``records`` gives ``rows`` rows of ``seed``: the same for the same arguments. ``mixed``
gives as many bytes of records that pack as real ones do. ``wait`` answers once ``go`` was called.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
from typing import Any

import uvicorn

go = asyncio.Event()
waiting = 0


def records(rows: int, seed: str) -> str:
    return json.dumps(
        [{"id": number, "of": seed, "state": ("open", "closed")[number % 3 == 0]} for number in range(rows)]
    )


WORDS = ("open", "error", "warning", "request", "upstream", "timeout", "service", "region", "customer", "order")


def mixed(size: int, seed: int) -> str:
    """Records that pack about as well as those of real servers: some words repeat, numbers and names do not."""
    draw = random.Random(seed)
    rows: list[dict[str, object]] = []
    total = 0
    while total < size:
        row = {
            "id": f"{draw.getrandbits(64):x}",
            "at": draw.randint(1_700_000_000, 1_800_000_000),
            "text": " ".join(draw.choices(WORDS, k=8)),
            "value": draw.random(),
        }
        total += len(json.dumps(row)) + 2
        rows.append(row)
    return json.dumps(rows)


async def result(name: str, given: dict[str, Any]) -> str:
    global waiting  # noqa: PLW0603
    if name == "records":
        return records(int(given["rows"]), str(given["seed"]))
    if name == "mixed":
        return mixed(int(given["size"]), int(given["seed"]))
    if name == "wait":
        waiting += 1
        await go.wait()
        return "waited"
    if name == "go":
        go.set()
        return "gone"
    if name == "waiting":
        return str(waiting)
    return str(given.get("text", ""))


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    asked = json.loads(b"".join(parts) or b"{}")
    status, answer = (200, b"") if "id" in asked else (202 if asked else 405, b"")
    if "id" in asked:
        params = asked.get("params", {})
        text = await result(params.get("name", ""), params.get("arguments", {}))
        told = {"content": [{"type": "text", "text": text}]}
        answer = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": told}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


def main() -> None:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(1_024)
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(app, log_config=None, access_log=False, http="httptools", lifespan="off")
    uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    main()
