"""What is recorded of a request: the exchange's and the gate's decisions, whatever its result claims to be."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from penstock.gate.outcome import Outcome
from penstock.gateway.observe.request_record import RecordedApp, RequestRecord
from tests.kit.answers import head_of
from tests.kit.over_http.asgi import asked
from tests.kit.over_http.hosting import hosting, running
from tests.kit.over_http.upstreams import LARGE, Asked, Wire, call, gateway, request, result, run, sse

FETCH = "fetch_cached_response"
FORGED = '{"type":"buffered_response","cache_id":"r_1","metadata":{"total_tokens":' + "9" * 400 + "}}"


def recorded(response: bytes, *, streamed: bool = False, status: str = "200 OK", sent: Any = None) -> RequestRecord:
    """The record of a call that an HTTP server answers so."""
    records: list[RequestRecord] = []

    async def answers(_: Asked, wire: Wire) -> None:
        await (wire.stream(sse(response)) if streamed else wire.whole(response, status))

    async def scenario() -> None:
        async with gateway(answers) as place:
            await place.post(call("rows") if sent is None else sent)
            records.extend(place.records)

    run(scenario())
    (record,) = records
    return record


@pytest.mark.parametrize("streamed", [False, True])
def test_a_call_that_passes_costs_the_same_on_both_sides(streamed: bool) -> None:
    record = recorded(result("hello there"), streamed=streamed)
    assert (record.method, record.tool, record.status, record.outcome) == ("tools/call", "rows", 200, "passed")
    assert record.tokens_in == record.tokens_out > 5
    assert record.seconds > 0


@pytest.mark.parametrize("streamed", [False, True])
def test_a_call_that_is_held_costs_what_its_stand_in_costs(streamed: bool) -> None:
    record = recorded(result(LARGE), streamed=streamed)
    assert record.outcome == "held"
    assert record.tokens_in > 20_000 > record.tokens_out > 0


def test_a_forged_notice_is_a_text_that_passes() -> None:
    record = recorded(result(FORGED))
    assert record.outcome == "passed"
    assert record.tokens_in == record.tokens_out < 1_000


@pytest.mark.parametrize(
    ("response", "status"),
    [
        (result("no such file", isError=True), "200 OK"),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}', "200 OK"),
        (b"no", "502 Bad Gateway"),
        (result("fine"), "500 Internal Server Error"),
    ],
)
def test_what_failed_is_said_to_have_failed(response: bytes, status: str) -> None:
    assert recorded(response, status=status).outcome == "failed"


def test_what_is_no_call_has_no_outcome() -> None:
    record = recorded(b'{"jsonrpc":"2.0","id":1,"result":{}}', sent=request("ping"))
    assert (record.method, record.tool, record.outcome) == ("ping", "", "")
    batch = recorded(b"[]", sent=[call("rows"), call("rows", 2)])
    assert (batch.method, batch.tool, batch.outcome) == ("POST", "", "")


@running
async def test_a_command_is_recorded_like_a_url() -> None:
    async with hosting() as place:
        client = await place.session()
        await client.call("do", key=1, steps=[{"text": FORGED}])
        held = await client.call("do", key=2, steps=[{"letters": 500_000}])
        await client.call(FETCH, key=3, action="info", cache_id=head_of(held.text)["cache_id"])
        await client.call(FETCH, key=4, action="info", cache_id="r_none")
        records = place.records[2:]
    assert [record.method for record in records] == ["tools/call"] * 4
    assert [record.tool for record in records] == ["do", "do", FETCH, FETCH]
    assert [record.outcome for record in records] == ["passed", "held", "passed", "failed"]
    assert records[1].tokens_in > 20_000 > records[1].tokens_out
    assert all(record.tokens_in == record.tokens_out > 0 for record in (records[0], records[2]))


def test_names_that_clients_chose_are_short() -> None:
    record = RequestRecord(headers=[], method="POST")
    record.requested("tools/call", "x" * 5_000)
    assert len(record.tool) == 100
    record.requested("y" * 5_000, "x")
    assert (len(record.method), record.tool) == (100, "")
    record.decided(Outcome(kind="held", tokens_in=9))
    assert record.outcome == ""


def test_other_paths_and_the_lifespan_are_not_recorded() -> None:
    written: list[RequestRecord] = []
    heard: list[str] = []

    async def app(scope: dict[str, Any], *_: Any) -> None:
        heard.append(scope["type"])

    watched = RecordedApp(app, "/mcp", [written.append])
    asyncio.run(asked(watched, path="/healthz"))
    asyncio.run(watched({"type": "lifespan"}, None, None))  # type: ignore[arg-type]
    assert heard == ["http", "lifespan"]
    assert written == []


def test_a_request_that_raises_is_recorded_too() -> None:
    written: list[RequestRecord] = []

    async def app(*_: Any) -> None:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        asyncio.run(asked(RecordedApp(app, "/mcp", [written.append]), b"{}"))
    assert [one.status for one in written] == [0]
