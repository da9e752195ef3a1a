"""A user sees all that is held, as the model could read it, and looking changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import CallerError
from penstock.gate.owners import Owners, owner_label
from penstock.stores import Stats
from tests.gate.conftest import OWNER, Desk

if TYPE_CHECKING:
    from penstock.gate.looking import Looking

ROWS = [{"id": n, "name": f"name {n}", "tags": ["a", "b"]} for n in range(439)]
YAML = "".join(f"- id: {n}\n  name: name {n}\n" for n in range(900))


def test_all_owners_results_are_listed_with_what_there_is_to_know(desk: Desk, looking: Looking) -> None:
    mine = desk.hold(ROWS)
    desk.clock.time += 5
    yours = desk.hold("line\n" * 9_000, owner="token:" + "ab" * 16, tool="other")
    desk.fetch("get_page", mine)
    second, first = looking.results()
    assert (first.handle, first.tool, first.arguments, first.owner) == (mine, "search", '{"q":"x"}', "ann")
    assert (first.form, first.rows, first.reads, first.kind) == ("records", 439, 1, "json")
    assert first.tokens > 5_000
    assert first.expires == first.created + 1_800
    assert (second.handle, second.tool, second.owner) == (yours, "other", "token:abababab")
    assert (second.reads, second.last_read, second.source, second.filter) == (0, None, None, None)


def test_owners_are_told_apart_without_their_digests() -> None:
    owner = Owners(run="r").local(["server"], folder="/a", user="1").name
    label = owner_label(owner)
    assert label == owner[: len("local:") + 8]
    assert owner_label("anyone") == "anyone"
    assert owner_label("team " + "x" * 200) == ("team " + "x" * 200)[:80]


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "info"},
        {"action": "get_page", "page": 2},
        {"action": "get", "start_index": 10, "max_length": 50},
        {"action": "outline"},
        {"action": "sql", "sql": "SELECT count(*) AS n, max(id) FROM items"},
        {"action": "sql", "sql": "SELECT nam FROM items"},
        {"action": "sql", "sql": "DROP TABLE items"},
        {"action": "filter", "jq_filter": ".[3].name"},
        {"action": "filter", "jq_filter": ".[3] |"},
        {"action": "search", "pattern": "name 43"},
        {"action": "search", "pattern": "(", "regex": True},
        {"action": "get_page", "path": ".absent"},
        {"action": "nonsense"},
    ],
)
def test_the_answers_and_errors_are_those_that_the_model_gets(
    desk: Desk, looking: Looking, arguments: dict[str, Any]
) -> None:
    handle = desk.hold(ROWS)
    seen = looking.answer(handle, arguments)
    if arguments["action"] == "nonsense":
        assert b"there is no action" in seen
        return
    assert json.loads(seen) == json.loads(desk.raw(handle=handle, **arguments))


def test_looking_changes_neither_reads_nor_receipts_nor_expiry_and_holds_nothing(desk: Desk, looking: Looking) -> None:
    handle, text = desk.hold(ROWS), desk.hold(YAML)
    before = [desk.store.get(OWNER, one) for one in (handle, text)]
    desk.clock.time += 60
    for one in (handle, text):
        for arguments in ({"action": "get_page"}, {"jq_filter": "."}, {"sql": "SELECT * FROM items"}, {"pattern": "1"}):
            assert b"isError" not in looking.answer(one, arguments)
        looking.open(one)
    assert "isError" in json.loads(looking.answer(handle, {"action": "edit", "set": {".[0]": 1}}))
    after = [desk.store.get(OWNER, one) for one in (handle, text)]
    assert [one and one.entry for one in after] == [one and one.entry for one in before]
    assert len(looking.results()) == 2


def test_what_the_model_read_is_kept_byte_for_byte(desk: Desk, looking: Looking) -> None:
    answer = desk.admit(ROWS)
    [one] = looking.results()
    kept = looking.open(one.handle).held.answer
    assert json.loads(kept) == answer
    filtered = desk.raw("filter", one.handle, jq_filter="[.[] | {id, name}]")
    newest = looking.results()[0]
    if newest.handle != one.handle:
        assert looking.open(newest.handle).held.answer == filtered


def test_a_result_or_all_of_them_can_be_removed(desk: Desk, looking: Looking) -> None:
    first, _, _ = (desk.hold(ROWS) for _ in range(3))
    assert looking.remove(first) is True
    assert looking.remove(first) is False
    with pytest.raises(CallerError, match="there is no held result"):
        looking.open(first)
    gone = looking.remove_all()
    assert gone.items == 2
    assert desk.store.stats() == Stats(items=0, stored=0)
    looking.close()
