"""Clients of the modern era share one process, and nothing else."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import TYPE_CHECKING, Any

from penstock.gateway.http.process_pool import PoolLimits
from tests.kit.answers import head_of
from tests.kit.gateway import FETCH, MODERN
from tests.kit.over_http.hosting import Clock, Message, call, holds, hosting, progress, running

if TYPE_CHECKING:
    from tests.kit.over_http.hosting import Answer, Client, Gateway

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
LOG: Message = {"say": {"method": "notifications/message", "params": {"level": "info", "data": "secret"}}}


async def steps(client: Client, *steps: Message, key: Any = 1, token: Any = None) -> Answer:
    return await client.call("do", key=key, modern=True, token=token, steps=list(steps))


async def heard(client: Client) -> list[Message]:
    return list(json.loads((await client.call("heard", modern=True)).text))


def asks(method: str, key: Any, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": key, "method": method, "params": {**params, "_meta": MODERN}}


@running
async def test_all_of_them_are_served_by_one_process() -> None:
    async with hosting() as gateway:
        pids = [json.loads((await gateway.client().call("about", modern=True)).text)["pid"] for _ in range(3)]
        assert len(set(pids)) == 1
        assert await (await gateway.session()).pid() not in pids


@running
async def test_what_lacks_the_marks_of_the_era_never_reaches_the_process() -> None:
    """It would take the whole connection for one of the legacy era."""
    async with hosting() as gateway:
        client = gateway.client(**{"mcp-protocol-version": "2026-07-28"})
        bare = await client.call("do", steps=[{"text": "never"}])
        assert (bare.status, bare.last["error"]["code"]) == (400, -32602)
        no_abilities = {name: value for name, value in MODERN.items() if not name.endswith("Capabilities")}
        bad = {**call("do"), "params": {"name": "do", "_meta": no_abilities}}
        assert (await client.post(bad)).last["error"]["code"] == -32602
        opening = await client.post({**asks("initialize", 1)})
        assert (opening.status, opening.last["error"]["code"]) == (404, -32601)
        assert (await client.post({"jsonrpc": "2.0", "method": "notifications/initialized"})).status == 202
        assert gateway.processes._shared is None


@running
async def test_headers_that_say_something_else_than_the_request_are_refused() -> None:
    async with hosting() as gateway:
        good = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "héard"}
        good["mcp-name"] = "=?base64?" + base64.b64encode("héard".encode()).decode() + "?="
        body = json.dumps(call("héard", modern=True, steps=[{"text": "ok"}])).encode()
        assert (await gateway.client(**good).post(body)).text == "ok"
        for name, wrong in (
            *(("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list"), ("mcp-name", "other")),
            *(("mcp-name", "=?base64?%%%?="), ("mcp-name", "=?base64?aE==?="), ("mcp-name", "")),
        ):
            told = await gateway.client(**{**good, name: wrong}).post(body)
            assert (told.status, told.last["error"]["code"]) == (400, -32020), (name, wrong)


@running
async def test_equal_ids_and_tokens_of_different_clients_never_mix() -> None:
    """All requests are open at the same time, under the same id and the same token, and answered in reverse."""
    count = 8
    async with hosting() as gateway:
        asked = [asyncio.create_task(steps(gateway.client(), progress(done=n), key=7, token="t")) for n in range(count)]
        shared = await _shared(gateway)
        assert await holds(lambda: len(shared.exchange._state.open) == count)
        calls = [one for one in await heard(gateway.client()) if one["params"]["name"] == "do"]
        answers = [
            {"say": {"id": one["id"], "result": {"content": [{"type": "text", "text": str(_done(one))}]}}}
            for one in reversed(calls)
        ]
        await steps(gateway.client(), *answers, {"text": "released"})
        told = [await one for one in asked]
        assert [one.text for one in told] == [str(number) for number in range(count)]
        for number, one in enumerate(told):
            assert [m["params"]["progress"] for m in one.messages if "method" in m] == [number]
            assert [m["params"]["progressToken"] for m in one.messages if "method" in m] == ["t"]
            assert one.last["id"] == 7


def _done(call: Message) -> int:
    return int(call["params"]["arguments"]["steps"][0]["say"]["params"]["progress"])


async def _shared(gateway: Gateway) -> Any:
    assert await holds(lambda: gateway.processes._shared is not None)
    return gateway.processes._shared


@running
async def test_ids_and_tokens_come_back_in_their_own_spelling() -> None:
    async with hosting() as gateway:
        for key, token in (("a\\u0062é", 12345678901234567890123), ("", "x"), (-3, 0)):
            told = await steps(gateway.client(), progress(), {"text": "ok"}, key=key, token=token)
            assert told.messages[0]["params"]["progressToken"] == token
            assert told.last["id"] == key


@running
async def test_arguments_reach_the_server_byte_for_byte_though_the_token_is_ours() -> None:
    async with hosting() as gateway:
        meta = json.dumps({**MODERN, "progressToken": 1})
        params = f'{{"name":"heard","arguments":{{"n":1.50,"big":123456789012345678901234567890}},"_meta":{meta}}}'
        body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'
        headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "heard"}
        told = json.loads((await gateway.client(**headers).post(body.encode())).text)
        assert told[0]["params"]["arguments"] == {"n": 1.50, "big": 123456789012345678901234567890}
        assert told[0]["id"] == told[0]["params"]["_meta"]["progressToken"] == "penstock-1"


@running
async def test_a_subscription_hears_its_own_events_under_its_own_id() -> None:
    async with hosting() as gateway:
        other = gateway.client()
        asking = asyncio.create_task(gateway.client().post(asks("subscriptions/listen", "mine", notifications={})))
        shared = await _shared(gateway)
        assert await holds(lambda: bool(shared.exchange._state.open))
        [key] = [one["id"] for one in await heard(other) if one["method"] == "subscriptions/listen"]
        event = {"method": "notifications/tools/list_changed", "params": {"_meta": {SUBSCRIPTION: key}}}
        stray = {"method": "notifications/tools/list_changed", "params": {"_meta": {SUBSCRIPTION: "penstock-999"}}}
        end = {"id": key, "result": {"_meta": {SUBSCRIPTION: key}}}
        told = await steps(other, {"say": stray}, {"say": event}, {"say": end}, {"text": "sent"})
        assert [one.get("method") for one in told.messages] == [None]
        first, last = (await asking).messages
        assert first["params"]["_meta"][SUBSCRIPTION] == "mine"
        assert (last["id"], last["result"]["_meta"][SUBSCRIPTION]) == ("mine", "mine")


@running
async def test_what_is_addressed_to_nobody_reaches_nobody() -> None:
    async with hosting() as gateway:
        news = {"say": {"method": "notifications/tools/list_changed"}}
        odd = {"say": {"method": "notifications/progress", "params": {"progressToken": "penstock-77", "progress": 1}}}
        told = await steps(gateway.client(), news, odd, LOG, {"text": "mine"})
        assert [one.get("method") for one in told.messages] == [None]


@running
async def test_a_log_is_heard_by_the_one_request_that_asked_for_logs() -> None:
    async with hosting() as gateway:
        body = call("do", modern=True, steps=[LOG, {"text": "mine"}])
        body["params"]["_meta"] = {**MODERN, "io.modelcontextprotocol/logLevel": "info"}
        told = await gateway.client().post(body)
        assert [one.get("method") for one in told.messages] == ["notifications/message", None]
        shared = await _shared(gateway)
        quiet = {**body, "params": {**body["params"], "arguments": {"steps": []}}}
        waiting = asyncio.create_task(gateway.client().post(quiet))
        assert await holds(lambda: bool(shared.exchange._state.open))
        told = await gateway.client().post(body)
        assert [one.get("method") for one in told.messages] == [None]
        waiting.cancel()


@running
async def test_a_server_that_asks_its_clients_something_is_told_that_nobody_answers() -> None:
    async with hosting() as gateway:
        question = {"say": {"id": "q", "method": "roots/list"}}
        assert [one.get("method") for one in (await steps(gateway.client(), question, {"text": "ok"})).messages] == [
            None
        ]
        [refusal] = [one for one in await heard(gateway.client()) if one.get("id") == "q"]
        assert refusal["error"]["code"] == -32601


@running
async def test_no_client_can_answer_or_cancel_for_another_one() -> None:
    async with hosting() as gateway:
        client = gateway.client()
        waiting = asyncio.create_task(steps(client, key=1))
        shared = await _shared(gateway)
        assert await holds(lambda: b'"penstock-1"' in shared.exchange._state.open)
        meta = {"_meta": MODERN}
        for evil in (
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "penstock-1", **meta}},
            {"jsonrpc": "2.0", "id": "penstock-1", "result": meta},
        ):
            assert (await client.post(evil)).status == 202
        note = {"jsonrpc": "2.0", "method": "notifications/other", "params": meta}
        assert (await client.post(note)).status == 202
        told = await heard(client)
        assert [one["method"] for one in told] == ["tools/call", "notifications/other", "tools/call"]
        assert not waiting.done()
        waiting.cancel()


@running
async def test_a_client_that_hangs_up_cancels_its_own_request() -> None:
    async with hosting() as gateway:
        gone, stays = (asyncio.create_task(steps(gateway.client(), key=1)) for _ in range(2))
        shared = await _shared(gateway)
        assert await holds(lambda: len(shared.exchange._state.open) == 2)
        gone.cancel()

        async def cancelled() -> bool:
            told = await heard(gateway.client())
            return [one["params"]["requestId"] for one in told if "id" not in one] in (["penstock-1"], ["penstock-2"])

        assert await holds(cancelled)
        assert len(shared.exchange._state.open) == 1
        stays.cancel()


@running
async def test_a_handle_opens_for_its_token_only() -> None:
    async with hosting(max_tokens=500) as gateway:
        mine, foreign = gateway.client(authorization="Bearer a"), gateway.client(authorization="Bearer b")
        notice = head_of((await steps(mine, {"letters": 50_000})).text)
        ask: dict[str, Any] = {"action": "get", "cache_id": notice["cache_id"]}
        answer = await mine.call(FETCH, modern=True, **ask)
        assert b"word word" in answer.body
        assert answer.last["result"]["resultType"] == "complete"
        for other in (foreign, gateway.client()):
            assert (await other.call(FETCH, modern=True, **ask)).last["result"]["isError"] is True


@running
async def test_errors_have_the_status_that_this_era_gives_them() -> None:
    async with hosting() as gateway:
        client = gateway.client()
        assert (await client.post(asks("no/such/method", 1))).status == 404
        assert (await steps(client, {"say": {"id": "$id", "error": {"code": -32602, "message": "bad"}}})).status == 400
        assert (await steps(client, {"say": {"id": "$id", "error": {"code": -32603, "message": "bad"}}})).status == 200
        assert (await steps(client, {"say": {"id": "$id", "error": {"code": "x", "message": "bad"}}})).status == 200
        batch = [call("do", key=key, modern=True, steps=[]) for key in (1, 2)]
        assert (await client.post(batch)).status == 400


@running
async def test_a_process_that_dies_is_started_again_after_a_pause_that_grows() -> None:
    clock = Clock()
    async with hosting(limits=PoolLimits(first_pause=1, longest_pause=3), now=clock) as gateway:
        client = gateway.client()
        for pause in (1, 2, 3, 3):
            assert "exited with code 3" in (await steps(client, {"exit": 3})).words
            refused = await steps(client, {"text": "too early"})
            assert (refused.status, refused.headers["retry-after"]) == (503, str(pause))
            assert not await gateway.processes.is_ready()
            clock.time += pause
            assert await gateway.processes.is_ready()
            assert (await steps(client, {"text": "again"})).text == "again"
        clock.time += 100
        assert "exited with code 4" in (await steps(client, {"exit": 4})).words
        assert (await steps(client, {"text": "too early"})).headers["retry-after"] == "1"


@running
async def test_sessions_are_opened_while_the_shared_process_is_not_started_again() -> None:
    async with hosting(now=Clock()) as gateway:
        assert "exited with code 3" in (await steps(gateway.client(), {"exit": 3})).words
        assert (await steps(gateway.client(), {"text": "too early"})).status == 503
        await gateway.session()


@running
async def test_the_shared_process_ends_when_nobody_talks_to_it_and_is_started_when_somebody_does() -> None:
    clock = Clock()
    async with hosting(limits=PoolLimits(idle_seconds=10), now=clock) as gateway:
        first = json.loads((await gateway.client().call("about", modern=True)).text)["pid"]
        clock.time += 11
        await gateway.processes.sweep()
        assert gateway.processes._processes == set()
        assert json.loads((await gateway.client().call("about", modern=True)).text)["pid"] != first
