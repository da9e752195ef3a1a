"""The preview of delimited text shows its header and whole rows, and counts the rows it does not show."""

from __future__ import annotations

import csv as standard
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.preview import csv as module
from penstock.core.preview.csv import EXACT, HEAD, csv
from tests.core.preview.promises import WIDE, growing, hidden, must_show, shown
from tests.strategies import any_text

cells = (
    st.integers().map(str)
    | st.sampled_from(["", "plain", "with, comma", 'a "quote"', "two\nlines", "x" * 300, "long words " * 20])
    | any_text.map(lambda text: text.replace("\r", "").replace("\x00", ""))
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, str, list[list[str]]]:
    """A delimiter, a text and its rows, none of them blank."""
    delimiter = draw(st.sampled_from([",", "\t", ";", "|"]))
    columns = draw(st.integers(3, 6))
    few = draw(st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=3, max_size=8))
    rows = few * draw(st.sampled_from([1, 40]))
    out = io.StringIO()
    writer = standard.writer(out, delimiter=delimiter, lineterminator=draw(st.sampled_from(["\n", "\r\n"])))
    writer.writerow([f"name{n}" for n in range(columns)])
    writer.writerows(rows)
    return delimiter, out.getvalue(), rows


def table(rows: int, row: str = "{n},n{n},some text") -> str:
    return "id,name,notes\n" + "".join(row.replace("{n}", str(n)) + "\n" for n in range(rows))


@settings(max_examples=40)
@given(tables())
def test_every_preview_fits_counts_and_grows(made: tuple[str, str, list[list[str]]]) -> None:
    _, data, rows = made
    for preview in growing(csv, data):
        assert preview.shown.total == len(rows)
        assert preview.shown.end + hidden(preview.text, "row") == len(rows)


@given(any_text)
@example("a,b\n\n\n")
@example("a,b,c\n1,2\r3,4\n5,6,7\n")
@example("a,b,c\n1,2,\x003\n1,2,3\n1,2,3\n")
@example('a,b,c\n1,"2,3\n' * 3)
def test_any_text_is_a_table_or_is_not(data: str) -> None:
    growing(csv, data)


def test_a_table_shows_its_header_its_first_rows_and_its_last() -> None:
    found = must_show(csv, table(5_000), Room(tokens=200))
    said = found.text.split("\n")
    assert said[:3] == ["5,000 rows, 3 columns (comma-separated)", "id,name,notes", "0,n0,some text"]
    assert said[-1] == "4999,n4999,some text"
    assert said[-2] == f"… {5_000 - found.shown.end:,} rows not shown …"
    assert (found.headline, found.style) == ("5,000 rows, 3 columns", "csv")


def test_a_small_table_is_shown_as_it_is() -> None:
    said = must_show(csv, table(3), WIDE).text
    assert said == "3 rows, 3 columns (comma-separated)\n" + table(3).rstrip("\n")


def test_a_row_may_take_several_lines_and_is_counted_once() -> None:
    found = must_show(csv, table(9_000, '{n},n{n},"first, line\nsecond ""line"""'), Room(tokens=150))
    assert found.headline == "9,000 rows, 3 columns"
    assert '\n0,n0,"first, line\nsecond ""line"""\n' in found.text
    assert found.text.endswith('\n8999,n8999,"first, line\nsecond ""line"""')


def test_blank_lines_are_no_rows() -> None:
    assert must_show(csv, table(9_000, "{n},n,x\n")).headline == "9,000 rows, 3 columns"
    assert (
        must_show(csv, table(9_000, "{n},n,x").replace("\n", "\r\n") + "\r\n\r\n").headline == "9,000 rows, 3 columns"
    )
    assert must_show(csv, table(9_000) + "\n" * 40).headline == "9,000 rows, 3 columns"


def test_a_count_that_is_not_certain_says_so() -> None:
    both = must_show(csv, table(9_000, '{n},n,"x\n\ny"'))
    odd = must_show(csv, table(9_000).replace("n5000", '"n5000'))
    large = must_show(csv, table(EXACT // 22, '{n},"n{n}",some more text'))
    assert both.headline.startswith("about ")
    assert odd.headline.startswith("about ")
    assert large.headline.startswith("about ")
    assert large.text.split("\n")[0].startswith("about ")


def test_long_cells_are_cut_and_quoted_where_they_must_be() -> None:
    long = "word, " * 60
    said = must_show(csv, table(9, f'{{n}},n,"{long}"'), WIDE).text.split("\n")[2]
    [cells] = standard.reader([said])
    assert cells[:2] == ["0", "n"]
    assert cells[2].endswith("word,…")
    assert len(cells[2]) <= module.LONGEST_CELL + 1


def test_more_columns_than_fit_are_counted() -> None:
    names = [f"column{n}" for n in range(400)]
    data = "\n".join([",".join(names), *[",".join(map(str, range(400)))] * 20])
    found = must_show(csv, data, Room(tokens=300))
    first, header, row, *_ = found.text.split("\n")
    columns = len(header.split(","))
    assert first == f"20 rows, 400 columns (comma-separated, first {columns} shown)"
    assert header.split(",") == names[:columns]
    assert len(row.split(",")) == columns
    growing(csv, data)


def test_a_last_row_that_cannot_be_told_is_left_out() -> None:
    assert must_show(csv, table(2_000) + "the end\n" * 25, Room(tokens=200)).text.endswith(" rows not shown …")


def test_a_row_longer_than_what_is_read_ends_the_first_rows() -> None:
    data = table(20) + f'20,n20,"{"x" * HEAD}"\n' + table(2_000).split("\n", 1)[1]
    found = must_show(csv, data, WIDE)
    assert "\n18,n18,some text\n…" in found.text
    assert shown(csv, "a,b,c\n" + f'1,2,"{"x" * (HEAD + 9)}"\n' * 9) is None


def test_what_utf8_cannot_carry_is_replaced() -> None:
    assert "caf\ufffd" in must_show(csv, b"a,b,c\n" + b"1,caf\xe9,2\n" * 5).text


@pytest.mark.parametrize(
    "data",
    [
        "country,2019,2020\n" + "a,1,2\n" * 5,
        "name,0,1,2,x,y\n" + "a,1,2,3,4,5\n" * 5,
        ",a,b\n" + "0,1,2\n" * 5,
        "a;b;c\n" + "1,5;2;3\n" * 5,
        "a\tb\n" + "1\t2\n" * 5,
        "a|b|c\n" + "1|2|3\n" * 5,
    ],
)
def test_headers_of_many_kinds_are_known(data: str) -> None:
    assert must_show(csv, data).shown.total == 5


@pytest.mark.parametrize(
    "data",
    [
        "",
        "one line, and no more",
        "Dear reader, hello\nthis is prose, you see\nwith a comma, always\nin a line, or so\n",
        "1,2,3\n4,5,6\n7,8,9\n1,2,3\n",
        "a.py,sha256=x,391\nb.py,sha256=y,392\nc.py,sha256=z,393\n",
        "setosa,5,3,1\nother,6,3,2\nthird,5,4,2\n",
        "a,a,b\n1,2,3\n4,5,6\n7,8,9\n",
        "a,,b\n1,2,3\n4,5,6\n7,8,9\n",
        "a,b,2026-01-01\n1,2,3\n4,5,6\n7,8,9\n",
        f"{'1' * 9_000},b,c\n1,2,3\n4,5,6\n",
        f"{'x' * 90},b,c\n1,2,3\n4,5,6\n",
        "a,b,c\n1,2\n3\n4,5,6,7\n",
        table(2_000) + "then it ends\n" * 2_000,
        "|a|b|\n|-|-|\n|1|2|\n",
        '{"a": [1, 2, 3]}',
    ],
)
def test_what_is_no_table_with_a_header_is_left_to_others(data: str) -> None:
    assert shown(csv, data) is None
