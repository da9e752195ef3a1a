"""A shortlog has the counts of git; numbered lines and other tables are none."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from penstock.core.forms.shortlog import FORM
from tests.kit.forms.reading import Read, read_as
from tests.kit.forms.repository import Repository, commits_of, random_repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return random_repository(tmp_path_factory.mktemp("shortlog"), seed=5, commits=30)


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def written(counts: dict[str, int], order: str) -> str:
    key = (lambda one: -one[1]) if order == "-n" else None
    return "".join(f"{count:6}\t{name}\n" for name, count in sorted(counts.items(), key=key))


@pytest.mark.parametrize("order", ["", "-n"])
@pytest.mark.parametrize("seed", range(6))
def test_authors_and_counts_are_all_told(seed: int, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.text_form.BATCH", 16)
    choose = random.Random(seed)
    counts = {f"Person {choose.random()}": choose.randint(1, 2_000_000) for _ in range(choose.randint(5, 60))}
    text = written(counts, order)
    for one in (text, text.strip(), text.replace("\n", "\r\n"), text + "\n" * 40):
        found = read(one)
        assert dict(zip(found.column("author"), found.column("commits"), strict=True)) == counts
        assert found.words.what == f"git shortlog: {sum(counts.values()):,} commits by {len(counts)} authors"
        name, most = max(counts.items(), key=lambda one: one[1])
        assert found.words.facts[0].startswith(f"most commits: {name} ×{most:,}")
        if len(counts) > 9:
            assert found.words.facts[0].endswith(f"+{len(counts) - 8} values")


def test_git_writes_it_so(repository: Repository) -> None:
    text = repository.git("shortlog", "-sne", "--group=format:%an %s <%ae>", "main")
    found = read(text)
    counts = Counter(f"{one['author']} {one['subject']}" for one in commits_of(repository))
    assert dict(zip(found.column("author"), found.column("commits"), strict=True)) == counts
    assert all("@" in mail for mail in found.column("email"))


NOT_SHORTLOGS = {
    "cat -n": "".join(f"{n:6}\tline {n}\n" for n in range(1, 300)),
    "a part of cat -n": "".join(f"{n:6}\tline {n}\n" for n in range(120, 300)),
    "not in order": "".join(f"{n * 7 % 50:6}\tname {n * 11 % 50:02}\n" for n in range(50)),
    "not padded": "".join(f"{100 - n}\tname {n}\n" for n in range(50)),
    "three cells": "".join(f"{100 - n:6}\tname\t{n}\n" for n in range(50)),
    "few": "     2\ta\n     1\tb\n",
    "a line without a number late": "".join(f"{2000 - n:6}\tname {n}\n" for n in range(1_000))
    + "and more\n"
    + "     1\tz\n" * 400,
    "prose": "words and words\n" * 50,
    "no number first": "name\n" + "".join(f"{100 - n:6}\tname {n}\n" for n in range(50)),
}


@pytest.mark.parametrize("text", NOT_SHORTLOGS.values(), ids=NOT_SHORTLOGS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_hostile_texts_are_read_or_refused_without_harm() -> None:
    good = "".join(f"{100 - n:6}\tname {n}\n" for n in range(50))
    for line in (
        "x" * 1_000_000,
        "     1\t" + "x" * 1_000_000,
        " " * 1_000_000,
        "     1\t\ud800",
        "     1\t\x00",
        "9" * 5_000 + "\tx",
    ):
        read_as(FORM, good + line + "\n")
        read_as(FORM, line + "\n" + good)
    assert read(good + "\n\n").words.what == "git shortlog: 3,775 commits by 50 authors"
