"""Streams through an HTTP gateway: each event at once, only the large one replaced, and taken up again where they
broke off."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest

from tests.kit.answers import text_of
from tests.kit.over_http.upstreams import (
    LARGE,
    Asked,
    Wire,
    call,
    datas,
    gateway,
    notice,
    request,
    result,
    run,
    sse,
)

PROGRESS = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'
CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
QUESTION = b'{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"message":"sure?"}}'
ANSWER = {"jsonrpc": "2.0", "id": 5, "result": {"action": "accept"}}


def test_each_event_is_there_before_the_next_one_is_sent() -> None:
    heard = asyncio.Semaphore(0)
    sent = [sse(PROGRESS, "1"), b": ping\n\n", b"id: 2\nretry: 5\n\n", sse(result("done"), "3")]

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.begin_stream()
        for one in sent:
            await wire.bit(one)
            await heard.acquire()
        await wire.end_stream()

    async def scenario() -> None:
        async with gateway(answers) as place, place.asking(call("search")) as answer:
            for one in sent:
                assert await answer.content.readexactly(len(one)) == one
                heard.release()
            assert await answer.content.read() == b""

    run(scenario())


def test_an_event_that_comes_in_pieces_goes_on_once_it_is_whole() -> None:
    pieces = asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.begin_stream()
        await wire.bit(sse(PROGRESS) + sse(result("done"))[:40])
        await pieces.wait()
        await wire.bit(sse(result("done"))[40:])
        await wire.end_stream()

    async def scenario() -> None:
        async with gateway(answers) as place, place.asking(call("search")) as answer:
            assert await answer.content.readexactly(len(sse(PROGRESS))) == sse(PROGRESS)
            pieces.set()
            assert await answer.content.read() == sse(result("done"))

    run(scenario())


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_only_the_event_with_the_large_result_is_replaced(end: bytes) -> None:
    before = [sse(PROGRESS, "1", end), b": ping" + end + end]
    large = end.join([b": beside it", b"id: 2", b"event: message", b"data: " + result(LARGE), b"", b""])
    after = [b": bye" + end + end]

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(*before, large, *after)

    async def scenario() -> None:
        async with gateway(answers) as place:
            stream = (await place.post(call("search"))).body
            assert stream.startswith(b"".join(before))
            assert stream.endswith(end + end + after[0])
            event = stream.removeprefix(b"".join(before)).removesuffix(after[0])
            lines = event.split(end)
            assert lines[:3] == [b": beside it", b"id: 2", b"event: message"]
            assert len(event) < 20_000
            told = datas(event)
            handle = notice(told[0])["cache_id"]
            page = await place.fetch(cache_id=handle, action="get", start_index=0, max_length=50)
            assert LARGE[:40] in text_of(page)

    run(scenario())


def test_large_answers_that_come_as_one_event_are_replaced_one_by_one() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(sse(b"[" + result(LARGE, 1) + b"," + result("small", 2) + b"]", "9"))

    async def scenario() -> None:
        async with gateway(answers) as place:
            first, second = datas((await place.post([call("a", 1), call("b", 2)])).body)
            assert notice(first)["cache_id"]
            assert second == json.loads(result("small", 2))

    run(scenario())


def test_an_answer_that_nobody_waits_for_is_dropped_from_a_stream() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(sse(result("whose?", 77)), sse(result("mine", 1)))

    async def scenario() -> None:
        async with gateway(answers) as place:
            assert (await place.post(call("search"))).body == sse(result("mine", 1))
            assert any("77" in line for line in place.log)

    run(scenario())


def test_what_the_upstream_says_unasked_comes_on_a_stream_of_its_own() -> None:
    said = asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.begin_stream(mcp_session_id="s")
        await wire.bit(sse(CHANGED, "1"))
        await said.wait()
        await wire.bit(sse(QUESTION))
        await wire.end_stream()

    async def scenario() -> None:
        async with gateway(answers) as place:
            asking = place.client.get(place.url, headers={"Mcp-Session-Id": "s", "Accept": "text/event-stream"})
            async with asking as answer:
                assert (answer.status, answer.headers["mcp-session-id"]) == (200, "s")
                assert await answer.content.readexactly(len(sse(CHANGED, "1"))) == sse(CHANGED, "1")
                said.set()
                assert await answer.content.read() == sse(QUESTION)
            assert place.asked[0].method == "GET"
            assert place.asked[0].header("accept") == b"text/event-stream"

    run(scenario())


def test_an_upstream_without_such_streams_says_so_itself() -> None:
    refusal = b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32000,"message":"Method Not Allowed"}}'

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(refusal, "405 Method Not Allowed", allow="POST")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.ask("GET", Mcp_Session_Id="s")
            assert (heard.status, heard.body, heard.header("allow")) == (405, refusal, b"POST")

    run(scenario())


@pytest.mark.parametrize("text", ["small", LARGE])
@pytest.mark.parametrize("breaks", ["ends", "resets", "client leaves"])
def test_an_answer_may_come_on_the_stream_on_which_the_first_one_is_taken_up(text: str, breaks: str) -> None:
    left = asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.method == "POST":
            await wire.begin_stream()
            await wire.bit(b"id: e1\ndata:\n\n")
            if breaks == "ends":
                await wire.end_stream()
            elif breaks == "resets":
                wire.reset()
            else:
                await wire.until_left()
                left.set()
        else:
            assert asked.header("last-event-id") == b"e1"
            await wire.stream(sse(result(text, 7), "e2"))

    async def scenario() -> None:
        async with gateway(answers) as place:
            async with place.asking(call("search", 7, query="x"), Mcp_Session_Id="s") as answer:
                assert await answer.content.readexactly(14) == b"id: e1\ndata:\n\n"
                if breaks == "client leaves":
                    answer.close()
                    await left.wait()
                else:
                    assert await answer.content.read() == b""
            heard = await place.ask("GET", Mcp_Session_Id="s", Last_Event_ID="e1")
            told = datas(heard.body)[0]
            if text == "small":
                assert heard.body == sse(result(text, 7), "e2")
            else:
                assert b"\nid: e2\n" in heard.body
                assert notice(told)["tool"] == "search"
                assert "isError" not in await place.fetch(cache_id=notice(told)["cache_id"])
            assert not place.proxy.sessions.of("s").left_open

    run(scenario())


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        ("tools/call", {"content": [{"type": "text", "text": LARGE}]}),
        ("resources/read", {"contents": [{"uri": "file:///a", "text": LARGE}]}),
        ("prompts/get", {"messages": [{"role": "user", "content": {"type": "text", "text": LARGE}}]}),
    ],
)
def test_an_answer_to_a_request_that_another_gateway_relayed_is_bounded_too(method: str, answer: Any) -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(sse(json.dumps({"jsonrpc": "2.0", "id": 3, "result": answer}).encode(), "8"))

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.ask("GET", Mcp_Session_Id="s", Last_Event_ID="7")
            assert len(heard.body) < 20_000
            assert b"buffered_response" in heard.body
            assert datas(heard.body)[0]["id"] == 3

    run(scenario())


@pytest.mark.parametrize(
    "answer",
    [
        {"result": {"anything": 1}},
        {"result": [1]},
        {"error": {"code": -32000, "message": "no"}},
    ],
)
def test_other_answers_to_unknown_requests_are_relayed_as_they_came(answer: Any) -> None:
    event = sse(json.dumps({"jsonrpc": "2.0", "id": 3, **answer}).encode(), "8")

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(event)

    async def scenario() -> None:
        async with gateway(answers) as place:
            assert (await place.ask("GET", Mcp_Session_Id="s")).body == event

    run(scenario())


def test_tools_that_were_listed_on_another_stream_have_ours_among_them() -> None:
    listed = {"jsonrpc": "2.0", "id": 3, "result": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}}

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(sse(json.dumps(listed).encode(), "8"))

    async def scenario() -> None:
        async with gateway(answers) as place:
            told = datas((await place.ask("GET", Mcp_Session_Id="s", Last_Event_ID="7")).body)[0]
            assert [one["name"] for one in told["result"]["tools"]] == ["a", "fetch_cached_response"]

    run(scenario())


@pytest.mark.parametrize("begun", [True, False])
def test_a_client_that_hangs_up_breaks_off_the_request_to_the_upstream(begun: bool) -> None:
    asked_for, left = asyncio.Event(), asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        if begun:
            await wire.begin_stream()
            await wire.bit(sse(PROGRESS))
        asked_for.set()
        await wire.until_left()
        left.set()

    async def scenario() -> None:
        async with gateway(answers) as place:
            asking = asyncio.create_task(place.post(call("search")))
            await asked_for.wait()
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            await left.wait()
            assert (place.intake.requests, place.intake.bytes) == (0, 0)

    run(scenario())


def test_a_listener_that_hangs_up_is_one_less_for_the_upstream() -> None:
    left = asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.begin_stream()
        await wire.bit(sse(CHANGED))
        await wire.until_left()
        left.set()

    async def scenario() -> None:
        async with gateway(answers) as place:
            async with place.client.get(place.url) as answer:
                await answer.content.readexactly(len(sse(CHANGED)))
                answer.close()
            await left.wait()
            assert place.intake.streams == 0

    run(scenario())


def test_an_upstream_that_asks_the_client_waits_for_its_answer_without_a_clock() -> None:
    """The call may take a second; the user thinks for longer than that."""
    answered = asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        if "id" not in asked.message:
            await wire.whole(b"", "202 Accepted")
            return
        if asked.message["id"] == 5:
            await wire.whole(b"", "202 Accepted")
            answered.set()
            return
        if asked.message["id"] == 2:
            await wire.until_left()  # a call that nobody answers: when it is given up, a second has passed
            return
        await wire.begin_stream()
        await wire.bit(sse(QUESTION))
        await answered.wait()
        await wire.bit(sse(result("done")))
        await wire.end_stream()

    async def scenario() -> None:
        asked = call("ask")
        async with gateway(answers, call_timeout=1) as place, place.asking(asked, Mcp_Session_Id="s") as answer:
            await answer.content.readexactly(len(sse(QUESTION)))
            other = await place.post(call("hang", 2), Mcp_Session_Id="other")
            assert "in time" in other.message["error"]["message"]
            assert (await place.post(ANSWER, Mcp_Session_Id="s")).status == 202
            assert await answer.content.read() == sse(result("done"))

    run(scenario())


def test_a_listener_is_told_of_the_end_of_an_upstream_by_the_end_of_its_stream() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.begin_stream()
        await wire.bit(sse(CHANGED))
        await wire.bit(b"data: half")
        wire.reset()

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.ask("GET")
            assert (heard.status, heard.body) == (200, sse(CHANGED))

    run(scenario())


def test_requests_that_are_never_taken_up_again_are_forgotten_in_the_end() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.stream(b"id: 1\ndata:\n\n")

    async def scenario() -> None:
        async with gateway(answers) as place:
            session = place.proxy.sessions.of("s")
            for number in range(3):
                batch = [request("ping", f"{number}/{one}") for one in range(500)]
                await place.post(batch, Mcp_Session_Id="s")
            assert len(session.left_open) == 1_000
            assert next(iter(session.left_open)) == b'"1/0"'

    run(scenario())
