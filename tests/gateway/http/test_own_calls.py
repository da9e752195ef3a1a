"""``more`` over HTTP: our calls are requests to the upstream; a client hears the answer to its own request alone."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.kit.answers import head_of
from tests.kit.gateway import MODERN, code
from tests.kit.over_http import hosting
from tests.kit.over_http.hosting import running
from tests.kit.over_http.upstreams import LARGE, Asked, Wire, call, gateway, modern_call, request, result, run

ACT = "act_on_cached_response"
ACCEPT = {"Accept": "application/json, text/event-stream"}
SCHEMA = {"type": "object", "properties": {"cursor": {"type": "string", "x-mcp-header": "Cursor"}}}
TOOL = {"name": "list", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}
MORE: dict[str, Any] = {"action": "more", "tool": "list"}


def result_of(message: Any, rows: int = 10, size: int = 2) -> bytes:
    told: dict[str, Any] = {"tools": [TOOL]}
    if message["method"] == "tools/call":
        first = int(message["params"]["arguments"].get("cursor", 0))
        last = first + size
        page = {"rows": [{"id": n} for n in range(first, last)], "next_cursor": str(last) if last < rows else None}
        told = {"content": [{"type": "text", "text": json.dumps(page)}]}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": told}).encode()


async def pages(asked: Asked, wire: Wire) -> None:
    """Answer with one page of ten rows, two at a time."""
    message: Any = asked.message
    if "id" not in message:
        await wire.whole(b"", "202 Accepted")
    else:
        await wire.whole(result_of(message))


async def streamed(asked: Asked, wire: Wire) -> None:
    """Answer in a stream, with a message of the log before each response."""
    message: Any = asked.message
    log = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "page"}}
    await wire.stream(*(b"data: " + one + b"\n\n" for one in (json.dumps(log).encode(), result_of(message))))


def receipt_of(message: Any) -> Any:
    return head_of(message["result"])["receipt"]


@pytest.mark.parametrize("answers", [pages, streamed])
@pytest.mark.parametrize("make", [call, modern_call])
def test_all_pages_are_fetched_and_the_client_hears_the_answer_alone(make: Any, answers: Any) -> None:
    async def scenario() -> None:
        async with gateway(answers, act="more") as place:
            await place.post(request("tools/list", 5))
            heard = await place.post(make(ACT, 7, **MORE))
            assert heard.message["id"] == 7
            assert receipt_of(heard.message)["rows"] == 10
            ids = [one.message["id"] for one in place.asked[1:]]
            assert len(set(ids)) == 5
            assert not any(isinstance(one, int) for one in ids)

    run(scenario())


def test_headers_of_the_modern_era_say_what_our_call_is() -> None:
    async def scenario() -> None:
        async with gateway(pages, act="more") as place:
            await place.post(request("tools/list", 5))
            headers = {"Mcp-Name": ACT, "Mcp-Method": "tools/call", "Mcp-Param-Cursor": "wrong"}
            await place.post(modern_call(ACT, 7, **MORE, pages=2), **headers)
            first, second = place.asked[1:]
            assert (first.header("mcp-name"), first.header("mcp-param-cursor")) == (b"list", None)
            assert (second.header("mcp-name"), second.header("mcp-param-cursor")) == (b"list", b"2")

    run(scenario())


def test_progress_goes_out_as_events_while_pages_are_fetched() -> None:
    async def scenario() -> None:
        async with gateway(pages, act="more") as place:
            await place.post(request("tools/list", 5))
            asked = call(ACT, 7, **MORE)
            asked["params"]["_meta"] = {"progressToken": "p"}
            heard = await place.post(asked, **ACCEPT)
            assert heard.header("content-type") == b"text/event-stream"
            lines = [json.loads(one[5:]) for one in heard.body.splitlines() if one.startswith(b"data:")]
            assert [one["params"]["progress"] for one in lines[:-1]] == [0, 1, 2, 3, 4]
            assert receipt_of(lines[-1])["complete"] is True
            plain = await place.post(asked, Accept="application/json")
            assert receipt_of(plain.message)["complete"] is True

    run(scenario())


def test_an_upstream_that_fails_midway_leaves_what_was_fetched() -> None:
    async def fails(asked: Asked, wire: Wire) -> None:
        message: Any = asked.message
        if message.get("params", {}).get("arguments", {}).get("cursor") == "4":
            await wire.whole(b"gone", "503 Service Unavailable", content_type="text/plain")
        else:
            await pages(asked, wire)

    async def scenario() -> None:
        async with gateway(fails, act="more") as place:
            await place.post(request("tools/list", 5))
            receipt = receipt_of((await place.post(call(ACT, 7, **MORE))).message)
            assert (receipt["rows"], receipt["complete"]) == (4, False)
            assert "answered 503" in receipt["stopped"]

    run(scenario())


def test_an_upstream_that_hangs_up_is_an_error_or_the_end() -> None:
    async def hangs_up(asked: Asked, wire: Wire) -> None:
        if asked.message["method"] == "tools/list":
            await pages(asked, wire)
        else:
            wire.reset()

    async def scenario() -> None:
        async with gateway(hangs_up, act="more") as place:
            await place.post(request("tools/list", 5))
            heard = await place.post(call(ACT, 7, **MORE))
            assert heard.message["result"]["isError"] is True

    run(scenario())


def test_a_batch_has_both_answers() -> None:
    async def scenario() -> None:
        async with gateway(pages, act="more") as place:
            await place.post(request("tools/list", 5))

            async def both(asked: Asked, wire: Wire) -> None:
                message: Any = asked.message
                if isinstance(message, list):
                    await wire.whole(b"[" + b",".join(map(result_of, message)) + b"]")
                else:
                    await pages(asked, wire)

            place.answers = both
            heard = await place.post([call(ACT, 7, **MORE), call("list", 8, cursor="8")])
            assert sorted(one["id"] for one in heard.message) == [7, 8]

    run(scenario())


def test_a_client_cancels_on_another_request_and_the_upstream_is_told() -> None:
    async def scenario() -> None:
        reached, go_on = asyncio.Event(), asyncio.Event()

        async def slow(asked: Asked, wire: Wire) -> None:
            message: Any = asked.message
            if message.get("params", {}).get("arguments", {}).get("cursor") == "4":
                reached.set()
                await go_on.wait()
            await pages(asked, wire)

        async with gateway(slow, act="more") as place:
            session = {"Mcp-Session-Id": "one"}
            await place.post(request("tools/list", 5), **session)
            waiting = asyncio.create_task(place.post(call(ACT, 7, **MORE), **session))
            await reached.wait()
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
            assert (await place.post(cancel, **session)).status == 202
            ours = place.asked[-2].message["id"]
            assert place.asked[-1].message["params"]["requestId"] == ours
            go_on.set()
            assert (await waiting).body == b""
            assert len(place.asked) == 5

    run(scenario())


SERVER = f"""
import json, sys, os
for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked.get("method"), asked.get("params") or {{}}
    if "id" not in asked:
        continue
    cursor = int(params.get("arguments", {{}}).get("cursor", 0))
    if cursor == 6:
        os._exit(3)
    page = {{"rows": [{{"id": n}} for n in range(cursor, cursor + 2)], "next_cursor": str(cursor + 2)}}
    told = {{"content": [{{"type": "text", "text": json.dumps(page)}}]}}
    if method == "initialize":
        told = {{"protocolVersion": "2025-11-25", "capabilities": {{}}, "serverInfo": {{"name": "s", "version": "1"}}}}
    if method == "tools/list":
        told = {{"tools": [{TOOL!r}]}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": told}}), flush=True)
"""


@running
async def test_a_process_that_ends_midway_leaves_what_was_fetched() -> None:
    async with hosting.hosting(code(SERVER), act="more") as server:
        client = await server.session()
        await client.post({"jsonrpc": "2.0", "id": 9, "method": "tools/list"})
        told = await client.call(ACT, **MORE)
        receipt = receipt_of(told.last)
        assert (receipt["rows"], receipt["complete"]) == (6, False)
        assert "exited with code 3" in receipt["stopped"]


@running
async def test_clients_that_share_a_process_get_their_own_pages_and_progress() -> None:
    async with hosting.hosting(code(SERVER), act="more") as server:
        client = server.client()
        listed = {"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {"_meta": MODERN}}
        await client.post(listed)
        given = {**MORE, "pages": 2}
        told = await asyncio.gather(*(client.call(ACT, key=7, modern=True, token=f"t{n}", **given) for n in range(3)))
        for number, one in enumerate(told):
            *before, last = one.messages
            assert last["id"] == 7
            assert receipt_of(last)["rows"] == 4
            assert {message["params"]["progressToken"] for message in before} == {f"t{number}"}


def test_a_principal_drops_its_own_results_in_every_session_and_nothing_of_another() -> None:
    async def large(asked: Asked, wire: Wire) -> None:
        await wire.whole(result(LARGE, asked.message["id"]))

    async def scenario() -> None:
        alice, bob = {"Authorization": "Bearer alice"}, {"Authorization": "Bearer bob"}
        async with gateway(large, act="drop") as place:
            for number, who in enumerate((alice, alice, bob)):
                await place.post(call("search", number), **who, **{"Mcp-Session-Id": f"s{number}"})
            drop = call(ACT, 9, action="drop", all=True)
            dropped = [(await place.post(drop, **who)).message["result"] for who in (alice, alice, bob)]
            told = [head_of(one)["dropped"] for one in dropped]
            assert told == [2, 0, 1]

    run(scenario())
