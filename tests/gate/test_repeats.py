"""The same call with the same data costs one line, if the same conversation got the notice before."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config.model import Config
from penstock.core.fit import Call
from penstock.core.tokens.count import count
from penstock.gate import Gate
from penstock.stores import open_store
from tests.gate.conftest import Clock
from tests.kit.answers import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = [{"id": number, "state": "open", "title": f"ticket {number} about words"} for number in range(400)]
PICTURE = {"type": "image", "data": "QUJD" * 20, "mimeType": "image/png"}
LONGEST_LINE = 40  # tokens in addition to those of the handle


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gate(clock: Clock) -> Iterator[Gate]:
    with open_store("memory:", now=clock) as store, closing(gate_of(store, clock)) as gate:
        yield gate


def gate_of(store: Any, clock: Clock, **settings: Any) -> Gate:
    return Gate(store, Config(max_tokens=3_000, **settings), now=clock)


def answer_of(gate: Gate, data: Any = ROWS, *known: str, error: bool = False, blocks: Any = (), **call: Any) -> Any:
    """Return the answer to a call in a conversation that got the notices of these ``known`` handles."""
    content = [{"type": "text", "text": json.dumps(data)}, *blocks]
    raw = json.dumps({"content": content, "isError": error}).encode()
    return json.loads(gate.admit(Call(tool="list", owner="ann", known_notices=known, **call), raw))


def handle_of(answer: Any) -> str:
    return str(line_of(answer)["cache_id"])


def test_repeat_of_a_call_with_the_same_data_costs_one_line(gate: Gate, clock: Clock) -> None:
    first = handle_of(answer_of(gate))
    clock.time += 42
    again = answer_of(gate, ROWS, first)
    [block] = again["content"]
    assert line_of(again) == {
        "type": "buffered_response",
        "cache_id": first,
        "message": "Unchanged: the same data as 42 s ago. The earlier notice of this cache_id still applies.",
    }
    assert "\n" not in block["text"]
    assert count(block["text"], "o200k").tokens - count(first, "o200k").tokens <= LONGEST_LINE
    assert again["isError"] is False
    assert len(gate.store.list("ann")) == 1


def test_repeated_result_lives_as_long_as_a_new_one(gate: Gate, clock: Clock) -> None:
    first = handle_of(answer_of(gate))
    clock.time += 1_000
    answer_of(gate, ROWS, first)
    clock.time += 1_799  # a second less than the default lifetime
    assert b"isError" not in gate.fetch("ann", {"action": "info", "cache_id": first})


@pytest.mark.parametrize(
    "changes",
    [
        {"data": ROWS[1:]},
        {"error": True},
        {"blocks": [PICTURE] * 2},
        {"arguments": {"state": "open"}},
    ],
    ids=str,
)
def test_any_other_answer_is_a_whole_notice(gate: Gate, changes: dict[str, Any]) -> None:
    first = handle_of(answer_of(gate))
    data = changes.pop("data", ROWS)
    again = answer_of(gate, data, first, **changes)
    assert handle_of(again) != first
    assert "shape" in line_of(again)


def test_another_conversation_gets_the_whole_notice(gate: Gate) -> None:
    first = handle_of(answer_of(gate))
    again = answer_of(gate)
    assert handle_of(again) != first
    assert "shape" in line_of(again)
    assert line_of(again)["changes"] == f"since {first}, 0 s ago: unchanged"


def test_result_that_was_dropped_is_held_again(gate: Gate) -> None:
    first = handle_of(answer_of(gate))
    gate.store.drop("ann", first)
    assert handle_of(answer_of(gate, ROWS, first)) != first


def test_client_with_an_output_schema_gets_the_line_in_structured_content_too(gate: Gate) -> None:
    first = handle_of(answer_of(gate, structured=True))
    again = answer_of(gate, ROWS, first, structured=True)
    assert again["structuredContent"] == line_of(again)
    assert handle_of(again) == first


def test_full_notice_is_never_shortened(clock: Clock) -> None:
    with open_store("memory:", now=clock) as store, closing(gate_of(store, clock, notice="full")) as gate:
        first = handle_of(answer_of(gate))
        assert handle_of(answer_of(gate, ROWS, first)) != first
