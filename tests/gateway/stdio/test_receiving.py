"""A real gateway, and results that are so long that they are handled while they arrive."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit import rows_server
from tests.kit.answers import head_of, text_of
from tests.kit.gateway import FETCH, Running
from tests.kit.rows_server import ROWS, rows_of

if TYPE_CHECKING:
    from pathlib import Path

SERVER = [sys.executable, "-I", "-S", rows_server.__file__]


def notice_of(result: Any) -> dict[str, Any]:
    told: dict[str, Any] = head_of(result)
    return told


def read_back(gateway: Running, notice: dict[str, Any]) -> dict[str, Any]:
    sql = "SELECT count(*), min(id), max(id), sum(id) FROM items"
    told: dict[str, Any] = head_of(gateway.text(FETCH, action="sql", cache_id=notice["cache_id"], sql=sql))
    return told


def progress_of(gateway: Running, token: str) -> list[int]:
    notes = [one["params"] for one in gateway.messages() if one.get("method") == "notifications/progress"]
    return [one["progress"] for one in notes if one["progressToken"] == token]


@pytest.mark.parametrize(("id_first", "part"), [(True, 1 << 20), (False, 70_001)])
def test_a_long_result_is_held_and_read_back_whole(id_first: bool, part: int, tmp_path: Path) -> None:
    store = tmp_path / "held.db"
    with Running(SERVER, store=f"sqlite://{store}") as gateway:
        gateway.open()
        arguments = {"rows": ROWS, "id_first": id_first, "part": part}
        params = {"name": "rows", "arguments": arguments, "_meta": {"progressToken": "mine"}}
        result = gateway.request("tools/call", params)
        notice = notice_of(result)
        text = rows_of(ROWS).encode()
        assert notice["metadata"]["total_bytes"] == len(text)
        assert notice["metadata"]["item_count"] == ROWS
        assert str(ROWS - 1) in json.dumps(read_back(gateway, notice))
        told = progress_of(gateway, "mine")
        assert told == sorted(set(told))
        assert len(told) >= 4
        window = gateway.call(FETCH, action="get", cache_id=notice["cache_id"], start_index=0, max_length=60)
        assert '{"id": 0, "note": "näme 0"' in text_of(window)
    with sqlite3.connect(store) as db:
        assert db.execute("SELECT count(*) FROM held").fetchone() == (1,)
    assert {one.name for one in tmp_path.iterdir()} <= {"held.db", "held.db-wal", "held.db-shm"}


@pytest.mark.parametrize(("data", "id_first", "part"), [("alone", False, 1 << 20), ("twin", True, 70_001)])
def test_long_data_is_held_and_read_back_whole(data: str, id_first: bool, part: int) -> None:
    rows = ROWS * (2 if data == "alone" else 1)
    with Running(SERVER) as gateway:
        gateway.open()
        notice = notice_of(gateway.call("rows", rows=rows, id_first=id_first, part=part, data=data))
        text = (
            json.dumps({"result": json.loads(rows_of(rows))}, ensure_ascii=False) if data == "alone" else rows_of(rows)
        )
        assert notice["metadata"]["total_bytes"] == len(text.encode())
        assert notice["metadata"]["item_count"] == rows
        assert str(rows - 1) in json.dumps(read_back(gateway, notice))


def test_the_servers_own_progress_is_all_that_the_client_hears() -> None:
    with Running(SERVER) as gateway:
        gateway.open()
        params = {"name": "rows", "arguments": {"rows": ROWS, "progress": True}, "_meta": {"progressToken": "mine"}}
        assert notice_of(gateway.request("tools/call", params))["metadata"]["item_count"] == ROWS
        assert progress_of(gateway, "mine") == [1]


def test_a_server_that_dies_in_the_middle_leaves_nothing_and_the_request_an_error(tmp_path: Path) -> None:
    store = tmp_path / "held.db"
    with Running(SERVER, store=f"sqlite://{store}") as gateway:
        gateway.open()
        assert "exited with code 3" in gateway.error(gateway.ask_tool("rows", rows=ROWS, fault="dies"))
        gateway.wait()
    if store.exists():
        with sqlite3.connect(store) as db:
            assert db.execute("SELECT (SELECT count(*) FROM held) + (SELECT count(*) FROM blocks)").fetchone() == (0,)


@pytest.mark.parametrize("fault", ["escape", "json"])
def test_a_line_that_is_no_json_is_an_error_and_the_next_call_is_answered(fault: str) -> None:
    with Running(SERVER) as gateway:
        gateway.open()
        assert "cannot be read" in gateway.error(gateway.ask_tool("rows", rows=ROWS, fault=fault))
        assert gateway.text("tiny") == "ok"


def test_a_line_that_is_no_utf_8_is_held_with_its_bytes() -> None:
    with Running(SERVER) as gateway:
        gateway.open()
        notice = notice_of(gateway.call("rows", rows=ROWS, fault="utf8"))
        assert notice["metadata"]["total_bytes"] > len(rows_of(ROWS))
        assert gateway.text("tiny") == "ok"


def test_a_result_that_the_client_no_longer_wants_is_not_answered() -> None:
    with Running(SERVER) as gateway:
        gateway.open()
        key = gateway.ask_tool("rows", rows=ROWS)
        gateway.cancel(key)
        assert gateway.text("tiny") == "ok"
        assert head_of(gateway.text(FETCH, action="list"))["results"] == []


def test_a_result_above_the_limit_is_refused_and_the_next_call_is_answered() -> None:
    with Running(SERVER, env={**os.environ, "PENSTOCK_MAX_RESULT_BYTES": "18000000"}) as gateway:
        gateway.open()
        for id_first in (True, False):
            assert "max_result_bytes" in gateway.error(gateway.ask_tool("rows", rows=ROWS, id_first=id_first))
        assert gateway.text("tiny") == "ok"
