"""The results of one turn share ``turn_tokens``: small ones pass, the largest are held first."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.config.model import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.gate.turn_budget import GAP, MAX_CONVERSATIONS, TurnBudget
from penstock.stores import open_store
from tests.gate.conftest import Clock
from tests.kit.answers import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator

TURN = 6_000


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def gate(clock: Clock) -> Iterator[Gate]:
    with open_store("memory:", now=clock) as store, closing(Gate(store, Config(turn_tokens=TURN), now=clock)) as gate:
        yield gate


def result_of(rows: int) -> bytes:
    data = [{"id": number, "title": f"ticket {number} about words"} for number in range(rows)]
    return json.dumps({"content": [{"type": "text", "text": json.dumps(data)}]}).encode()


def outcome(gate: Gate, rows: int, together: int = 1, tool: str = "list") -> str:
    return gate.decide(Call(tool=tool, owner="ann"), result_of(rows), together=together).outcome.kind


def test_small_results_pass_and_the_large_one_of_the_same_turn_is_held(gate: Gate) -> None:
    assert [outcome(gate, rows, together) for rows, together in ((5, 3), (150, 2), (5, 1))] == [
        "passed",
        "held",
        "passed",
    ]


def test_notice_says_that_the_turn_decided(gate: Gate) -> None:
    answer = json.loads(gate.decide(Call(tool="list", owner="ann"), result_of(150), together=4).answer)
    assert f"turn_tokens leaves {TURN // 4:,} for this result" in line_of(answer)["message"]


def test_new_turn_begins_some_seconds_after_the_last_response(gate: Gate, clock: Clock) -> None:
    kinds = [outcome(gate, 100, tool=f"list {number}") for number in range(4)]
    assert kinds[0] == "passed"
    assert kinds[-1] == "held"
    clock.time += GAP + 1
    assert outcome(gate, 100) == "passed"


def test_other_conversations_have_turns_of_their_own(gate: Gate) -> None:
    for number in range(4):
        outcome(gate, 100, tool=f"list {number}")
    admission = gate.decide(Call(tool="list", owner="bob"), result_of(100))
    assert admission.outcome.kind == "passed"


@given(
    sizes=st.lists(st.integers(0, 5_000), min_size=1, max_size=12),
    turn=st.integers(250, 20_000),
)
def test_results_that_pass_never_exceed_the_budget_of_the_turn(sizes: list[int], turn: int) -> None:
    turns = TurnBudget(turn, now=lambda: 100.0)
    passed = 0
    for number, size in enumerate(sizes):
        if size <= turns.allowance("ann", len(sizes) - number):
            turns.spend("ann", size)
            passed += size
    assert passed <= turn


@given(sizes=st.permutations([100, 200, 300, 4_000]))
def test_smallest_results_pass_in_any_order_of_arrival(sizes: list[int]) -> None:
    turns = TurnBudget(1_600, now=lambda: 100.0)
    passed = []
    for number, size in enumerate(sizes):
        if size <= turns.allowance("ann", len(sizes) - number):
            turns.spend("ann", size)
            passed.append(size)
    assert sorted(passed) == [100, 200, 300]


def test_conversations_that_are_long_past_are_forgotten() -> None:
    turns = TurnBudget(1_000, now=lambda: 100.0)
    for number in range(MAX_CONVERSATIONS + 1):
        turns.spend(str(number), 600)
    assert turns.allowance("0", 1) == 1_000
    assert turns.allowance("1", 1) == 400


@pytest.mark.parametrize("value", ["off", None])
def test_off_is_no_budget_of_a_turn(value: Any) -> None:
    assert Config(turn_tokens=value).turn_tokens is None
