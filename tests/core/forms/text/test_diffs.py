"""The counts of a diff are those of git, and of the hunks themselves; a diff that does not keep its counts is none."""

from __future__ import annotations

import random
from typing import Any

import pytest

from penstock.core.forms.text.diffs import FORM
from tests.kit.forms.reading import Read, read_as
from tests.kit.forms.repository import LINES, NAMES, Repository, files_of, random_repository

Hunk = list[tuple[str, str]]  # lines with their marks


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return random_repository(tmp_path_factory.mktemp("diffs"), seed=3, commits=40)


def read(text: str | bytes) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def quoted(name: str) -> str:
    """A name as git writes it."""
    if name.isascii() and name.isprintable() and not set(name) & set('"\\'):
        return name
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    letters = (escapes.get(char) or (char if char.isascii() else _octal(char)) for char in name)
    return f'"{"".join(letters)}"'


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode())


def hunk_text(hunk: Hunk, header: str = "") -> list[str]:
    old = sum(mark in "- " for mark, _ in hunk)
    new = sum(mark in "+ " for mark, _ in hunk)
    return [f"@@ -7,{old} +7,{new} @@{header}", *(mark + text for mark, text in hunk)]


def random_files(choose: random.Random) -> list[tuple[str, str, list[Hunk]]]:
    kinds = ["modified", "added", "deleted", "renamed", "binary"]
    return [
        (choose.choice(NAMES), choose.choice(kinds), [random_hunk(choose) for _ in range(choose.randint(0, 4))])
        for _ in range(choose.randint(1, 5))
    ]


def random_hunk(choose: random.Random) -> Hunk:
    return [(choose.choice("+- "), choose.choice(LINES)) for _ in range(choose.randint(1, 12))]


def git_text(files: list[tuple[str, str, list[Hunk]]]) -> tuple[str, list[dict[str, Any]]]:
    """A diff of these files, and the rows that it has."""
    lines: list[str] = []
    rows: list[dict[str, Any]] = []
    for name, kind, hunks in files:
        old, new = quoted("a/" + name), quoted("b/" + name)
        row = {"line": len(lines) + 1, "file": name, "status": kind, "old_file": None, "binary": False}
        lines.append(f"diff --git {old} {new}")
        if kind == "added":
            lines.append("new file mode 100644")
            old = "/dev/null"
        elif kind == "deleted":
            lines.append("deleted file mode 100644")
            new = "/dev/null"
        elif kind == "renamed":
            lines += ["similarity index 90%", f"rename from {quoted('old ' + name)}", f"rename to {quoted(name)}"]
            row["old_file"] = "old " + name
        elif kind == "binary":
            lines += ["index 1234567..89abcde 100644", f"Binary files {old} and {new} differ"]
            rows.append({**row, "status": "modified", "added": None, "removed": None, "hunks": 0, "binary": True})
            continue
        if hunks:
            lines += ["index 1234567..89abcde", f"--- {old}", f"+++ {new}"]
        elif kind == "modified":
            lines += ["old mode 100644", "new mode 100755"]
        for hunk in hunks:
            lines += hunk_text(hunk)
        marks = [mark for hunk in hunks for mark, _ in hunk]
        rows.append({**row, "added": marks.count("+"), "removed": marks.count("-"), "hunks": len(hunks)})
    return "\n".join(lines) + "\n", rows


@pytest.mark.parametrize("seed", range(60))
def test_every_file_and_hunk_is_counted_whatever_its_lines_look_like(seed: int) -> None:
    files = random_files(random.Random(seed))
    text, rows = git_text(files)
    found = read(text)
    assert [{"old_file": None, **row} for row in found.rows()] == rows
    hunks = [hunk for _, kind, some in files if kind != "binary" for hunk in some]
    told = found.rows("hunks") if hunks else []
    assert [(one["added"], one["removed"]) for one in told] == [
        (sum(mark == "+" for mark, _ in hunk), sum(mark == "-" for mark, _ in hunk)) for hunk in hunks
    ]
    assert all(text.split("\n")[one["line"] - 1].startswith("@@ -") for one in told)
    added, removed = (sum(row[side] or 0 for row in rows) for side in ("added", "removed"))
    assert found.words.what == f"a diff of {len(rows)} file{'s' * (len(rows) > 1)} (+{added} -{removed})"


@pytest.mark.parametrize("seed", range(60))
def test_a_diff_that_lacks_a_line_is_not_claimed(seed: int) -> None:
    choose = random.Random(seed)
    text, _ = git_text([("x.py", "modified", [random_hunk(choose)]), *random_files(choose)])
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith("@@ -7,")]
    inside = [at for at in range(starts[0] + 1, len(lines)) if lines[at].startswith(("+", "-"))]
    changed = [at for at in inside if not lines[at].startswith(("--- ", "+++ "))]
    for at in choose.sample(changed, min(len(changed), 3)):
        assert read_as(FORM, "\n".join(lines[:at] + lines[at + 1 :])) is None


def test_the_counts_are_those_of_git_for_random_edits(repository: Repository) -> None:
    texts = repository.git("log", "--format=%x01", "-p").split("\x01")[1:]
    for text, counts in zip(texts, files_of(repository), strict=True):
        if text.strip():
            rows = read(text.strip("\n")).rows()
            assert {row["file"]: (row["added"], row["removed"]) for row in rows} == counts


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-R",),
        ("--no-prefix",),
        ("-U0",),
        ("--binary",),
        ("-c", "--full-index"),
        ("--stat", "-p"),
        ("--src-prefix=i/", "--dst-prefix=w/"),
    ],
)
def test_options_of_git_change_no_count(repository: Repository, options: tuple[str, ...]) -> None:
    for old, new in (("main~20", "main"), ("main", "main~20"), ("main~1", "main")):
        arguments = ("diff", *options, old, new)
        rows = read(repository.git(*arguments)).rows()
        listed = repository.git("diff", "--numstat", *(one for one in options if one == "-R"), old, new).splitlines()
        counts = [tuple(None if cell == "-" else int(cell) for cell in line.split("\t")[:2]) for line in listed]
        assert [(row["added"], row["removed"]) for row in rows] == counts
        renamed = repository.git("diff", "--name-only", "-z", *(one for one in options if one == "-R"), old, new)
        assert [row["file"] for row in rows] == renamed.split("\0")[:-1]


def test_binary_patches_are_passed_over(repository: Repository) -> None:
    text = repository.git("diff", "--binary", "--root", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "main")
    assert "GIT binary patch" in text
    found = read(text)
    assert [row["file"] for row in found.rows() if row["binary"]] == ["data.bin"]
    assert sum(found.column("binary")) == 1
    cut = text[: text.index("\n", text.index("literal")) + 20]
    assert read(cut).rows()[-1]["binary"] is True


def test_diff_ru_has_names_of_both_folders_and_files_of_one() -> None:
    found = read(
        """diff -ru old/x.c new/x.c
--- old/x.c\t2026-01-02 03:04:05.000000000 +0100
+++ new/x.c\t2026-02-02 03:04:05.000000000 +0100
@@ -1 +1 @@
-a
+b
Binary files old/x.bin and new/x.bin differ
Only in new: y.c
diff -ruN old/z.c new/z.c
--- old/z.c\t1970-01-01 01:00:00.000000000 +0100
+++ new/z.c\t2026-02-02 03:04:05.000000000 +0100
@@ -0,0 +1,2 @@
+a
+b
--- old/gone.c\t2026-01-02 03:04:05.000000000 +0100
+++ new/gone.c\t1970-01-01 01:00:00.000000000 +0100
@@ -1 +0,0 @@
-a
Binary files /dev/null and b/this differ
Binary files old/short and new/a longer one differ
"""
    )
    files = [(row["line"], row["file"], row["status"], row["added"], row["binary"]) for row in found.rows()]
    assert files == [
        (1, "new/x.c", "modified", 1, False),
        (7, "new/x.bin", "modified", None, True),
        (9, "new/z.c", "added", 2, False),
        (15, "new/gone.c", "deleted", 0, False),
        (19, "this", "added", None, True),
        (20, "new/a longer one", "modified", None, True),
    ]
    assert found.words.facts[1:] == ("lines of no known kind: 1",)


def test_subversion_tells_properties_binaries_and_new_files() -> None:
    line = "=" * 67
    found = read(
        f"""Index: trunk/a file.c
{line}
--- trunk/a file.c\t(revision 7)
+++ trunk/a file.c\t(working copy)
@@ -1,2 +1,2 @@
 a
-b
+c

Index: trunk/new.c
{line}
--- trunk/new.c\t(nonexistent)
+++ trunk/new.c\t(working copy)
@@ -0,0 +1 @@
+x
Index: trunk/empty.c
{line}
Index: trunk/p.bin
{line}
Cannot display: file marked as a binary type.
svn:mime-type = application/octet-stream
"""
    )
    assert [(row["file"], row["status"], row["added"], row["binary"]) for row in found.rows()] == [
        ("trunk/a file.c", "modified", 1, False),
        ("trunk/new.c", "added", 1, False),
        ("trunk/empty.c", "modified", 0, False),
        ("trunk/p.bin", "modified", None, True),
    ]
    assert not any("no file" in fact for fact in found.words.facts)


def test_mercurial_and_cvs_have_headers_of_their_own() -> None:
    found = read(
        """diff -r 0123456789ab src/x.py
--- a/src/x.py\tThu Jan 02 00:00:00 2026 +0000
+++ b/src/x.py\tFri Jan 03 00:00:00 2026 +0000
@@ -1,1 +1,1 @@
-a
+b
diff -r 0123456789ab new.py
--- /dev/null\tThu Jan 01 00:00:00 1970 +0000
+++ b/new.py\tFri Jan 03 00:00:00 2026 +0000
@@ -0,0 +1,1 @@
+b
Index: y.c
===================================================================
RCS file: /cvs/y.c,v
retrieving revision 1.1
diff -u -r1.1 y.c
--- y.c\t1 Jan 2026 00:00:00 -0000\t1.1
+++ y.c\t2 Jan 2026 00:00:00 -0000
@@ -1 +1 @@
-a
+b
Index: z.c
===================================================================
diff --git a/trunk/z.c b/trunk/z.c
deleted file mode 100644
--- a/trunk/z.c
+++ /dev/null
@@ -1 +0,0 @@
-a
"""
    )
    assert [(row["line"], row["file"], row["status"]) for row in found.rows()] == [
        (1, "src/x.py", "modified"),
        (7, "new.py", "added"),
        (12, "y.c", "modified"),
        (22, "trunk/z.c", "deleted"),
    ]


def test_headers_of_git_tell_copies_modes_and_names_that_differ() -> None:
    found = read(
        """diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/one b/two
similarity index 100%
copy from one
copy to two
diff --git a/left.txt b/right.txt
--- a/left.txt
+++ b/right.txt
@@ -1 +1 @@
-a
+b
diff --git a/trimmed b/trimmed
--- /dev/null
+++ b/trimmed
@@ -0,0 +1 @@
+a
diff --git left.bin right.bin
Binary files left.bin and right.bin differ
diff --git a/gone b/gone
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-a
"""
    )
    assert [(row["file"], row["status"], row["old_file"]) for row in found.rows()] == [
        ("run.sh", "modified", None),
        ("two", "copied", "one"),
        ("right.txt", "modified", None),
        ("trimmed", "added", None),
        ("right.bin", "modified", None),
        ("gone", "deleted", None),
    ]


def test_the_files_with_most_changed_lines_are_named() -> None:
    lines: list[str] = []
    for number in range(20):
        name = f"src/part{number % 2}/file{number}.{'py' if number % 3 else 'md'}"
        hunk = [("+", "x")] * (number + 1) + [("-", "y")] * (number % 4) + [(" ", "z")]
        lines += [f"--- a/{name}", f"+++ b/{name}", *hunk_text(hunk, " def f():")]
    found = read("\n".join(lines))
    added, removed = 210, 30
    assert found.words.what == f"a diff of 20 files (+{added} -{removed})"
    [most] = found.words.facts
    assert most.startswith("most changed: src/part1/file19.py +20 -3 · src/part0/file18.md +19 -2 · ")
    assert most.count(" · ") == 5


def test_of_a_long_diff_all_rows_come_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.core.forms.text.diffs.BATCH", 16)
    files = 75
    text = "".join(f"--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-a\n+b\n" for n in range(files))
    found = read(text)
    assert found.column("file") == [str(n) for n in range(files)]
    one = "".join(f"@@ -{n} +{n} @@\n-a\n+b\n" for n in range(files))
    assert read("--- a/x\n+++ b/x\n" + one).column("hunks") == [files]


def test_words_around_a_diff_are_counted_and_a_stripped_end_is_allowed() -> None:
    text = "Changes since main:\n\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n a\n+b\n\n \n"
    found = read(text)
    assert found.rows()[0]["added"] == 1
    assert found.words.facts == ("lines of no known kind: 1",)
    assert read(text.strip()).column("added") == [1]
    assert read_as(FORM, "\n".join(["--- a", "+++ b", "@@ -1,9 +1,9 @@", " a"])) is None


def test_a_diff_with_returns_at_all_line_ends_is_read() -> None:
    text, rows = git_text([("x.py", "modified", [[("+", "a"), (" ", ""), ("-", "b")]])])
    assert read(text.replace("\n", "\r\n")).column("added") == [rows[0]["added"]]


NOT_DIFFS = {
    "prose": "A paragraph.\n" * 30,
    "csv": "a,b,c\n" + "1,2,3\n" * 30,
    "markdown with a diff": "\n".join(
        ["# Title", *["Some words.", ""] * 30, "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b"]
    ),
    "markdown after a diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" + "Some words.\n" * 60,
    "yaml": "--- # first\na: 1\n--- \nb: 2\n" * 9,
    "list of changes": "--- one\n+++ two\n- three\n" * 9,
    "context diff": "*** a.c\n--- b.c\n***************\n*** 1,2 ****\n! a\n--- 1,2 ----\n! b\n",
    "too long a hunk": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n",
    "hunk of nothing": "@@ -1 +1 @@\n-a\n+b\n",
    "hunk before its file": "--- a/x\n@@ -1 +1 @@\n-a\n+b\n",
    "no counts": "--- a/x\n+++ b/x\n@@ -one +two @@\n-a\n+b\n",
    "huge counts": "--- a/x\n+++ b/x\n@@ -1,999999999 +1,999999999 @@\n-a\n+b\n",
    "longer than any count": "--- a/x\n+++ b/x\n@@ -1,99999999999 +1 @@\n-a\n+b\n",
    "new name twice": "--- a/x\n+++ b/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
    "words that begin alike": "diff --git is a command\ndiff --cc too\n",
    "a mark without counts": "diff --git is a command\n@@ -1 is a mark\n",
    "headers alone": "Index: one\nIndex: two\n@@ -1 +1 @@\n",
}


@pytest.mark.parametrize("text", NOT_DIFFS.values(), ids=NOT_DIFFS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_commands_that_told_nothing_are_counted_as_lines() -> None:
    found = read(
        "diff -u a b\ndiff -u c d\n--- c\n+++ d\n@@ -1 +1 @@\n-a\n+b\nBinary files\nBinary files of us\n-- \n2.40\n"
    )
    assert found.column("file") == ["d"]
    assert "lines of no known kind: 3" in found.words.facts


def test_files_without_hunks_have_nothing_to_show() -> None:
    found = read("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")
    assert found.words.what == "a diff of 1 file (+0 -0)"
    assert found.words.excerpts == ()
    assert list(found.tables) == ["items"]


def test_hostile_texts_are_read_or_refused_without_harm(repository: Repository) -> None:
    text = repository.git("diff", "main~20", "main")
    lines = text.split("\n")
    choose = random.Random(5)
    for _ in range(150):
        mutated = list(lines)
        for _ in range(choose.randint(1, 3)):
            at = choose.randrange(len(mutated))
            mutated[at : at + choose.randint(0, 2)] = choose.choices(
                [*LINES, *lines, "\x00\x1b[31m", "x" * 50_000], k=choose.randint(0, 2)
            )
        read_as(FORM, "\n".join(mutated))
    name = "n" * 50_000
    found = read(f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@ {name}\n-a\n+{name * 20}\n")
    assert len(found.rows()[0]["file"]) < 10_000
    assert max(map(len, found.words.facts), default=0) < 500
    assert read("--- a/\ud800\n+++ b/\ud800\n@@ -1 +1 @@\n-a\n+b\n").column("added") == [1]
    assert read(b"--- a/\xff\n+++ b/\xff\n@@ -1 +1 @@\n-a\n+\xff\n").column("added") == [1]
