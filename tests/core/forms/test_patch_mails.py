"""Mails of ``git format-patch`` are patches with the author, date and counts that git knows of their commits."""

from __future__ import annotations

import random

import pytest

from penstock.core.forms.mails import PATCHES as FORM
from tests.kit.forms.reading import Read, read_as
from tests.kit.forms.repository import LINES, Repository, commits_of, files_of, random_repository

SHA = "0123456789abcdef0123456789abcdef01234567"
FROM = f"From {SHA} Mon Sep 17 00:00:00 2001\n"
PATCH = (
    "---\n x | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n"
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.40.0\n\n"
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return random_repository(tmp_path_factory.mktemp("mails"), seed=2, commits=30)


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


@pytest.mark.parametrize("options", [(), ("--attach",), ("--inline",), ("--from=Robot <r@example.org>",)])
def test_mails_tell_the_commits_of_git(repository: Repository, options: tuple[str, ...]) -> None:
    text = repository.git("format-patch", "--stdout", "--root", *options, "main")
    found = read(text)
    commits, lists = commits_of(repository, "--no-merges"), files_of(repository, "--no-merges")
    files = {one["commit"]: names for one, names in zip(commits, lists, strict=True) if names}  # others have no mail
    by_commit = {one["commit"]: one for one in commits if one["commit"] in files}
    rows = found.rows()
    assert sorted(row["commit"] for row in rows) == sorted(by_commit)
    for row in rows:
        commit = by_commit[row["commit"]]
        # git says of a mail with MIME parts where its body is, and there the author would stand.
        names = ("email", "date") if "--attach" not in options and "--inline" not in options else ("date",)
        assert [row[name] for name in names] == [commit[name] for name in names]
        assert row["author"] == commit["author"]
        assert row["subject"].partition("] ")[2] == " ".join(commit["subject"].split())
        assert text.split("\n")[row["line"] - 1].startswith(f"From {row['commit']} ")
    told: dict[str, dict[str, tuple[int | None, int | None]]] = {}
    for row in found.rows("files"):
        told.setdefault(row["commit"], {})[row["file"]] = (row["added"], row["removed"])
    assert told == files
    added, removed = (sum(count[side] or 0 for one in files.values() for count in one.values()) for side in (0, 1))
    touched = len({name for one in files.values() for name in one})
    what = f"{len(rows)} patches by mail (git format-patch) by 3 authors touching {touched} files (+{added} -{removed})"
    assert found.words.what == what


def test_a_cover_letter_is_a_mail_without_a_patch() -> None:
    header = "From: Ada <a@b>\nDate: Wed, 8 Apr 2026 21:04:03 -0700\nSubject: [PATCH 0/1] cover\n"
    cover = f"{FROM}{header}\n x | 2 +-\n-- \n2.40\n\n"
    found = read(cover + FROM.replace("0123", "4567") + "From: Bo <b@b>\nSubject: [PATCH 1/1] one\n\nbody\n" + PATCH)
    assert found.words.what == "1 patch by mail (git format-patch) by 2 authors touching 1 file (+1 -1)"
    assert found.words.facts[-1] == "mails without a patch: 1"
    assert found.column("date") == ["2026-04-08 21:04:03 -0700", None]
    assert found.column("files") == [None, 1]


def test_a_diff_in_the_message_is_no_patch() -> None:
    quoted = "diff --git a/q b/q\n--- a/q\n+++ b/q\n@@ -1,9 +1,9 @@\n-old\n"
    found = read(FROM + "From: Ada <a@b>\nSubject: x\n\n" + quoted + PATCH)
    assert found.column("file", "files") == ["x"]


def test_mails_without_a_line_above_the_patch_have_one_all_the_same() -> None:
    found = read(FROM + "Subject: x\n\nA body.\n\n" + PATCH.partition("\n\n")[2])
    assert found.column("file", "files") == ["x"]


@pytest.mark.parametrize(
    ("header", "author", "subject"),
    [
        ("From: =?UTF-8?q?Gr=C3=BC=C3=9Fe?= <a@b>\nSubject: =?UTF-8?b?5pel5pys?=\n =?UTF-8?q?_x?=", "Grüße", "日本 x"),
        ("From: Ada\n <a@b>\nSubject: a long\n subject", "Ada", "a long subject"),
        ("from: Ada <a@b>\nsubject:", "Ada", None),
        ('From: "A. \\"B\\" C" <a@b>\nSubject: x', 'A. "B" C', "x"),
        ("From: =?nonsense?q?x?= <a@b>\nSubject: =?UTF-8?b?A?=", "=?nonsense?q?x?=", "=?UTF-8?b?A?="),
        ("Subject: x", None, "x"),
    ],
)
def test_fields_of_mails_are_unfolded_and_decoded(header: str, author: str | None, subject: str | None) -> None:
    found = read(FROM + header + "\n\n\nFrom: \n" + PATCH if author is None else FROM + header + "\n\n" + PATCH)
    assert (found.rows()[0].get("author"), found.rows()[0].get("subject")) == (author, subject)


def test_lines_around_patches_are_counted() -> None:
    with_base = PATCH.replace("-- \n", "base-commit: 0123\n-- \n")
    assert "lines of no known kind: 1" in read(FROM + "Subject: x\n\n" + with_base).words.facts


def test_of_many_mails_all_rows_come_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.commit_rows.BATCH", 8)
    found = read("".join(f"From {n:040x} Mon Sep 17 00:00:00 2001\nSubject: s{n}\n\n{PATCH}" for n in range(30)))
    assert found.column("subject") == [f"s{n}" for n in range(30)]
    assert len(found.rows("files")) == 30


@pytest.mark.parametrize(
    "text",
    [
        "",
        "From ada@example.org Mon Sep 17 00:00:00 2001\nSubject: x\n\nbody\n",
        f"From {SHA} Mon Sep 17 00:00:01 2001\nSubject: x\n\nbody\n",
        "From here on, prose.\n" * 30,
        FROM + "Subject: x\n\n" + PATCH.replace("+b\n", "+b\n+c\n"),
    ],
)
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_hostile_texts_are_read_or_refused_without_harm(repository: Repository) -> None:
    lines = repository.git("format-patch", "--stdout", "--root", "main").split("\n")[:400]
    choose = random.Random(7)
    for _ in range(100):
        mutated = list(lines)
        at = choose.randrange(len(mutated))
        new = choose.choices([*LINES, *lines, "\x00\x1b[31m", "=?" * 9_000, "\ud800"], k=choose.randint(0, 2))
        mutated[at : at + choose.randint(0, 2)] = new
        read_as(FORM, "\n".join(mutated))
    folded = read(FROM + "Subject: x\n" + " y\n" * 20_000 + "X: y\n" * 20_000 + "\n" + PATCH)
    assert len(folded.rows()[0]["subject"]) < 2_001
    assert read(FROM).words.what == "0 patches by mail (git format-patch)"
