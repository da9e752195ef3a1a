"""Invariant: every match is a row with the file, the line and the text that were written; counts are the data's."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.api import BATCH, DoesNotHoldError
from penstock.core.forms.read_text import sample_of
from penstock.core.forms.text.grep import FORM
from tests.kit.forms.paths import HOSTILE, OTHER, file_paths, words
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from pathlib import Path


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def matches_of(random: Random, files: int, most: int = 12) -> list[dict[str, Any]]:
    """Matches as a search finds them: file by file, from the top of each down."""
    rows = []
    for file in file_paths(random, files):
        for file_line in sorted(random.sample(range(1, 3_000), random.randint(1, most))):
            indent = " " * 4 * random.randint(0, 3)
            text = random.choice([f"{indent}{words(random)}", "", f"{indent}a:{random.randint(1, 99)}: b", "x::y --"])
            rows.append({"file": file, "file_line": file_line, "text": text})
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_every_match_is_a_row_with_its_file_and_line(seed: int) -> None:
    rows = matches_of(Random(seed), 40 + 300 * seed)
    found = read("".join(f"{row['file']}:{row['file_line']}:{row['text']}\n" for row in rows))
    assert found.rows() == [{"line": number, **row} for number, row in enumerate(rows, 1)]
    files = Counter(row["file"] for row in rows)
    assert found.words.what == f"{len(rows):,} matches in {len(files):,} files"
    assert found.tables["items"].noun == "matches"
    column = found.tables["items"].field("file")
    assert column is not None
    assert dict(column.column.values()) == dict(files)


def test_columns_are_told_from_text_that_begins_with_a_number() -> None:
    rows = [(f"src/a{n % 7}.py", n // 7 + 1, n % 9 + 1, f"    value = {n}") for n in range(100)]
    rows.sort(key=lambda row: row[:2])
    found = read("".join(f"{file}:{line}:{col}:{text}\n" for file, line, col, text in rows))
    assert found.column("col") == [col for _, _, col, _ in rows]
    assert found.column("text") == [text for _, _, _, text in rows]
    times = read(
        "".join(f"src/a{n % 7}.log:{n // 7 + 1}:{n + 500}:short\n" for n in sorted(range(100), key=lambda n: n % 7))
    )
    assert "col" not in times.cells["items"]
    assert times.column("text")[0] == "500:short"


@pytest.mark.parametrize("seed", range(4))
def test_context_is_a_table_of_its_own(seed: int) -> None:
    random = Random(seed)
    lines: list[str] = []
    items: list[dict[str, Any]] = []
    context: list[dict[str, Any]] = []
    for file in [*file_paths(random, 60 + 700 * (seed == 3)), "logs/run-2026-01-02.txt", "z-12-y/b.py"]:
        start = 1
        for _ in range(random.randint(1, 4)):
            start += random.randint(8, 40)
            lines += ["--"] if lines else []
            for offset in (-2, -1, 0, 1, 2):
                text = random.choice([words(random), "", "x = 'a:12:b'", "p-4-q", "    at:7: once"])
                row = {"line": len(lines) + 1, "file": file, "file_line": start + offset, "text": text}
                mark = "-" if offset else ":"
                lines.append(f"{file}{mark}{start + offset}{mark}{text}")
                (context if offset else items).append(row)
    found = read("\n".join(lines) + "\n")
    assert found.rows() == items
    assert found.rows("context") == context
    assert found.words.what.endswith(f" files, with {len(context):,} lines of context (table context)")
    assert list(found.tables) == ["items", "context"]


def test_context_without_marks_between_groups_is_given_to_its_own_file() -> None:
    lines = []
    for n in range(1, 40):
        lines += [f"a{n}.py-1-before", f"a{n}.py:2:match", f"a{n}.py-3-after"]
    found = read("\n".join(lines))
    assert found.column("file", "context") == [f"a{n}.py" for n in range(1, 40) for _ in range(2)]
    assert found.column("text", "context") == ["before", "after"] * 39


def test_much_context_before_the_first_match_leaves_the_matches_the_main_table() -> None:
    first = BATCH // 2 + 100
    lines = [f"src/a.py-{n}-text" for n in range(1, first)] + [f"src/a.py:{n}:match" for n in range(first, first + 900)]
    found = read("\n".join(lines))
    assert next(iter(found.tables)) == "items"
    assert (found.tables["items"].count, found.tables["context"].count) == (900, first - 1)


def test_counts_are_one_row_for_each_file() -> None:
    random = Random(5)
    counts = {file: random.randint(0, 90) for file in file_paths(random, 5_000, "./")}
    found = read("".join(f"{file}:{count}\n" for file, count in counts.items()) + "\n" * BATCH)
    assert dict(zip(found.column("file"), found.column("count"), strict=True)) == counts
    assert found.words.what == f"counts of matches in 5,000 files: {sum(counts.values()):,} in all"
    assert found.tables["items"].noun == "files"


def test_windows_paths_and_line_ends_are_read() -> None:
    lines = [f"C:\\work\\src{n // 10}\\a b.cs:{n + 1}:  x: y" for n in range(40)]
    found = read("\r\n".join(lines) + "\r\n")
    assert found.column("file")[:1] == ["C:\\work\\src0\\a b.cs"]
    assert found.words.what == "40 matches in 4 files"


def test_messages_between_matches_are_counted_and_told() -> None:
    lines = [f"src/a{n // 10}.py:{n + 1}:x" for n in range(200)]
    lines[50:50] = ["Binary file src/b.bin matches"]
    lines += ["", "grep: /root: Permission denied", "(results are cut)"]
    found = read("\n".join(lines))
    assert found.words.what == "200 matches in 20 files"
    assert found.words.facts[-1] == "lines that are no matches, and in no table: 3"
    assert found.column("line") == [*range(1, 51), *range(52, 202)]


def test_names_without_folders_are_files_if_their_ending_is_usual_or_they_recur() -> None:
    assert read_as(FORM, "".join(f"a{n}.py:{n}:x\n" for n in range(1, 50))) is not None
    assert read_as(FORM, "".join(f"a.part{n // 9}x:{n}:x\n" for n in range(1, 50))) is not None
    assert read_as(FORM, "".join(f"a{n}.example:{n}:x\n" for n in range(1, 50))) is None


def test_too_many_files_are_not_counted() -> None:
    found = read("".join(f"src/a{n % 20_000}.py:{n}:x\n" for n in range(1, 20_010)))
    assert found.words.what == "20,009 matches in more than 15,359 files"
    assert found.words.facts == ()


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_search_output(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"src/a.py:{99 - n}:x\n" for n in range(90)),  # not as a search goes through a file
        "".join(f"src/a.py:{n}:x\nand a line of prose\n" for n in range(1, 90)),
        "".join(f"src/a.py:{n}:x\n" for n in range(1, 500)) + "and a line of prose\n" * 500,
        "src/b.py:1:x\n" * 2_000 + "".join(f"src/a.py-{n}-x\n" for n in range(1, 9_000)),
        "".join(f"src/a{n % 9}.py:{n}\n" for n in range(60)),  # places in files, no counts
        "".join(f"src/a{n % 4500}.py:{n}\n" for n in range(5_000)),
        "".join(f"src/a{n}.py:{n}\n" for n in range(500)) + "prose\n" * 500,
        "prose\n" * 5_000 + "src/a.py:1:x\n" * 3,
        "src/a.py:1:x\n",
        "".join(f"src/a{n}.py:{n}:x\n" for n in range(1, 450)) + "x\n--\n" * 300,
    ],
)
def test_a_form_that_does_not_hold_for_the_whole_is_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str) -> None:
    text = HOSTILE[name]
    read_as(FORM, text)
    rows = "".join(f"src/a.py:{n}:x\n" for n in range(1, 300))
    found = read_as(FORM, rows + text)
    assert found is None or found.column("line")[:299] == list(range(1, 300))


def test_values_are_harmless_where_they_are_told() -> None:
    text = "".join(f"src/a · b\x1b[31m…{n}.py:{n}:\ud800\x00\n" for n in range(1, 60))
    found = read(text)
    assert all(fact.isprintable() for fact in found.words.facts)
    assert found.column("text")[0] == "\ud800\x00"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = Random(1)
    root = tmp_path_factory.mktemp("search")
    for file in file_paths(random, 30, "src/"):
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{words(random)}\n" for _ in range(random.randint(5, 40))))
    return root


@pytest.mark.skipif(shutil.which("grep") is None, reason="grep is not here; its output is generated above")
def test_the_output_of_grep_itself_is_read(project: Path) -> None:
    truth = {
        (str(path.relative_to(project)), number): line
        for path in project.rglob("*")
        if path.is_file()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if "store" in line
    }

    def grep(*arguments: str) -> Read:
        command = ["grep", "-r", *arguments, "store", "src"]
        return read(subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout)

    found = grep("-n")
    assert {(row["file"], row["file_line"]): row["text"] for row in found.rows()} == truth
    around = grep("-n", "-C1")
    assert {(row["file"], row["file_line"]): row["text"] for row in around.rows()} == truth
    near = {
        (file, line + step)
        for file, line in truth
        for step in (-1, 1)
        if 0 < line + step <= len((project / file).read_text().splitlines())
    }
    assert {(row["file"], row["file_line"]) for row in around.rows("context")} == near - truth.keys()
    counts = grep("-c")
    assert Counter(file for file, _ in truth) == Counter(
        dict(zip(counts.column("file"), counts.column("count"), strict=True))
    )


def test_a_sample_of_matches_is_not_enough_where_other_lines_follow() -> None:
    lines = [f"src/a{number % 9}.py:{number}:word {number}" for number in range(300)]
    options = FORM.recognise(sample_of("\n".join(lines).encode(), "strict", len(lines)))
    assert options is not None
    with pytest.raises(DoesNotHoldError):
        list(FORM.read([*lines, *["nothing of it"] * 500], options))
