"""A text is read line by line with the first form that holds for all of it; of a very long one some lines are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.document import errors_for
from penstock.core.forms.read_text import CHUNK, LONG_HEAD_BYTES, lines_of, read_text, sample_of
from tests.kit.forms.facts import column_of, main_of, reading_of, rows_of
from tests.kit.strategies import any_text


@given(st.binary() | any_text.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_lines_are_those_between_newlines(body: bytes) -> None:
    errors = errors_for(body)
    lines = [line.removesuffix(b"\r") for line in body.split(b"\n")]
    lines = lines[:-1] if lines[-1] == b"" and not body.endswith(b"\r") else lines
    assert [line.encode("utf-8", errors) for line in lines_of(body, errors)] == lines


@pytest.mark.parametrize("char", ["x", "\u00e9", "\u20ac", "\U0001f600"])
def test_lines_are_whole_where_a_text_is_read_in_pieces(char: str) -> None:
    lines = [char * 1_000 for _ in range(CHUNK // 700)]
    assert list(lines_of("\n".join(lines).encode(), "strict")) == lines


def test_a_sample_has_lines_from_all_over_a_text() -> None:
    lines = [f"line {number}" for number in range(10_000)]
    sample = sample_of("\n".join(lines).encode(), "strict", len(lines))
    assert list(sample.head) == lines[:400]
    assert len(sample.runs) == 8
    for run in sample.runs:
        first = int(run[0].split()[1])
        assert list(run) == lines[first : first + 25]
    short = sample_of(b"a\n\nb", "strict", 3)
    assert (short.head, short.runs, short.lines) == (("a", "", "b"), (), ["a", "b"])


def test_a_long_line_is_sampled_whole() -> None:
    text = "x" * 200_000
    assert sample_of(f"{text}\ny".encode(), "strict", 2).head[0] == text
    assert sample_of(text.encode(), "strict", 1).head == (text,)


@pytest.mark.parametrize("char", ["x", "\u00e9", "\u20ac", "\U0001f600"])
def test_a_sample_has_the_beginning_of_a_line_that_is_very_long(char: str) -> None:
    text = char * LONG_HEAD_BYTES
    for body, count in ((text, 1), (f"y{text}\n{text}", 2)):
        head = sample_of(body.encode(), "strict", count).head
        assert len(head) == 1
        assert body.startswith(head[0])
        assert LONG_HEAD_BYTES - 4 < len(head[0].encode()) <= LONG_HEAD_BYTES
    assert sample_of(b"\x80" * 2 * LONG_HEAD_BYTES, "surrogateescape", 1).head[0].startswith("\udc80")


def test_a_text_without_a_form_is_none() -> None:
    assert read_text(b"just some words\n", "strict", 1) is None
    assert read_text(b"", "strict", 0) is None


def test_a_form_that_does_not_hold_to_the_end_is_not_taken() -> None:
    even = [f"{number},{number * 2},x" for number in range(3_000)]
    assert reading_of("\n".join(["a,b,c", *even])).form == "delimited"
    broken = [*even, *(f"and then {number}" for number in range(3_000))]
    assert reading_of("\n".join(["a,b,c", *broken])).form != "delimited"


def test_a_long_text_keeps_its_first_rows_and_its_last() -> None:
    count = 100_000
    text = "id,name,zone\n" + "".join(f"{number},name of {number},z{number % 7}\n" for number in range(count))
    assert 2_097_152 < len(text) < 16_777_216
    reading = reading_of(text)
    main = main_of(reading)
    assert reading.exact
    assert main.count == count
    assert column_of(main, "zone").different == 7
    assert column_of(main, "id").total == sum(range(count))
    assert reading.cells is not None
    assert list(reading.cells.numbers) == [*range(20), count - 1]
    assert reading.cells.columns(["id"]) is None
    assert reading.cells.rows([0, 7, count - 1], ["id", "zone"]) == [[0, "z0"], [7, "z0"], [99_999, "z4"]]


def test_of_a_very_long_text_stretches_are_read() -> None:
    count = 500_000
    text = "id,name,zone\n" + "".join(f"{n},a name that is long {n},z{n % 7}\n" for n in range(count))
    assert len(text) > 16_777_216
    reading = reading_of(text)
    main = main_of(reading)
    assert (reading.exact, main.exact) == (False, False)
    assert main.about == "about"
    assert abs(main.rows - count) < count // 50
    assert reading.words == f"{count + 1:,} lines, as far as sampled separated values of about {main.rows:,} rows"
    assert column_of(main, "zone").different == 7
    assert reading.cells is not None
    assert list(reading.cells.numbers) == list(range(20))
    assert reading.cells.rows([0, 7], ["id"]) == [[0], [7]]
    assert "?" not in reading.shape


def test_cells_of_a_text_are_had_by_row() -> None:
    reading = reading_of("a,b\n1,x\n2,y\n3,z\n")
    assert reading.cells is not None
    assert list(reading.cells.numbers) == [0, 1, 2]
    assert reading.cells.rows([2, 0], ["b"]) == [["z"], ["x"]]
    assert rows_of(reading) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 3, "b": "z"}]


@pytest.mark.parametrize("count", [401, 700, 3_000, 30_000])
def test_no_line_is_in_a_sample_twice(count: int) -> None:
    body = "".join(f"line {number} \u20ac\r\n" for number in range(count)).encode()
    lines = sample_of(body, "strict", count).lines
    assert len(set(lines)) == len(lines)
