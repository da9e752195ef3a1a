"""A list of commits is told by all of its lines; other texts whose lines begin with hex digits are none."""

from __future__ import annotations

import random
from hashlib import md5, sha1, sha256

import pytest

from penstock.core.forms.text.oneline import FORM
from tests.kit.forms.reading import Read, read_as
from tests.kit.forms.repository import Repository, commits_of, random_repository

WORDS = ["fix", "add", "the", "a", "gate", "of", "Merge", "branch", "(wip)", "update", "#12", "tests,", "docs:", "é"]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return random_repository(tmp_path_factory.mktemp("oneline"), seed=4, commits=60)


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def names(count: int, digits: int = 8, hashed: str = "commit") -> list[str]:
    return [sha1(f"{hashed}{number}".encode()).hexdigest()[:digits] for number in range(count)]


@pytest.mark.parametrize("seed", range(8))
def test_every_line_is_a_commit_with_its_subject(seed: int) -> None:
    choose = random.Random(seed)
    digits = choose.choice([7, 8, 10, 40])
    commits = names(choose.randint(5, 900), digits)
    subjects = [" ".join(choose.choices(WORDS, k=choose.randint(1, 9))) for _ in commits]
    found = read("\n".join(f"{commit} {subject}" for commit, subject in zip(commits, subjects, strict=True)))
    assert found.column("line") == list(range(1, len(commits) + 1))
    assert found.column("commit") == commits
    assert found.column("subject") == subjects
    assert found.words.what == f"{len(commits):,} commits, one a line"


@pytest.mark.parametrize("options", [(), ("--decorate",), ("--no-abbrev-commit",)])
def test_commits_are_those_of_git(repository: Repository, options: tuple[str, ...]) -> None:
    repository.git("tag", "-f", "v1", "main~3")
    text = repository.git("log", "--oneline", "--date-order", *options)
    found = read(text)
    truth = commits_of(repository, "--date-order")
    assert [one["commit"][: len(row["commit"])] for one, row in zip(truth, found.rows(), strict=True)] == found.column(
        "commit"
    )
    lines = text.split("\n")
    assert all(row["commit"] in lines[row["line"] - 1] for row in found.rows())
    if "--decorate" in options:
        # A subject that begins with a word in parentheses cannot be told from the name of a branch.
        refs = [row["refs"] for row in found.rows() if row["refs"] not in (None, "wip")]
        assert refs == ["HEAD -> main", "tag: v1", "side"] or set(refs) == {"HEAD -> main", "tag: v1", "side"}
    else:
        assert found.column("subject") == [one["subject"] for one in truth]
        assert "refs" not in found.cells["items"]


def test_a_line_of_the_tool_is_counted_and_an_empty_subject_is_none() -> None:
    lines = [f"{name} fix the gate" for name in names(40)]
    lines[3] = lines[3].split()[0]
    found = read("\n".join(["Recent commits:", *lines, "", "(40 of 2,000 shown)"]))
    assert found.words.what.startswith("40 commits")
    assert found.words.facts == ("lines that are no commits, and in no table: 2",)
    assert found.column("subject")[3] is None
    assert found.column("line") == list(range(2, 42))


COMMITS = [f"{name} fix the gate" for name in names(600)]
NOT_COMMITS = {
    "md5sum": "\n".join(f"{md5(str(n).encode()).hexdigest()} a file {n}" for n in range(40)),
    "md5sum in its format": "\n".join(f"{md5(str(n).encode()).hexdigest()}  a file {n}" for n in range(40)),
    "sha1sum": "\n".join(f"{sha1(str(n).encode()).hexdigest()}  a file {n}" for n in range(40)),
    "sha256sum": "\n".join(f"{sha256(str(n).encode()).hexdigest()} a file {n}" for n in range(40)),
    "refs": "\n".join(f"{name} refs/heads/one or other" for name in names(40, 40)),
    "objects": "\n".join(f"{name} src/file{n}.py" for n, name in enumerate(names(40, 40))),
    "reflog": "\n".join(f"{name} HEAD@{{{n}}}: commit: x y" for n, name in enumerate(names(40))),
    "hexdump": "\n".join(f"{n * 16:07x} 4865 6c6c 6f20 776f" for n in range(400)),
    "addresses": "\n".join(f"{0x401000 + n * 31:08x} T a symbol {n}" for n in range(40)),
    "numbers": "\n".join(f"{1_700_000_000 + n * 7_777_777} a log line" for n in range(40)),
    "words": "\n".join(f"{word} by an edict" for word in ["defaced", "effaced", "acceded", "facaded", "beefedd"] * 2),
    "the same name": "\n".join("deadbeef a request" for _ in range(40)),
    "lengths": "\n".join(f"{sha1(str(n).encode()).hexdigest()[: 7 + n % 20]} fix the gate" for n in range(40)),
    "few": "\n".join(COMMITS[:4]),
    "mostly other lines": "\n".join(line for commit in COMMITS for line in (commit, "prose and more")),
    "other lines late": "\n".join([*COMMITS, *["prose and more"] * 300, *COMMITS[:9]]),
    "other lines where no sample is": "\n".join([*COMMITS[:400], *["prose"] * 60, *COMMITS[400:] * 9]),
    "prose": "A paragraph of words.\n" * 40,
    "csv": "a,b,c\n" * 40,
    "nothing": "",
    "commits far down": "\n".join(["prose"] * 5 + [""] * 500 + COMMITS[:10]),
    "commits after a blank head": "\n".join([""] * 900 + COMMITS * 3),
}


@pytest.mark.parametrize("text", NOT_COMMITS.values(), ids=NOT_COMMITS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_hostile_texts_are_read_or_refused_without_harm() -> None:
    for line in (
        "x" * 1_000_000,
        "\x00\x1b[31m",
        "\ud800",
        "0" * 1_000_000,
        "0123456 (" + "a, " * 300_000,
        "* " * 500_000,
    ):
        read_as(FORM, "\n".join([*COMMITS[:50], line, *COMMITS[50:100]]))
        read_as(FORM, "\n".join([line, *COMMITS[:50]]))
    assert read("\r\n".join(COMMITS)).column("commit") == names(600)
    assert read("\n".join([*COMMITS, *[""] * 9_000, COMMITS[0]])).column("line")[-1] == 9_601
