"""A call may carry a question (``_ask``): its own result answers it in the same response."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.config.model import Config
from penstock.core.act.question import is_own_argument
from penstock.core.fit import Budget, Call, Pass, fit
from penstock.gate import Gate
from penstock.stores import open_store
from tests.kit.answers import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = [
    {"id": number, "state": "open" if number % 4 else "closed", "title": f"ticket {number}"} for number in range(900)
]
SQL = "SELECT state, count(*) n FROM items GROUP BY 1 ORDER BY 1"
COUNTS = [{"state": "closed", "n": 225}, {"state": "open", "n": 675}]


@pytest.fixture(scope="module")
def gate() -> Iterator[Gate]:
    with (
        open_store("memory:") as store,
        closing(Gate(store, Config(max_tokens=3_000, output_schema="wrap", rules=RULES))) as gate,
    ):
        yield gate


RULES: Any = {"secret": {"never_hold": True}}


def result_of(data: Any, **members: Any) -> bytes:
    return json.dumps({"content": [{"type": "text", "text": json.dumps(data)}], **members}).encode()


def reply_to(
    gate: Gate, ask: Any, data: Any = ROWS, tool: str = "list", structured: bool = False, **members: Any
) -> Any:
    call = Call(tool=tool, owner="ann", structured=structured)
    return json.loads(gate.decide(call, result_of(data, **members), ask=ask).answer)


def test_answer_of_a_large_result_has_the_handle_and_nothing_else(gate: Gate) -> None:
    reply = reply_to(gate, SQL)
    [block] = reply["content"]
    head = line_of(reply)
    assert head["result"] == COUNTS
    assert block["text"].startswith('{"cache_id":"r_')
    again = json.loads(gate.fetch("ann", {"action": "sql", "cache_id": head["cache_id"], "sql": SQL}))
    assert line_of(again)["result"] == COUNTS


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ("map(.id) | add", sum(range(900))),
        ({"jq": "length"}, 900),
        ({"sql": SQL}, COUNTS),
        (json.dumps({"sql": SQL}), COUNTS),
        ("  with t as (select 1 n) select n from t", [{"n": 1}]),
        ('{"first": .[0].id}', {"first": 0}),
    ],
)
def test_sql_and_jq_are_recognised_by_how_they_begin(gate: Gate, ask: Any, expected: Any) -> None:
    assert line_of(reply_to(gate, ask))["result"] == expected


@pytest.mark.parametrize("ask", [{"search": "ticket 899"}, '{"search": "ticket 899"}'])
def test_search_is_an_object_or_its_text(gate: Gate, ask: Any) -> None:
    assert line_of(reply_to(gate, ask))["total"] == 1


def test_small_result_follows_the_answer_as_it_came(gate: Gate) -> None:
    answer, own = reply_to(gate, "length", ROWS[:3])["content"]
    assert json.loads(answer["text"])["result"] == 3
    assert json.loads(own["text"]) == ROWS[:3]


@pytest.mark.parametrize("ask", ["SELECT nope FROM items", "map(", 17, [], {}, {"sql": SQL, "jq": "."}, " "])
def test_wrong_question_gives_the_notice_with_the_reason(gate: Gate, ask: Any) -> None:
    head = line_of(reply_to(gate, ask))
    assert head["message"].startswith("900 records")
    assert head["ask_error"]


def test_wrong_question_of_a_small_result_gives_the_result_with_the_reason(gate: Gate) -> None:
    own, reason = reply_to(gate, "SELECT nope FROM items", ROWS[:3])["content"]
    assert json.loads(own["text"]) == ROWS[:3]
    assert reason["text"].startswith("_ask was not answered: ")


@pytest.mark.parametrize("ask", ["all", " ALL "])
def test_all_asks_for_the_whole_result_or_its_full_notice(gate: Gate, ask: str) -> None:
    assert reply_to(gate, ask, ROWS[:3]) == json.loads(result_of(ROWS[:3]))
    assert line_of(reply_to(gate, ask))["message"].startswith("900 records")


def test_error_of_the_tool_answers_the_call_as_it_is(gate: Gate) -> None:
    assert reply_to(gate, SQL, "no access", isError=True) == json.loads(result_of("no access", isError=True))


def test_result_that_is_never_stored_passes_with_the_reason(gate: Gate) -> None:
    own, reason = reply_to(gate, SQL, tool="secret")["content"]
    assert json.loads(own["text"]) == ROWS
    assert reason["text"] == "_ask was not answered: results of this tool are never stored"


def test_client_with_an_output_schema_gets_structured_content(gate: Gate) -> None:
    reply = reply_to(gate, SQL, structured=True)
    notice = reply["structuredContent"]
    assert notice["type"] == "buffered_response"
    assert notice["cache_id"] == line_of(reply)["cache_id"]
    assert json.loads(notice["preview"])["result"] == COUNTS
    long = reply_to(gate, "SELECT * FROM items LIMIT 40", structured=True)
    assert long["structuredContent"]["message"] == "The answer is in the text."


def test_wrong_question_without_room_for_a_notice_is_an_error_with_the_handle() -> None:
    with open_store("memory:") as store, closing(Gate(store, Config(max_tokens=250))) as gate:
        reply = reply_to(gate, "SELECT nope FROM items")
    assert "r_" in reply["content"][0]["text"]
    assert "no such column" in reply["content"][0]["text"]


def test_failed_store_gives_the_notice_that_says_so() -> None:
    with open_store("memory:", max_bytes=1_000) as store, closing(Gate(store, Config(max_tokens=3_000))) as gate:
        head = line_of(reply_to(gate, SQL))
    assert "cache_id" not in head
    assert "not kept" in head["message"]


@given(
    ask=st.sampled_from([SQL, "map(.title)", ".", {"search": "t"}, "SELECT x", "SELECT * FROM items", "all", 5]),
    rows=st.sampled_from([0, 1, 3, 40, 60, 900]),
    max_tokens=st.sampled_from([250, 400, 1_000, 3_000]),
    is_structured=st.booleans(),
)
def test_response_to_a_question_fits_the_budget(ask: Any, rows: int, max_tokens: int, is_structured: bool) -> None:
    tokens = max_tokens * (2 if is_structured else 1)
    with open_store("memory:") as store, closing(Gate(store, Config(max_tokens=tokens, output_schema="wrap"))) as gate:
        call = Call(tool="list", owner="ann", structured=is_structured)
        answer = gate.decide(call, result_of(ROWS[:rows]), ask=ask).answer
    assert isinstance(fit(answer, Budget(max_tokens=tokens, page_tokens=tokens, preview_tokens=tokens)), Pass)


@pytest.mark.parametrize(
    ("schema", "is_own"),
    [
        (None, False),
        ({}, False),
        ({"properties": 5}, False),
        ({"properties": {"q": {}}}, False),
        ({"properties": {"_ask": {}}}, True),
    ],
)
def test_argument_is_the_tools_own_if_its_schema_has_it(schema: dict[str, Any] | None, *, is_own: bool) -> None:
    assert is_own_argument(schema) is is_own


def test_tokens_that_are_counted_are_those_of_the_answer() -> None:
    with open_store("memory:") as store, closing(Gate(store, Config(max_tokens=3_000))) as gate:
        outcome = gate.decide(Call(tool="list", owner="ann"), result_of(ROWS), ask="length").outcome
    assert outcome.kind == "held"
    assert outcome.tokens_out < 100
