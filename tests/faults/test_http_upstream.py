"""An HTTP upstream that fails in every way it can: exactly one answer each time, and the next call works."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit.over_http.upstreams import (
    Asked,
    Place,
    Wire,
    call,
    datas,
    gateway,
    head,
    modern_call,
    request,
    result,
    run,
    sse,
)

if TYPE_CHECKING:
    from tests.kit.over_http.upstreams import Answers

LIMIT = 1_048_576  # the least that max_result_bytes can be
PING = b": ping\n\n"
PROGRESS = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}'


async def refuses_to_speak(asked: Asked, wire: Wire) -> None:
    wire.reset()


async def closes_after_the_head(asked: Asked, wire: Wire) -> None:
    await wire.send(head(content_type="application/json", content_length="1000"))
    wire.reset()


async def resets_in_a_body(asked: Asked, wire: Wire) -> None:
    await wire.send(head(content_type="application/json", content_length="100000") + b'{"jsonrpc":"2.0","id":1,')
    wire.reset()


async def resets_in_a_chunk(asked: Asked, wire: Wire) -> None:
    await wire.send(head(content_type="application/json", transfer_encoding="chunked") + b'fff\r\n{"jsonrpc"')
    wire.reset()


async def resets_in_a_stream(asked: Asked, wire: Wire) -> None:
    await wire.begin_stream()
    await wire.bit(sse(PROGRESS))
    wire.reset()


async def sends_half_an_event(asked: Asked, wire: Wire) -> None:
    await wire.begin_stream()
    await wire.bit(sse(result("done"))[:-3])
    wire.reset()


async def ends_in_half_an_event(asked: Asked, wire: Wire) -> None:
    await wire.stream(PING, sse(result("done"))[:-30])


async def ends_a_stream_without_an_answer(asked: Asked, wire: Wire) -> None:
    await wire.stream(PING, sse(PROGRESS))


async def sends_a_page(asked: Asked, wire: Wire) -> None:
    await wire.whole(b"<html>please log in</html>", content_type="text/html")


async def sends_a_large_page(asked: Asked, wire: Wire) -> None:
    await wire.whole(b"<html>" + b"words " * 100_000, "500 Internal Server Error", content_type="text/html")


async def sends_half_a_message(asked: Asked, wire: Wire) -> None:
    await wire.whole(result("done")[:-20])


async def sends_an_unreadable_answer(asked: Asked, wire: Wire) -> None:
    await wire.whole(b'{"jsonrpc":"2.0","id":1,"result":{"content":nonsense}}')


async def answers_another_request(asked: Asked, wire: Wire) -> None:
    await wire.whole(result("done", 77))


async def claims_a_compression(asked: Asked, wire: Wire) -> None:
    await wire.whole(b"this was never compressed", content_encoding="gzip")


async def speaks_no_http(asked: Asked, wire: Wire) -> None:
    await wire.send(b"220 mail.example ESMTP\r\n\r\n")
    wire.reset()


async def sends_too_much(asked: Asked, wire: Wire) -> None:
    await wire.send(head(content_type="application/json", transfer_encoding="chunked"))
    while True:  # for as long as anybody reads it
        await wire.bit(b" " * 65_536)


async def sends_too_large_an_event(asked: Asked, wire: Wire) -> None:
    await wire.stream(PING, sse(result("x" * (LIMIT + 100))), PING)


async def sends_an_endless_event(asked: Asked, wire: Wire) -> None:
    await wire.begin_stream()
    for _ in range(40):
        await wire.bit(b"data: " + b"x" * 65_536)
    await wire.end_stream()


async def never_answers(asked: Asked, wire: Wire) -> None:
    await wire.until_left()


async def hangs_in_a_body(asked: Asked, wire: Wire) -> None:
    await wire.send(head(content_type="application/json", content_length="1000") + b"{")
    await wire.until_left()


async def hangs_in_a_stream(asked: Asked, wire: Wire) -> None:
    await wire.begin_stream()
    await wire.bit(b"id: 1\ndata:\n\n")
    await wire.until_left()


async def pings_for_ever(asked: Asked, wire: Wire) -> None:
    await wire.begin_stream()
    while True:
        await wire.bit(PING)
        await asyncio.sleep(0)


FAULTS: dict[Answers, str] = {
    refuses_to_speak: "closed the connection",
    closes_after_the_head: "closed the connection",
    resets_in_a_body: "closed the connection",
    resets_in_a_chunk: "closed the connection",
    resets_in_a_stream: "closed the connection",
    sends_half_an_event: "closed the connection",
    ends_in_half_an_event: "without an answer",
    ends_a_stream_without_an_answer: "without an answer",
    sends_a_page: "text/html",
    sends_a_large_page: "text/html",
    sends_half_a_message: "no message",
    sends_an_unreadable_answer: "cannot be read",
    answers_another_request: "no message",
    claims_a_compression: "closed the connection",
    speaks_no_http: "closed the connection",
    sends_too_much: "max_result_bytes",
    sends_too_large_an_event: "max_result_bytes",
    sends_an_endless_event: "without an answer",
    never_answers: "in time",
    hangs_in_a_body: "in time",
    hangs_in_a_stream: "in time",
    pings_for_ever: "in time",
}


async def answer_to(place: Place, message: Any) -> dict[str, Any]:
    """The one answer, whether it is whole or in a stream."""
    heard = await place.post(message)
    is_stream = heard.header("content-type") == b"text/event-stream"
    found = [one for one in (datas(heard.body) if is_stream else [heard.message]) if "method" not in one]
    assert len(found) == 1, heard.body[:2_000]
    assert len(heard.body) < 2_000_000
    told: dict[str, Any] = found[0]
    return told


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_whatever_goes_wrong_there_is_one_answer_and_the_next_call_works(fault: Answers) -> None:
    async def works(asked: Asked, wire: Wire) -> None:
        await wire.whole(result("works", 2))

    async def scenario() -> None:
        # Only a call that never ends may end by its time: on a busy machine any other takes a second, too.
        seconds = 1 if "in time" in FAULTS[fault] else 60
        rules = {"search": {"call_timeout": seconds}}
        async with gateway(fault, call_timeout=60, rules=rules, max_result_bytes=LIMIT) as place:
            told = await answer_to(place, call("search", 1))
            assert told["id"] == 1
            assert FAULTS[fault] in told["error"]["message"]
            place.answers = works
            assert (await place.post(call("find", 2))).body == result("works", 2)
            assert not any("Traceback" in line for line in place.log)

    run(scenario())


def unused() -> str:
    """The address of a place where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as made:
        return f"http://127.0.0.1:{made.getsockname()[1]}/mcp"


def test_where_nobody_listens_every_request_is_told_so() -> None:
    async def scenario() -> None:
        async with gateway(never_answers, url=unused()) as place:
            told = await answer_to(place, call("search"))
            assert "cannot be reached" in told["error"]["message"]
            assert (await place.post({"jsonrpc": "2.0", "method": "notifications/initialized"})).status == 502
            for method, url in (("GET", ""), ("DELETE", ""), ("GET", place.at("/.well-known/openid-configuration"))):
                heard = await place.ask(method, url)
                assert heard.status == 502
                assert b"cannot be reached" in heard.body
            assert (await place.ask("GET", place.at("/readyz"))).status == 503
            ours = await place.post([call("fetch_cached_response", 1, action="list"), call("search", 2)])
            assert [("error" in one, one["id"]) for one in ours.message] == [(False, 1), (True, 2)]
            errors = [line for line in place.log if line.startswith("penstock: error: ")]
            assert errors == [f"penstock: error: {place.upstream} cannot be reached: Connection refused"]

    run(scenario())


def test_a_failure_in_few_words_is_relayed_as_it_came() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(b"Internal Server Error", "500 Internal Server Error", content_type="text/plain")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"))
            assert (heard.status, heard.body) == (500, b"Internal Server Error")
            assert heard.header("content-type") == b"text/plain"

    run(scenario())


def test_too_much_for_nobody_is_a_bad_gateway() -> None:
    async def scenario() -> None:
        async with gateway(sends_too_much, max_result_bytes=LIMIT) as place:
            heard = await place.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
            assert heard.status == 502
            assert b"max_result_bytes" in heard.body

    run(scenario())


def test_a_large_page_keeps_its_status_and_its_challenge() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.whole(b"x" * 5_000, "401 Unauthorized", www_authenticate="Bearer", content_type="text/html")

    async def scenario() -> None:
        async with gateway(answers) as place:
            heard = await place.post(call("search"))
            assert (heard.status, heard.header("www-authenticate")) == (401, b"Bearer")
            assert "text/html" in heard.message["error"]["message"]

    run(scenario())


def test_an_event_above_the_limit_on_a_listeners_stream_is_an_error_for_whoever_asked() -> None:
    async def answers(asked: Asked, wire: Wire) -> None:
        told = json.dumps({"jsonrpc": "2.0", "id": 4, "result": {"content": "x" * LIMIT}}).encode()
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": "x" * LIMIT}).encode()
        await wire.stream(sse(told, "8"), sse(note, "9"), PING)

    async def scenario() -> None:
        async with gateway(answers, max_result_bytes=LIMIT) as place:
            heard = await place.ask("GET", Mcp_Session_Id="s", Last_Event_ID="7")
            told = datas(heard.body)
            assert [one["id"] for one in told] == [4]
            assert "max_result_bytes" in told[0]["error"]["message"]
            assert b"id: 8\n" in heard.body
            assert heard.body.endswith(PING)

    run(scenario())


def test_a_request_that_stays_open_is_given_no_time_limit() -> None:
    """Subscriptions of the modern era end with the client. While one is open, another call is given up."""

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.message["method"] == "tools/call":
            await wire.until_left()
        else:
            await wire.begin_stream()
            await wire.bit(PING)
            await given_up.wait()
            await wire.bit(sse(PROGRESS))
            await wire.end_stream()

    given_up = asyncio.Event()

    async def scenario() -> None:
        listen = request("subscriptions/listen", 9)
        async with gateway(answers, call_timeout=1) as place, place.asking(listen) as answer:
            assert await answer.content.readexactly(len(PING)) == PING
            assert "in time" in (await answer_to(place, call("hang", 1)))["error"]["message"]
            given_up.set()
            assert await answer.content.readexactly(len(sse(PROGRESS))) == sse(PROGRESS)

    run(scenario())


@pytest.mark.parametrize("is_gone", [True, False])
def test_an_upstream_of_the_legacy_era_is_told_that_nobody_waits_any_more(is_gone: bool) -> None:
    told = asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.message["method"] == "notifications/cancelled":
            assert asked.message["params"]["requestId"] == 1
            assert asked.header("mcp-session-id") == b"s"
            await (refuses_to_speak(asked, wire) if is_gone else wire.whole(b"", "202 Accepted"))
            told.set()
        else:
            await wire.until_left()

    async def scenario() -> None:
        async with gateway(answers, call_timeout=1) as place:
            heard = await place.post(call("search", 1), Mcp_Session_Id="s")
            assert "in time" in heard.message["error"]["message"]
            await told.wait()

    run(scenario())


def test_an_upstream_of_the_modern_era_is_told_so_by_the_end_of_the_connection() -> None:
    left = asyncio.Event()

    async def answers(asked: Asked, wire: Wire) -> None:
        await wire.until_left()
        left.set()

    async def scenario() -> None:
        async with gateway(answers, call_timeout=1) as place:
            heard = await place.post(modern_call("search", 1))
            assert "in time" in heard.message["error"]["message"]
            await left.wait()
            assert len(place.asked) == 1

    run(scenario())


def test_metadata_without_an_end_is_refused() -> None:
    async def scenario() -> None:
        async with gateway(sends_too_much) as place:
            heard = await place.ask("GET", place.at("/.well-known/oauth-authorization-server"))
            assert heard.status == 502
            assert b"more than" in heard.body

    run(scenario())


@pytest.mark.parametrize("as_stream", [True, False])
def test_when_large_answers_are_too_much_together_one_is_dropped_and_says_so(as_stream: bool) -> None:
    others, let_go = asyncio.Event(), asyncio.Event()
    half = b'{"jsonrpc":"2.0","id":1,"result":' + b" " * 1_500_000

    async def answers(asked: Asked, wire: Wire) -> None:
        if asked.message["id"] == 3:
            await wire.whole(b'{"jsonrpc":"2.0","id":3,"result":{}}')
            return
        if as_stream:
            await wire.begin_stream()
            await wire.bit(b"data: " + half)
        else:
            await wire.send(head(content_type="application/json", content_length=str(len(half) + 3)) + half)
        if asked.message["id"] == 2:
            await wire.until_left()
            return
        others.set()
        await let_go.wait()
        await (wire.bit(b"{}}\n\n") if as_stream else wire.send(b"{}}"))
        if as_stream:
            await wire.end_stream()

    async def scenario() -> None:
        async with gateway(answers) as place:
            place.carrier.room.limit = 2_000_000
            first = asyncio.create_task(answer_to(place, call("first", 1)))
            await others.wait()
            while place.carrier.room.taken < len(half):
                await asyncio.sleep(0)
            told = await answer_to(place, call("second", 2))
            assert "memory limit" in told["error"]["message"]
            assert (await answer_to(place, call("small", 3)))["result"] == {}
            let_go.set()
            assert (await first)["result"] == {}
            assert place.carrier.room.taken == 0

    run(scenario())
