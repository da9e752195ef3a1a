"""Separated values: every cell of every row, whatever the delimiter, the quotes and the header."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.api import BATCH, Sample
from penstock.core.forms.around_table import MAX_SHOWN
from penstock.core.forms.text import delimited
from penstock.core.forms.text_cells import typed
from tests.kit.forms.facts import check_rows, main_of, names_of, reading_of, rows_of
from tests.kit.forms.reading import read_as

NAMES = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"}
HEADER = ["id", "first_name", "score", "note"]

notes = st.lists(st.sampled_from(["a ", ' "', "' ", ",", ";", "|", "\t", "\n", "\u00e9 "]), max_size=9).map("".join)
whole = st.integers(-(10**17), 10**17)
rows_in_text = st.lists(
    st.tuples(st.integers(0, 10**6), st.from_regex(r"[a-z]{3,8}", fullmatch=True), st.floats(-1e6, 1e6), notes),
    min_size=4,
    max_size=40,
)


def written(rows: list[list[Any]], delimiter: str, end: str = "\n", quoting: Any = csv.QUOTE_MINIMAL) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    return text.getvalue()


@given(rows_in_text, st.sampled_from(sorted(NAMES)), st.booleans(), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_every_cell_is_read(rows: list[tuple[Any, ...]], delimiter: str, header: bool, quoting: int) -> None:
    cells = [[number, name, repr(score), note] for number, name, score, note in rows]
    text = written([*([HEADER] if header else []), *cells], delimiter, quoting=quoting)
    found = read_as(delimited.FORM, text)
    assert found is not None
    if found.tables["items"].spec.options["delimiter"] != delimiter:  # type: ignore[union-attr]
        return
    names = HEADER if header else ["c1", "c2", "c3", "c4"]
    assert list(found.cells["items"]) == names
    assert found.column(names[0]) == [row[0] for row in rows]
    assert [str(name) for name in found.column(names[1])] == [row[1] for row in rows]
    assert [float(one) for one in found.column(names[2])] == [row[2] for row in rows]
    assert [one or "" for one in found.column(names[3])] == [row[3] for row in rows]
    ways = ("with a header",) if header else ("without a header", "probably without a header")
    what = [f"{NAMES[delimiter]}-separated values {way}: {len(rows)} rows of 4 columns" for way in ways]
    assert found.words.what in what


@given(st.lists(st.tuples(whole, st.sampled_from(["red", "green"]), st.none() | whole), min_size=3))
def test_facts_are_those_of_the_cells(rows: list[tuple[Any, ...]]) -> None:
    text = written([["number", "colour", "more"], *map(list, rows)], ",")
    check_rows(reading_of(text), [dict(zip(("number", "colour", "more"), row, strict=True)) for row in rows])


def test_cells_over_several_lines_are_cells() -> None:
    text = 'id,text\n1,"a\nb, ""c"""\n2,d\n3,"e\r\nf"\n'
    reading = reading_of(text)
    assert [row["text"] for row in rows_of(reading)] == ['a\nb, "c"', "d", "e\nf"]
    assert reading.words == "comma-separated values with a header: 3 rows of 2 columns"


def test_lines_may_end_in_two_characters() -> None:
    assert rows_of(reading_of("a;b\r\n1;2\r\n3;4\r\n5;6\r\n"))[2] == {"a": 5, "b": 6}


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "-2", ""], [1, -2, None]),
        (["02139", "10001"], ["02139", "10001"]),
        (["1.5", "2", "1e+16"], [1.5, 2, 1e16]),
        (["1.50", "2"], ["1.50", "2"]),
        (["1", "x"], ["1", "x"]),
        (["", ""], [None, None]),
        (["+1"], ["+1"]),
        (["1" * 30], [int("1" * 30)]),
        (["nan"], ["nan"]),
        (["-0"], [0]),
    ],
)
def test_only_what_would_be_written_back_alike_is_a_number(cells: list[str], values: list[Any]) -> None:
    found = typed(cells)
    if cells == ["-0"]:
        assert found in (values, ["-0"])
    else:
        assert found == values
        assert list(map(type, found)) == list(map(type, values))


@given(st.lists(st.text(st.sampled_from("0123456789.-+eE"), max_size=9)))
def test_numbers_are_written_as_they_came(cells: list[str]) -> None:
    for cell, value in zip(cells, typed(cells), strict=True):
        if cell not in ("-0", "") or isinstance(value, str):
            assert str(value) == cell or value is None


def test_a_column_that_has_a_text_late_is_all_texts() -> None:
    rows = [[number, number] for number in range(9_000)]
    text = written([["id", "code"], *rows, [9_000, "x1"]], ",")
    reading = reading_of(text)
    assert rows_of(reading)[0] == {"id": 0, "code": "0"}
    assert rows_of(reading)[-1] == {"id": 9_000, "code": "x1"}
    assert reading.shape == "[{id: int, code: str}]"


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["name,age", "ann,31", "bob,27", "cid,45"], ["name", "age"]),
        (["First name,Age of it", "ann,31", "bob,27", "cid,45"], ["First name", "Age of it"]),
        (["first,second", "x,y", "z,w", "v,u"], ["first", "second"]),
        (["First one,second two", "x,y", "z,w", "v,u"], ["First one", "second two"]),
        (["Ann Lee,Oslo", "Bob Ray,Rome", "Cid Fox,Bonn", "Dan Poe,Bern"], ["c1", "c2"]),
        (["a,a", "1,2", "3,4", "5,6"], ["a", "a_2"]),
        ([",a", "0,2", "1,4", "2,6"], ["c1", "a"]),
        (["a,b,", "1,x,", "3,y,", "5,z,"], ["a", "b", "c3"]),
        (["name,2023,2024", "ann,31,7", "bob,27,8", "cid,45,9"], ["name", "2023", "2024"]),
        (["name,2024", "ann,31", "bob,27", "cid,45"], ["name", "2024"]),
        (["ann,bob", "ann,27", "dan,45", "eve,1"], ["c1", "c2"]),
        ([f"{'n' * 90},age", "ann,31", "bob,27", "cid,45"], ["n" * 80, "age"]),
    ],
)
def test_first_row_is_a_header_if_it_differs_from_its_columns(lines: list[str], names: list[str]) -> None:
    reading = reading_of("\n".join(lines))
    assert names_of(main_of(reading)) == names
    assert main_of(reading).count == len(lines) - (names != ["c1", "c2"])


def test_renamed_columns_are_told() -> None:
    text = written([["", "name", "Name", ""], *([at, f"a{at}", f"b{at}", at * 2] for at in range(30))], ";")
    reading = reading_of(text)
    assert names_of(main_of(reading)) == ["c1", "name", "Name_2", "c4"]
    assert reading.facts == ("renamed columns (name in the header): c1 (no name) · Name_2 (Name) · c4 (no name)",)
    assert sum(row["c4"] for row in rows_of(reading)) == 870


def test_guess_about_a_header_is_marked() -> None:
    assert "values probably without a header: 4 rows" in reading_of("ann,oslo\nbob,rome\ncid,bonn\ndan,bern").words
    assert "values probably with a header: 3 rows" in reading_of("id,word\nx1,a b\nx2,b c\nx3,c d").words


@pytest.mark.parametrize(
    ("end", "lines"),
    [
        ("\n\n<error>Content truncated. Call the tool with a start_index of 5000.</error>", 1),
        ("30,x3\n<error>Content truncated.</error>\n", 2),
        ("... 120 more rows\n", 1),
        ("…,…,…\n", 1),
        ("[Output truncated: 1,234,567 bytes]\n", 1),
    ],
)
def test_remark_that_the_text_was_cut_is_no_row(end: str, lines: int) -> None:
    text = written([["id", "name", "amount"], *([at, f"x{at}", at * 2] for at in range(30))], ",")
    reading = reading_of(text + end)
    words = "comma-separated values with a header: 30 rows of 3 columns"
    assert reading.words == f"{words}; its end says that the text was cut"
    assert sum(row["amount"] for row in rows_of(reading)) == 870
    assert [len(one.lines) for one in reading.excerpts] == [lines]


@pytest.mark.parametrize("count", [5, 300, 2_000])
def test_footer_with_the_number_of_rows_is_no_row(count: int) -> None:
    text = "id|name\n" + "".join(f"{at}|x{at}\n" for at in range(count))
    reading = reading_of(f"{text}({count} rows)\n")
    assert main_of(reading).count == count
    assert reading.words.endswith("rows of 2 columns")
    assert (reading.facts, reading.excerpts) == ((), ())


def test_number_of_rows_in_the_text_is_told_if_it_is_greater_and_contradicts_if_it_is_less() -> None:
    text = "id|name\n" + "".join(f"{at}|x{at}\n" for at in range(300))
    assert reading_of(f"{text}(777 rows)\n").words.endswith("300 rows of 2 columns; the text says that it has 777 rows")
    assert reading_of(f"{text}(77 rows)\n").form != "delimited"


def test_many_lines_after_the_rows_are_another_text() -> None:
    text = "a,b,c\n" + "1,2,3\n" * 100
    assert main_of(reading_of(text + "note\n" * delimited.MAX_AROUND)).count == 100
    assert reading_of(text + "note\n" * (delimited.MAX_AROUND + 1)).form != "delimited"


def test_comments_are_counted_and_shown() -> None:
    text = "# made today\na,b,c\n" + "".join(f"{at},{at},{at}\n# remark {at}\n" for at in range(40))
    reading = reading_of(text)
    assert reading.words == "comma-separated values with a header: 40 rows of 3 columns"
    assert [one.title for one in reading.excerpts] == ["41 lines outside of the table"]
    assert reading.excerpts[0].lines[:2] == ("# made today", "# remark 0")
    assert len(reading.excerpts[0].lines) == MAX_SHOWN


def test_stray_quote_is_told_and_takes_no_row_with_it() -> None:
    text = "a,n\n" + "".join(f'{at},"x{at}\n' if at == 150 else f"{at},x\n" for at in range(300))
    reading = reading_of(text)
    assert reading.words == "comma-separated values with a header: 300 rows of 2 columns"
    assert sum(row["a"] for row in rows_of(reading)) == sum(range(300))
    assert reading.facts == ("quotes that are never closed are parts of 1 row",)


def test_stray_quote_late_in_a_long_text_is_told() -> None:
    rows = [f'{at},"x' if at == 4_000 else f"{at},x" for at in range(5_000)]
    reading = reading_of("\n".join(["a,n", *rows]))
    assert main_of(reading).count == 5_000
    assert "quotes that are never closed are parts of 1 row" in reading.facts


def test_text_that_ends_inside_a_quoted_cell_is_told() -> None:
    text = "a,n,b\n" + "".join(f'{at},"two\nlines {at}",5\n' for at in range(30))
    reading = reading_of(f'{text}30,"two\nli')
    words = "comma-separated values with a header: 30 rows of 3 columns"
    assert reading.words == f"{words}; the text ends inside a quoted cell, in a row that is not counted"


def test_lines_in_quoted_cells_that_look_like_rows_are_told() -> None:
    rows = [f"{at},x" for at in range(300)]
    rows[50], rows[60] = '50,"x', '60,y"'
    reading = reading_of("\n".join(["a,n", *rows]))
    assert reading.words == "comma-separated values with a header: 290 rows of 2 columns"
    assert reading.facts == ("10 lines inside quoted cells look like rows",)


def test_blanks_up_to_a_tab_belong_to_no_cell_if_columns_are_padded() -> None:
    rows = [f"{at:>4}\t{at * 2:>6}\t{'x' * (at % 5):<5}" for at in range(30)]
    found = read_as(delimited.FORM, "\n".join([f"{'id':>4}\t{'amount':>6}\t{'note':<5}", *rows]))
    assert found is not None
    assert found.rows()[3] == {"id": 3, "amount": 6, "note": "xxx"}
    loose = read_as(delimited.FORM, "id\tamount\n" + "".join(f"{at} \t{at}\n" for at in range(30)))
    assert loose is not None
    assert loose.column("id")[29] == "29 "


def test_a_few_rows_may_have_another_number_of_cells() -> None:
    lines = ["a,b,c", *(f"{n},{n},x" for n in range(500)), "1,2", "3,4,x,5", "6,7,x"]
    reading = reading_of("\n".join(lines))
    assert reading.facts == ("2 rows with another number of cells",)
    assert rows_of(reading)[-3:-1] == [{"a": 1, "b": 2, "c": None}, {"a": 3, "b": 4, "c": "x"}]
    many = [*lines, *["1,2"] * 20]
    assert reading_of("\n".join(many)).form != "delimited"


def test_comments_and_blank_lines_are_no_rows() -> None:
    text = "# made today\na,b\n1,2\n\n3,4\n# half\n5,6\n"
    assert rows_of(reading_of(text)) == [{"a": 1, "b": 2}, {"a": 3, "b": 4}, {"a": 5, "b": 6}]


def test_a_title_and_notes_may_stand_before_the_header() -> None:
    rows = [f'{number},"a, {number}",{number / 4}' for number in range(30)]
    text = "\n".join(["Monthly report", "# of May, June", "", "id,name,amount", *rows])
    reading = reading_of(text)
    assert reading.words == "comma-separated values with a header: 30 rows of 3 columns"
    [excerpt] = reading.excerpts
    assert (excerpt.title, excerpt.lines) == ("2 lines outside of the table", ("Monthly report", "# of May, June"))
    assert rows_of(reading)[1] == {"id": 1, "name": "a, 1", "amount": 0.25}
    blank = reading_of("\n".join(["", "id,name,amount", *rows]))
    assert (main_of(blank).count, blank.facts, blank.excerpts) == (30, (), ())


@pytest.mark.parametrize("lead", ["a title", "a title\n" * (delimited.MAX_AROUND + 1) + "id,name"])
def test_without_a_header_or_with_too_many_lines_before_it_a_text_is_no_table(lead: str) -> None:
    assert read_as(delimited.FORM, "\n".join([lead, *(f"{number},x{number}" for number in range(40))])) is None


def test_blanks_up_to_a_bar_belong_to_no_cell() -> None:
    reading = reading_of("self | total | package\n" + "".join(f" {n:4} | {n * 9:6} |   p{n}\n" for n in range(20)))
    assert rows_of(reading)[3] == {"self": 3, "total": 27, "package": "p3"}


def test_what_looks_like_a_comment_inside_of_a_cell_is_kept() -> None:
    text = 'id,body\n1,"one\n# two\n#three"\n2,b\n3,c\n#4,d\n'
    rows = rows_of(reading_of(text))
    assert [row["body"] for row in rows] == ["one\n# two\n#three", "b", "c", "d"]


def test_rows_behind_thousands_of_blank_lines_are_rows() -> None:
    text = "a,b\n1,2\n3,4\n5,6\n" + "\n" * 9_000 + "7,8\n"
    found = read_as(delimited.FORM, text)
    assert found is not None
    assert found.column("a") == [1, 3, 5, 7]


def test_a_line_end_of_another_kind_in_a_cell_is_no_separated_value() -> None:
    rows = [f"{number},{number}" for number in range(1_000)]
    assert reading_of("\n".join(["a,b", "1,x\ry", *rows])).form != "delimited"
    assert reading_of("\n".join(["a,b", *rows, "1,x\ry"])).form != "delimited"


def test_of_two_delimiters_the_one_with_more_cells_is_taken() -> None:
    reading = reading_of("a\tb,c,d\n1\t2,3,4\n5\t6,7,8\n9\t1,2,3\n")
    assert reading.words.startswith("comma-separated")
    other = reading_of("a,b,c;d\n1,2,3;4\n5,6,7;8\n9,1,2;3\n")
    assert other.words.startswith("comma-separated")


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n",  # too few
        "a,b\n1,2,3\n4\n5,6,7,8\n",
        "word\nword\nword\nword\n",
        'run(a="b", c="d")\n' * 5,
        'x=1, y={"a": "b"}, z\n' * 5,
        "a,b\n1,\x002\n3,4\n5,6\n" * 1,
    ],
)
def test_other_texts_are_not_separated_values(text: str) -> None:
    found = reading_of(text)
    assert found.form != "delimited" or "\x00" in text


def test_a_blank_after_each_delimiter_belongs_to_no_cell() -> None:
    text = "id, name, score\n" + "".join(f'{number}, "a, {number}", {number / 4!r}\n' for number in range(90))
    found = read_as(delimited.FORM, text)
    assert found is not None
    assert found.rows()[7] == {"id": 7, "name": "a, 7", "score": 1.75}
    some = read_as(delimited.FORM, "id, name\n" + "".join(f"{number},x y {number}\n" for number in range(90)))
    assert some is not None
    assert some.column("id") == list(range(90))


def test_a_blank_after_some_pipes_takes_no_time() -> None:
    """A pattern with a bare pipe in it took minutes for such lines."""
    found = read_as(delimited.FORM, "a | b | c\n" + "x" * 60 + " | y | z\n" + "1 | 2 |3\n" * 5)
    assert found is not None
    assert found.column("a") == ["x" * 60, *["1"] * 5]


def test_header_that_is_repeated_inside_is_no_row() -> None:
    rows = [f"{at},x{at % 3},{at * 2}" for at in range(90)]
    header = "id,name,amount"
    reading = reading_of("\n".join([header, *rows[:30], header, *rows[30:60], header, *rows[60:]]))
    assert reading.words == "comma-separated values with a header: 90 rows of 3 columns"
    assert reading.facts == ("the header again on 2 lines, which are no rows",)
    assert [row["amount"] for row in rows_of(reading)] == [at * 2 for at in range(90)]


@pytest.mark.parametrize(
    "line", ["OPS-{0}: words [Done] (assignee: a, priority: High)", "export * from './models/m{0}.js';"]
)
def test_a_delimiter_inside_of_brackets_or_behind_code_parts_nothing(line: str) -> None:
    assert read_as(delimited.FORM, "\n".join(line.format(at) for at in range(40))) is None


def test_footer_alone_in_its_batch_is_no_row() -> None:
    rows = BATCH - 1  # With the header they fill one batch.
    text = "\n".join(["id,size", *(f"{n},{n * n}" for n in range(rows)), f"({rows} rows)"])
    found = read_as(delimited.FORM, text)
    assert found is not None
    assert found.tables["items"].count == rows


def test_text_of_comments_has_no_rows() -> None:
    options = delimited.FORM.recognise(Sample(head=("a,b", "1,2", "3,4", "5,6"), count=4))
    assert options is not None
    assert list(delimited.FORM.read(["# one", "# two"], options)) == []
