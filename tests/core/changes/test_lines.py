"""Which lines differ: what is found turns the old lines into the new ones, whatever is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.changes import lines
from penstock.core.changes.lines import (
    LineCounts,
    count_changes,
    counts_of,
    line_changes,
    split_both,
    text_changes,
)
from penstock.core.changes.steps import FARTHEST, PartChange

if TYPE_CHECKING:
    from collections.abc import Sequence

# Few different lines: most of them stand several times in a text, which is what makes a diff hard.
FEW = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"", b"x y"]), max_size=12)


def blocks(names: Sequence[bytes]) -> list[bytes]:
    """Return a text of blocks of lines, each too long to be left out when two texts are gone through in step."""
    return [b"%s %d" % (name, number) for name in names for number in range(FARTHEST + 1)]


TEXTS = FEW | FEW.map(blocks)


def patched(old: Sequence[bytes], new: Sequence[bytes], hunks: Sequence[PartChange]) -> list[bytes]:
    """Return the old lines with the hunks applied, the last first."""
    made = list(old)
    for hunk in reversed(hunks):
        made[hunk.old.start : hunk.old.stop] = new[hunk.new.start : hunk.new.stop]
    return made


@given(TEXTS, TEXTS)
def test_the_hunks_turn_the_old_lines_into_the_new_ones(old: list[bytes], new: list[bytes]) -> None:
    found = line_changes(old, new)
    assert patched(old, new, found) == new
    assert (found == []) is (old == new)
    assert all(hunk.old or hunk.new for hunk in found)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 12), st.sampled_from([b"new 1", b"new 2", b"a"])), max_size=4))
def test_no_more_lines_are_told_than_were_put_in_where_the_others_are_quickly_found(
    old: list[bytes], put: list[tuple[int, bytes]]
) -> None:
    new = list(old)
    for at, line in put:
        new.insert(at, line)
    hunks = line_changes(old, new)
    assert patched(old, new, hunks) == new
    assert sum(len(one.new) - len(one.old) for one in hunks) == len(put)


ENDS = st.sampled_from([b"", b"\n"])


@given(TEXTS, TEXTS, ENDS, ENDS)
def test_the_hunks_of_texts_turn_one_into_the_other_and_are_counted(
    old: list[bytes], new: list[bytes], end: bytes, new_end: bytes
) -> None:
    was, now = b"\n".join(old) + end, b"\n".join(new) + new_end
    lines, new_lines = split_both(was, now)
    hunks = text_changes(was, now)
    assert patched(lines, new_lines, hunks) == new_lines
    assert (hunks == []) is (was == now)
    if was != now:
        assert count_changes(was, now) == counts_of(hunks, len(lines), len(new_lines))


def test_a_text_that_only_grew_has_one_hunk_at_its_end() -> None:
    old = [b"one", b"two", b"one"]
    assert line_changes(old, [*old, b"one", b"three"]) == [PartChange(range(3, 3), range(3, 5))]


def test_the_tail_of_a_log_lost_lines_at_its_beginning_and_got_others_at_its_end() -> None:
    log = [b"start", b"same", b"one", b"same", b"two", b"same", b"three", b"same", b"end"]
    assert line_changes(log[:7], log[2:]) == [PartChange(range(2), range(0)), PartChange(range(7, 7), range(5, 7))]
    long, size = blocks(log), FARTHEST + 1
    assert line_changes(long[: 7 * size], long[2 * size :]) == [
        PartChange(range(2 * size), range(0)),
        PartChange(range(7 * size, 7 * size), range(5 * size, 7 * size)),
    ]


def test_lines_that_changed_their_order_are_found_between_those_that_did_not() -> None:
    old = [b"1", b"2", b"move", b"3", b"4", b"5", b"again", b"again"]
    new = [b"2", b"1", b"3", b"4", b"move", b"5", b"again"]
    for was, now, lines_of_each in ((old, new, 1), (blocks(old), blocks(new), FARTHEST + 1)):
        hunks = line_changes(was, now)
        assert patched(was, now, hunks) == now
        assert sum(len(one.old) for one in hunks) == 3 * lines_of_each


def test_lines_between_anchors_that_are_the_same_are_no_change() -> None:
    old = [b"move", b"1", b"x", b"x", b"2", b"x", b"3", b"gone"]
    new = [b"1", b"x", b"x", b"2", b"move", b"x", b"x", b"3"]
    for was, now, lines_of_each in ((old, new, 1), (blocks(old), blocks(new), FARTHEST + 1)):
        hunks = line_changes(was, now)
        assert patched(was, now, hunks) == now
        assert sum(len(one.new) for one in hunks) == 2 * lines_of_each


def test_lines_that_stand_once_in_both_are_anchors_between_those_that_do_not() -> None:
    old = blocks([b"x", b"1", b"y", b"2", b"x"])
    new = blocks([b"y", b"x", b"1", b"x", b"2", b"y"])
    hunks = line_changes(old, new)
    assert patched(old, new, hunks) == new
    assert sum(len(one.old) for one in hunks) == 2 * (FARTHEST + 1)


def test_texts_without_a_line_in_common_have_other_lines_altogether() -> None:
    old, new = blocks([b"a"]), blocks([b"b", b"c"])
    assert line_changes(old, new) == [PartChange(range(len(old)), range(len(new)))]


def test_lines_that_only_came_and_went_are_counted() -> None:
    old, new = blocks([b"a", b"gone", b"b", b"also gone", b"c", b"x"]), blocks([b"a", b"b", b"new", b"c", b"y"])
    size = FARTHEST + 1
    assert count_changes(b"\n".join(old), b"\n".join(new)) == LineCounts(2 * size, 3 * size, len(old))


def test_a_block_that_was_put_in_far_from_its_end_is_counted() -> None:
    log = [b"%d of the lines of a log" % number for number in range(9_000)]
    block = [b"other line %d" % number for number in range(2_000)]
    for at, at_end in ((0, False), (3_000, False), (9_000, True)):
        new = [*log[:at], *block, *log[at:]]
        added = count_changes(b"\n".join(log), b"\n".join(new))
        assert added == LineCounts(2_000, 0, 9_000, at_end=at_end)
        removed = count_changes(b"\n".join(new), b"\n".join(log))
        assert removed == LineCounts(0, 2_000, 11_000)


def test_a_log_that_lost_its_beginning_and_grew_is_counted() -> None:
    log = [b"%d of the lines of a log" % number for number in range(9_000)]
    assert count_changes(b"\n".join(log[:8_000]), b"\n".join(log[1_500:])) == LineCounts(1_000, 1_500, 8_000)


def test_a_line_that_stands_in_a_text_too_often_tells_no_shift() -> None:
    old = [b"first", *[b"x", b"y"] * 20, b"last"]
    new = [*[b"x", b"z"] * 20, b"last 2"]
    assert patched(old, new, line_changes(old, new)) == new


def test_a_text_of_repeated_lines_is_told_as_a_whole_where_it_would_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "MOST_ROUNDS", 0)
    old, new = blocks([b"a", b"1", b"a", b"2"]), blocks([b"2", b"a", b"1", b"a", b"a"])
    assert line_changes(old, new) == [PartChange(range(len(old)), range(len(new)))]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"a\nb\n", b"a\n", ([b"a", b"b"], [b"a"])),
        (b"a\nb", b"a\nb\n", ([b"a", b"b"], [b"a", b"b", b""])),
        (b"", b"a", ([], [b"a"])),
        (b"a", b"", ([b"a"], [])),
        (b"\n", b"\n\n", ([b""], [b"", b""])),
    ],
)
def test_a_newline_at_the_end_of_one_text_alone_is_a_line_more(
    old: bytes, new: bytes, expected: tuple[list[bytes], list[bytes]]
) -> None:
    assert split_both(old, new) == expected


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_texts_have_the_same_lines_only_if_they_are_the_same(old: bytes, new: bytes) -> None:
    was, now = split_both(old, new)
    assert (was == now) is (old == new)
