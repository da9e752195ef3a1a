"""``drop``: what the owner holds is deleted, and nothing of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.gate.acts.request import KNOWN
from penstock.gate.owners import Caller, Owner, Owners
from penstock.gate.records import Origin
from tests.gate.conftest import OWNER
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from tests.gate.acts.conftest import ActingDesk

ROWS = [{"id": n, "name": f"name {n}"} for n in range(2_000)]


def test_a_dropped_result_is_gone_and_the_others_stay(acting: ActingDesk) -> None:
    first, second = acting.hold(ROWS), acting.hold(ROWS)
    assert acting.fetch("sql", first, sql="SELECT count(*) n FROM items")["result"] == [{"n": 2_000}]
    assert acting.act("drop", first) == {"dropped": 1, "total_bytes": acting.fetch("info", second)["total_bytes"]}
    assert "there is no held result" in acting.error("info", first)
    assert "there is no held result" in acting.error("sql", first, sql="SELECT count(*) n FROM items")
    assert "there is no held result" in acting.act_error("drop", first)
    assert [one["cache_id"] for one in acting.fetch("list")["results"]] == [second]


def test_all_of_an_owner_is_dropped_and_nothing_of_another(acting: ActingDesk) -> None:
    acting.hold(ROWS)
    acting.hold(ROWS)
    other = acting.hold(ROWS, owner="bob")
    assert acting.act("drop", all=True)["dropped"] == 2
    assert acting.fetch("list")["total"] == 0
    assert acting.fetch("info", other, owner="bob")["cache_id"] == other
    assert acting.act("drop", all=True) == {"dropped": 0, "total_bytes": 0}


def test_the_handle_of_another_owner_is_unknown_and_stays(acting: ActingDesk) -> None:
    other = acting.hold(ROWS, owner="bob")
    foreign = acting.act_error("drop", other)
    assert foreign == acting.act_error("drop", f"r_{'x' * 22}").replace(f"r_{'x' * 22}", other)
    assert acting.fetch("info", other, owner="bob")["cache_id"] == other


def test_over_http_without_a_principal_all_is_what_the_same_session_made(acting: ActingDesk) -> None:
    owners = Owners()
    mine, other = owners.over_http(Caller(), "one"), owners.over_http(Caller(), "two")
    handles = {}
    for owner in (mine, other, Owner(name=mine.name)):
        entry = acting.gate._keeper.keep_document(b"[1]" * 10, Origin(tool="t", run=owner.run), owner)
        handles[owner.run] = entry.handle
    assert acting.act("drop", owner=mine, all=True)["dropped"] == 1
    assert acting.act("drop", owner=owners.over_http(Caller()), all=True)["dropped"] == 0
    assert acting.act("drop", handles["two"], owner=mine)["dropped"] == 1  # the handle is the secret
    assert len(acting.store.list(mine.name)) == 1


def test_both_a_handle_and_all_or_none_of_them_drop_nothing(acting: ActingDesk) -> None:
    handle = acting.hold(ROWS)
    assert "nothing was dropped" in acting.act_error("drop", handle, all=True)
    assert "cache_id is missing" in acting.act_error("drop")
    assert "cache_id is missing" in acting.act_error("drop", all=False)
    assert acting.fetch("info", handle)["cache_id"] == handle


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "action is missing\ngive one of export, more, drop"),
        ({"all": True}, "action is missing"),
        ({"action": "info"}, "there is no action 'info'"),
        ({"action": "drip"}, "did you mean drop?"),
    ],
)
def test_nothing_is_done_without_an_action_of_this_tool(
    acting: ActingDesk, given: dict[str, object], words: str
) -> None:
    handle = acting.hold(ROWS)
    told = acting.gate.act(OWNER, given).decode()
    assert words in told.replace("\\n", "\n")
    assert acting.fetch("info", handle)["cache_id"] == handle


def test_an_argument_that_does_not_exist_is_named(acting: ActingDesk) -> None:
    told = acting.act_raw("drop", acting.hold(ROWS), everything=True)
    assert head_of(told)["ignored"] == "ignored unknown arguments: everything"
    assert "jq_filter" in KNOWN
