"""Tables are written in every style from rows that the test makes up; what is read back must be these rows."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.api import BATCH
from penstock.core.forms.table_lines import rule_of
from penstock.core.forms.text.text_tables import EARLY, FORM, MAX_TABLES
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
HEADER = ["id", "name", "amount", "note"]

Row = list[Any]


def make_rows(seed: int, count: int, *, notes: bool = True) -> list[Row]:
    """Rows of an integer, a text, a decimal number and a text that is sometimes missing."""
    rng = random.Random(seed)
    return [
        [
            number,
            " ".join(rng.choices(WORDS, k=rng.randint(1, 3))),
            rng.randint(1, 10**4) + 0.25,
            rng.choice(WORDS) if not notes or rng.random() < 0.7 else None,
        ]
        for number in range(1, count + 1)
    ]


def texts(row: Row) -> list[str]:
    return ["" if cell is None else str(cell) for cell in row]


def widths(rows: list[Row], header: list[str]) -> list[int]:
    return [max(map(len, column)) for column in zip(header, *map(texts, rows), strict=True)]


def padded(cells: list[str], wide: list[int], bar: str = "|") -> str:
    return f" {bar} ".join(cell.ljust(width) for cell, width in zip(cells, wide, strict=True))


def markdown(rows: list[Row], header: list[str] = HEADER) -> str:
    lines = [f"| {' | '.join(header)} |", f"|{'|'.join([':--', '---', '--:', ':-:'][: len(header)])}|"]
    return "\n".join([*lines, *(f"| {' | '.join(texts(row))} |" for row in rows)])


def bare_markdown(rows: list[Row], header: list[str] = HEADER) -> str:
    return "\n".join([" | ".join(header), " | ".join(["---"] * len(header)), *(" | ".join(texts(row)) for row in rows)])


def psql(rows: list[Row], header: list[str] = HEADER) -> str:
    wide = widths(rows, header)
    rule = "+".join("-" * (width + 2) for width in wide)
    lines = [f" {padded(header, wide)} ", rule, *(f" {padded(texts(row), wide)}" for row in rows)]
    return "\n".join([*lines, f"({len(rows)} row{'s' * (len(rows) != 1)})", ""])


def mysql(rows: list[Row], header: list[str] = HEADER) -> str:
    wide = widths(rows, header)
    rule = f"+{'+'.join('-' * (width + 2) for width in wide)}+"
    body = [f"| {padded(texts(row), wide)} |" for row in rows]
    return "\n".join([rule, f"| {padded(header, wide)} |", rule, *body, rule, f"{len(rows)} rows in set (0.01 sec)"])


def grid(rows: list[Row], header: list[str] = HEADER) -> str:
    wide = widths(rows, header)
    rule = f"+{'+'.join('-' * (width + 2) for width in wide)}+"
    lines = [rule, f"| {padded(header, wide)} |", rule.replace("-", "=")]
    for row in rows:
        lines += [f"| {padded(texts(row), wide)} |", rule]
    return "\n".join(lines)


def drawn(rows: list[Row], header: list[str] = HEADER) -> str:
    wide = widths(rows, header)

    def rule(left: str, middle: str, right: str, line: str = "─") -> str:
        return left + middle.join(line * (width + 2) for width in wide) + right

    lines = [rule("┏", "┳", "┓", "━"), f"┃ {padded(header, wide, '┃')} ┃", rule("┡", "╇", "┩", "━")]
    return "\n".join([*lines, *(f"│ {padded(texts(row), wide, '│')} │" for row in rows), rule("└", "┴", "┘")])


def mixed(rows: list[Row], header: list[str] = HEADER) -> str:
    """As tabulate draws it with heavy and light lines."""
    wide = widths(rows, header)

    def rule(left: str, middle: str, right: str) -> str:
        return left + middle.join("━" * (width + 2) for width in wide) + right

    lines = [rule("┍", "┯", "┑"), f"│ {padded(header, wide, '│')} │", rule("┝", "┿", "┥")]
    return "\n".join([*lines, *(f"│ {padded(texts(row), wide, '│')} │" for row in rows), rule("┕", "┷", "┙")])


STYLES = [markdown, bare_markdown, psql, mysql, grid, drawn, mixed]
POLARS_TYPES = ["i64", "str", "f64", "str"]


def polars(rows: list[Row], header: list[str] = HEADER, total: int = 0, ascii_rule: bool = False) -> str:
    """As polars prints a frame of ``total`` rows: with dots in the middle if that is more than there are."""
    cells = [["null" if cell is None else str(cell) for cell in row] for row in rows]
    if total > len(rows):
        cells.insert(len(cells) // 2, ["…"] * len(header))
    wide = [max(map(len, column)) for column in zip(header, POLARS_TYPES, *cells, ["---"] * len(header), strict=True)]
    inner, outer = ("|", "|") if ascii_rule else ("┆", "│")

    def rule(left: str, middle: str, right: str, line: str) -> str:
        return left + middle.join(line * (width + 2) for width in wide) + right

    names = [header, ["---"] * len(header), POLARS_TYPES[: len(header)]]
    drawn_names = [f"{outer} {padded(one, wide, inner)} {outer}" for one in names]
    body = [f"{outer} {padded(one, wide, inner)} {outer}" for one in cells]
    shape = f"shape: ({max(total, len(rows)):_}, {len(header)})"
    if ascii_rule:
        edge = rule("+", "+", "+", "-")
        between = "+" + "=" * (len(edge) - 2) + "+"
        return "\n".join([shape, edge, *drawn_names, between, *body, edge])
    top, between, end = rule("┌", "┬", "┐", "─"), rule("╞", "╪", "╡", "═"), rule("└", "┴", "┘", "─")
    return "\n".join([shape, top, *drawn_names, between, *body, end])


def duckdb(rows: list[Row], header: list[str] = HEADER, total: int = 0) -> str:
    """As DuckDB prints a result of ``total`` rows: with three lines of dots if that is more than there are."""
    cells = [["NULL" if cell is None else str(cell) for cell in row] for row in rows]
    shown = ""
    if total > len(rows):
        cells[len(cells) // 2 : len(cells) // 2] = [["·"] * len(header)] * 3
        shown = f" ({len(rows)} shown)"
    types = ["int64", "varchar", "double", "varchar"]
    wide = [max(map(len, column)) for column in zip(header, types, *cells, strict=True)]

    def rule(left: str, middle: str, right: str) -> str:
        return left + middle.join("─" * (width + 2) for width in wide) + right

    lines = [rule("┌", "┬", "┐"), *(f"│ {padded(one, wide, '│')} │" for one in (header, types)), rule("├", "┼", "┤")]
    lines += [*(f"│ {padded(one, wide, '│')} │" for one in cells), rule("└", "┴", "┘")]
    return "\n".join([*lines, f"  {max(total, len(rows))} rows{shown}      {len(header)} columns"])


Style = "Callable[[list[Row], list[str]], str]"


def read(text: str | bytes) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def cells(found: Read, table: str = "items") -> list[Row]:
    return [[cell for name, cell in row.items() if name not in ("line", "section")] for row in found.rows(table)]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seed", range(8))
def test_a_table_in_any_style_gives_back_its_rows(style: Callable[[list[Row]], str], seed: int) -> None:
    rows = make_rows(seed, random.Random(seed).randint(3, 60))
    text = style(rows)
    found = read(text)
    assert list(found.tables) == ["items"]
    assert [field.name for field in found.tables["items"].fields] == ["line", *HEADER]
    assert cells(found) == rows
    lines = text.split("\n")
    for number, row in zip(found.column("line"), rows, strict=True):
        assert row[1] in lines[number - 1]
        assert str(row[0]) in lines[number - 1]
    assert f"{len(rows)} rows of 4 columns" in found.words.what
    assert found.words.facts == ()


@pytest.mark.parametrize("style", STYLES)
def test_a_long_table_is_given_out_in_batches(style: Callable[[list[Row]], str]) -> None:
    rows = make_rows(1, BATCH + 5)
    assert cells(read(style(rows))) == rows


@pytest.mark.parametrize("style", [markdown, psql, mysql, drawn])
def test_tables_with_one_header_are_one_and_tell_their_sections(style: Callable[[list[Row]], str]) -> None:
    parts = {f"Part {number}": make_rows(number, 5 + number) for number in range(6)}
    text = "\n\n".join(f"## {title}\n\n{style(rows)}" for title, rows in parts.items())
    found = read(text)
    assert cells(found) == [row for rows in parts.values() for row in rows]
    assert found.column("section") == [title for title, rows in parts.items() for _ in rows]
    total = sum(map(len, parts.values()))
    assert f"in 6 parts with the same header: {total} rows of 4 columns" in found.words.what
    [excerpt] = found.words.excerpts
    assert excerpt.title == "6 lines outside of the table"
    assert excerpt.lines == tuple(f"## {title}" for title in parts)


def test_tables_with_other_headers_are_tables_of_their_own_and_the_largest_is_the_main_one() -> None:
    small, large, third = make_rows(1, 4), make_rows(2, 30), make_rows(3, 3)
    text = "\n\n".join(
        ["Summary", mysql(small, ["a", "b", "c", "d"]), mysql(large), "More", mysql(third, ["e", "f", "g", "h"])]
    )
    found = read(text)
    assert cells(found) == large
    assert cells(found, "table_2") == small
    assert cells(found, "table_3") == third
    assert list(found.tables) == ["items", "table_2", "table_3"]
    assert found.words.what == "a table drawn with lines: 30 rows of 4 columns"
    assert found.words.facts[0] == "table_2 (line 4, under Summary): 4 rows of a, b, c, d"
    assert found.words.facts[1].startswith("table_3 (line ")
    assert {table.noun for table in found.tables.values()} == {"rows"}


def test_a_long_list_of_columns_is_cut_in_the_facts() -> None:
    wide = [f"column {number}" for number in range(12)]
    text = markdown(make_rows(1, 40)) + "\n\n|" + "|".join(wide) + "|\n" + "|-" * 12 + "|\n" + "|x" * 12 + "|\n"
    [fact] = read(text).words.facts
    assert fact == f"table_2 (line 44): 1 row of {', '.join(wide[:8])}, +4 columns"


@pytest.mark.parametrize("style", [psql, mysql])
def test_a_footer_with_more_rows_is_told_and_one_with_fewer_is_a_contradiction(
    style: Callable[[list[Row]], str],
) -> None:
    text = style(make_rows(1, 12))
    assert read(text.replace("12 rows", "13 rows")).words.what.endswith("; the text says that it has 13 rows")
    assert read_as(FORM, text.replace("12 rows", "11 rows")) is None


@pytest.mark.parametrize(
    "footer", ["(3 rows)", "3 rows in set, 1 warning (0.00 sec)", "3 rows selected.", "3 row(s) returned", "3 rows"]
)
def test_footers_of_many_programs_are_known(footer: str) -> None:
    assert read(f"{markdown(make_rows(1, 3))}\n\n{footer}\n").words.facts == ()


def test_a_cell_that_psql_marks_as_going_on_is_one_cell() -> None:
    text = (
        " id |  body   | n \n"
        "----+---------+---\n"
        "  1 | one    +| 5\n"
        "    | two    +| \n"
        "    | three   | \n"
        "  2 | C++     | 6\n"
        "  3 |         | 7\n"
        "(3 rows)\n"
    )
    assert cells(read(text)) == [[1, "one\ntwo\nthree", 5], [2, "C++", 6], [3, None, 7]]


def test_a_mark_in_a_drawn_table_of_psql_goes_on_too() -> None:
    text = (
        "┌────┬────────┐\n│ id │  body  │\n├────┼────────┤\n"
        "│  1 │ one   ↵│\n│    │ two    │\n│  2 │ three  │\n│  3 │ four   │\n└────┴────────┘\n"
    )
    assert cells(read(text)) == [[1, "one\ntwo"], [2, "three"], [3, "four"]]


def test_a_mark_before_a_whole_row_is_no_mark() -> None:
    text = " id | body\n----+------\n  1 | abc +\n  2 | def\n  3 | ghi\n"
    assert [row[0] for row in cells(read(text))] == [1, 2, 3]


def test_cells_over_several_lines_of_a_grid_are_joined() -> None:
    text = (
        "+----+-------+\n| id | text  |\n+====+=======+\n| 1  | one   |\n|    | two   |\n+----+-------+\n"
        "| 2  | three |\n+----+-------+\n| 3  | four  |\n|    |       |\n|    | six   |\n+----+-------+\n"
    )
    found = read(text)
    assert cells(found) == [[1, "one\ntwo"], [2, "three"], [3, "four\n\nsix"]]
    assert found.column("line") == [4, 7, 9]


def test_groups_of_rows_between_rules_are_rows() -> None:
    text = (
        "+----+------+\n| id | text |\n+----+------+\n| 1  | a    |\n| 2  | b    |\n+----+------+\n"
        "| 3  | c    |\n|    | d    |\n+----+------+\n"
    )
    found = read(text)
    assert cells(found) == [[1, "a"], [2, "b"], [3, "c"], [None, "d"]]
    assert found.words.facts == ("1 row with an empty first cell: perhaps the row above goes on there",)


def test_a_row_that_never_ends_is_text() -> None:
    text = mysql(make_rows(1, 30, notes=False)).split("+-")
    broken = "+-".join(text[:-1]) + "| 31 | cut off\nby the server\n"
    found = read(broken)
    assert found.tables["items"].count == 30
    assert found.words.excerpts[0].title == "2 lines outside of the table"
    assert read_as(FORM, "+-".join(text[:-1]) + "| 31 | cut off\n" + "and prose\n" * 300) is None


def test_types_below_the_names_and_rows_left_out_are_understood() -> None:
    text = (
        "┌───────┬─────────┐\n│  id   │  name   │\n│ int32 │ varchar │\n├───────┼─────────┤\n│     1 │ a       │\n"
        "│     2 │ b       │\n│     · │ ·       │\n│     · │ ·       │\n│    99 │ z       │\n├───────┴─────────┤\n"
        "│ 100 rows (3 shown)  2 columns │\n└─────────────────┘\n"
    )
    found = read(text)
    assert cells(found) == [[1, "a"], [2, "b"], [99, "z"]]
    assert found.words.what.endswith("3 rows of 2 columns; the text says that it has 100 rows")


def test_rows_left_out_of_a_long_drawn_table_are_no_rows() -> None:
    rows = drawn(make_rows(1, 300, notes=False)).split("\n")
    dots = "│ · │ · │ · │ · │"
    found = read("\n".join([*rows[:280], dots, dots, *rows[280:]]))
    assert found.tables["items"].count == 300
    assert found.words.what.endswith("300 rows of 4 columns; dots in the text stand for rows that it leaves out")


@pytest.mark.parametrize("total", [0, 1_500])
@pytest.mark.parametrize("style", [polars, duckdb])
def test_printed_frame_has_its_rows_and_says_how_many_there_are(style: Callable[..., str], total: int) -> None:
    rows = make_rows(1, 40)
    missing = "null" if style is polars else "NULL"
    found = read(style(rows, total=total))
    assert cells(found) == [[missing if cell is None else cell for cell in row] for row in rows]
    what = "a table drawn with lines: 40 rows of 4 columns"
    assert found.words.what == (f"{what}; the text says that it has 1,500 rows" if total else what)
    assert found.words.facts == ()


def test_frame_of_polars_with_a_rule_without_crossings_has_its_columns() -> None:
    rows = make_rows(1, 450, notes=False)
    found = read(polars(rows, ascii_rule=True))
    assert cells(found) == rows
    assert found.words.what == "a table drawn with lines: 450 rows of 4 columns"


def test_columns_that_a_printer_left_out_are_no_columns() -> None:
    rows = [[number, "…", number * 2] for number in range(30)]
    text = "\n".join(
        [
            *("shape: (1_500, 12)", "┌────┬───┬────┐", "│ id ┆ … ┆ n  │", "│ -- ┆   ┆ -- │".replace("--", "---")),
            *("│ i64┆   ┆ i64│", "╞════╪═══╪════╡", *(f"│ {a} ┆ {b} ┆ {c} │" for a, b, c in rows)),
            *("│ …  ┆ … ┆ …  │", "│ 1  ┆ … ┆ 2  │", "└────┴───┴────┘"),
        ]
    )
    found = read(text)
    assert [field.name for field in found.tables["items"].fields] == ["line", "id", "n"]
    assert found.words.what.endswith("31 rows of 2 columns; the text says that it has 1,500 rows of 12 columns")
    assert read_as(FORM, text.replace("│ 5 ┆ …", "│ 5 ┆ x")) is None


def test_frame_whose_rows_continue_on_other_lines_is_no_table() -> None:
    rows = [[number, "word", number + 0.25, "x"] for number in range(30)]
    for total in (0, 1_500):
        lines = polars(rows, total=total).split("\n")
        wrapped = [*lines[:8], f"│    ┆ {' ' * 4} ┆ {' ' * 5} ┆ more │", *lines[8:]]
        assert read_as(FORM, "\n".join(lines)) is not None
        assert read_as(FORM, "\n".join(wrapped)) is None
    text = polars([["a", "b", "c", "d"] for _ in range(30)], total=99).replace("i64", "str").replace("f64", "str")
    [fact] = read(text.replace("│ a   ┆ b", "│     ┆ b", 1)).words.facts
    assert fact == "1 row with an empty first cell: perhaps the row above goes on there"


def test_frame_of_another_size_than_it_tells_is_a_contradiction() -> None:
    assert read_as(FORM, polars(make_rows(1, 30), total=31).replace("(31,", "(29,")) is None


def test_long_names_above_types_are_names() -> None:
    lines = polars(make_rows(1, 30, notes=False)).split("\n")
    blank = lines[2].replace("id", "  ").replace("name", "and ").replace("amount", "      ").replace("note", "    ")
    found = read("\n".join([*lines[:3], blank, blank.replace("and", "so "), *lines[3:]]))
    assert [field.name for field in found.tables["items"].fields] == ["line", "id", "name and so", "amount", "note"]
    assert cells(found) == make_rows(1, 30, notes=False)


def test_table_of_psql_may_have_an_unnamed_first_column() -> None:
    rows = [[number, "word", number * 2] for number in range(30)]
    lines = [f"{number:>4} | {word} | {twice:>3}" for number, word, twice in rows]
    found = read("\n".join(["     | name | n", "-----+------+-----", *lines]))
    assert cells(found) == rows
    assert [field.name for field in found.tables["items"].fields] == ["line", "c1", "name", "n"]
    assert found.words.facts == ("renamed columns (name in the header): c1 (no name)",)


def test_escapes_in_names_of_markdown_columns_are_undone() -> None:
    found = read("| installed\\_kb | a\\|b | c:\\x |\n|---|---|---|\n" + "| 1 | x\\_y | z |\n" * 5)
    assert [field.name for field in found.tables["items"].fields] == ["line", "installed_kb", "a|b", "c:\\x"]


def test_columns_that_are_called_like_ours_are_renamed_only_if_the_table_has_ours() -> None:
    text = markdown(make_rows(1, 40)) + "\n\n## Other\n\n" + markdown(make_rows(2, 5), ["line", "section", "x", "y"])
    found = read(text)
    assert list(found.cells["table_2"]) == ["line", "line_2", "section", "x", "y"]
    assert found.words.facts[0].endswith("line_2, section, x, y; renamed columns (name in the header): line_2 (line)")


def test_sizes_of_several_parts_are_added() -> None:
    text = polars(make_rows(1, 20), total=100) + "\n\n" + polars(make_rows(2, 20), total=50)
    what = "a table drawn with lines, in 2 parts with the same header: 40 rows of 4 columns"
    assert read(text).words.what == f"{what}; the text says that it has 150 rows"


def test_a_title_above_the_header_is_no_header() -> None:
    rows = make_rows(1, 5)
    inner = mysql(rows).split("\n")
    rule = "+" + "-" * (len(inner[0]) - 2) + "+"
    text = "\n".join([rule, f"|{'Numbers'.center(len(rule) - 2)}|", *inner])
    assert cells(read(text)) == rows
    two = read(f"{text}\n\n{text.replace('Numbers', 'Others ')}")
    assert two.column("section") == ["Numbers"] * 5 + ["Others"] * 5


def test_a_caption_inside_of_a_box_is_text() -> None:
    lines = mysql(make_rows(1, 9)).split("\n")
    found = read("\n".join([*lines[:-1], "| done |", lines[0]]))
    assert found.tables["items"].count == 9
    assert found.words.excerpts[0].lines == ("done",)


def test_two_boxes_without_a_line_between_are_two_parts() -> None:
    rows = make_rows(1, 5)
    box = mysql(rows).rpartition("\n")[0]
    assert cells(read(f"{box}\n{box}")) == rows * 2


def test_escaped_bars_are_bars_and_outer_bars_may_come_and_go() -> None:
    text = "a | b | c\n--- | --- | ---\n1 | x \\| y | z\n| 2 | | w |\n  | 3 | u | v\n4 | t | s |\n"
    assert cells(read(text)) == [[1, "x | y", "z"], [2, None, "w"], [3, "u", "v"], [4, "t", "s"]]


def test_bars_inside_cells_of_drawn_tables_are_parts_of_cells() -> None:
    box = "+----+------+\n| id | body |\n+----+------+\n| 1  | a|b  |\n| 2  | c    |\n| 3  | d    |\n+----+------+\n"
    assert cells(read(box)) == [[1, "a|b"], [2, "c"], [3, "d"]]
    printed = " id | body \n----+------\n  1 | a|b\n  2 | c\n  3 | d\n(3 rows)\n"
    assert cells(read(printed)) == [[1, "a|b"], [2, "c"], [3, "d"]]


def test_row_of_markdown_with_fewer_cells_keeps_their_places() -> None:
    text = "a | b | c\n--- | --- | ---\n" + "1 | x | y\n" * 30 + "| 2 | w\n"
    assert cells(read(text))[-1] == [2, "w", None]


def test_box_with_line_breaks_inside_its_cells_is_read_as_lines() -> None:
    text = mysql([[number, "first\nsecond", 0.25, "x"] for number in range(1, 30)])
    assert read_as(FORM, text) is None


def test_rows_of_another_length_are_counted_and_lose_nothing() -> None:
    rows = [f"| {number} | x | y |" for number in range(60)]
    rows[10], rows[20] = "| 10 | x | y | z | w |", "| 20 |"
    found = read("\n".join(["| a | b | c |", "|---|---|---|", *rows]))
    assert cells(found)[10] == [10, "x", "y | z | w"]
    assert cells(found)[20] == [20, None, None]
    assert found.words.facts == ("2 rows with another number of cells",)
    assert read_as(FORM, "\n".join(["| a | b | c |", "|---|---|---|", *rows[:30], *["| 1 |"] * 5])) is None


def test_numbers_and_texts_in_one_column_are_texts_throughout() -> None:
    rows = [f"| {number} | x |" for number in range(BATCH)] + ["| none | x |"]
    found = read("\n".join(["| a | b |", "|---|---|", *rows, "|  | x |"]))
    assert found.column("a") == [*map(str, range(BATCH)), "none", None]


def test_a_table_without_rows_is_only_a_header() -> None:
    rows = make_rows(1, 20)
    found = read(f"{mysql(rows)}\n\n+---+---+\n| a | b |\n+---+---+\n+---+---+\n")
    assert cells(found) == rows
    assert list(found.tables) == ["items"]


def test_one_column_is_a_table_if_there_are_bars_around_it() -> None:
    found = read("| name |\n|------|\n| a |\n| b |\n| c |\n")
    assert cells(found) == [["a"], ["b"], ["c"]]
    assert cells(read("+---+\n| n |\n+---+\n| 1 |\n| 2 |\n| 3 |\n+---+")) == [[1], [2], [3]]
    assert read_as(FORM, "name\n----|\na|\nb|\nc|\n") is None


def test_windows_line_ends_and_blank_lines_around_are_nothing() -> None:
    rows = make_rows(3, 8)
    assert cells(read(("\n\n" + markdown(rows) + "\n\n").replace("\n", "\r\n"))) == rows


@pytest.mark.parametrize("line", ["|---|", "| :-: | --- |", "a", "", "---+---", "+--+", "──┼──", "├──┤", "--"])
def test_rules_are_told_from_other_lines(line: str) -> None:
    assert (rule_of(line) is None) == (line in ("a", "", "--"))


DOCUMENT = """# Manual

Some words about the program, which go on for a while and are
followed by other words.

## Options

| option | meaning |
|--------|---------|
| -a     | all     |
| -b     | brief   |
| -c     | clear   |

And then there is a lot more text about other things, line after
line after line, so that the table is but a small part of it.
More text. More text. More text.
More text. More text. More text.
More text. More text. More text.
"""


@pytest.mark.parametrize(
    "text",
    [
        DOCUMENT,
        "a,b,c\n1,2,3\n4,5,6\n7,8,9\n",
        "a|b|c\n1|2|3\n4|5|6\n7|8|9\n",
        "Just some prose.\n\nAnd more of it - with a dash | and a bar.\n" * 20,
        "def f(a, b):\n    return a | b\n\n# ---+---\nx = 1 | 2\n" * 20,
        '{"a": 1}\n{"a": 2}\n{"a": 3}\n' * 5,
        "a: 1\nb:\n  - x | y\n---\nc: 2\n" * 20,
        "title | more\n-----\nx\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "| a | b | c |\n|---|---|\n| 1 | 2 | 3 |\n" * 3,
        "+---+\nnot a table\n" * 10,
        "+---+---+\n| a | b |\n| c |\n+---+---+\n",
        "+---+---+\n+---+---+\n" * 5,
        "commit abc\n| * def\n|/\n* ghi\n" * 20,
        "",
    ],
)
def test_other_texts_are_no_tables(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_text_that_becomes_prose_after_its_beginning_does_not_hold() -> None:
    assert read_as(FORM, markdown(make_rows(1, 500)) + "\n\n" + "prose and more prose\n" * 3_000) is None


def test_long_table_below_an_introduction_holds() -> None:
    rows = make_rows(5, 2 * EARLY)
    read = read_as(FORM, "\n".join([*["words"] * 20, "", markdown(rows)]))
    assert read is not None
    assert len(read.rows()) == len(rows)


def test_long_table_below_thousands_of_lines_of_text_does_not_hold() -> None:
    text = [markdown(make_rows(6, 400)), "", *["words"] * EARLY, "", markdown(make_rows(5, 3 * EARLY))]
    assert read_as(FORM, "\n".join(text)) is None


def test_many_different_tables_are_a_document() -> None:
    def text(count: int) -> str:
        return "\n\n".join(markdown(make_rows(1, 3), [f"a{at}", "b", "c", "d"]) for at in range(count))

    assert len(read(text(MAX_TABLES)).tables) == MAX_TABLES
    assert read_as(FORM, text(MAX_TABLES + 40)) is None


def test_a_table_with_more_columns_than_sql_takes_is_none() -> None:
    assert read_as(FORM, "\n".join(["|" + "a|" * 2_000, "|" + "-|" * 2_000, *["|" + "1|" * 2_000] * 5])) is None


def test_hostile_cells_come_back_as_they_are() -> None:
    odd = ["\x1b[31mred", "x" * 1_000_000, "'; DROP TABLE items; --", "9" * 400, "\ud800".join("ab"), "\x00", "·"]
    found = read("| a | b |\n|---|---|\n" + "".join(f"| {number} | {text} |\n" for number, text in enumerate(odd)))
    assert found.column("b") == odd
    assert found.words.what.isprintable()


def test_hostile_headers_and_titles_are_quoted_in_what_we_say() -> None:
    title = "\x1b[2J| ignore all this"
    text = f"{title}\n\n{markdown(make_rows(1, 4), ['a', 'b', 'c', chr(7)])}\n\n{markdown(make_rows(2, 30))}"
    found = read(text)
    assert all(fact.isprintable() for fact in found.words.facts)


@pytest.mark.parametrize("text", ["|" * 1_000_000, "+-" * 500_000, "|-" * 500_000 + "|", "│" * 80_000, "-" * 1_000_000])
def test_a_very_long_line_costs_little(text: str) -> None:
    assert read_as(FORM, f"{text}\n{text}\n| a |\n{text}\n") is None
