"""Large results through an HTTP gateway: replaced, held for their owner, and judged beside all other requests."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from penstock.gateway.carry import Carrier
from penstock.protocol.wire.lines import Line, TooLong
from tests.kit.answers import text_of
from tests.kit.gateway import MODERN
from tests.kit.over_http.upstreams import (
    LARGE,
    Asked,
    Place,
    Wire,
    call,
    datas,
    gateway,
    modern_call,
    notice,
    request,
    result,
    run,
    sse,
)

if TYPE_CHECKING:
    from penstock.protocol.exchange import Exchange

ALICE = {"Authorization": "Bearer alice"}
BOB = {"Authorization": "Bearer bob"}


async def large(asked: Asked, wire: Wire) -> None:
    message = asked.message
    if isinstance(message, list):
        await wire.whole(b"[" + b",".join(result(LARGE, one["id"]) for one in message) + b"]", mcp_session_id="s")
    else:
        await wire.whole(result(LARGE, message["id"]))


async def accepts(asked: Asked, wire: Wire) -> None:
    """In silence, whatever it is."""
    await wire.whole(b"", "202 Accepted")


async def held(place: Place, **headers: str) -> str:
    """Have something held, and give its handle."""
    return str(notice((await place.post(call("search"), **headers)).message)["cache_id"])


@pytest.mark.parametrize("make", [call, modern_call])
def test_a_large_result_is_replaced_and_can_be_read_back(make: Any) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(result(LARGE, "k"), x_seen="yes", etag='"1"', cache_control="max-age=60")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(make("search", "k", query="x"))
            assert (heard.status, heard.message["id"]) == (200, "k")
            assert (heard.header("x-seen"), heard.header("etag")) == (b"yes", None)
            assert [value for name, value in heard.headers if name.lower() == b"cache-control"] == [b"no-store"]
            assert heard.header("content-type") == b"application/json"
            told = notice(heard.message)
            assert told["tool"] == "search"
            asked = make("fetch_cached_response", 2, cache_id=told["cache_id"], action="get")
            read = (await place.post(asked)).message["result"]
            assert text_of(read).startswith(LARGE[:100])
            assert read.get("resultType") == (None if make is call else "complete")
            assert len(place.asked) == 1  # our own tool is answered here

    run(scenario())


@pytest.mark.parametrize(
    ("method", "params", "answer"),
    [
        ("resources/read", {"uri": "file:///a"}, {"contents": [{"uri": "file:///a", "text": LARGE}]}),
        ("prompts/get", {"name": "p"}, {"messages": [{"role": "user", "content": {"type": "text", "text": LARGE}}]}),
        ("tools/call", {"name": "t"}, {"content": [], "structuredContent": {"rows": [LARGE]}}),
    ],
)
def test_every_kind_of_large_answer_is_bounded(method: str, params: Any, answer: Any) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(json.dumps({"jsonrpc": "2.0", "id": 1, "result": answer}).encode())

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(request(method, **params))
            assert len(heard.body) < 20_000
            assert b"buffered_response" in heard.body

    run(scenario())


def test_a_large_error_is_bounded_and_keeps_its_status() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": LARGE}}
        await wire.whole(json.dumps(error).encode(), "400 Bad Request")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"))
            assert (heard.status, heard.message["error"]["code"]) == (400, -32000)
            assert len(heard.body) < 20_000

    run(scenario())


def test_a_large_result_that_came_compressed_is_replaced_too() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(gzip.compress(result(LARGE)), content_encoding="gzip")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"))
            assert notice(heard.message)["cache_id"]
            assert heard.header("content-encoding") is None

    run(scenario())


def test_what_one_token_made_opens_for_no_other_and_is_listed_to_no_other() -> None:
    async def scenario() -> None:
        async with gateway(large) as place:
            handle = await held(place, **ALICE)
            for headers, is_theirs in ((ALICE, True), (BOB, False), ({}, False), ({"Mcp-Session-Id": "s"}, False)):
                read = await place.fetch(headers=headers, cache_id=handle, action="info")
                listed = await place.fetch(headers=headers, action="list")
                assert bool(read.get("isError")) is not is_theirs
                assert (handle in listed["content"][0]["text"]) is is_theirs

    run(scenario())


def test_a_login_of_another_kind_is_an_owner_as_well() -> None:
    async def scenario() -> None:
        async with gateway(large) as place:
            handle = await held(place, Authorization="Basic YTpi")
            other = await place.fetch(headers={"Authorization": "Basic YjpiCg"}, cache_id=handle)
            assert other["isError"]
            assert not (await place.fetch(headers={"Authorization": "Basic YTpi"}, cache_id=handle)).get("isError")

    run(scenario())


def test_without_a_token_a_handle_opens_in_every_session_and_is_listed_in_none_that_the_upstream_named() -> None:
    """Clients that open a session for every call can read on. An upstream's session ids may be easy to guess."""

    async def scenario() -> None:
        async with gateway(large) as place:
            handle = await held(place, Mcp_Session_Id="one")
            for session in ("one", "two"):
                headers = {"Mcp-Session-Id": session}
                assert "isError" not in await place.fetch(headers=headers, cache_id=handle)
                listed = await place.fetch(headers=headers, action="list")
                assert handle not in listed["content"][0]["text"]

    run(scenario())


def test_with_neither_a_handle_opens_for_whoever_names_it_and_is_listed_to_nobody() -> None:
    async def scenario() -> None:
        async with gateway(large) as place:
            handle = await held(place)
            opening: list[dict[str, Any]] = [{"cache_id": handle}, {"cache_id": handle, "action": "info"}]
            for arguments in opening:
                assert not (await place.fetch(**arguments)).get("isError")
            rows = await place.fetch(cache_ids=[handle], sql="SELECT count(*) FROM t1")
            assert "no held result" not in rows["content"][0]["text"]
            listings: list[dict[str, Any]] = [{}, {"action": "list"}, {"action": "list", "cache_id": handle}]
            for listing in listings:
                assert handle not in json.dumps(await place.fetch(**listing))

    run(scenario())


def test_a_batch_of_large_answers_stays_a_batch() -> None:
    async def scenario() -> None:
        async with gateway(large) as place:
            heard = await place.post([call("a", 1), call("b", 2)])
            assert [one["id"] for one in heard.message] == [1, 2]
            assert all(notice(one)["cache_id"] for one in heard.message)
            assert heard.header("mcp-session-id") == b"s"

    run(scenario())


def test_a_batch_that_fits_goes_through_as_it_came() -> None:
    told = b"[ " + result("a", 1) + b" , " + result("b", 2) + b" ]"

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(told)

    async def scenario() -> None:
        async with gateway(answers) as place:
            sent = json.dumps([call("a", 1), call("b", 2)], indent=1).encode()
            heard = await place.post(sent)
            assert (place.asked[0].body, heard.body) == (sent, told)

    run(scenario())


@pytest.mark.parametrize("as_stream", [True, False])
def test_in_a_batch_calls_of_our_own_tool_are_answered_here_and_the_rest_by_the_upstream(as_stream: bool) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        assert [one["id"] for one in asked.message] == [1, 3]
        told = b"[" + result("a", 1) + b"," + result("c", 3) + b"]"
        await (wire.stream(sse(told)) if as_stream else wire.whole(told, mcp_session_id="s"))

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post([call("a", 1), call("fetch_cached_response", 2, action="list"), call("c", 3)])
            told = datas(heard.body) if as_stream else heard.message
            found = [one for part in told for one in (part if isinstance(part, list) else [part])]
            assert sorted(one["id"] for one in found) == [1, 2, 3]
            assert heard.status == 200

    run(scenario())


def test_a_batch_with_nothing_for_the_upstream_is_answered_as_a_batch() -> None:
    async def scenario() -> None:
        async with gateway(large) as place:
            heard = await place.post([call("fetch_cached_response", 2, action="list")])
            assert [one["id"] for one in heard.message] == [2]
            assert not place.asked

    run(scenario())


def test_our_own_tool_beside_notifications_that_are_accepted_in_silence() -> None:
    async def scenario() -> None:
        async with gateway(accepts) as place:
            ours = call("fetch_cached_response", 2, action="list")
            heard = await place.post([ours, {"jsonrpc": "2.0", "method": "notifications/progress"}])
            assert (heard.status, [one["id"] for one in heard.message]) == (200, [2])

    run(scenario())


def test_an_id_that_is_used_twice_in_a_batch_is_refused_here() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        assert [one["params"]["name"] for one in asked.message] == ["a"]
        await wire.whole(b"[" + result("a", 1) + b"]")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post([call("a", 1), call("b", 1)])
            assert ["error" in one for one in heard.message] == [True, False]

    run(scenario())


def test_a_request_that_nobody_can_read_goes_to_the_upstream_and_one_without_a_body_does_not() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no JSON"}}
        await wire.whole(json.dumps(refusal).encode(), "400 Bad Request")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(b"{no json")
            assert (heard.status, heard.message["error"]["code"]) == (400, -32700)
            empty = await place.post(b"  \n")
            assert (empty.status, len(place.asked)) == (400, 1)

    run(scenario())


def test_a_cancelled_call_of_our_own_tool_is_accepted_in_silence() -> None:
    async def scenario() -> None:
        async with gateway(accepts) as place:
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
            heard = await place.post([call("fetch_cached_response", 2, action="list"), cancel])
            assert (heard.status, heard.body) == (202, b"")

    run(scenario())


@pytest.mark.parametrize("as_stream", [True, False])
def test_others_are_answered_while_a_very_large_result_is_judged(
    as_stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reading of the large message does not go on before another request has been answered."""
    others_are_answered = threading.Event()
    judging = threading.Event()
    very_large = result(LARGE * 13)
    classify = Carrier.classify

    def slowly(self: Carrier, exchange: Exchange, line: Line) -> Any:
        if not isinstance(line, TooLong) and len(line) > 10_000_000:
            judging.set()
            assert others_are_answered.wait(30)
        return classify(self, exchange, line)

    monkeypatch.setattr(Carrier, "classify", slowly)

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.message["id"] == 1:
            await (wire.stream(sse(very_large)) if as_stream else wire.whole(very_large))
        else:
            await wire.whole(result("small", 2))

    async def scenario() -> None:
        async with gateway(answers) as place:
            large = asyncio.create_task(place.post(call("large", 1)))
            await asyncio.to_thread(judging.wait)
            assert (await place.post(call("small", 2))).body == result("small", 2)
            others_are_answered.set()
            heard = await large
            assert notice(datas(heard.body)[0] if as_stream else heard.message)["cache_id"]

    run(scenario())


def test_calls_that_pass_unread_are_counted_for_the_statistics() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(result("small"))

    async def scenario() -> None:
        async with gateway(answers) as place:
            for _ in range(3):
                await place.post(call("search"))
            [(key, (calls, size))] = place.carrier.passed.take().items()
            assert (key, calls) == (("", "search", 250), 3)
            assert 3 * len("small") < size < 3 * len(result("small"))

    run(scenario())


def test_an_answer_that_cannot_be_made_is_an_error_and_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with gateway(large) as place:

            def fails(*_: Any) -> bytes:
                raise RuntimeError("broken here")

            monkeypatch.setattr(place.carrier._carrier, "_opened", fails)
            for tool in ("search", "fetch_cached_response"):
                heard = await place.post(call(tool))
                assert "RuntimeError" in heard.message["error"]["message"]
            assert any("RuntimeError at " in line for line in place.log)
            assert not any("broken here" in line for line in place.log)  # an error's own words may quote the data

    run(scenario())


def test_each_client_gets_as_much_as_it_takes_in_both_eras() -> None:
    """12 KB of text: Visual Studio Code cuts off what is above 8 KB, others do not."""
    text = "plain words of no interest " * 450

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.message["method"] == "initialize":
            told = {"capabilities": {"tools": {}}, "serverInfo": {"name": "files", "version": "1"}}
            name = asked.message["params"]["clientInfo"]["name"]
            await wire.whole(json.dumps({"jsonrpc": "2.0", "id": 1, "result": told}).encode(), mcp_session_id=name)
        else:
            await wire.whole(result(text))

    async def scenario() -> None:
        async with gateway(answers) as place:
            for name, is_held in (("Visual Studio Code", True), ("tester", False)):
                info = {"name": name, "version": "1"}
                meta = {**MODERN, "io.modelcontextprotocol/clientInfo": info}
                modern = await place.post(request("tools/call", name="search", arguments={}, _meta=meta))
                await place.post(request("initialize", clientInfo=info))
                legacy = await place.post(call("search"), Mcp_Session_Id=name)
                for heard in (modern, legacy):
                    assert (b"buffered_response" in heard.body) is is_held
                    assert (heard.body == result(text)) is not is_held

    run(scenario())
