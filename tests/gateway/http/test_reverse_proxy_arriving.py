"""``penstock serve --url``: results that are so long that they arrive in a file, as JSON and as events."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kit import rows_server
from tests.kit.answers import head_of
from tests.kit.over_http.upstreams import Asked, Place, Wire, call, datas, gateway, head, notice, run
from tests.kit.rows_server import ROWS, rows_of


async def in_parts(wire: Wire, data: bytes, part: int) -> None:
    for at in range(0, len(data), part):
        await wire.bit(data[at : at + part])


async def answers(asked: Asked, wire: Wire) -> None:
    """Answer as the server of rows does, as JSON or as an event, in parts of a size, up to a place."""
    params = asked.message["params"]
    told = dict(params["arguments"])
    if params["name"] != "rows":
        await wire.whole(rows_server.tiny(asked.message["id"]))
        return
    kind, part, breaks = told.pop("kind"), told.pop("part", 1 << 18), told.pop("breaks", False)
    line = rows_server.response(asked.message["id"], **told)
    if kind == "json":
        await wire.send(head(content_type="application/json", transfer_encoding="chunked"))
        body = line
    else:
        await wire.begin_stream()
        body = b"id: 7\ndata: " + line + b"\n\n" if kind == "event" else b"data:" + line + b"\r\n\r\n"
    await in_parts(wire, body[: len(body) * 7 // 8] if breaks else body, part)
    if breaks:
        wire.reset()
    else:
        await wire.end_stream()


async def asked_for(place: Place, kind: str, **arguments: Any) -> list[Any]:
    """The messages that a client gets for a long result."""
    message = call("rows", 1, rows=ROWS, kind=kind, **arguments)
    message["params"]["_meta"] = {"progressToken": "mine"}
    heard = await place.post(message)
    assert heard.status == 200
    return [heard.message] if kind == "json" else datas(heard.body)


@pytest.mark.parametrize(
    ("kind", "part", "id_first"), [("json", 1 << 18, True), ("event", 70_001, False), ("windows", 1 << 20, True)]
)
def test_a_long_result_is_held_and_read_back_whole(kind: str, part: int, id_first: bool, in_files: list[int]) -> None:
    async def scenario() -> None:
        async with gateway(answers) as place:
            *reports, response = await asked_for(place, kind, part=part, id_first=id_first)
            told = notice(response)
            assert told["metadata"]["total_bytes"] == len(rows_of(ROWS).encode())
            assert told["metadata"]["item_count"] == ROWS
            sql = "SELECT count(*), min(id), max(id), sum(id) FROM items"
            assert str(ROWS - 1) in json.dumps(await place.fetch(action="sql", cache_id=told["cache_id"], sql=sql))
            sizes = [one["params"]["progress"] for one in reports]
            assert sizes == sorted(set(sizes))
            assert len(sizes) >= 4 or kind == "json"  # one JSON message has no place for others

    run(scenario())
    assert in_files


@pytest.mark.parametrize("kind", ["json", "windows"])
def test_a_response_that_breaks_off_is_an_error_and_the_next_call_is_answered(kind: str, in_files: list[int]) -> None:
    async def scenario() -> None:
        async with gateway(answers) as place:
            *_, response = await asked_for(place, kind, breaks=True)
            assert "closed the connection within its response" in response["error"]["message"]
            assert (await place.post(call("tiny", 2))).message["result"]["content"][0]["text"] == "ok"
            listed = await place.fetch(action="list")
            assert head_of(listed)["results"] == []

    run(scenario())
    assert in_files


@pytest.mark.parametrize("kind", ["json", "event"])
@pytest.mark.parametrize("fault", ["escape", "json"])
def test_a_message_that_is_no_json_is_an_error_and_the_next_call_is_answered(kind: str, fault: str) -> None:
    async def scenario() -> None:
        async with gateway(answers) as place:
            *_, response = await asked_for(place, kind, fault=fault)
            assert "cannot be read" in response["error"]["message"]
            assert (await place.post(call("tiny", 2))).message["result"]["content"][0]["text"] == "ok"

    run(scenario())


@pytest.mark.parametrize("kind", ["json", "event"])
def test_a_result_above_the_limit_is_refused_and_the_next_call_is_answered(kind: str) -> None:
    async def scenario() -> None:
        async with gateway(answers, max_result_bytes=18_000_000) as place:
            *_, response = await asked_for(place, kind)
            assert "max_result_bytes" in response["error"]["message"]
            assert (await place.post(call("tiny", 2))).message["result"]["content"][0]["text"] == "ok"

    run(scenario())


def test_a_long_result_takes_none_of_the_room_that_others_need_once_it_is_in_a_file(in_files: list[int]) -> None:
    async def scenario() -> None:
        async with gateway(answers) as place:
            *_, response = await asked_for(place, "event")
            assert notice(response)["metadata"]["item_count"] == ROWS
            assert place.carrier.room.taken == 0

    run(scenario())
    assert in_files
