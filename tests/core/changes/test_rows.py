"""Which items of two arrays belong together: all of them are accounted for, once each."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

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
    return align(written(old), written(new), b"[" + b",".join(written(new)) + b"]", **options)


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
