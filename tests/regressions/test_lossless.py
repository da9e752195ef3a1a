"""Every byte comes back, whole items and whole characters at a time, and what is counted is counted right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.kit.answers import head_of, text_of
from tests.kit.gateway import FETCH
from tests.kit.regressions import results as answers
from tests.kit.regressions.reading import fetch, notice, pages, row_numbers, windows

if TYPE_CHECKING:
    from tests.kit.gateway import Running


def test_no_json_is_cut_in_the_middle_of_an_object(gateway: Running) -> None:
    """Every page is JSON of whole items, and so is whatever JSON a preview shows."""
    result = gateway.call("records")
    handle = notice(result)["cache_id"]
    first = fetch(gateway, handle, "get_page", page=1, page_tokens=600)["items"]
    assert first == answers.rows()[: len(first)]
    assert len(first) > 1


def test_no_character_is_cut_in_its_middle(gateway: Running) -> None:
    """The text has characters of one to four bytes, and pairs that make one sign."""
    handle = notice(gateway.call("text"))["cache_id"]
    text = answers.text()
    for length in (1, 7, 10, 333):
        at = text.index("\U0001f600", 1_000) - length // 2
        window = gateway.call(FETCH, action="get", cache_id=handle, start_index=at, max_length=length)
        place = head_of(window)
        shown = text_of(window)
        assert shown == text[place["start_index"] : place["end_index"]]
        assert "\ufffd" not in shown


def test_no_preview_has_half_a_character(gateway: Running) -> None:
    for tool in ("text", "records", "blocks"):
        result = gateway.call(tool)
        assert "\ufffd" not in json.dumps(result, ensure_ascii=False)


def test_pages_put_together_are_the_items_with_late_keys_and_true_booleans(gateway: Running) -> None:
    items = pages(gateway, notice(gateway.call("records"))["cache_id"])
    assert items == answers.rows()
    assert all(type(item["paid"]) is bool for item in items)
    assert "last" in items[-1]


def test_windows_put_together_are_the_text_with_every_newline(gateway: Running) -> None:
    assert windows(gateway, notice(gateway.call("text"))["cache_id"]) == answers.text()


def test_a_key_of_the_last_row_alone_can_be_asked_for(gateway: Running) -> None:
    handle = notice(gateway.call("records"))["cache_id"]
    assert fetch(gateway, handle, "filter", jq_filter='map(select(has("last")).id)')["result"] == [answers.ROWS - 1]
    found = fetch(gateway, handle, "sql", sql="SELECT count(*) AS n FROM items WHERE last IS NOT NULL")
    assert found["result"] == [{"n": 1}]


def test_what_is_shown_and_what_is_hidden_make_the_whole(gateway: Running) -> None:
    result = gateway.call("records")
    told = notice(result)
    assert told["metadata"]["item_count"] == told["shown"]["of"] == answers.ROWS
    shown = row_numbers(told["shown"]["rows"])
    assert told["message"].endswith(f"Below: facts, {len(shown):,} rows.")
    preview = text_of(result)
    assert f"\nsample rows {told['shown']['rows']}:\n" in preview
    header, *lines = preview.split(f"rows {told['shown']['rows']}:\n")[1].splitlines()
    at = header.split("|").index("id")
    assert [int(line.split("|")[at]) + 1 for line in lines] == shown
    page = fetch(gateway, told["cache_id"], "get_page", page=1)["_pagination"]
    assert page["total"] == answers.ROWS
    assert page["end_index"] < answers.ROWS


def test_the_bytes_that_a_notice_counts_are_those_that_were_held(gateway: Running) -> None:
    text = answers.text()
    told = notice(gateway.call("text"))
    assert told["metadata"]["total_bytes"] == len(text.encode())
    window = gateway.call(FETCH, action="get", cache_id=told["cache_id"])
    assert head_of(window)["total_length"] == len(text)
