"""Invariant: every numbered line is a row, under the file of the heading above it, as a match or as context."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from penstock.core.forms.api import BATCH
from penstock.core.forms.text.grep import HEADINGS as FORM
from tests.kit.forms.paths import HOSTILE, OTHER, file_paths, words
from tests.kit.forms.reading import Read, read_as


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def blocks(
    random: Random, files: int, *, columns: bool = False
) -> tuple[list[str], list[dict[str, Any]], list[dict[str, Any]]]:
    """Search output with headings and context: its lines, its matches, its context."""
    lines: list[str] = []
    items: list[dict[str, Any]] = []
    context: list[dict[str, Any]] = []
    for file in file_paths(random, files):
        lines += ["", file] if lines else [file]
        file_line = 0
        for _ in range(random.randint(1, 9)):
            file_line += random.randint(1, 5)
            is_match = random.random() < 0.7
            col = random.randint(1, 9)
            text = f"    {words(random, 3)}"
            row: dict[str, Any] = {"line": len(lines) + 1, "file": file, "file_line": file_line}
            row |= {"col": col} if columns and is_match else {}
            (items if is_match else context).append({**row, "text": text})
            mark = f":{col}:" if columns and is_match else ":" if is_match else "-"
            lines.append(f"{file_line}{mark}{text}")
            if random.random() < 0.2:
                lines.append("--")
                file_line += 3
    return lines, items, context


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_every_numbered_line_lies_in_the_file_above_it(seed: int, columns: bool) -> None:
    lines, items, context = blocks(Random(seed), 50 + 900 * (seed == 2), columns=columns)
    found = read("\n".join(lines) + "\n")
    assert found.rows() == items
    assert found.rows("context") == context
    files = len({row["file"] for row in items})
    assert found.words.what.startswith(f"{len(items):,} matches in {files:,} files, with {len(context):,} lines")


def test_several_matches_on_one_line_are_rows_of_one_file() -> None:
    found = read("src/a.py\n" + "".join(f"{n // 3 + 1}:word\n" for n in range(30)))
    assert found.column("file_line") == [n // 3 + 1 for n in range(30)]
    assert found.words.what == "30 matches in 1 file"


def test_a_search_in_one_file_has_no_column_for_it() -> None:
    numbers = sorted(Random(1).sample(range(1, 90_000), BATCH + 500))
    found = read("".join(f"{number}:    text {number}\n" for number in numbers))
    assert found.column("file_line") == numbers
    assert list(found.cells["items"]) == ["line", "file_line", "text"]
    assert found.words.what == f"{len(numbers):,} matches in one file that is not named"
    assert found.words.facts == ()


def test_context_alone_may_fill_a_batch() -> None:
    lines = [f"{n}:match" if n < 100 and n % 3 else f"{n}-text" for n in range(1, BATCH + 3_000)]
    found = read("\n".join(lines))
    assert (found.tables["items"].count, found.tables["context"].count) == (66, len(lines) - 66)
    assert next(iter(found.tables)) == "items"


def test_lines_that_fit_nowhere_are_counted() -> None:
    lines = [
        "7:before any heading",
        "src/a.py",
        *(f"{n}:x" for n in range(1, 200)),
        "",
        "src/empty.py",
        "",
        "src/b.py",
        "4:x",
        "cut",
    ]
    found = read("\n".join(lines))
    assert found.words.what == "200 matches in 2 files"
    assert found.words.facts[-1] == "lines that are no matches, and in no table: 3"


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_search_output(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "src/a.py\n" + "".join(f"{90 - n}:x\n" for n in range(60)),  # falling
        "".join(f"{n * 3}:x\n" for n in range(1, 500)) + "".join(f"{n}:x\n" for n in range(1, 500)),
        "src/a.py\n" + "".join(f"{n}:x\nprose\n" for n in range(1, 90)),
        "A heading\n\nAnother heading\n\n" + "".join(f"{n}:x\n" for n in range(1, 90)) + "prose\n" * 90,
        "src/a.py\n1:x\n2-x\n3-x\n4-x\n5-x\n6-x\n7-x\n",
        "src/a.py\n1:x\n",
        "".join(f"{n * 3}: value {n}\n" for n in range(1, 90)),
    ],
)
def test_a_form_that_does_not_hold_for_the_whole_is_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str) -> None:
    read_as(FORM, HOSTILE[name])
    found = read_as(FORM, "src/a.py\n" + "".join(f"{n}:x\n" for n in range(1, 300)) + HOSTILE[name])
    assert found is None or found.column("line")[:299] == list(range(2, 301))
