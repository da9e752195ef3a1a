"""The lines around a table tell its size, that rows are left out, and that the text was cut."""

from __future__ import annotations

import pytest

from penstock.core.forms.api import DoesNotHoldError
from penstock.core.forms.around_table import MAX_SHOWN, AroundTable, are_dots, printed_size, says_cut


def around(*lines: str) -> AroundTable:
    found = AroundTable()
    for number, line in enumerate(lines, 1):
        found.add(number, line)
    return found


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("(300 rows)", (300, 0)),
        ("(1 row)", (1, 0)),
        ("3 rows in set (0.01 sec)", (3, 0)),
        ("3 row(s) returned", (3, 0)),
        ("  400 rows (20 shown)      5 columns", (400, 5)),
        ("450 rows (20 shown)9 columns (6 shown)", (450, 9)),
        ("1,204 rows", (1_204, 0)),
        ("[1500 rows x 15 columns]", (1_500, 15)),
        ("shape: (1_500, 15)", (1_500, 15)),
        ("Name: a, Length: 300, dtype: int64", (300, 0)),
        ("Length: 300, dtype: object", (300, 0)),
        ("300 rowers", None),
        ("shape: 5", None),
        ("Length: many", None),
        ("", None),
    ],
)
def test_size_in_the_words_of_a_printer(line: str, size: tuple[int, int] | None) -> None:
    assert printed_size(line) == size


@pytest.mark.parametrize(
    ("cells", "result"),
    [(["..", "...", "..."], True), (["…", " … "], True), (["·", ""], True), (["", ""], False), (["...", "x"], False)],
)
def test_row_of_dots_has_nothing_else(cells: list[str], result: bool) -> None:
    assert are_dots(cells) is result


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("<error>Content truncated. Call the tool again.</error>", True),
        ("... 120 more rows", True),
        ("…and 5 others", True),
        ("[Output truncated: 1,234 lines]", True),
        ("...", True),
        ("(truncated)", True),
        ("...he said", False),
        ("5,log was truncated,ok", False),
        ("[note],x", False),
    ],
)
def test_line_says_that_the_text_was_cut(line: str, result: bool) -> None:
    assert says_cut(line) is result


def test_lines_around_a_table_are_counted_and_the_first_are_shown() -> None:
    lines = [f"remark {number}" for number in range(MAX_SHOWN + 3)]
    words = around("", *lines).words("a table", 10, 3, renamed={})
    assert words.what == "a table: 10 rows of 3 columns"
    [excerpt] = words.excerpts
    assert (excerpt.title, excerpt.lines) == (f"{len(lines)} lines outside of the table", tuple(lines[:MAX_SHOWN]))


@pytest.mark.parametrize(
    ("line", "rows", "words"),
    [
        ("(10 rows)", 10, "a table: 10 rows of 3 columns"),
        ("(1500 rows)", 10, "a table: 10 rows of 3 columns; the text says that it has 1,500 rows"),
        ("shape: (10, 15)", 10, "a table: 10 rows of 3 columns; the text says that it has 10 rows of 15 columns"),
    ],
)
def test_size_that_the_text_tells_is_said_if_it_is_greater(line: str, rows: int, words: str) -> None:
    found = around(line)
    found.check(rows)
    assert found.words("a table", rows, 3, renamed={}).what == words


def test_fewer_rows_than_were_read_are_a_contradiction_if_all_tables_tell_their_size() -> None:
    with pytest.raises(DoesNotHoldError):
        around("(9 rows)").check(10)
    with pytest.raises(DoesNotHoldError):
        around("(4 rows)", "(5 rows)").check(10, tables=2)
    around("(4 rows)").check(10, tables=2)
