"""Held results know what was read of them, in every store, and say so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.act.receipts import RAW, Range, calls, ranges
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.gate.passing import Target
from penstock.stores import open_store
from tests.gate.conftest import OWNER, Desk, notice
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"id": n, "name": f"name {n}", "tags": ["a", "b"]} for n in range(439)]
TEXT = "".join(f"line {n}: ünïcode words\n" for n in range(3_000))


def test_pages_that_were_read_are_told_with_what_is_unseen(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    assert desk.fetch("info", handle)["read"] == "none of 439 rows by get and get_page"
    first = desk.fetch("get_page", handle)["_pagination"]
    end = first["end_index"]
    assert first["unseen"] == f"{end + 1}-439 of 439"
    assert desk.fetch("info", handle)["read"] == f"rows 1-{end} of 439 by get and get_page; {439 - end} unseen"
    third = desk.fetch("get_page", handle, page=3)["_pagination"]
    assert third["unseen"] == f"{end + 1}-{third['start_index']}, {third['end_index'] + 1}-439 of 439"
    pages = [desk.fetch("get_page", handle, page=number) for number in range(1, first["total_pages"] + 1)]
    assert pages[-1]["_pagination"]["unseen"] == "none"
    assert desk.fetch("info", handle)["read"] == "rows 1-439 of 439 by get and get_page; 0 unseen"


def test_windows_count_for_the_rows_that_they_show_whole(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    text = json.dumps(ROWS)
    desk.raw("get", handle, start_index=0, max_length=text.index('{"id": 5,') + 3)
    assert desk.fetch("info", handle)["read"] == "rows 1-5 of 439 by get and get_page; 434 unseen"
    desk.raw("get", handle, start_index=text.index('{"id": 7,') - 1, max_length=len(json.dumps(ROWS[7])) + 12)
    assert "rows 1-5, 8 of 439" in desk.fetch("info", handle)["read"]


def test_lines_of_a_text_with_characters_of_several_bytes(desk: Desk) -> None:
    handle = desk.hold(TEXT)
    desk.raw("get", handle, start_line=11, lines=10)
    assert desk.fetch("info", handle)["read"] == "lines 11-20 of 3,000 by get and get_page; 2,990 unseen"
    desk.raw("get", handle, start_index=0, max_length=TEXT.index("line 4:") + 2)
    assert "lines 1-4, 11-20 of 3,000" in desk.fetch("info", handle)["read"]


def test_some_fields_a_query_and_a_cut_item_are_no_rows_that_were_read(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    assert "unseen" not in desk.fetch("get_page", handle, fields=["id"])["_pagination"]
    assert desk.fetch("info", handle)["read"] == "none of 439 rows by get and get_page"
    desk.fetch("sql", handle, sql="SELECT * FROM items LIMIT 3")
    desk.raw("get", handle, path=".[0].name")
    assert desk.fetch("info", handle)["read"].startswith("none of 439")
    long = desk.hold([{"id": n, "text": "word " * (4_000 if n == 1 else 1)} for n in range(30)])
    told = [desk.fetch("get_page", long, page=number)["_pagination"] for number in (1, 2, 3)]
    assert all("2" in one["unseen"].split(" of ")[0].split(",")[0].split("-") for one in told)


def test_a_text_in_another_language_tells_of_pages_alone(desk: Desk) -> None:
    handle = desk.hold("".join(f"- id: {n}\n  name: name {n}\n" for n in range(900)))
    desk.raw("get", handle, start_line=1, lines=50)
    assert desk.fetch("info", handle)["read"] == "none of 900 rows by get_page"
    end = desk.fetch("get_page", handle)["_pagination"]["end_index"]
    assert desk.fetch("info", handle)["read"] == f"rows 1-{end} of 900 by get_page; {900 - end} unseen"


def test_reading_again_notes_the_call_but_no_range_and_an_error_is_no_reading(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    for _ in range(3):
        desk.fetch("get_page", handle)
    desk.error("get_page", handle, path=".absent")
    held = desk.store.get(OWNER, handle)
    assert held is not None
    assert len(ranges(held.entry.seen, RAW)) == 1
    assert held.entry.seen[::17].count(RAW) == 1
    assert held.entry.reads == 4


def test_calls_are_kept_in_order_with_what_each_has_shown(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    first = desk.fetch("get_page", handle)["_pagination"]
    desk.clock.time += 5
    desk.fetch("sql", handle, sql="SELECT count(*) FROM items")
    desk.fetch("get_page", handle)
    desk.error("sql", handle, sql="SELECT nothing FROM items")
    held = desk.store.get(OWNER, handle)
    assert held is not None
    page, sql, again, wrong = calls(held.entry.seen)
    assert (page.words, page.time, page.failed) == ("get_page", desk.clock.time - 5, False)
    assert first["end_index"] > 1
    assert page.ranges == again.ranges == ((RAW, Range(1, page.ranges[0][1].end)),)
    assert sql.words == 'sql {"sql": "SELECT count(*) FROM items"}'
    assert (sql.time, sql.ranges) == (desk.clock.time, ())
    assert page.size > sql.size > 0
    assert wrong.failed


def test_a_result_that_is_passed_to_a_tool_has_that_among_its_calls(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    desk.gate.config = Config(max_tokens=3_000, by_handle="any")
    desk.gate.resolve(OWNER, Target(tool="create_issue"), json.dumps({"body": f"held:{handle}"}).encode())
    held = desk.store.get(OWNER, handle)
    assert held is not None
    assert [one.words for one in calls(held.entry.seen)] == ["passed to create_issue"]


def test_more_pieces_than_are_kept_are_not_told_of(desk: Desk) -> None:
    handle = desk.hold(ROWS)
    desk.store.touch(OWNER, handle, seen=b"\x00" * 70_000)
    assert desk.fetch("info", handle)["read"] == "by get and get_page, in more pieces than are kept"
    assert "unseen" not in desk.fetch("get_page", handle)["_pagination"]


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_receipts_are_kept_by_the_store(tmp_path: Path, kind: str) -> None:
    url = "memory:" if kind == "memory" else f"sqlite://{tmp_path}/held.db"
    with open_store(url) as store:

        def fetch(**arguments: Any) -> Any:
            gate = Gate(store, Config(max_tokens=2_000))  # another one each time, as after a restart
            return head_of(gate.fetch(OWNER, arguments))

        result = json.dumps({"content": [{"type": "text", "text": json.dumps(ROWS)}]}).encode()
        answer = Gate(store, Config(max_tokens=2_000)).admit(Call(tool="t", owner=OWNER), result)
        handle = notice(json.loads(answer))["cache_id"]
        end = fetch(action="get_page", cache_id=handle)["_pagination"]["end_index"]
        assert f"rows 1-{end} of 439" in fetch(action="info", cache_id=handle)["read"]
