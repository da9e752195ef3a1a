"""Pages of items: whatever there is room for, each page goes on where the one before it ended."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_server.pages import Shelf

MARKER = "… [goes on on the next page]"


def shelf_of(text: str) -> Shelf:
    return Shelf(
        texts=[[text]],
        shares=(1.0,),
        costs=[[len(text)]],
        whole=frozenset(),
        measure=len,
        marker=MARKER,
        heading=lambda _, index: f"### c{index} (continued)\n",
    )


@given(st.integers(1, 90), st.sampled_from(["x", "word ", "🎯\u200d", "e\u0301"]), st.integers(0, 150))
def test_every_page_has_something_and_all_pages_have_all(times: int, part: str, room: int) -> None:
    """Regression: what was left of an item was shorter than the marker, and pages without any item had no end."""
    text = part * times
    shelf = shelf_of(text)
    position, end = shelf.start(), 0
    while shelf.waiting(position):
        parts, after = shelf.fill(position, room, 3, parts_items=True)
        assert parts
        assert parts[0].start == end
        assert after != position
        position, end = after, parts[-1].end
    assert end == len(text)
