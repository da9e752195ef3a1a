"""What was read is known to the byte, told by rows, and costs a few bytes for each new part."""

from __future__ import annotations

import json
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.act.receipts import (
    BODY,
    MAX_BYTES,
    MAX_CALLS,
    MOST_WORDS,
    RAW,
    Range,
    ReadCall,
    calls,
    is_full,
    noted,
    noted_again,
    noted_call,
    ranges,
    ranges_text,
    rows_read,
    size,
    unseen,
)
from penstock.core.json.index import build, index_lines, reader

ROWS = json.dumps([{"a": number} for number in range(10)], indent=1).encode()
INDEX = build(ROWS)
assert INDEX is not None
assert INDEX.root is not None
TABLE = INDEX.root


def rows(start: int, end: int) -> list[Range]:
    return rows_read(TABLE, reader(ROWS), [Range(start, end)])


def test_ranges_are_joined_and_kept_apart_by_stream() -> None:
    seen = b""
    for stream, start, end in ((RAW, 5, 9), (RAW, 0, 3), (BODY, 0, 100), (RAW, 3, 5), (RAW, 20, 30)):
        seen += noted(seen, stream, start, end)
    assert ranges(seen, RAW) == [(0, 9), (20, 30)]
    assert ranges(seen, BODY) == [(0, 100)]
    assert ranges(seen + b"torn", RAW) == [(0, 9), (20, 30)]


def test_what_is_read_again_or_empty_is_not_noted_again() -> None:
    seen = noted(b"", RAW, 10, 20)
    assert noted(seen, RAW, 10, 20) == noted(seen, RAW, 12, 15) == noted(seen, RAW, 30, 30) == b""
    assert noted(seen, RAW, 12, 21)
    assert noted(seen, BODY, 10, 20)
    assert noted(b"x" * MAX_BYTES, RAW, 0, 1) == b""


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60))))
def test_ranges_are_what_was_read(reads: list[tuple[int, int]]) -> None:
    seen = reduce(lambda before, one: before + noted(before, RAW, *one), reads, b"")
    expected = {at for start, end in reads for at in range(start, end)}
    assert {at for one in ranges(seen, RAW) for at in range(*one)} == expected


def test_a_row_counts_when_all_of_it_was_shown() -> None:
    start, end = TABLE.starts[2], TABLE.starts[5]
    item = start + len(TABLE.item(reader(ROWS), 2))
    assert rows(start, end) == [(2, 5)]
    assert rows(start, item) == [(2, 3)]
    assert rows(start, item - 1) == []
    assert rows(start + 1, end) == [(3, 5)]
    assert rows(0, len(ROWS)) == [(0, 10)]
    assert rows(0, 1) == []
    assert rows(TABLE.starts[9], len(ROWS)) == [(9, 10)]


def test_a_line_counts_with_or_without_its_end() -> None:
    text = b"one\ntwo\n\nfour"
    lines = index_lines(text).root
    assert lines is not None
    found = {end: size(rows_read(lines, reader(text), [Range(0, end)])) for end in range(len(text) + 1)}
    assert [found[end] for end in (0, 2, 3, 4, 6, 7, 8, 9, 12, 13)] == [0, 0, 1, 1, 1, 2, 3, 3, 3, 4]


def test_what_is_unseen_is_the_rest() -> None:
    assert unseen([], 5) == [(0, 5)]
    assert unseen([Range(0, 2), Range(3, 4)], 5) == [(2, 3), (4, 5)]
    assert unseen([Range(0, 5)], 5) == []
    assert size([Range(0, 2), Range(3, 4)]) == 3


def test_rows_are_told_as_people_count_them() -> None:
    assert ranges_text([Range(0, 80), Range(411, 412)]) == "1-80, 412"
    assert ranges_text([Range(at, at + 1) for at in range(0, 20, 2)]) == "1, 3, 5, 7, 9, 11, +4 ranges"


def read_by(seen: bytes, call: ReadCall) -> bytes:
    """What a store has after a call has shown some ranges."""
    shown = b""
    for stream, one in call.ranges:
        shown += noted(seen + shown, stream, *one) or noted_again(seen + shown, stream, *one)
    return seen + noted_call(seen, call, shown)


CALLS = st.builds(
    ReadCall,
    time=st.integers(1, 2**40).map(lambda number: number / 1_000),
    words=st.text(max_size=60),
    size=st.integers(0, 2**32 - 1),
    failed=st.booleans(),
    ranges=st.lists(
        st.tuples(st.sampled_from((RAW, BODY)), st.tuples(st.integers(0, 20), st.integers(1, 9))), max_size=3
    ).map(lambda found: tuple((stream, Range(at, at + length)) for stream, (at, length) in found)),
)


@given(st.lists(CALLS, max_size=12))
def test_calls_come_back_in_order_with_all_that_they_have_shown(made: list[ReadCall]) -> None:
    seen = reduce(read_by, made, b"")
    assert calls(seen) == made
    for stream in (RAW, BODY):
        expected = {at for call in made for one, span in call.ranges if one == stream for at in range(*span)}
        assert {at for one in ranges(seen, stream) for at in range(*one)} == expected


def test_calls_take_a_bounded_space_and_ranges_keep_theirs() -> None:
    long = ReadCall(time=1.0, words="é" * MOST_WORDS, ranges=((RAW, Range(0, 9)),))
    seen = reduce(read_by, [long] * 100, b"")
    kept = calls(seen)
    assert kept[0].words == "é" * (MOST_WORDS // 2)
    assert len(seen) <= MAX_CALLS + MOST_WORDS
    assert len(read_by(seen, long)) == len(seen)  # nothing new was shown, and there is no room to say so
    new = ReadCall(time=2.0, words="w" * MOST_WORDS, ranges=((RAW, Range(100, 110)),))
    last = calls(read_by(seen, new))[-1]  # its range is not taken for another's
    assert last == ReadCall(time=2.0, ranges=new.ranges)
    assert not is_full(seen)
    assert is_full(seen + b"\0" * (MAX_BYTES + 17))


def test_ranges_that_an_earlier_version_noted_are_a_call_without_a_time() -> None:
    seen = noted(b"", RAW, 0, 5)
    assert calls(seen) == [ReadCall(ranges=((RAW, Range(0, 5)),))]
    assert calls(b"") == []
    assert calls(b"\x77" * 34) == []
    assert noted_again(seen, RAW, 3, 3) == b""
