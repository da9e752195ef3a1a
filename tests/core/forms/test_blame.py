"""A blame has a row for each line of the file, with the commit, author and date that git says; other texts are none."""

from __future__ import annotations

import random
from typing import Any

import pytest

from penstock.core.forms.blame import FORM
from tests.kit.forms.reading import Read, read_as
from tests.kit.forms.repository import LINES, NAMES, Repository, random_repository

DATES = ["default", "local", "iso", "iso-strict", "rfc", "short", "raw", "unix", "relative"]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    names = [name for name in NAMES if "\n" not in name]  # which blame does not quote
    return random_repository(tmp_path_factory.mktemp("blame"), seed=6, commits=60, names=names)


@pytest.fixture(scope="module")
def truth(repository: Repository) -> list[dict[str, Any]]:
    """What git itself says of each line, by its format for programs."""
    rows: list[dict[str, Any]] = []
    known: dict[str, str] = {}
    for line in repository.git(
        "-c", "core.quotePath=false", "blame", "--line-porcelain", "main", "--", longest_file(repository)
    ).split("\n"):
        if line.startswith("\t"):
            rows.append({**known, "text": line[1:].removesuffix("\r")})
            known = {}
        elif line:
            key, _, value = line.partition(" ")
            known |= {"commit": key, "line": value.split()[1]} if not known else {key: value}
    assert len(rows) > 20
    return rows


def longest_file(repository: Repository) -> str:
    """The longest file of the last commit."""
    names = repository.git("ls-tree", "-r", "-z", "--name-only", "main").split("\0")[:-1]
    return max(
        (name for name in names if name != "data.bin"), key=lambda name: len(repository.git("show", f"main:{name}"))
    )


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-e",),
        ("-s",),
        ("-f",),
        ("-n",),
        ("-f", "-n"),
        ("-l",),
        ("-t",),
        ("-s", "-f"),
        ("--root",),
        ("--porcelain",),
        ("--line-porcelain",),
        ("-L5,",),
        ("-c",),
    ],
)
def test_lines_commits_and_authors_are_those_of_git(
    repository: Repository, truth: list[dict[str, Any]], options: tuple[str, ...]
) -> None:
    name = longest_file(repository)
    text = repository.git("blame", *options, "main", "--", name)
    found = read(text)
    expected = truth[4:] if "-L5," in options else truth
    rows = found.rows()
    assert [row["line"] for row in rows] == [int(one["line"]) for one in expected]
    for row, one in zip(rows, expected, strict=True):
        assert one["commit"].startswith(row["commit"])
        assert row["text"] == one["text"]
        if "-e" in options:
            assert row["email"] == one["author-mail"].strip("<>")
        elif "-s" not in options:
            assert row["author"] == one["author"]
        if "-f" in options or "--porcelain" in options:
            assert row["file"] == one["filename"]
    authors = len({one["author"] for one in expected})
    commits = len({one["commit"] for one in expected})
    who = "" if "-s" in options else f"{authors} author{'s' * (authors > 1)}, "
    assert found.words.what == f"git blame of {len(expected)} lines: {who}{commits} commits"
    assert bool(found.words.facts) is ("-s" not in options)


@pytest.mark.parametrize("date", DATES)
def test_dates_are_in_the_order_of_iso(repository: Repository, date: str) -> None:
    name = longest_file(repository)
    found = read(repository.git("blame", f"--date={date}", "main", "--", name))
    iso = read(repository.git("blame", "main", "--", name)).column("date")
    assert found.tables["items"].field("author") is not None
    if date in ("default", "rfc", "raw", "iso"):
        assert found.column("date") == iso
    elif date == "relative":
        assert all(cell.endswith(" ago") for cell in found.column("date"))
    else:
        column = found.tables["items"].field("date")
        assert column is not None
        assert column.column.is_time


def blame_text(choose: random.Random, count: int) -> tuple[list[str], list[dict[str, Any]]]:
    lines, rows = [], []
    people = ["Ada Lovelace", "Bo (Work) O'Neil", "日本 12", "x) 2020-01-01"]
    width = max(map(len, people))
    for number in range(1, count + 1):
        commit, author = f"{choose.randrange(16**8):08x}", choose.choice(people)
        day = f"20{choose.randint(10, 30)}-0{choose.randint(1, 9)}-1{choose.randint(0, 9)}"
        date = f"{day} 1{choose.randint(0, 9)}:00:00 +0200"
        text = choose.choice(LINES).removesuffix("\r")
        mark = choose.choice(["", "", "^"])
        lines.append(f"{mark}{commit} ({author:{width}} {date} {number:5}) {text}")
        rows.append({"line": number, "commit": commit, "author": author, "date": date, "text": text})
    return lines, rows


@pytest.mark.parametrize("seed", range(8))
def test_every_line_is_a_row(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.text_form.BATCH", 16)
    choose = random.Random(seed)
    lines, rows = blame_text(choose, choose.choice([3, 32, choose.randint(3, 90)]))
    found = read("\n".join(lines))
    assert found.rows() == rows
    assert read("\r\n".join(lines)).rows() == rows
    porcelain = "".join(
        f"{row['commit']:0>40} 1 {row['line']} 1\nauthor {row['author']}\nauthor-mail <a@b>\nauthor-time 1700000000\n"
        f"author-tz +0000\ncommitter x\nsummary y\nboundary\nfilename z\n\t{row['text']}\n"
        for row in rows
    )
    assert read(porcelain).column("text") == [row["text"] for row in rows]
    assert read(porcelain).column("author") == [row["author"] for row in rows]


def test_a_few_other_lines_are_counted() -> None:
    lines, _ = blame_text(random.Random(1), 300)
    found = read("\n".join(["blame of x.py:", *lines, "", "(cut)"]))
    assert len(found.rows()) == 300
    assert found.words.facts[-1] == "other lines: 2"
    entry = "0" * 40 + " 1 1 1\nauthor A\nnew-field x\n\ttext\n"
    told = read(entry + "\n(cut)\n")
    assert told.words.what == "git blame of 1 line: 1 author, 1 commit"
    assert told.words.facts[-1] == "other lines: 2"


def test_numbers_that_lines_had_before_are_no_files() -> None:
    lines = [f"deadbeef {n + 7:3} (Ada 2026-01-01 10:00:00 +0000 {n:3}) x" for n in range(1, 99)]
    assert "file" not in read("\n".join(lines)).cells["items"]
    short = [f"deadbeef src/x.py {n + 7:3} {n:3}) x" for n in range(1, 99)]
    assert set(read("\n".join(short)).column("file")) == {"src/x.py"}


def test_very_many_authors_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.profile.MOST_DIFFERENT", 1)
    monkeypatch.setattr("penstock.core.profile.LEAST_DIFFERENT", 1)
    lines = [f"{n:08x} (Person {n} 2026-01-01 10:00:00 +0000 {n}) x" for n in range(1, 99)]
    assert read("\n".join(lines)).words.what == "git blame of 98 lines"


LINES_OF_BLAME = blame_text(random.Random(2), 500)[0]
NOT_BLAMES = {
    "few": "\n".join(LINES_OF_BLAME[:2]),
    "not rising": "\n".join(reversed(LINES_OF_BLAME)),
    "mostly other lines": "\n".join(line for one in LINES_OF_BLAME for line in (one, "prose")),
    "other lines late": "\n".join([*LINES_OF_BLAME, *["prose"] * 90]),
    "numbered lists": "".join(f"{n}) item\n" for n in range(50)),
    "hex and numbers": "".join(f"deadbeef {n % 3}) item\n" for n in range(50)),
    "log": "".join(f"2026-01-01 10:00:{n:02} INFO (main {n}) started\n" for n in range(50)),
    "source": "def f(x):\n    return (x, 1)\n" * 30,
    "csv": "a,b,c\n" * 30,
    "prose": "A paragraph (of words).\n" * 30,
    "porcelain of something else": "0" * 40 + " 1 1 1\nauthor A\n" + "prose\n" * 90,
    "porcelain that ends": "0" * 40 + " 1 1 1\nauthor A\n\tx\n" + "prose\n" * 90,
}


@pytest.mark.parametrize("text", NOT_BLAMES.values(), ids=NOT_BLAMES.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_hostile_texts_are_read_or_refused_without_harm() -> None:
    lines = LINES_OF_BLAME
    for line in (
        "x" * 1_000_000,
        "deadbeef (" + " " * 1_000_000,
        "deadbeef " + "1" * 1_000_000,
        "\x00",
        "\ud800",
        "deadbeef (2026-01-01 " * 50_000,
    ):
        read_as(FORM, "\n".join([*lines[:300], line, *lines[300:]]))
        read_as(FORM, "\n".join([line, *lines]))
    long = f"{lines[5]}{'x' * 100_000}"
    found = read("\n".join([*lines[:5], long, *lines[6:]]))
    assert found.column("text")[5].endswith("x" * 100_000)
