"""The size that printers tell, the dots in place of rows, and the words that say how much is shown."""

from __future__ import annotations

import pytest

from penstock.core.forms.left_out import (
    PrintedSize,
    are_dots,
    is_dotted,
    is_in_blocks,
    printed_size,
    says_cut,
    shown_part,
)


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("(300 rows)", PrintedSize(rows=300)),
        ("(1 row)", PrintedSize(rows=1)),
        ("3 rows in set (0.01 sec)", PrintedSize(rows=3)),
        ("3 row(s) returned", PrintedSize(rows=3)),
        ("  400 rows (20 shown)      5 columns", PrintedSize(rows=400, printed=20, columns=5)),
        ("450 rows (20 shown)9 columns (6 shown)", PrintedSize(rows=450, printed=20, columns=9)),
        ("1,204 rows", PrintedSize(rows=1_204)),
        ("[1500 rows x 15 columns]", PrintedSize(rows=1_500, columns=15)),
        ("shape: (1_500, 15)", PrintedSize(rows=1_500, columns=15)),
        ("Name: a, Length: 300, dtype: int64", PrintedSize(rows=300)),
        ("Length: 300, dtype: object", PrintedSize(rows=300)),
        ("300 rowers", None),
        ("shape: 5", None),
        ("Length: many", None),
        ("", None),
    ],
)
def test_size_in_the_words_of_a_printer(line: str, size: PrintedSize | None) -> None:
    assert printed_size(line) == size


@pytest.mark.parametrize(
    ("cells", "result"),
    [
        (["..", "...", "..."], True),
        (["…", " … "], True),
        (["·", ""], True),
        (["", ""], False),
        (["...", "x"], False),
        (["."], False),
    ],
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


@pytest.mark.parametrize(
    ("rows", "columns", "size", "has_dots", "words"),
    [
        (10, 3, PrintedSize(rows=1_500, columns=3), True, "the printed table shows 10 of 1,500 rows"),
        (10, 2, PrintedSize(rows=10, columns=5), False, "the printed table shows 2 of 5 columns"),
        (
            *(10, 2, PrintedSize(rows=400, columns=5), True),
            "the printed table shows 10 of 400 rows and 2 of 5 columns",
        ),
        (10, 2, None, True, "the printed table leaves out rows"),
        (10, 2, None, False, ""),
        (10, 2, PrintedSize(rows=10), False, ""),
    ],
)
def test_words_say_how_much_is_shown(
    rows: int, columns: int, size: PrintedSize | None, has_dots: bool, words: str
) -> None:
    assert shown_part(rows, columns, size, has_dots=has_dots) == words


def test_size_fits_the_printed_rows_or_more_rows_with_dots() -> None:
    assert PrintedSize(rows=30).fits(30, has_dots=False)
    assert not PrintedSize(rows=31).fits(30, has_dots=False)
    assert PrintedSize(rows=31).fits(30, has_dots=True)
    assert not PrintedSize(rows=29).fits(30, has_dots=True)
    assert PrintedSize(rows=400, printed=30).fits(30, has_dots=False)
    assert not PrintedSize(rows=400, printed=20).fits(30, has_dots=True)


def test_line_of_dots_has_nothing_else() -> None:
    assert is_dotted("..   ...   ...")
    assert is_dotted("      ...")
    assert not is_dotted("... x")
    assert not is_dotted("x ...")
    assert not is_dotted("")


def test_backslash_after_a_header_tells_of_columns_in_blocks() -> None:
    assert is_in_blocks(["   a   b  \\"])
    assert not is_in_blocks(["   a   b \\", "  x"])
