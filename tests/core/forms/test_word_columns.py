"""Lines are written of words of known classes; what is read back must be these words."""

from __future__ import annotations

import random
from typing import Any

import pytest

from penstock.core.forms.text_form import BATCH, DoesNotHoldError
from penstock.core.forms.word_columns import FORM, WordColumnsParser
from tests.kit.forms.reading import Read, read_as

NAMES = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]


def prose(seed: int, words: int = 5) -> str:
    """Words of which hardly any repeats."""
    rng = random.Random(seed)
    return " ".join("".join(rng.choices("aeioulmnrst", k=rng.randint(3, 9))) for _ in range(words))


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def symbols(seed: int, count: int) -> list[tuple[Any, ...]]:
    rng = random.Random(seed)
    return [(rng.randbytes(8).hex(), rng.choice("TtWU"), f"{rng.choice(NAMES)}{at}") for at in range(count)]


def written(rows: list[tuple[Any, ...]], gap: str = " ") -> str:
    return "".join(gap.join(str(cell) for cell in row if cell is not None) + "\n" for row in rows)


@pytest.mark.parametrize("count", [40, 300, BATCH + 5])
@pytest.mark.parametrize("gap", [" ", "   ", "\t"])
def test_words_come_back_in_their_columns(count: int, gap: str) -> None:
    rows = symbols(count, count)
    found = read(written(rows, gap))
    assert found.words.what == f"columns of words without a header: {count:,} rows of 3 columns"
    assert [tuple(row.values())[1:] for row in found.rows()] == rows
    assert found.column("line") == list(range(1, count + 1))


def test_what_follows_the_words_is_the_last_column_and_may_be_missing() -> None:
    rng = random.Random(3)
    rows = [
        (f"{rng.choice(NAMES)}-{at}/stable", f"{at}.{at % 7}-1", rng.choice(["all", "amd64"]), rest)
        for at, rest in enumerate(["[installed, automatic]", None, None] * 30)
    ]
    found = read(f"Listing...\n{written(rows)}")
    assert [tuple(row.values())[1:] for row in found.rows()] == rows
    assert found.words.facts == ("no rows, and in no table: 1 line",)
    assert found.words.excerpts[0].lines == ("Listing...",)
    assert found.column("line")[0] == 2


def test_numbers_are_numbers_and_lines_that_are_blank_are_nothing() -> None:
    rows = [(at * 37 % 101, prose(at)) for at in range(60)]
    lines = written([(f"{one:7}", text) for one, text in rows])
    found = read(lines + "\n" * 2 * BATCH)
    assert found.column("c1") == [one for one, _ in rows]
    assert found.column("c2") == [text for _, text in rows]
    assert found.words.facts == ()


def test_a_colon_behind_all_words_of_a_column_belongs_to_none() -> None:
    rows = [(f"/usr/bin/{NAMES[at % 8]}{at}:", prose(at)) for at in range(40)]
    found = read(written(rows))
    assert found.column("c1") == [one.removesuffix(":") for one, _ in rows]
    assert found.column("c2") == [text for _, text in rows]


def test_a_word_of_any_class_may_stand_before_a_sure_one() -> None:
    rows = [(prose(at, 1), f"({at % 8})", "-", prose(at)) for at in range(80)]
    assert [tuple(row.values())[1:] for row in read(written(rows)).rows()] == rows


def test_of_two_such_words_the_second_ends_the_columns() -> None:
    rows = [(f"{at}:{at}", prose(at, 1), "-", prose(at + 100)) for at in range(80)]
    assert [tuple(row.values())[1:] for row in read(written(rows)).rows()] == rows


def test_a_word_of_another_class_is_no_row_where_a_number_has_to_be() -> None:
    rows = symbols(5, 700)
    text = written(rows) + "                 U printf\n" * 5 + "Total of 700 symbols\n"
    found = read(text)
    assert found.column("c1") == [row[0] for row in rows]
    assert found.words.facts == ("no rows, and in no table: 6 lines",)
    assert read_as(FORM, written(rows[:100]) + "                 U printf\n" * 40) is None


def test_lines_that_are_shown_are_few() -> None:
    found = read(written(symbols(5, 900)) + "                 U printf\n" * 9)
    assert len(found.words.excerpts[0].lines) == 6


def test_the_rest_begins_where_words_are_those_of_a_text() -> None:
    texts = ["symbolic link to", "ELF executable, of", "Python script, by"]
    rows = [(f"/bin/{NAMES[at % 8]}{at}:", f"{texts[at % 3]} {prose(at)}") for at in range(90)]
    assert read(written(rows)).column("c2") == [text for _, text in rows]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{at + 1} {prose(at)}\n" for at in range(60)),  # lines with their numbers
        "".join(f"{at + 1}. {prose(at)}\n" for at in range(60)),
        "".join(f"- {prose(at)}\n" for at in range(60)),
        "".join(f"{prose(at)} {at}\n" for at in range(60)),
        "".join(f"/usr/lib/{at}\n" for at in range(60)),
        "".join(f"key{at}: {at * 3}\n" for at in range(60)),
        "".join(f"export * from './m{at}.js';\n" for at in range(60)),
        "".join(f"step {at * 7} of {at * 9} is done now\n" for at in range(60)),
        "".join(f'<item id="{at}"> <name>/{at}</name>\n' for at in range(60)),
        "".join(f"/usr/lib/{at}{' copy' if at % 9 == 4 else ''}\n" for at in range(60)),
        "".join(f"{at:08x} T a{at}\n" for at in range(6)),
        "".join(f"[{NAMES[at % 3]} {prose(at)}\n" for at in range(60)),
    ],
)
def test_prose_lists_and_paths_are_no_columns(text: str) -> None:
    assert read_as(FORM, text) is None


def test_few_rows_are_none() -> None:
    with pytest.raises(DoesNotHoldError):
        list(
            WordColumnsParser(options={"classes": ["data"], "rest": True, "colons": [], "text": []}).parse(["1 a"] * 3)
        )


def test_hashes_with_few_texts_are_rows() -> None:
    rows = [(random.Random(at).randbytes(20).hex(), f"src/{at}" if at % 3 == 0 else None) for at in range(90)]
    assert read(written(rows)).column("c2") == [text for _, text in rows]


def test_a_bracket_that_opens_begins_the_last_column() -> None:
    rows = [
        (f"reqid={at}", "GET" if at % 2 else "POST", f"https://a.b/{at}", f"[success - {200 + at % 3}]")
        for at in range(60)
    ]
    assert [tuple(row.values())[1:] for row in read(written(rows)).rows()] == rows


def test_words_that_only_some_rows_go_on_after_begin_the_last_column() -> None:
    rows = [("[GET]", f"/a/{at}", "=>", f"[{200 + at % 3}]", "OK" if at % 2 else "Not Found") for at in range(60)]
    assert [tuple(row.values())[1:] for row in read(written(rows)).rows()] == rows


def test_few_words_in_brackets_may_stand_before_nothing_but_text() -> None:
    rows = [("[INFO]" if at % 3 else "[ERROR]", prose(at)) for at in range(60)]
    assert [tuple(row.values())[1:] for row in read(written(rows)).rows()] == rows
    assert read_as(FORM, written([(f"[{prose(at, 1)}]", text) for at, (_, text) in enumerate(rows)])) is None


def test_line_of_as_many_words_before_the_rows_is_a_header_of_another_form() -> None:
    parser = WordColumnsParser(options={"classes": ["data", "data"], "rest": False, "colons": [], "text": []})
    with pytest.raises(DoesNotHoldError):
        list(parser.parse(["first name", *(f"{n} {n * 2}" for n in range(60))]))
