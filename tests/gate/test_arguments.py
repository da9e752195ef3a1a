"""Several results are named in one argument, and a wrong use of it says which argument is meant."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.stores import open_store
from tests.gate.conftest import notice
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox
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


@pytest.mark.parametrize(
    ("action", "given"),
    [
        ("jq", {"jq_filter": "length"}),
        ("query", {"query": "SELECT count(*) FROM items"}),
        ("sql", {"query": "with t as (select 1) select count(*) from items"}),
        ("grep", {"query": "name 7"}),
        ("Page", {"page": 1}),
        ("read", {"start_index": 5}),
        ("describe", {}),
    ],
)
def test_other_words_for_actions_are_taken_for_what_they_mean(desk: Desk, action: str, given: dict[str, Any]) -> None:
    assert desk.fetch(action, desk.hold(PEOPLE), **given)


def test_a_window_of_lines_may_be_given_by_its_last_line(desk: Desk) -> None:
    handle = desk.hold("\n".join(f"line {number}" for number in range(1, 9_000)))
    about = desk.fetch("get", handle, start_line=3, end_line=5)
    assert (about["start_line"], about["end_line"], about["lines_after"]) == (3, 5, 8_994)
    assert desk.fetch("get", handle, end_line="2")["end_line"] == 2
    assert desk.fetch("get", handle, start_line=3, end_line=9, lines=1)["end_line"] == 3
    assert "end_line is 2" in desk.error("get", handle, start_line=3, end_line=2)


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


@pytest.mark.parametrize("name", ["bufferId", "buffer_id", "handle", "cacheId", "cacheID"])
def test_a_handle_goes_by_the_names_that_models_give_it(desk: Desk, name: str) -> None:
    handle = desk.hold(PEOPLE)
    told = desk.gate.fetch("ann", {name: handle, "action": "get_page", "page": "2", "fields": "id"})
    assert b"isError" not in told
    assert head_of(told)["_pagination"]["page"] == 2


@pytest.mark.parametrize(("given", "total"), [("true", 50), (True, 50), ("1", 50), ("false", 0), (False, 0), (0, 0)])
def test_numbers_and_truths_may_come_as_texts(desk: Desk, given: Any, total: int) -> None:
    told = desk.fetch("search", desk.hold(PEOPLE), pattern="NAME [0-9]", regex="TRUE", ignore_case=given, context="0")
    assert told["total"] == total


def test_arguments_that_do_not_exist_are_ignored_and_named(desk: Desk) -> None:
    handle = desk.hold(PEOPLE)
    plain = desk.fetch("get_page", handle)
    told = desk.fetch("get_page", handle, pgae=2, verbose=True)
    assert told["items"] == plain["items"]
    assert told["ignored"] == "ignored unknown arguments: pgae (did you mean page?), verbose"
    unknown: dict[str, Any] = {f"ü{number}" * 30: 1 for number in range(9)}
    assert desk.fetch("info", handle, **unknown)["ignored"].endswith(" and 6 more")
    assert desk.error("get_page", handle, path=".nope", zzz=1).endswith("ignored unknown arguments: zzz")


@example(action="get_page", more={"table": "items_tags"}, budget=250, text=False)
@example(action="get_page", more={"page_tokens": 251}, budget=250, text=False)
@example(action="sql", more={"sql": "SELECT * FROM items_tags"}, budget=250, text=False)
@example(action="filter", more={"jq_filter": "map(.id)", "cache_filtered_result": False}, budget=250, text=False)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    action=st.sampled_from(["info", "get", "get_page", "outline", "search", "list"]),
    more=st.fixed_dictionaries(
        {},
        optional={
            "start_line": st.integers(1, 9_000),
            "lines": st.integers(1, 5_000),
            "max_length": st.integers(1, 90_000),
            "path": st.sampled_from([".", "[3]", "[3].note", "[3].id"]),
            "table": st.sampled_from(["items", "items_tags"]),
            "page": st.integers(1, 30),
            "page_tokens": st.integers(250, 90_000),
            "page_size_kb": st.integers(2, 900),
            "depth": st.integers(1, 9),
            "context": st.integers(0, 20),
            "word": st.booleans(),
            "junk" * 20: st.just(1),
            "µµµ": st.just(1),
        },
    ),
    budget=st.integers(250, 4_000),
    text=st.booleans(),
)
def test_p1_every_answer_fits_whatever_is_given(
    sandbox: Sandbox, action: str, more: dict[str, Any], budget: int, text: bool
) -> None:
    value = [{"id": n, "note": f"line {n}\nwörd " * 30, "tags": [{"t": n}]} for n in range(60)]
    held = "\n".join(f"  line {n} of words" for n in range(4_000)) if text else json.dumps(value)
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=budget, always_hold=True), sandbox=sandbox)
        result = json.dumps({"content": [{"type": "text", "text": held}]}).encode()
        handle = notice(json.loads(gate.admit(Call(tool="t", owner="o"), result)))["cache_id"]
        raw = gate.fetch("o", {"action": action, "cache_id": handle, "pattern": "line", **more})
        assert b"isError" in raw or cost(parse(raw), "claude") <= budget
        assert b"isError" not in raw or len(raw) < 1_024


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
