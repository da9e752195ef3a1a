"""Rows of separated values: a stray quote takes no other row with it, and a quoted cell keeps its lines."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms import csv_rows
from penstock.core.forms.api import BATCH, DoesNotHoldError
from penstock.core.forms.csv_rows import RowReader

cells = st.text(st.sampled_from('ab1,"\n '), max_size=6)


def read(text: str, *, width: int = 0, spaced: bool = False) -> tuple[RowReader, list[list[str]]]:
    reader = RowReader(delimiter=",", width=width, spaced=spaced)
    return reader, [row for batch in reader.batches(text.split("\n")) for row in batch if row]


@given(st.lists(st.lists(cells, min_size=3, max_size=3).filter(any), min_size=1, max_size=20))
def test_rows_that_are_quoted_as_they_should_be_come_back(rows: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    reader, back = read(text.getvalue())
    assert back == rows
    assert (reader.stray, reader.is_cut) == (0, False)


@pytest.mark.parametrize("stray", [[150], [0], [50, 150], [50, 51, 52], list(range(299))])
def test_stray_quote_swallows_no_row(stray: list[int]) -> None:
    lines = [f'{at},"x{at}' if at in stray else f"{at},x" for at in range(300)]
    reader, rows = read("\n".join(["a,n", *lines]))
    assert [int(row[0]) for row in rows[1:]] == list(range(300))
    assert [row[1] for row in rows[1:] if row[1] != "x"] == [f'"x{at}' for at in stray]
    assert reader.stray == len(stray)


def test_stray_quote_leaves_quoted_cells_of_several_lines_alone() -> None:
    lines = [f'{at},"two\nlines, {at}"' if at % 10 == 0 else f"{at},x" for at in range(300)]
    lines[55] = '55,"x'
    reader, rows = read("\n".join(["a,n", *lines]))
    assert [int(row[0]) for row in rows[1:]] == list(range(300))
    assert rows[11] == ["10", "two\nlines, 10"]
    assert (reader.stray, reader.alike) == (1, 0)


def test_text_that_ends_inside_a_quoted_cell_is_cut() -> None:
    lines = [f'{at},"two\nlines",b' for at in range(30)]
    reader, rows = read("\n".join([*lines, '30,"and\nthen']))
    assert len(rows) == 30
    assert (reader.is_cut, reader.stray) == (True, 0)


def test_lines_of_a_quoted_cell_that_are_all_rows_are_counted() -> None:
    lines = [f"{at},x" for at in range(300)]
    lines[50], lines[60] = '50,"x', '60,y"'
    reader, rows = read("\n".join(lines))
    assert len(rows) == 290
    assert (reader.alike, reader.stray) == (10, 0)


def test_quote_that_closes_before_other_text_is_stray() -> None:
    reader, rows = read('a,b,c\n1,"two\nlines" more,x\n2,y,z')
    assert rows[1:] == [["1", '"two'], ['lines" more', "x"], ["2", "y", "z"]]
    assert (reader.stray, reader.is_cut) == (1, False)


def test_quotes_that_make_reading_long_are_parts_of_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "MAX_REREAD", 50)
    with pytest.raises(DoesNotHoldError):
        read("a,b\n" + '1,"x\n' + "1,2\n" * 60)


def test_carriage_return_inside_a_line_is_no_separated_value() -> None:
    with pytest.raises(DoesNotHoldError):
        read("a,b\n1\r,2\n")


def test_blank_after_each_delimiter_belongs_to_no_cell() -> None:
    assert read('a, b\n1, "x, y"', spaced=True)[1] == [["a", "b"], ["1", "x, y"]]


def test_rows_come_in_batches_before_and_after_the_first_quote() -> None:
    lines = [*(f"{at},x" for at in range(BATCH)), '5,"y"', *(f"{at},x" for at in range(2 * BATCH))]
    reader = RowReader(delimiter=",")
    sizes = [len(batch) for batch in reader.batches(lines)]
    assert sizes == [BATCH, BATCH, BATCH, 1]
