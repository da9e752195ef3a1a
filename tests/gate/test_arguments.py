"""Several results are named in one argument, and a wrong use of it says which argument is meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.gate.conftest import Desk

ORDERS = [{"id": n, "who": n % 50, "sum": n * 3} for n in range(600)]
PEOPLE = [{"id": n, "name": f"name {n}", "note": "word " * 40} for n in range(50)]


@pytest.mark.parametrize("argument", ["cache_id", "cache_ids"])
def test_a_query_joins_results_by_the_names_they_are_given(desk: Desk, argument: str) -> None:
    handles = {"orders": desk.hold(ORDERS), "people": desk.hold(PEOPLE)}
    sql = "select p.name, sum(o.sum) as total from orders o join people p on o.who = p.id group by p.id limit 1"
    told = desk.fetch("sql", **{argument: handles}, sql=sql)
    assert told["result"] == [{"name": "name 0", "total": sum(one["sum"] for one in ORDERS if one["who"] == 0)}]
    listed = desk.fetch("sql", **{argument: list(handles.values())}, sql="select count(*) as n from t1, t2")
    assert listed["result"] == [{"n": 30_000}]


def test_several_handles_without_an_action_mean_a_query(desk: Desk) -> None:
    told = desk.gate.fetch("ann", {"cache_ids": [desk.hold(ORDERS)], "sql": "select count(*) as n from t1"})
    assert b'\\"n\\":600' in told


@pytest.mark.parametrize(
    ("action", "given"),
    [
        ("filter", {"jq_filter": "length"}),
        ("sql", {"sql": "select count(*) from items"}),
        ("search", {"pattern": "name 7", "page": None}),
        ("get_page", {"page": 2}),
        ("get", {"start_index": 5, "max_length": 20}),
        ("get", {"max_length": 20}),
        ("outline", {"depth": 1}),
        ("info", {"jq_filter": None}),
    ],
)
def test_what_is_given_says_which_action_is_meant(desk: Desk, action: str, given: dict[str, Any]) -> None:
    handle = desk.hold(PEOPLE)
    named = desk.gate.fetch("ann", {"cache_id": handle, "action": action, **given})
    assert b"isError" not in named
    for more in ({}, {"action": None}):
        told = desk.gate.fetch("ann", {"cache_id": handle, **given, **more})
        assert _without_reads(told) == _without_reads(named)


def _without_reads(told: bytes) -> bytes:
    return re.sub(rb'\\"(reads|expires_in_s)\\":\d+', b"", told)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cache_ids": []}, "cache_ids is of type list\nexpected 1 to 8 handles in a list"),
        ({"cache_ids": ["r_x"] * 9}, "cache_ids is of type list"),
        ({"cache_ids": {"a": 5}}, "cache_ids is of type dict"),
        ({"cache_ids": "r_x"}, "cache_ids is 'r_x'\nexpected 1 to 8 handles"),
        ({"cache_ids": ["r_x"], "cache_id": "r_x"}, "cache_id and cache_ids are both given\ngive one of them"),
        ({"cache_id": []}, "cache_id is of type list"),
        ({}, "cache_id is missing"),
        ({"cache_ids": ["r_x"], "action": "get"}, "cache_ids is for action sql\ngive cache_id: one handle"),
        ({"cache_ids": ["r_x"], "action": "info"}, "cache_ids is for action sql"),
    ],
)
def test_a_wrong_use_names_the_argument(desk: Desk, given: dict[str, Any], words: str) -> None:
    asked = {"action": "sql", "sql": "select 1", **given}
    assert words in desk.error(asked.pop("action"), **asked)
