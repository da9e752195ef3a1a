"""Tables as pandas and tabulate print them in aligned columns: names of several words, an index, dots and footers."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.read_text import read_text
from penstock.core.forms.text.aligned import FORM
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.reading import Reading

Row = list[Any]
HEADER = ["Airport Name", "Origin State", "Cost Total $", "Speed IAS in knots"]
AIRPORTS = ["BARKSDALE AIR FORCE BASE", "ORLANDO INTL", "O'HARE", "LA GUARDIA"]
STATES = ["Louisiana", "New York", "Texas", "N/A"]
DOTS = "..."


def make_rows(seed: int, count: int) -> list[Row]:
    """Rows of two texts, a whole number of up to four digits, and a decimal number."""
    rng = random.Random(seed)
    return [
        [rng.choice(AIRPORTS), rng.choice(STATES), rng.choice([0, 12, 4500]), rng.choice([140.5, 200.5, 7.25])]
        for _ in range(count)
    ]


def pandas(rows: list[Row], header: list[str] = HEADER, *, index: bool = True, name: str = "", total: int = 0) -> str:
    """As pandas prints a frame: columns end below their names, numbers and dots after two spaces, texts after one. If
    ``total`` is more than there are rows, dots are in the middle and the size is below."""
    cells = [list(map(str, row)) for row in rows]
    labels = list(map(str, range(len(rows))))
    if total > len(rows):
        cells.insert(len(rows) // 2, [DOTS] * len(header))
        labels.insert(len(rows) // 2, "..")
    wide = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    gaps = [" " if isinstance(cell, str) and cell != DOTS else "  " for cell in rows[0]]
    margin = max(map(len, [*labels, name]))

    def line(label: str, some: list[str]) -> str:
        start = label.ljust(margin) if index else ""
        return start + "".join(gap + cell.rjust(width) for gap, cell, width in zip(gaps, some, wide, strict=True))

    lines = [line("", header), *([name.ljust(len(line("", header)))] if name else []), *map(line, labels, cells)]
    size = f"\n\n[{total} rows x {len(header)} columns]" if total > len(rows) else ""
    return "\n".join(lines) + size


def tabulate(rows: list[Row], header: list[str] = HEADER, rule: str = "", edges: bool = False) -> str:
    """As tabulate prints plain, simple and rst: two spaces between columns, numbers to the right, an unnamed index."""
    every = [[".." if edges else "", *header], *([str(at), *map(str, row)] for at, row in enumerate(rows))]
    wide = [max(map(len, column)) for column in zip(*every, strict=True)]
    is_number = [True, *(not isinstance(cell, str) for cell in rows[0])]

    def line(cells: list[str]) -> str:
        padded = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, wide, is_number, strict=True)
        ]
        return "  ".join(padded).rstrip()

    ruled = ["  ".join(rule * width for width in wide)] if rule else []
    above = ruled if edges else []
    return "\n".join([*above, line(every[0]), *ruled, *map(line, every[1:]), *above])


def simple(rows: list[Row], header: list[str] = HEADER) -> str:
    return tabulate(rows, header, "-")


def rst(rows: list[Row], header: list[str] = HEADER) -> str:
    return tabulate(rows, header, "=", edges=True)


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def cells(found: Read) -> list[Row]:
    return [[cell for name, cell in row.items() if name != "line"] for row in found.rows()]


def read_any(text: str) -> Reading | None:
    body = text.encode()
    return read_text(body, "strict", text.count("\n") + 1)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("style", [pandas, tabulate, simple, rst])
def test_names_of_several_words_are_names_of_one_column(style: Callable[[list[Row]], str], seed: int) -> None:
    rows = make_rows(seed, 80)
    found = read(style(rows))
    assert [field.name for field in found.tables["items"].fields] == ["line", "c1", *HEADER]
    assert cells(found) == [[at, *row] for at, row in enumerate(rows)]
    assert found.words.what == "a table in aligned columns: 80 rows of 5 columns"
    assert found.words.facts == ("renamed columns (name in the header): c1 (no name)",)


@pytest.mark.parametrize("seed", range(6))
def test_frame_without_an_index_has_its_columns(seed: int) -> None:
    rows = make_rows(seed, 300)
    found = read(pandas(rows, index=False))
    assert [field.name for field in found.tables["items"].fields] == ["line", *HEADER]
    assert cells(found) == rows


@pytest.mark.parametrize("count", [10, 60])
def test_dots_and_the_footer_are_no_rows_and_tell_what_is_left_out(count: int) -> None:
    rows = make_rows(1, count)
    found = read(pandas(rows, total=1_500))
    assert [row[1:] for row in cells(found)] == rows
    what = f"a table in aligned columns: {count} rows of 5 columns"
    assert found.words.what == f"{what}; the text says that it has 1,500 rows"


def test_dots_of_a_frame_without_an_index_are_no_row() -> None:
    rows = make_rows(1, 60)
    found = read(pandas(rows, index=False, total=1_500))
    assert cells(found) == rows
    assert found.words.what == "a table in aligned columns: 60 rows of 4 columns; the text says that it has 1,500 rows"


def test_columns_of_dots_are_no_columns() -> None:
    rows = [[*row[:2], DOTS, *row[2:]] for row in make_rows(1, 60)]
    text = pandas(rows, [*HEADER[:2], DOTS, *HEADER[2:]]) + "\n\n[60 rows x 9 columns]"
    found = read(text)
    assert [field.name for field in found.tables["items"].fields] == ["line", "c1", *HEADER]
    assert found.words.what.endswith("60 rows of 5 columns; the text says that it has 60 rows of 9 columns")
    assert [row[1:] for row in cells(found)] == make_rows(1, 60)


def test_footer_with_more_rows_is_told_and_one_with_fewer_is_a_contradiction() -> None:
    rows = make_rows(1, 60)
    assert read(pandas(rows) + "\n\n[60 rows x 4 columns]").words.what.endswith("60 rows of 5 columns")
    assert read(pandas(rows) + "\n\n[61 rows x 4 columns]").words.what.endswith("the text says that it has 61 rows")
    assert read_as(FORM, pandas(rows, total=61).replace("[61 ", "[59 ")) is None


def test_name_of_the_index_in_the_line_below_the_header_is_its_name() -> None:
    rows = make_rows(1, 60)
    found = read(pandas(rows, name="row no"))
    assert [field.name for field in found.tables["items"].fields] == ["line", "row no", *HEADER]
    assert cells(found) == [[at, *row] for at, row in enumerate(rows)]
    assert found.words.facts == ()


@pytest.mark.parametrize("style", [pandas, tabulate, simple, rst])
def test_years_over_an_index_or_a_rule_are_names(style: Callable[..., str]) -> None:
    rows = [[number * year for year in (2019, 2020, 2021)] for number in range(60)]
    found = read(style(rows, ["2019", "2020", "2021"]))
    assert [field.name for field in found.tables["items"].fields] == ["line", "c1", "2019", "2020", "2021"]
    assert cells(found) == [[at, *row] for at, row in enumerate(rows)]


def test_years_without_an_index_or_a_rule_are_names() -> None:
    text = pandas(
        [[number * year for year in (2019, 2020, 2021)] for number in range(60)], ["2019", "2020", "2021"], index=False
    )
    assert [field.name for field in read(text).tables["items"].fields] == ["line", "2019", "2020", "2021"]


def test_numbers_above_numbers_are_no_header() -> None:
    lines = [f"{number:>5}  {number * 7:>5}  {number * 3:>5}" for number in range(60)]
    assert read_as(FORM, "\n".join(lines)) is None
    assert read_as(FORM, "\n".join([lines[7], "-----  -----  -----", *lines])) is None


def test_words_that_may_be_one_cell_make_no_columns() -> None:
    rows: list[Row] = [[f"word{at}", "x y", at * 3] for at in range(60)]
    assert read_as(FORM, pandas(rows, ["first name", "total x", "count"])) is None
    some = [["New York" if at % 3 else "x", at] for at in range(60)]
    assert read_as(FORM, pandas(some, ["city name", "n"])) is None


def test_table_whose_columns_are_in_blocks_is_left_as_lines() -> None:
    rows = [[at, at * 2, at * 3] for at in range(60)]
    first, second = pandas(rows, ["a", "b", "c"]), pandas(rows, ["d", "e", "f"])
    blocks = "\n".join(f"{line}  {mark}" for line, mark in zip(first.split("\n"), ["\\", *[" "] * 60], strict=True))
    reading = read_any(f"{blocks}\n\n{second}\n")
    assert reading is None or not reading.tables or reading.form == "kinds"


def test_rows_between_bars_are_no_aligned_columns() -> None:
    lines = ["|_. id   |_. name   |_. n   |", *(f"| {at:<6} | word{at:<5} | {at:<5} |" for at in range(60))]
    reading = read_any("\n".join(lines))
    assert reading is None or reading.form != "aligned"


def test_column_named_by_dots_over_other_cells_has_no_name() -> None:
    rows = [[f"word{at}", at * 2] for at in range(60)]
    found = read(rst(rows, ["name", "n"]))
    assert [field.name for field in found.tables["items"].fields] == ["line", "c1", "name", "n"]
