"""Which lines differ: what is found turns the old lines into the new ones, whatever is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.changes import lines
from penstock.core.changes.lines import LineChange, count_lines, counts_of, line_changes, quick_changes, split_both

if TYPE_CHECKING:
    from collections.abc import Sequence

# Few different lines: most of them stand several times in a text, which is what makes a diff hard.
TEXTS = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"", b"x y"]), max_size=12)


def patched(old: Sequence[bytes], new: Sequence[bytes], hunks: Sequence[LineChange]) -> list[bytes]:
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
    found = quick_changes(old, new)
    if found is not None:
        assert patched(old, new, found) == new
        assert sum(len(one.new) - len(one.old) for one in found) == len(put)


@given(TEXTS, TEXTS)
def test_lines_are_counted_as_they_are_found_or_told_as_different_lines(old: list[bytes], new: list[bytes]) -> None:
    counts, found = count_lines(old, new), quick_changes(old, new)
    if counts.exact:
        assert found is not None
        assert counts == counts_of(found, len(new))
    else:
        assert found is None
        assert (counts.added, counts.removed) == (len(set(new) - set(old)), len(set(old) - set(new)))


def test_a_text_that_only_grew_has_one_hunk_at_its_end() -> None:
    old = [b"one", b"two", b"one"]
    assert line_changes(old, [*old, b"one", b"three"]) == [LineChange(range(3, 3), range(3, 5))]


def test_the_tail_of_a_log_lost_lines_at_its_beginning_and_got_others_at_its_end() -> None:
    log = [b"start", b"same", b"one", b"same", b"two", b"same", b"three", b"same", b"end"]
    assert quick_changes(log[:7], log[2:]) == [LineChange(range(2), range(0)), LineChange(range(7, 7), range(5, 7))]
    assert count_lines(log[:7], log[2:]) == (2, 2, False, True)
    assert quick_changes([b"x", b"a", b"y"], [b"a", b"z"]) is not None


def test_lines_that_changed_their_order_are_found_between_those_that_did_not() -> None:
    old = [b"1", b"2", b"move", b"3", b"4", b"5", b"again", b"again"]
    new = [b"2", b"1", b"3", b"4", b"move", b"5", b"again"]
    found = line_changes(old, new)
    assert patched(old, new, found) == new
    assert sum(len(one.old) for one in found) == 3


def test_lines_between_anchors_that_are_the_same_are_no_change() -> None:
    old = [b"move", b"1", b"x", b"x", b"2", b"x", b"3", b"gone"]
    new = [b"1", b"x", b"x", b"2", b"move", b"x", b"x", b"3"]
    found = line_changes(old, new)
    assert patched(old, new, found) == new
    assert sum(len(one.new) for one in found) == 2


def test_a_line_that_stands_in_a_text_too_often_tells_no_shift() -> None:
    old = [b"first", *[b"x", b"y"] * 20, b"last"]
    new = [*[b"x", b"z"] * 20, b"last 2"]
    assert patched(old, new, line_changes(old, new)) == new


def test_a_text_of_repeated_lines_is_told_as_a_whole_where_it_would_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "MOST_ROUNDS", 0)
    old, new = [b"a", b"1", b"a", b"2"], [b"2", b"a", b"1", b"a", b"a"]
    assert line_changes(old, new) == [LineChange(range(4), range(5))]


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
