"""Commits and their files are those of git, in every format of its log; what only looks like a log is none."""

from __future__ import annotations

import random
from typing import Any

import pytest

from penstock.core.forms.text import diffs
from penstock.core.forms.text.commits import FORM
from tests.kit.forms.reading import Read, read_as
from tests.kit.forms.repository import LINES, Repository, commits_of, files_of, random_repository

STYLES = ("short", "medium", "full", "fuller")
DATES = ("default", "iso", "iso-strict", "relative")
SHA = "0123456789abcdef0123456789abcdef01234567"
HEAD = f"commit {SHA}\nAuthor: A <a@b>\n\n    s\n\n"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return random_repository(tmp_path_factory.mktemp("commits"), seed=1, commits=40)


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def check_commits(found: Read, truth: list[dict[str, str]], text: str, missing: tuple[str, ...] = ()) -> None:
    lines = text.split("\n")
    rows = found.rows()
    assert len(rows) == len(truth)
    for row, commit in zip(rows, truth, strict=True):
        assert lines[row["line"] - 1].startswith(f"commit {row['commit']}")
        assert row["merge"] is (" " in commit["parents"])
        for name in {"commit", "author", "email", "date", "subject"} - set(missing):
            assert row[name] == commit[name]


def counts_of(found: Read) -> dict[str, dict[str, Any]]:
    files: dict[str, dict[str, Any]] = {}
    for row in found.rows("files"):
        files.setdefault(row["commit"], {})[row["file"]] = (row["added"], row["removed"])
    return files


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("options", [(), ("-p",), ("--numstat",), ("--stat", "-p"), ("--decorate", "--date=iso")])
def test_commits_and_counts_are_those_of_git(repository: Repository, style: str, options: tuple[str, ...]) -> None:
    text = repository.git("log", f"--format={style}", *options)
    found = read(text)
    truth, files = commits_of(repository), files_of(repository)
    check_commits(found, truth, text, missing=("date",) if style in ("short", "full") else ())
    authors = len({one["author"] for one in truth})
    what = f"{len(truth)} commits by {authors} authors"
    if "-p" in options or "--numstat" in options:
        told = counts_of(found)
        assert [told.get(one["commit"], {}) for one in truth] == files
        amount = sum(map(len, files))
        added, removed = (sum(count[side] or 0 for one in files for count in one.values()) for side in (0, 1))
        what += f", {amount} changes of files (+{added} -{removed})"
        assert [row["files"] for row in found.rows()] == [len(one) or None for one in files]
    assert found.words.what == what
    assert int(repository.git("rev-list", "--count", "main")) == len(truth)


@pytest.mark.parametrize("option", ["--name-status", "--stat=200", "--shortstat"])
def test_lists_of_files_tell_what_they_can(repository: Repository, option: str) -> None:
    text = repository.git("log", option)
    found = read(text)
    truth, files = commits_of(repository), files_of(repository)
    check_commits(found, truth, text)
    if option != "--shortstat":
        names: dict[str, list[str]] = {}
        for row in found.rows("files"):
            names.setdefault(row["commit"], []).append(row["file"])
        assert [names.get(one["commit"], []) for one in truth] == [list(one) for one in files]
        assert f", {sum(map(len, files))} changes of files" in found.words.what
    if option.startswith("--s"):
        added = [sum(count[0] or 0 for count in one.values()) for one in files]
        assert [row["added"] or 0 for row in found.rows()] == added
        assert f"(+{sum(added)} -" in found.words.what
    if option == "--stat=200":
        counts = [count for one in files for count in one.values()]
        changed = [None if added is None or removed is None else added + removed for added, removed in counts]
        assert found.column("changed", "files") == changed
    if option == "--name-status":
        letters = [line.split("\t")[0] for line in repository.git("log", "--format=", "--name-status").splitlines()]
        words = {"A": "added", "M": "modified", "D": "deleted", "R": "renamed"}
        assert found.column("status", "files") == [words[letter[0]] for letter in letters]
        moved = [row for row in found.rows("files") if row["status"] == "renamed"]
        assert moved
        assert all(row["old_file"] not in (None, row["file"]) for row in moved)


@pytest.mark.parametrize("date", DATES)
def test_dates_are_in_the_order_of_iso(repository: Repository, date: str) -> None:
    found = read(repository.git("log", f"--date={date}"))
    column = found.tables["items"].field("date")
    assert column is not None
    if date == "relative":
        assert all(cell.endswith("ago") for cell in found.column("date"))
        return
    assert column.column.is_time
    if date in ("default", "rfc", "raw", "iso"):
        assert found.column("date") == [one["date"] for one in commits_of(repository)]


def test_a_merge_shown_once_for_each_parent_is_not_two_commits(repository: Repository) -> None:
    assert read_as(FORM, repository.git("log", "-m", "-p", "--merges", "--decorate")) is None


def test_git_show_of_a_commit_and_of_a_tag_is_a_commit(repository: Repository) -> None:
    found = read(repository.git("show", "main~1"))
    assert found.words.what.startswith("1 commit by 1 author, ")
    tagged = read(f"commit {SHA} (HEAD -> main, tag: v1)\nAuthor: A <a@b>\n\n    x\n")
    assert tagged.column("refs") == ["HEAD -> main, tag: v1"]
    text = "tag v1\nTagger: Ada <a@b>\nDate:   Wed Apr 8 21:04:03 2026 -0700\n\n" + "Notes of a release\n\n" * 40
    assert read_as(FORM, text) is None


def test_notes_signatures_and_parents_are_no_files() -> None:
    found = read(
        f"""commit {SHA}
gpg: Signature made Wed
Primary key fingerprint: 0123
Author: Ada <a@b>
Date:   Wed Apr 8 21:04:03 2026 -0700

    Subject

    Body

Notes:
    A note

Notes (builds):
    passed

---
 x.py | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

commit {SHA[::-1]}
Merge: 0123456 abcdef0
Author:     Ada <a@b>
AuthorDate: Wed Apr 8 21:04:03 2026 -0700
Commit:     Ada <a@b>
CommitDate: Wed Apr 8 21:04:03 2026 -0700

    Merge

"""
    )
    assert found.column("date") == ["2026-04-08 21:04:03 -0700"] * 2
    assert found.column("merge") == [False, True]
    assert found.words.what == "2 commits by 1 author, 1 change of a file (+1 -1)"
    assert found.column("file", "files") == ["x.py"]
    assert found.words.facts == ()


def test_blank_lines_before_the_first_commit_are_nothing() -> None:
    found = read(f"\n\n{HEAD}")
    assert found.column("line") == [3]
    assert found.words.facts == ()


def test_a_commit_without_a_message_has_no_subject() -> None:
    late = f"commit {SHA[::-1]}\nAuthor: Bo <>\n\n    late\n    subject\n    \n    body\n"
    found = read(f"commit {SHA}\nAuthor: Ada <a@b>\n\n\n{late}")
    assert found.column("subject") == [None, "late subject"]
    assert found.column("email") == ["a@b", None]


@pytest.mark.parametrize("mark", ["'", '"', ""])
def test_logs_of_programs_with_a_field_for_the_message_are_read(mark: str) -> None:
    message = "It's a subject\\n\\nand a body\\n" if mark else "It's a subject\n\ncommit to it\nand: a body\n"
    entry = "\n".join(
        [
            "Commit: '%s'" if mark else "Commit: %s",
            'Author: <git.Actor "Ada <a@b>">' if mark else "Author: Ada <a@b>",
            "Date: 2026-04-08 21:04:03-07:00",
            "Signed by: nobody",
            f"Message: {mark}{message.replace(mark, chr(92) + mark) if mark == chr(39) else message}{mark}",
            "",
        ]
    )
    found = read("Commit history:\n" + "\n".join([entry % SHA, entry % SHA[::-1]]))
    assert found.column("commit") == [SHA, SHA[::-1]]
    assert found.column("author") == ["Ada", "Ada"]
    assert found.column("subject") == ["It's a subject"] * 2
    assert found.column("date") == ["2026-04-08 21:04:03-07:00"] * 2
    assert "merge" not in found.cells["items"]
    assert found.words.facts == ("lines of no known kind: 1",)


def test_a_commit_of_a_program_may_have_patches() -> None:
    found = read(
        f"Commit: '{SHA}'\nAuthor: Ada <a@b>\nDate: now\nMessage: ''\n\n--- x.py\n+++ x.py\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"
    )
    assert found.words.what == "1 commit by 1 author, 1 change of a file (+2 -1)"
    assert found.column("file", "files") == ["x.py"]


def test_files_of_which_git_left_out_some_are_counted_by_its_sum() -> None:
    text = "".join(
        f"commit {number:040x}\nAuthor: Ada <a@b>\n\n    x\n\n .../deep/x.py | 2 +-\n y|z.py | Bin 0 -> 9 bytes\n"
        f" {{a => b}}/c.py | 3 +--\n 4 files changed, 2 insertions(+), 3 deletions(-)\n create mode 100644 y|z.py\n\n"
        for number in range(5)
    )
    found = read(text)
    assert found.words.what == "5 commits by 1 author, 20 changes of files (+10 -15)"
    assert found.column("file", "files")[:3] == [".../deep/x.py", "y|z.py", "b/c.py"]
    assert found.column("changed", "files") == [2, None, 3] * 5
    no_sum = read(f"commit {SHA}\nAuthor: Ada <a@b>\n\n    x\n\n x.py | 2 +-\n\n")
    assert no_sum.words.what == "1 commit by 1 author, 1 change of a file"


def test_of_a_long_log_all_rows_come_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.line_parser.BATCH", 16)
    commits = 75
    text = "".join(
        f"commit {n:040x}\nAuthor: A{n} <a@b>\n\n    s{n}\n\n1\t0\tf{n % 7}\n-\t-\tb\n\n" for n in range(commits)
    )
    found = read(text)
    assert found.column("subject") == [f"s{n}" for n in range(commits)]
    assert len(found.rows("files")) == 2 * commits
    assert (
        found.words.what
        == f"{commits:,} commits by {commits:,} authors, {2 * commits} changes of files (+{commits:,} -0)"
    )
    one = read(f"commit {SHA}\nAuthor: A <a@b>\n\n    s\n\n" + "".join(f"1\t0\tf{n}\n" for n in range(commits)))
    assert one.column("file", "files") == [f"f{n}" for n in range(commits)]
    assert one.words.what == f"1 commit by 1 author, {commits:,} changes of files (+{commits:,} -0)"
    assert one.column("line", "files") == list(range(6, commits + 6))


def test_status_letters_of_types_and_copies() -> None:
    text = f"commit {SHA}\nAuthor: A <a@b>\n\n    s\n\nT\tlink\nX\twhat\nC75\told\tnew\n\n"
    assert read(text).column("status", "files") == ["type changed", None, "copied"]


NOT_LOGS = {
    "prose": "commit to it\nAuthor: me\n" * 30,
    "no header": f"commit {SHA}\nSome words\n",
    "only blank": "\n\n",
    "a log of builds": f"Some words\ncommit {SHA}\nAuthor: A <a@b>\n\n    s\n\n" + "building...\n" * 60,
    "a reflog": f"commit {SHA}\nReflog: HEAD@{{0}} (A <a@b>)\nReflog message: x\nAuthor: A <a@b>\n\n    s\n",
    "fields that no log has": f"commit {SHA}\nAuthor: A <a@b>\n" + "Some words\n" * 60,
    "lists of something else": HEAD + "a\tb\tc\td\n" * 60,
    "stats of something else": HEAD + " some words\n" * 60,
    "counts of something else": HEAD + "1\tb\tc\td\n" * 60,
    "csv": "commit,author\n" + f"{SHA},Ada\n" * 30,
    "json": '{"commit": "' + SHA + '"}\n' * 30,
    "a patch": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
}


@pytest.mark.parametrize("text", NOT_LOGS.values(), ids=NOT_LOGS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_log_with_a_patch_that_lacks_a_line_is_not_claimed(repository: Repository) -> None:
    text = repository.git("log", "-p")
    at = text.index("\n+", text.index("\n@@ ")) + 1
    assert read_as(FORM, text[:at] + text[text.index("\n", at) + 1 :]) is None


def test_a_patch_in_a_message_is_no_patch(repository: Repository) -> None:
    quoting = [one for one in commits_of(repository) if "diff --git" in one["subject"]]
    assert quoting
    text = repository.git("log")
    assert read(text).words.what.endswith(" authors")
    assert read_as(diffs.FORM, text) is None


def test_returns_at_line_ends_and_stripped_ends_change_nothing(repository: Repository) -> None:
    text = repository.git("log", "--stat")
    expected = read(text)
    assert read(text.replace("\n", "\r\n")).words.what == expected.words.what
    assert read(text.strip()).cells == expected.cells
    stripped = "\n".join(line.rstrip() for line in text.split("\n"))
    assert read(stripped).column("subject") == expected.column("subject")


def test_hostile_texts_are_read_or_refused_without_harm(repository: Repository) -> None:
    lines = repository.git("log", "-p", "--stat").split("\n")[:400]
    choose = random.Random(6)
    for _ in range(150):
        mutated = list(lines)
        for _ in range(choose.randint(1, 3)):
            at = choose.randrange(len(mutated))
            new = choose.choices([*LINES, *lines, "\x00\x1b[31m", "|" * 9_000, "\ud800"], k=choose.randint(0, 2))
            mutated[at : at + choose.randint(0, 2)] = new
        read_as(FORM, "\n".join(mutated))
    huge = "x" * 1_000_000
    found = read(f"commit {SHA}\nAuthor: {huge[:9000]} <a@b>\n\n    {huge}\n    y\n\n1\t1\t{huge}\n")
    assert len(found.column("subject")[0]) == 2_000
    assert found.words.what == "1 commit by 1 author, 1 change of a file (+1 -1)"
