"""``penstock run --url``: results that are so long that they are handled while they arrive, as JSON and as events."""

from __future__ import annotations

import os
import re
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit import rows_server
from tests.kit.answers import head_of
from tests.kit.gateway import FETCH
from tests.kit.over_http.bridging import Ask, bridged, odd
from tests.kit.rows_server import ROWS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.gateway import Running


def script(ask: Ask, kind: str = "json", part: int = 1 << 18, dies: bool = False) -> None:
    """Answer as the server of rows does, with a body or an event of this kind, in parts of a size."""
    message = ask.asked.message
    if ask.asked.verb != "POST" or "id" not in message:
        ask.raw(status=202 if ask.asked.verb == "POST" else 405)
        return
    key, params = message["id"], message["params"]
    if message["method"] == "initialize":
        ask.raw(rows_server.opening(key), content_type="application/json")
    elif params["name"] != "rows":
        ask.raw(rows_server.tiny(key), content_type="application/json")
    else:
        told = params["arguments"]
        line = rows_server.response(key, told["rows"], **{name: told[name] for name in told if name != "rows"})
        send(ask, written(line, kind), kind, part, dies)


def written(line: bytes, kind: str) -> bytes:
    head, end, rest = line.rpartition(b'"}]')
    match kind:
        case "pretty":
            return head.replace(b'"result": {', b'"result":\n {', 1) + end + b"\r\n" + rest + b"\n"
        case "event":
            return b": begins\nid: 7\nevent: message\ndata: " + line + b"\n\n"
        case "windows":
            return b"data:" + line + b"\r\nid: 7\r\n\r\n"
        case "lines":
            return b"data: " + head + end + b"\ndata: " + rest + b"\n\n"
        case "other":
            return b"data: " + line + b"\nevent: other\n\n" + b'data: {"jsonrpc":"2.0","id":2,"result":{}}\n\n'
    return line


def send(ask: Ask, body: bytes, kind: str, part: int, dies: bool) -> None:
    is_json = kind in ("json", "pretty")
    ask.close_connection = True
    ask.send_response(200)
    ask.send_header("content-type", "application/json" if is_json else "text/event-stream")
    if is_json:
        ask.send_header("content-length", str(len(body)))
    ask.end_headers()
    end = len(body) * 7 // 8 if dies else len(body)
    for at in range(0, end, part):
        ask.wfile.write(body[at : min(end, at + part)])
    if dies:
        ask.drop()


def notice_of(result: Any) -> dict[str, Any]:
    told: dict[str, Any] = head_of(result)
    return told


def progress_of(bridge: Running) -> list[int]:
    return [one["params"]["progress"] for one in bridge.messages() if one.get("method") == "notifications/progress"]


@pytest.mark.parametrize(
    ("kind", "part", "id_first"),
    [
        ("json", 1 << 18, True),
        ("pretty", 70_001, False),
        ("event", 1 << 18, False),
        ("windows", 70_001, True),
        ("lines", 1 << 20, True),
    ],
)
def test_a_long_result_is_held_and_read_back_whole(kind: str, part: int, id_first: bool, tmp_path: Path) -> None:
    store = tmp_path / "held.db"
    answers = partial(script, kind=kind, part=part)
    with odd(answers) as server, bridged(server.url, "--store", f"sqlite://{store}") as bridge:
        bridge.open()
        arguments = {"rows": ROWS, "id_first": id_first}
        params = {"name": "rows", "arguments": arguments, "_meta": {"progressToken": "mine"}}
        notice = notice_of(bridge.request("tools/call", params))
        assert notice["message"].startswith(f"{ROWS:,} ")
        sql = "SELECT count(*), min(id), max(id), sum(id) FROM items"
        assert str(ROWS - 1) in bridge.text(FETCH, action="sql", cache_id=notice["cache_id"], sql=sql)
        sizes = progress_of(bridge)
        assert sizes == sorted(set(sizes))
        assert len(sizes) >= 4
        assert bridge.text("tiny") == "ok"
    with sqlite3.connect(store) as db:
        assert db.execute("SELECT count(*) FROM held").fetchone() == (1,)
    assert {one.name for one in tmp_path.iterdir()} <= {"held.db", "held.db-wal", "held.db-shm"}


@pytest.mark.parametrize("kind", ["json", "windows"])
def test_a_response_that_breaks_off_leaves_nothing_and_the_request_an_error(kind: str, tmp_path: Path) -> None:
    store = tmp_path / "held.db"
    answers = partial(script, kind=kind, dies=True)
    with odd(answers) as server, bridged(server.url, "--store", f"sqlite://{store}") as bridge:
        bridge.open()
        words = bridge.error(bridge.ask_tool("rows", rows=ROWS))
        assert "closed the connection within its response" in words or "ended its answer before it came to one" in words
        assert bridge.text("tiny") == "ok"
        assert head_of(bridge.text(FETCH, action="list"))["results"] == []
    assert {one.name for one in tmp_path.iterdir()} <= {"held.db", "held.db-wal", "held.db-shm"}


@pytest.mark.parametrize("kind", ["json", "event"])
@pytest.mark.parametrize("fault", ["escape", "json"])
def test_a_message_that_is_no_json_is_an_error_and_the_next_call_is_answered(fault: str, kind: str) -> None:
    with odd(partial(script, kind=kind)) as server, bridged(server.url) as bridge:
        bridge.open()
        assert "cannot be read" in bridge.error(bridge.ask_tool("rows", rows=ROWS, fault=fault))
        assert bridge.text("tiny") == "ok"


def test_an_event_that_turns_out_to_be_no_message_is_not_handed_on() -> None:
    with odd(partial(script, kind="other")) as server, bridged(server.url) as bridge:
        bridge.open()
        assert bridge.request("tools/call", {"name": "rows", "arguments": {"rows": ROWS}}) == {}
        assert head_of(bridge.text(FETCH, action="list"))["results"] == []


def test_a_long_error_of_a_tool_is_one() -> None:
    with odd(partial(script, kind="event")) as server, bridged(server.url) as bridge:
        bridge.open()
        assert bridge.call("rows", rows=ROWS, fault="error")["isError"] is True


@pytest.mark.parametrize("kind", ["json", "event"])
def test_a_result_above_the_limit_is_refused_and_the_next_call_is_answered(kind: str) -> None:
    limited = {**os.environ, "PENSTOCK_MAX_RESULT_BYTES": "18000000"}
    with odd(partial(script, kind=kind)) as server, bridged(server.url, env=limited) as bridge:
        bridge.open()
        for id_first in (True, False):
            words = bridge.error(bridge.ask_tool("rows", rows=ROWS, id_first=id_first))
            assert re.search("18,000,000 bytes, more than max_result_bytes", words)
        assert bridge.text("tiny") == "ok"


def test_a_result_that_the_client_no_longer_wants_is_not_answered() -> None:
    with odd(partial(script, kind="event")) as server, bridged(server.url) as bridge:
        bridge.open()
        key = bridge.ask_tool("rows", rows=ROWS)
        bridge.cancel(key)
        assert bridge.text("tiny") == "ok"
        assert head_of(bridge.text(FETCH, action="list"))["results"] == []
