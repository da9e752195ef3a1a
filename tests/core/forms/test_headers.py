"""The first row is a header if it differs from the rows below it; both answers are tested, and guesses are marked."""

from __future__ import annotations

import random

import pytest

from penstock.core.forms.headers import (
    MAX_CELLS,
    MAX_NAME,
    MAX_RENAMED,
    HeaderVerdict,
    class_of,
    judge_header,
    name_columns,
    renamed_fact,
)

CITIES = ["Oslo", "Rome", "San Jose"]
PEOPLE = ["Ann Lee", "Bob Ray", "Cid Fox", "Dan Poe", "Eve Orr", "Fay Day"]


def judge(*lines: str) -> HeaderVerdict:
    first, *rows = [line.split(",") for line in lines]
    return judge_header(first, rows)


def categories(count: int) -> list[str]:
    """Lines of two columns of text, whose values repeat."""
    rng = random.Random(5)
    return [f"{rng.choice(CITIES)},{rng.choice(['open', 'closed'])}" for _ in range(count)]


@pytest.mark.parametrize(
    "lines",
    [
        ["name,age", "ann,31", "bob,27"],
        ["Full name,Age in years", "ann,31", "bob,27"],
        ["name,name", "ann,31", "bob,27"],
        ["name,paid", "ann,true", "bob,false"],
        ["name,joined", "ann,2024-05-01", "bob,2023-01-31 10:00:00"],
        ["name,share", "ann,25%", "bob,7%"],
        ["name,price", "ann,$3.50", "bob,$12"],
        ["name,age", "ann,N/A", "bob,27"],
        [",count,25%,75%", "a,5,1,9", "b,7,2,8"],
        ["25%,50%,75%", "1.5,2.5,9", "1.0,2.0,8"],
        [",2019,2020", "a,5,6", "b,2019,2020"],
        ["Country,2019,2020", "Norway,5300000,5400000", "Chad,15000,16000"],
        ["Country,2020,2010,2000", "Norway,53,54,2001", "Chad,15,16,1999"],
        ["2019,2020", "5,6", "7,8"],
        ["x,2019", "564,3", "690,10"],
        [",0,1", "0,5,6", "1,7,8"],
        [",a", "x,"],
        ["Month,2024-01,2024-02", "rent,5,6", "food,7,8"],
        ["City,State", *categories(40)],
    ],
)
def test_first_row_of_another_class_than_its_columns_is_a_header(lines: list[str]) -> None:
    assert judge(*lines) is HeaderVerdict.YES


@pytest.mark.parametrize(
    "lines",
    [
        ["ann,31", "bob,27", "cid,45"],
        ["1,2,3", "4,5,6", "7,8,9"],
        ["2019,2020", "2020,2021", "2021,2022"],
        ["2024-05-01,3", "2024-05-02,4", "2024-05-03,5"],
        ["ann,25%", "bob,27%"],
        ["Oslo,open", "Rome,closed", "Oslo,closed", "Rome,open"],
        [",31", "bob,27", ",45"],
        ["ann,", "bob,", "ann,"],
        ["ann,N/A,5", "bob,3,6", "ann,4,7"],
        ["Norway,,5", "Sweden,3,6", "Peru,4,7"],
        [",ann,5", "1,ann,6", "2,ann,7"],
    ],
)
def test_first_row_of_the_class_of_its_columns_is_data(lines: list[str]) -> None:
    assert judge(*lines) is HeaderVerdict.NO


@pytest.mark.parametrize(
    "lines",
    [
        ["first,second", "x,y", "z,w", "v,u"],
        ["title,author", "The Hobbit,J Tolkien", "Dune,F Herbert", "It,S King"],
        ["Name,Code", *(f"{person},N{at}" for at, person in enumerate(PEOPLE))],
        ["City,State", *categories(6)],
        ["2019,2020", "high,low", "low,medium"],
        ["name,2024", "ann,31", "bob,27"],
        ["name,email", "Ann,ann@x.org", "Bob,bob@y.org"],
    ],
)
def test_texts_below_names_of_another_spelling_probably_have_a_header(lines: list[str]) -> None:
    assert judge(*lines) is HeaderVerdict.LIKELY


@pytest.mark.parametrize(
    "lines",
    [
        [
            f"{person},{city}"
            for person, city in zip(PEOPLE, ["Oslo", "Rome", "Bonn", "Bern", "Kiel", "Graz"], strict=True)
        ],
        ["ann,oslo", "bob,rome", "cid,bonn"],
        ["ann,bob", "ann,27", "dan,45"],
        ["Norway,1999", "Sweden,35", "Denmark,12000"],
        [",", "x,y", ",z"],
    ],
)
def test_texts_that_look_like_the_rows_below_probably_are_data(lines: list[str]) -> None:
    assert judge(*lines) is HeaderVerdict.UNLIKELY
    assert not judge(*lines).has_names


@pytest.mark.parametrize("seed", range(20))
def test_data_of_repeated_texts_keeps_its_first_row(seed: int) -> None:
    rng = random.Random(seed)
    lines = [f"{rng.choice(CITIES)},{rng.choice(['open', 'closed'])},{rng.choice('xyz')}" for _ in range(60)]
    assert judge(*lines) is HeaderVerdict.NO
    assert judge("city,state,kind", *lines) is HeaderVerdict.YES


def test_wide_table_is_judged_by_some_of_its_rows() -> None:
    width = MAX_CELLS + 1
    assert judge_header(["name"] * width, [["1"] * width, ["x"] * width]) is HeaderVerdict.YES


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        *(("1", "number"), ("-1.5e3", "number"), ("1,204", "number"), (".5", "number"), ("5 kg", "quantity")),
        *(("12%", "quantity"), ("$5", "quantity"), ("10:30", "time"), ("2024-05-01T10:30:00Z", "time")),
        *(("No", "truth"), ("", ""), ("NaN", ""), ("-", ""), ("x1", "text"), ("1.2.3.4", "text"), ("a b", "text")),
    ],
)
def test_class_of_a_cell(cell: str, name: str) -> None:
    assert class_of(cell) == name


def test_header_that_is_printed_again_is_still_a_header() -> None:
    assert judge("name,age", "ann,31", "name,age", "bob,27") is HeaderVerdict.YES
    assert judge("open,high", "closed,low", "open,high", "solved,low") is HeaderVerdict.NO


def test_names_of_columns_are_made_different() -> None:
    names, renamed = name_columns(["A", "a", "", "line", "A_2", "a  b"], ("line",))
    assert names == ["A", "a_2", "c3", "line_2", "A_2_2", "a b"]
    assert renamed == {"a_2": "a", "c3": "", "line_2": "line", "A_2_2": "A_2"}
    assert name_columns(["x"] * 3)[0] == ["x", "x_2", "x_3"]
    assert name_columns(["y" * 500])[0] == ["y" * MAX_NAME]
    assert name_columns(["line", "x"]) == (["line", "x"], {})


def test_renamed_columns_are_told_with_the_name_in_the_header() -> None:
    fact = renamed_fact({"c1": "", "name_2": "name"})
    assert fact == "renamed columns (name in the header): c1 (no name) · name_2 (name)"
    assert renamed_fact({}) == ""
    many = {f"c{at}": "" for at in range(MAX_RENAMED + 3)}
    assert renamed_fact(many).endswith(" · +3 columns")
