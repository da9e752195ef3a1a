"""Held results passed by their handles over HTTP: to a server over HTTP, and to a process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kit.answers import head_of
from tests.kit.gateway import code
from tests.kit.over_http import hosting
from tests.kit.over_http.hosting import running
from tests.kit.over_http.upstreams import LARGE, Asked, Wire, call, gateway, modern_call, notice, request, result, run

ALICE = {"Authorization": "Bearer alice"}
BOB = {"Authorization": "Bearer bob"}
MIRRORED = {"type": "object", "properties": {"text": {"type": "string", "x-mcp-header": "Text"}}}
SERVER = f"""
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    method, given = asked.get("method"), (asked.get("params") or {{}}).get("arguments", {{}})
    if "id" not in asked:
        continue
    text = str(len(given["text"])) if "text" in given else "line of words\\n" * 4000
    told = {{"content": [{{"type": "text", "text": text}}]}}
    if method == "initialize":
        told = {{"protocolVersion": "2025-11-25", "capabilities": {{}}, "serverInfo": {{"name": "s", "version": "1"}}}}
    if method == "tools/list":
        told = {{"tools": [{{"name": "keep", "inputSchema": {MIRRORED!r}}}]}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": told}}), flush=True)
"""


async def keeps(asked: Asked, wire: Wire) -> None:
    """Give a large text; of a text that is given, tell the length."""
    message: Any = asked.message
    if isinstance(message, list):
        await wire.whole(b"[" + b",".join(result(_told(one), one["id"]) for one in message) + b"]")
    elif message["method"] == "tools/list":
        tools = [{"name": "keep", "inputSchema": MIRRORED}]
        told = {"jsonrpc": "2.0", "id": message["id"], "result": {"tools": tools}}
        await wire.whole(json.dumps(told).encode())
    else:
        await wire.whole(result(_told(message), message["id"]))


def _told(message: Any) -> str:
    given = message["params"]["arguments"]
    return str(len(given["text"])) if "text" in given else LARGE


def text_of(message: Any) -> str:
    return str(message["result"]["content"][0]["text"])


@pytest.mark.parametrize("make", [call, modern_call])
def test_a_held_result_is_passed_to_a_server_over_http(make: Any) -> None:
    async def scenario() -> None:
        async with gateway(keeps) as place:
            handle = notice((await place.post(make("search"), **ALICE)).message)["cache_id"]
            heard = await place.post(make("keep", 2, text=f"held:{handle}"), **ALICE)
            assert text_of(heard.message) == str(len(LARGE))
            assert place.asked[-1].message["params"]["arguments"] == {"text": LARGE}

    run(scenario())


def test_the_handle_of_another_principal_is_refused_and_nothing_is_sent() -> None:
    async def scenario() -> None:
        async with gateway(keeps) as place:
            handle = notice((await place.post(call("search"), **ALICE)).message)["cache_id"]
            heard = await place.post(call("keep", 2, text=f"held:{handle}"), **BOB)
            assert heard.message["result"]["isError"] is True
            assert "there is no held result" in text_of(heard.message)
            assert len(place.asked) == 1
            assert place.records[-1].outcome == "failed"

    run(scenario())


def test_an_argument_that_a_header_repeats_is_refused() -> None:
    async def scenario() -> None:
        async with gateway(keeps) as place:
            handle = notice((await place.post(modern_call("search"))).message)["cache_id"]
            await place.post(request("tools/list", 5))
            heard = await place.post(modern_call("keep", 2, text=f"held:{handle}"))
            assert "is repeated in a header" in text_of(heard.message)
            assert len(place.asked) == 2

    run(scenario())


def test_a_batch_goes_on_as_one() -> None:
    async def scenario() -> None:
        async with gateway(keeps) as place:
            handle = notice((await place.post(call("search"))).message)["cache_id"]
            several = [call("keep", 2, text="short"), call("keep", 3, text=f"held:{handle}"), call("keep", 4, text="")]
            heard = await place.post(several)
            lengths = {one["id"]: text_of(one) for one in heard.message}
            assert lengths == {2: "5", 3: str(len(LARGE)), 4: "0"}
            assert len(place.asked) == 2

    run(scenario())


@running
async def test_a_held_result_is_passed_to_a_process() -> None:
    async with hosting.hosting(code(SERVER), max_tokens=1_000) as server:
        client = await server.session()
        handle = head_of((await client.call("search")).text)["cache_id"]
        assert (await client.call("keep", text=f"held:{handle}")).text == str(len("line of words\n" * 4_000))
        assert "there is no held result" in (await client.call("keep", text=f"held:r_{'x' * 22}")).text
        await client.post({"jsonrpc": "2.0", "id": 9, "method": "tools/list"})
        assert "is repeated in a header" in (await client.call("keep", text=f"held:{handle}")).text
