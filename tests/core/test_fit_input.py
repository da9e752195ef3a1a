"""``fit`` reads an MCP result, other data or a text as the result that a server would send for it."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

from penstock.core.fit import Budget, Compact, Hold, Pass, Plan, fit
from penstock.errors import CallerError
from tests.kit.answers import head_of
from tests.kit.strategies import any_text, containers, json_bytes, records, values

SMALL = Budget(max_tokens=600, preview_tokens=600, page_tokens=600)
ROWS = [{"id": number, "name": f"name {number}", "tag": None} for number in range(2_000)]


def as_bytes(result: dict[str, Any]) -> bytes:
    return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def text_result(text: str) -> bytes:
    return as_bytes({"content": [{"type": "text", "text": text}]})


def outcome(plan: Plan) -> Any:
    """Return what the caller of ``fit`` uses of a plan."""
    match plan:
        case Pass():
            return "pass", plan.cost
        case Compact():
            return "compact", plan.raw, plan.cost, plan.tokens
    return "hold", bytes(plan.document.raw), plan.document.kind, plan.answer("r_0123456789abcdefghijkl", 60)


def held(value: Any) -> Hold:
    plan = fit(value, SMALL)
    assert isinstance(plan, Hold)
    return plan


data = (containers | records.map(lambda rows: rows * 30)).filter(
    lambda value: not (isinstance(value, dict) and value.keys() & {"content", "structuredContent"})
)


@given(data)
def test_fit_of_data_equals_fit_of_a_result_with_its_json_as_text(value: Any) -> None:
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert outcome(fit(value, SMALL)) == outcome(fit(text_result(written), SMALL))


@given(any_text | any_text.map(lambda text: text * 200) | json_bytes().map(bytes.decode))
def test_fit_of_a_str_equals_fit_of_a_result_with_that_text(text: str) -> None:
    assert outcome(fit(text, SMALL)) == outcome(fit(text_result(text), SMALL))


results = st.builds(
    lambda texts, structured, error: (
        {"content": [{"type": "text", "text": text} for text in texts], "isError": error}
        | ({} if structured is None else {"structuredContent": structured})
    ),
    st.lists(any_text.map(lambda text: text * 50), max_size=3),
    st.none() | values | records.map(lambda rows: {"result": rows * 30}),
    st.booleans(),
)


@given(results)
def test_fit_of_a_result_as_a_dict_equals_fit_of_its_bytes(result: dict[str, Any]) -> None:
    assert outcome(fit(result, SMALL)) == outcome(fit(as_bytes(result), SMALL))


@pytest.mark.parametrize("value", [{}, [], "", {"a": 1}, [1, "two", None], "some text", b"", b"some text", b"[1]"])
def test_fit_of_a_small_value_is_pass(value: Any) -> None:
    assert isinstance(fit(value, SMALL), Pass)


def test_fit_of_a_long_list_holds_its_json_and_answers_with_its_rows() -> None:
    hold = held(ROWS)
    assert json.loads(bytes(hold.document.raw)) == ROWS
    answer = json.loads(hold.answer(handle=None))
    assert head_of(answer)["metadata"]["item_count"] == 2_000


def test_fit_of_a_long_str_holds_that_text() -> None:
    text = "A line with ümlauts and \ud83d half an emoji.\n" * 1_000
    assert held(text).document.text == text


def test_fit_of_a_str_of_json_with_white_space_is_a_compact_result() -> None:
    plan = fit(json.dumps([[n] for n in range(60)], indent=16), SMALL)
    assert isinstance(plan, Compact)
    assert json.loads(json.loads(plan.raw)["content"][0]["text"]) == [[n] for n in range(60)]


@pytest.mark.parametrize(
    "page",
    [
        {"content": ROWS, "totalPages": 3},
        {"content": "word " * 5_000, "title": "A page"},
        {"content": {"type": "text"}, "rows": ROWS},
        {"content": [{"type": 1, "row": row} for row in ROWS]},
    ],
)
def test_fit_of_a_dict_whose_content_is_not_mcp_blocks_treats_it_as_data(page: dict[str, Any]) -> None:
    assert json.loads(bytes(held(page).document.raw)) == page


def test_fit_of_data_with_a_lone_surrogate_keeps_it() -> None:
    value = [{"name": "half \ud83d", "n": n} for n in range(2_000)]
    assert json.loads(bytes(held(value).document.raw)) == value


@pytest.mark.parametrize("count", [1, 2_000])
def test_fit_of_an_sdk_result_equals_fit_of_its_wire_format(count: int) -> None:
    text = json.dumps(ROWS[:count])
    structured = {"rows": ROWS[:count], "next": None}
    model = CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)
    wire = {"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": False}
    dumped = json.loads(model.model_dump_json(by_alias=True, exclude_none=True))
    assert dumped.pop("resultType", "complete") == "complete"
    assert dumped == wire
    plan = fit(model, SMALL)
    assert type(plan) is (Pass if count == 1 else Hold)
    if isinstance(plan, Hold):
        assert json.loads(bytes(plan.document.raw)) == json.loads(bytes(held(wire).document.raw))


class Other(BaseModel):
    content: str = "word"


@pytest.mark.parametrize("value", [None, 1, 1.5, True, (1, 2), {1, 2}, bytearray(b"text"), object(), Other()])
def test_fit_of_another_type_raises_a_type_error_that_says_what_is_accepted(value: Any) -> None:
    with pytest.raises(TypeError) as raised:
        fit(value, SMALL)
    assert str(raised.value) == (
        "fit accepts an MCP result (as JSON bytes, a dict or an object of the SDK), "
        f"a dict or a list of other data, or a str, but got {type(value).__name__}"
    )


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": math.nan}, "Out of range float values"),
        ([math.inf], "Out of range float values"),
        ({"content": [], "structuredContent": {"a": math.nan}}, "Out of range float values"),
        ({"a": b"bytes"}, "Object of type bytes is not JSON serializable"),
        ([datetime(2026, 1, 1, tzinfo=UTC)], "Object of type datetime is not JSON serializable"),
        ({(1, 2): 3}, "keys must be str"),
        (CIRCLE, "Circular reference"),
    ],
)
def test_fit_of_data_that_json_cannot_encode_raises_an_error_with_the_reason(value: Any, words: str) -> None:
    with pytest.raises(CallerError, match=f"the data cannot be written as JSON: {words}"):
        fit(value, SMALL)
