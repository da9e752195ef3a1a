"""Answers that are asked for in a size above the budget are held, and read on with Penstock's tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.examples.client import FETCH

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.examples.vault_client import Talk


def test_a_whole_list_is_held_and_can_be_paged(talk: Talk, sample: Path) -> None:
    handle = talk.held("list_vault_files", limit=5_000)["cache_id"]
    page, files = 1, []
    while True:
        answer = talk.call(FETCH, cache_id=handle, action="get_page", path=".files", page=page)
        told = answer.data
        files += told["items"]
        if not told["_pagination"]["has_more"]:
            break
        page += 1
    names = (path.relative_to(sample) for path in sample.rglob("*") if path.is_file())
    assert files == sorted(name.as_posix() for name in names if not name.parts[0].startswith("."))


def test_notes_are_counted_with_jq_and_sql_and_not_by_reading_pages(talk: Talk) -> None:
    query = "TABLE status, priority, owner"
    told = talk.told("search_vault", queryType="dataview", query=query)
    notice = talk.held(told["next"]["tool"], **told["next"]["arguments"])
    handle = notice["cache_id"]
    total = told["pagination"]["total"]
    program = '[.results[] | select(.result.status == "open")] | length'
    number = talk.told(FETCH, cache_id=handle, action="filter", jq_filter=program)["result"]
    where = 'LIST WHERE status = "open"'
    expected = talk.told("search_vault", queryType="dataview", query=where, limit=1)["pagination"]["total"]
    assert 0 < number == expected < total
    sql = "SELECT count(*) AS n FROM items"
    assert talk.told(FETCH, cache_id=handle, action="sql", sql=sql)["result"] == [{"n": total}]


def test_every_call_that_a_notice_names_works(talk: Talk) -> None:
    for call in talk.held("search_vault_smart", query="drainage permits", filter={"limit": 2_000})["next"]:
        assert not talk.follow(call).is_error


def test_a_dispatcher_is_bounded_in_the_same_way(talk: Talk) -> None:
    assert talk.held("vault", operation="list", params={"limit": 5_000})["message"].startswith("2,002 ")
