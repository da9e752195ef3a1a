"""Who gets the next place: groups by turns, in a group its parts, and none behind all that another has waiting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import CallerError
from penstock.query.sandbox.turns import Turn, Turns
from penstock.share import Share

SHARES = st.builds(Share, st.sampled_from("abc"), st.sampled_from(["", "x", "y"]))


class Board:
    """Turns whose starts are written down in order."""

    def __init__(self, places: int, waiting: int = 32) -> None:
        self.turns = Turns(places, waiting=waiting)
        self.started: list[str] = []
        self.running: list[Turn] = []

    def ask(self, name: str, part: str = "") -> Turn:
        return self.turns.ask(Share(name[0], part), lambda: self.started.append(name))


def test_a_group_alone_uses_all_places_and_another_gets_the_next_one() -> None:
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
    with board.turns.turn(Share("x"), seconds=0):
        pass


def test_many_parts_of_a_group_count_as_one_and_take_turns_among_themselves() -> None:
    board = Board(1)
    turns = [board.ask(f"a{part}{number}", part) for part in "xy" for number in range(3)]
    turns += [board.ask("b0"), board.ask("b1")]
    for _ in range(len(turns)):
        board.turns.end(next(turn for turn in turns if turn.is_running))
    assert board.started == ["ax0", "b0", "ay0", "b1", "ax1", "ay1", "ax2", "ay2"]


def test_what_may_wait_is_counted_for_the_whole_group() -> None:
    board = Board(1, waiting=2)
    for part in "xyz":
        board.ask(f"a{part}", part)
    with pytest.raises(CallerError, match="2 queries of yours are waiting already"):
        board.ask("av", "v")


@given(st.lists(st.tuples(SHARES, st.booleans()), max_size=60), st.integers(1, 4))
def test_no_place_is_idle_while_someone_waits_and_none_is_given_twice(
    steps: list[tuple[Share, bool]], places: int
) -> None:
    turns = Turns(places)
    matches_of: list[Turn] = []
    for share, is_end in steps:
        if is_end and matches_of:
            turns.end(matches_of.pop(0))
        else:
            matches_of.append(turns.ask(share, lambda: None))
        running = [turn.share for turn in matches_of if turn.is_running]
        assert len(running) == min(places, len(matches_of))
    for turn in matches_of:
        turns.end(turn)
    assert not turns._running
    assert not turns._waiting
    assert not turns._served
