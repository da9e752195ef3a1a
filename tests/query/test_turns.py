"""Who gets the next place: owners by turns, and nobody behind all that another has waiting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import CallerError
from penstock.query.sandbox.turns import Turn, Turns


class Board:
    """Turns whose starts are written down in order."""

    def __init__(self, places: int, waiting: int = 32) -> None:
        self.turns = Turns(places, waiting=waiting)
        self.started: list[str] = []
        self.running: list[Turn] = []

    def ask(self, name: str, owner: str | None = None) -> Turn:
        return self.turns.ask(owner or name[0], lambda: self.started.append(name))


def test_an_owner_alone_uses_all_places_and_another_gets_the_next_one() -> None:
    board = Board(2)
    first = [board.ask(f"a{number}") for number in range(6)]
    assert board.started == ["a0", "a1"]
    other = [board.ask("b0"), board.ask("b1"), board.ask("c0")]
    board.turns.end(first[0])
    board.turns.end(first[1])
    assert board.started[2:] == ["b0", "c0"]
    board.turns.end(other[0])
    assert board.started[4:] == ["a2"]
    board.turns.end(other[2])
    assert board.started[5:] == ["b1"]


def test_more_than_may_wait_are_refused_at_once_and_others_are_not() -> None:
    board = Board(1, waiting=2)
    turns = [board.ask(f"a{number}") for number in range(3)]
    with pytest.raises(CallerError, match="2 queries of yours are waiting already"):
        board.ask("a3")
    board.ask("b0")
    board.turns.end(turns[1])
    board.ask("a4")
    board.turns.end(turns[0])
    assert board.started == ["a0", "b0"]


def test_a_turn_can_be_ended_twice_and_before_it_began() -> None:
    board = Board(1)
    first, second, third = (board.ask(name) for name in ("a0", "a1", "a2"))
    for turn in (second, second, first, first):
        board.turns.end(turn)
    assert board.started == ["a0", "a2"]
    board.turns.end(third)
    with board.turns.turn("x", seconds=0):
        pass


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=60), st.integers(1, 4))
def test_no_place_is_idle_while_someone_waits_and_none_is_given_twice(
    steps: list[tuple[str, bool]], places: int
) -> None:
    turns = Turns(places)
    asked: list[Turn] = []
    for owner, is_end in steps:
        if is_end and asked:
            turns.end(asked.pop(0))
        else:
            asked.append(turns.ask(owner, lambda: None))
        running = [turn.owner for turn in asked if turn.is_running]
        assert len(running) == min(places, len(asked))
    for turn in asked:
        turns.end(turn)
    assert not turns._running
    assert not turns._waiting
