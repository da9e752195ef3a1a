"""Which items of two arrays belong together: all of them are accounted for, once each."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any
from zlib import adler32

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from penstock.core.changes.rows import FEW, Alignment, align

ROWS = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 6), "state": st.sampled_from(["open", "closed"])})
    | st.integers(0, 3)
    | st.sampled_from(["a", "b"]),
    max_size=8,
)


def written(rows: list[Any]) -> list[bytes]:
    return [json.dumps(row, separators=(",", ":")).encode() for row in rows]


def aligned(old: list[Any], new: list[Any], **options: Any) -> Alignment:
    return align(written(old), written(new), **options)


def rows(*pairs: tuple[Any, str], name: str = "id") -> list[dict[str, Any]]:
    return [{name: key, "state": state} for key, state in pairs]


@given(ROWS, ROWS)
def test_every_item_is_the_same_or_changed_or_added_or_removed(old: list[Any], new: list[Any]) -> None:
    was, now = written(old), written(new)
    found = aligned(old, new)
    left = Counter(was)
    left.subtract(was[at] for at in found.removed)
    left.subtract(was[one] for one, _ in found.pairs)
    left.update(now[other] for _, other in found.pairs)
    left.update(now[at] for at in found.added)
    assert +left == Counter(now)
    assert found.same == len(now) - len(found.pairs) - len(found.added)
    is_same = not (found.pairs or found.added or found.removed or found.moved)
    assert is_same is (was == now)
    assert all(was[one] != now[other] for one, other in found.pairs)


@given(ROWS, ROWS)
def test_what_was_not_moved_comes_in_order(old: list[Any], new: list[Any]) -> None:
    was, now = written(old), written(new)
    found = aligned(old, new)
    if not found.moved:
        made = dict(enumerate(was)) | {one: now[other] for one, other in found.pairs}
        kept = [made[at] for at in sorted(made) if at not in found.removed]
        for at in found.added:
            kept.insert(at, now[at])
        assert kept == now


# Edits of a longer list: rows put in, taken out, written anew, doubled and moved, at any places.
EDITS = st.lists(
    st.tuples(st.sampled_from(["put", "take", "change", "double", "move"]), st.integers(0, 99)), max_size=12
)


def edited(rows: list[Any], edits: list[tuple[str, int]]) -> list[Any]:
    made = list(rows)
    for number, (edit, place) in enumerate(edits):
        at = place % len(made)
        if edit == "put":
            made.insert(at, {"id": 1_000 + number, "state": "new"})
        elif edit == "double":
            made.insert(at, made[at])
        elif edit == "change":
            made[at] = {**made[at], "state": f"now {number}"}
        else:
            row = made.pop(at)
            made[place // 2 : place // 2] = [row] if edit == "move" or not made else []
    return made


@given(st.integers(1, 60), st.sampled_from([1, 3, 100]), EDITS, st.booleans())
def test_as_many_items_are_the_same_as_both_have(
    count: int, different: int, edits: list[tuple[str, int]], is_raw: bool
) -> None:
    old = [{"id": number % different, "state": "open"} for number in range(count)]
    new = edited(old, edits)
    kind = Raw if is_raw else bytes
    was, now = list(map(kind, written(old))), list(map(kind, written(new)))
    match = align(was, now)
    in_both = Counter(written(old)) & Counter(written(new))
    assert match.same == in_both.total()
    assert match == aligned(old, new)
    assert len(was) == match.same + len(match.pairs) + len(match.removed)
    assert len(now) == match.same + len(match.pairs) + len(match.added)
    if not match.moved:
        gone = {*match.removed, *(one for one, _ in match.pairs)}
        come = {*match.added, *(other for _, other in match.pairs)}
        kept = [row for at, row in enumerate(written(old)) if at not in gone]
        assert kept == [row for at, row in enumerate(written(new)) if at not in come]


def test_rows_with_the_same_checksum_are_not_the_same_rows() -> None:
    one, other = b'{"id":"aaca"}', b'{"id":"abab"}'
    assert adler32(one) == adler32(other)
    match = align([one, b"1", b"2"], [b"2", b"1", other])
    assert (match.same, match.added, match.removed, match.moved) == (2, (2,), (0,), True)
    both = align([one, other, b"1"], [b"1", other, one])
    assert (both.same, both.moved) == (3, True)


def test_rows_that_differ_in_the_spelling_of_a_number_are_pairs() -> None:
    old = [b'{"id":1,"n":1}', b'{"id":2,"n":2}', b'{"id":3,"n":3}']
    assert align(old, [old[0], b'{"id":2,"n":2.0}', old[2]]) == Alignment(pairs=((1, 1),), same=2, key=("id",))


def test_rows_with_the_same_key_are_one_row_that_changed() -> None:
    old = rows((1, "open"), (2, "open"), (3, "open"))
    new = rows((2, "closed"), (3, "open"), (4, "open"))
    found = aligned(old, new)
    assert found == Alignment(pairs=((1, 0),), added=(2,), removed=(0,), same=1, key=("id",))


def test_rows_that_were_put_in_another_order_are_the_same_rows() -> None:
    old = rows((1, "a"), (2, "b"), (3, "c"))
    assert aligned(old, old[::-1]) == Alignment(same=3, moved=True)


def test_a_key_that_two_rows_have_tells_none_apart() -> None:
    old = rows((1, "a"), (1, "b"), (2, "b"))
    found = aligned(old, rows((1, "a"), (1, "x"), (3, "x"), (4, "x")))
    assert found.key is None
    assert found == Alignment(added=(1, 2, 3), removed=(1, 2), same=1)


def test_without_a_key_rows_at_the_same_places_are_the_same_rows_changed() -> None:
    assert aligned([1, 2, 3], [1, 5, 3]) == Alignment(pairs=((1, 1),), same=2)
    assert aligned([1, 2, 3], [1, 5, 3, 4]) == Alignment(added=(1, 3), removed=(1,), same=2)


def test_items_that_are_alike_belong_together_from_the_first_on() -> None:
    assert aligned([7, 7, 8], [8, 7]) == Alignment(removed=(1,), same=2, moved=True)
    assert aligned([7, 8], [7, 7, 8]).added == (1,)


def test_a_brief_alignment_leaves_pairs_open_where_much_differs() -> None:
    old = [{"id": number, "text": "x" * 1_000} for number in range(100)]
    new = [{**row, "text": "y" * 1_000} for row in old]
    assert len(b"".join(written(old))) > FEW
    found = aligned(old, new, brief=True)
    assert (found.is_open, found.pairs, len(found.added), len(found.removed)) == (True, (), 100, 100)
    assert len(aligned(old, new).pairs) == 100
    few = aligned(old, [*old[:-1], {**old[-1], "text": "z"}], brief=True)
    assert (few.is_open, few.pairs) == (False, ((99, 99),))
    assert not aligned(old, [*old, *new], brief=True).is_open  # rows that were only added are no pairs
