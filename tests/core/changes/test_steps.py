"""Two lists gone through in step: the hunks turn one into the other, and between them all parts are the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.changes.steps import FARTHEST, FEW, SHARE, PartChange, in_step, trimmed

PARTS = st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), max_size=40)


def whole(old: list[bytes], new: list[bytes]) -> PartChange:
    return PartChange(range(len(old)), range(len(new)))


@given(PARTS, PARTS, st.integers(0, 5), st.integers(0, 5))
def test_parts_between_hunks_are_the_same(old: list[bytes], new: list[bytes], before: int, behind: int) -> None:
    inside = PartChange(range(min(before, len(old)), len(old)), range(min(behind, len(new)), len(new)))
    hunks = in_step(old, new, inside)
    if hunks is None:
        return
    first, second = inside.old.start, inside.new.start
    for hunk in hunks:
        assert hunk.old or hunk.new
        assert old[first : hunk.old.start] == new[second : hunk.new.start]
        assert hunk.old.start > first or hunk is hunks[0]
        first, second = hunk.old.stop, hunk.new.stop
    assert old[first:] == new[second:]


@given(st.sets(st.integers(0, 19), max_size=FEW))
def test_single_parts_that_were_changed_are_all_that_differs(changed: set[int]) -> None:
    old = [b"%d" % number for number in range(60)]
    places = [3 * number + 1 for number in sorted(changed)]
    new = [b"new" if number in places else part for number, part in enumerate(old)]
    assert in_step(old, new, whole(old, new)) == [PartChange(range(at, at + 1), range(at, at + 1)) for at in places]


def test_behind_too_many_parts_nothing_is_looked_for() -> None:
    old = [b"%d" % number for number in range(100)]
    put = [b"new"] * FARTHEST
    assert in_step(old, [*old[:50], *put, *old[50:]], whole(old, [*old, *put])) == [
        PartChange(range(50, 50), range(50, 50 + FARTHEST))
    ]
    longer = [*old[:50], *put, b"new", *old[50:]]
    assert in_step(old, longer, whole(old, longer)) is None


def test_where_many_parts_differ_it_is_given_up() -> None:
    old = [b"%d" % number for number in range(FEW * SHARE)]
    few = [b"new" if number % SHARE == 1 else part for number, part in enumerate(old * 2)]
    many = [b"new" if number % 4 == 1 else part for number, part in enumerate(old)]
    assert len(in_step(old * 2, few, whole(few, few)) or ()) == 2 * FEW
    assert in_step(old, many, whole(old, many)) is None


def test_what_one_list_has_more_at_its_end_is_a_hunk() -> None:
    assert in_step([b"a", b"b"], [b"x", b"b", b"c"], whole([b""] * 2, [b""] * 3)) == [
        PartChange(range(1), range(1)),
        PartChange(range(2, 2), range(2, 3)),
    ]


def test_the_same_parts_at_both_ends_are_trimmed() -> None:
    old, new = [b"a", b"b", b"c", b"d"], [b"a", b"x", b"d"]
    assert trimmed(old, new) == PartChange(range(1, 3), range(1, 2))
    assert trimmed(old, new, PartChange(range(1, 3), range(1, 2))) == PartChange(range(1, 3), range(1, 2))
    assert trimmed([b"a", b"a"], [b"a"]) == PartChange(range(1, 2), range(1, 1))
