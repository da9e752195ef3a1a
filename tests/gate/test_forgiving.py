"""Calls that leave something out, or compare what cannot match, are answered with a line that says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.fit import Call
from penstock.gate.owners import Owner
from tests.gate.conftest import notice
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from tests.gate.conftest import Desk

ANN = Owner(name="ann", run="first")
ROWS = [{"id": n, "state": ["OPEN", "CLOSED"][n % 2], "price": f"${n}.50", "text": "x" * 60} for n in range(300)]


def admitted(desk: Desk, owner: Owner = ANN) -> str:
    result = json.dumps({"content": [{"type": "text", "text": json.dumps(ROWS)}]}).encode()
    answer = desk.gate.admit(Call(tool="search", owner=owner.name), result, owner=owner)
    return str(notice(json.loads(answer))["cache_id"])


def asked(desk: Desk, **arguments: Any) -> dict[str, Any]:
    return dict(head_of(json.loads(desk.gate.fetch(ANN, arguments))))


def test_handle_may_be_left_out_if_there_is_one_result(desk: Desk) -> None:
    handle = admitted(desk)
    admitted(desk, Owner(name="ann", run="second"))
    answer = asked(desk, sql="SELECT count(*) AS n FROM items")
    assert answer["result"] == [{"n": 300}]
    assert answer["used"] == f"cache_id {handle}, the only stored result"
    assert asked(desk, action="search", pattern="OPEN")["total"] == 150
    assert asked(desk, action="list")["total"] == 2


def test_handle_is_needed_if_there_are_several_results_or_none(desk: Desk) -> None:
    for _ in range(2):
        told = json.loads(desk.gate.fetch(ANN, {"sql": "SELECT 1"}))
        assert told["isError"]
        assert "cache_id is missing" in told["content"][0]["text"]
        admitted(desk)
        admitted(desk)


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ({"sql": "SELECT count(*) AS n FROM items WHERE state = 'open'"}, "state = 'OPEN' matches 150 rows"),
        ({"sql": "SELECT avg(price) FROM items"}, "number(price) reads them"),
        ({"jq_filter": 'map(select(.state == "open")) | length'}, '.state == "OPEN" matches'),
        ({"jq_filter": "map(.stat) | unique"}, "did you mean state?"),
    ],
)
def test_answer_says_what_cannot_match(desk: Desk, arguments: dict[str, Any], note: str) -> None:
    admitted(desk)
    assert note in asked(desk, **arguments)["note"]
