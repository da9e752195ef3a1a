"""Bytes in a file are read as the same bytes in memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json.buffer import count_of, in_memory, is_same, pieces, with_between
from tests.kit.mapped import mapped

some_bytes = st.binary(min_size=1, max_size=60)


@given(some_bytes, st.integers(1, 70), st.integers(0, 60), st.integers(0, 60))
def test_pieces_put_together_are_the_part_of_the_data(data: bytes, size: int, start: int, end: int) -> None:
    for one in (data, mapped(data), memoryview(data)):
        assert in_memory(pieces(one, size=size)) == data
        assert in_memory(pieces(one, start, max(start, min(end, len(data))), size)) == data[start : max(start, end)]


@given(some_bytes, some_bytes)
def test_bytes_are_counted_and_compared_wherever_they_are(data: bytes, other: bytes) -> None:
    assert count_of(mapped(data), data[:1]) == count_of(data, data[:1]) == data.count(data[:1])
    for left in (data, mapped(data)):
        assert is_same(left, mapped(data))
        assert is_same(left, data)
        assert is_same(left, mapped(other)) == is_same(left, other) == (data == other)


def test_parts_are_joined_with_something_between_any_two() -> None:
    assert in_memory(with_between([b"1", mapped(b"2"), b"3"], b",", b"[", b"]")) == b"[1,2,3]"
    assert in_memory(with_between([], b",", b"[", b"]")) == b"[]"
