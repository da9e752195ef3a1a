"""Which lines differ: the reported hunks turn the old lines into the new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.changes.lines import common_ends, line_changes

if TYPE_CHECKING:
    from penstock.core.changes.lines import LineChanges

# Few different lines: most of them appear several times in a text, which makes a diff hard.
LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"x y"]), max_size=12)
ENDS = st.sampled_from([b"", b"\n"])


def patched(found: LineChanges) -> list[bytes]:
    """Return the old lines with the hunks applied, the last first."""
    made = list(found.old)
    for hunk in reversed(found.hunks):
        made[hunk.old.start : hunk.old.stop] = found.new[hunk.new.start : hunk.new.stop]
    return made


@given(LINES, LINES, ENDS, ENDS)
def test_hunks_turn_the_old_text_into_the_new_one(
    old: list[bytes], new: list[bytes], end: bytes, new_end: bytes
) -> None:
    before, after = b"\n".join(old) + end, b"\n".join(new) + new_end
    found = line_changes(before, after)
    assert patched(found) == list(found.new)
    assert (not found.hunks) is (before == after)
    closing = b"\n" if before.endswith(b"\n") and after.endswith(b"\n") else b""
    assert b"\n".join(found.new) + closing == after


@given(LINES, st.lists(st.tuples(st.integers(0, 12), st.sampled_from([b"new 1", b"new 2"])), max_size=4))
def test_inserted_lines_are_the_only_changes(old: list[bytes], inserted: list[tuple[int, bytes]]) -> None:
    new = list(old)
    for at, line in inserted:
        new.insert(at, line)
    found = line_changes(b"\n".join([*old, b"end"]), b"\n".join([*new, b"end"]))
    assert sum(len(hunk.new) for hunk in found.hunks) == len(inserted)
    assert sum(len(hunk.old) for hunk in found.hunks) == 0


def test_common_ends_do_not_overlap() -> None:
    assert common_ends([b"a", b"a"], [b"a", b"a", b"a"]) == (2, 0)
    assert common_ends([b"a", b"b", b"c"], [b"a", b"x", b"c"]) == (1, 1)
    assert common_ends([], [b"a"]) == (0, 0)


def test_a_log_that_lost_its_first_lines_and_grew_is_counted_exactly() -> None:
    lines = [b"%d" % number for number in range(30_000)]
    found = line_changes(b"\n".join(lines[:29_000]), b"\n".join(lines[500:]))
    assert found.words == "+1,000 -500 lines, 28,500 unchanged"


def test_a_text_that_grew_at_the_end_says_so() -> None:
    assert line_changes(b"a\nb\n", b"a\nb\nc\n").words == "+1 line at the end, 2 unchanged"
    assert line_changes(b"a\nb\n", b"a\nc\nb\n").words == "+1 line, 2 unchanged"


def test_moved_lines_are_aligned_if_there_are_few() -> None:
    lines = [b"line %d" % number for number in range(50)]
    found = line_changes(b"\n".join(lines), b"\n".join([*reversed(lines[:49]), b"new"]))
    assert found.is_aligned
    assert patched(found) == list(found.new)


def test_many_moved_lines_are_one_change() -> None:
    lines = [b"line %d" % number for number in range(3_000)]
    found = line_changes(b"\n".join([b"first", *lines]), b"\n".join([b"first", *reversed(lines)]))
    assert not found.is_aligned
    assert found.words == "lines 2-3001 of 3001 differ, partly by their order"
    assert patched(found) == list(found.new)


def test_texts_without_a_common_line_are_counted_however_long() -> None:
    old, new = (b"\n".join(b"%s %d" % (name, number) for number in range(3_000)) for name in (b"old", b"new"))
    assert line_changes(old, new).words == "+3,000 -3,000 lines, 0 unchanged"
