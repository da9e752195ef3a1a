"""Bytes that are read by parts say what the same bytes in memory say, and so does all that is learned of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json import index as indexing
from penstock.core.json import nesting, scan
from penstock.core.json.long_bytes import NEWLINES, LongBytes, gathered, most_of
from penstock.core.reading.window import ruler_of
from penstock.core.tokens.count import count, count_both, count_json_string, wire_size
from tests.kit.long_text import ShortBytes
from tests.kit.strategies import json_bytes

places = st.integers(-40, 40)
few = st.sampled_from([b"a", b"b", b"ab", b"aab", b"\n"])
some = st.lists(few, max_size=20).map(b"".join)


@given(some, st.one_of(st.none(), places), st.one_of(st.none(), places), st.integers(1, 9))
def test_a_slice_is_that_of_the_bytes(data: bytes, start: int | None, end: int | None, piece: int) -> None:
    long = ShortBytes(data, piece=piece)
    assert long[start:end] == data[start:end]
    assert (len(long), bytes(long), gathered(long), bool(long)) == (len(data), data, data, bool(data))
    assert most_of(long) >= most_of(data) == len(data)


@given(some, few, st.integers(0, 40), st.one_of(st.none(), st.integers(0, 40)), st.integers(1, 9))
def test_places_and_counts_are_those_of_the_bytes(
    data: bytes, wanted: bytes, start: int, end: int | None, piece: int
) -> None:
    long = ShortBytes(data, piece=piece)
    assert long.find(wanted, start, end) == data.find(wanted, start, end)
    assert long.rfind(wanted, start, end) == data.rfind(wanted, start, end)
    assert long.count(wanted[:1]) == data.count(wanted[:1])
    assert long.startswith(wanted) == data.startswith(wanted)
    assert long.endswith(wanted) == data.endswith(wanted)
    assert (long == wanted, long == data, long == ShortBytes(data), long == 3) == (data == wanted, True, True, False)


@given(st.text(max_size=30), st.integers(1, 9))
def test_what_is_counted_is_that_of_the_bytes(text: str, piece: int) -> None:
    data = text.encode("utf-8", "ignore")
    long = ShortBytes(data, piece=piece)
    assert long.isascii() == data.isascii()
    assert wire_size(long) == wire_size(data)
    assert ruler_of(long, "strict") == ruler_of(data, "strict")
    assert (count(long), count_both(long), count_json_string(long)) == (
        count(data),
        count_both(data),
        count_json_string(data),
    )


def test_a_byte_is_that_of_the_bytes_and_there_is_none_behind_the_end() -> None:
    long = ShortBytes(b"abc")
    assert (long[0], long[-1]) == (ord("a"), ord("c"))
    with pytest.raises(IndexError):
        long[3]
    with pytest.raises(ValueError, match="single"):
        long.count(b"ab")
    assert ShortBytes(b"", learned={NEWLINES: 7}).count(b"\n") == 7


def test_nothing_is_learned_of_bytes_unless_it_is_said() -> None:
    class Bare(ShortBytes):
        @property
        def learned(self) -> dict[str, object]:
            return LongBytes.learned.fget(self)  # type: ignore[attr-defined, no-any-return]

    assert Bare(b"a").learned == {}


def test_a_large_text_is_counted_without_being_read_whole() -> None:
    data = ("naïve words, 漢字 " * 100_000).encode()
    long = ShortBytes(data, piece=65_536)
    assert count_both(long) == count_both(data)
    assert (count(long), count_json_string(long)) == (count(data), count_json_string(data))
    assert ruler_of(long, "strict") == ruler_of(data, "strict")
    assert long.longest < len(data)


blank = st.sampled_from([b"", b" ", b"\n", b"\t\r\n "])


@given(json_bytes(), blank, blank, st.sampled_from([b"", b"x", b"]", b"{}"]))
def test_the_index_of_json_is_that_of_the_bytes(data: bytes, before: bytes, behind: bytes, more: bytes) -> None:
    body = before + data + behind + more
    assert indexing.build(ShortBytes(body)) == indexing.build(body)
    assert indexing.index_values(ShortBytes(body)) == indexing.index_values(body)
    assert nesting.depth(ShortBytes(body)) == nesting.depth(body)


@given(st.lists(json_bytes(), min_size=1, max_size=6), st.sampled_from([b"\n", b" ", b"\n\n", b"\r\n"]))
def test_the_index_of_values_is_that_of_the_bytes(values: list[bytes], between: bytes) -> None:
    body = between.join(values) + between
    assert indexing.index_values(ShortBytes(body)) == indexing.index_values(body)


@given(st.lists(st.sampled_from([b"", b"line", b"\r"]), max_size=9).map(b"\n".join))
def test_the_index_of_lines_is_that_of_the_bytes(body: bytes) -> None:
    assert indexing.index_lines(ShortBytes(body)) == indexing.index_lines(body)


LARGE = {
    "records": json.dumps(
        [{"id": at, "note": f'say "{at}" \\ {at}', "in": {"tags": [at, "x"]}} for at in range(40_000)]
    ),
    "spaced": json.dumps([{"id": at, "to": [1, {"a": []}]} for at in range(20_000)], indent=1),
    "nested": json.dumps({"a": {"b": [{"id": at, "deep": [[[at]]]} for at in range(60_000)]}, "c": [1] * 300_000}),
    "map": json.dumps({f"key {at}": {"id": at, "note": "x" * 90} for at in range(15_000)}),
    "long string": json.dumps(["x" * 3_000_000, {"a": "\\" * 200_000, "b": ["y" * 400_000]}, 3]),
    "long key": json.dumps({"k" * 100_000: {"m" * 1_500: ["x" * 900] * 1_500}}),
    "lines": "\n".join(json.dumps({"id": at, "note": "y" * 40}) for at in range(20_000)),
    "long lines": "\n".join(json.dumps({"id": at, "note": "y" * 700_000}) for at in range(3)) + "\n",
    "text": "".join(f"{at} words\n" for at in range(100_000)) + "z" * 600_000,
    "slashes": '["' + "\\\\" * 200_000 + '"]',
    "open": "[" + '{"a": 1},' * 100_000,
    "wrong": "[" + '{"a": 1},' * 100_000 + '{"a" 1}]',
    "blank": " " * 200_000 + "[1]" + "\n" * 200_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_what_is_larger_than_a_chunk_is_indexed_as_the_bytes_are(name: str) -> None:
    body = LARGE[name].encode()
    assert indexing.build(ShortBytes(body)) == indexing.build(body)
    assert indexing.index_values(ShortBytes(body)) == indexing.index_values(body)
    assert indexing.index_lines(ShortBytes(body)) == indexing.index_lines(body)
    assert nesting.depth(ShortBytes(body)) == nesting.depth(body)
    at = scan.first_place(body)
    assert scan.first_place(ShortBytes(body)) == at
    assert nesting.container_end(ShortBytes(body), at) == nesting.container_end(body, at)


@pytest.mark.parametrize("name", ["records", "spaced", "nested", "map", "lines"])
def test_an_index_is_made_without_reading_much_at_once(name: str) -> None:
    body = (LARGE[name] + "\n").encode()
    long = ShortBytes(body, piece=65_536)
    assert (indexing.index_values(long) if name == "lines" else indexing.build(long)) is not None
    assert long.longest <= 2 * indexing.BATCH
