"""Other bytes at some places, and every other byte as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json.splice import Splice, splice


def test_splices_are_made_where_they_belong() -> None:
    assert splice(b"abcdef", [Splice(0, 1, b"A"), Splice(2, 2, b"-"), Splice(4, 6, b"")]) == b"Ab-cd"
    assert splice(b"", []) == b""


@given(st.lists(st.tuples(st.binary(), st.binary(), st.binary())), st.binary())
def test_a_splice_and_its_inverse_give_the_original(parts: list[tuple[bytes, bytes, bytes]], tail: bytes) -> None:
    before, there, back = b"", [], []
    after = b""
    for kept, old, new in parts:
        before, after = before + kept, after + kept
        there.append(Splice(len(before), len(before) + len(old), new))
        back.append(Splice(len(after), len(after) + len(new), old))
        before, after = before + old, after + new
    assert splice(before + tail, there) == after + tail
    assert splice(after + tail, back) == before + tail
