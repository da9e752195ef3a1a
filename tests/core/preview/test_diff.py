"""The preview of a diff counts files and changed lines truly, and the hunks it shows are those of the diff."""

from __future__ import annotations

import difflib
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.preview import diff as module
from penstock.core.preview.diff import HUNK_LINES, diff
from tests.core.preview.promises import WIDE, growing, hidden, must_show, shown
from tests.strategies import any_text

contents = st.lists(
    st.sampled_from(["a", "", "-- b", "++ c", "@@ d", "diff", "x" * 400, "é", "\ud800"]) | st.integers(0, 9).map(str),
    max_size=80,
)


def file_diff(name: str, before: list[str], after: list[str]) -> list[str]:
    lines = list(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}", lineterm=""))
    return [f"diff --git a/{name} b/{name}", "index 1..2 100644", *lines] if lines else []


@st.composite
def diffs(draw: st.DrawFn) -> list[str]:
    files = draw(st.lists(st.tuples(contents, contents), min_size=1, max_size=6))
    return [line for number, (old, new) in enumerate(files) for line in file_diff(f"f{number}.py", old, new)]


@settings(max_examples=40)
@given(diffs(), st.sampled_from(["", "\n"]))
def test_every_preview_fits_counts_and_grows(lines: list[str], end: str) -> None:
    data = "\n".join(lines) + end
    files = sum(line.startswith("diff --git") for line in lines)
    added = sum(line.startswith("+") for line in lines) - sum(line.startswith("+++ b/") for line in lines)
    removed = sum(line.startswith("-") for line in lines) - sum(line.startswith("--- a/") for line in lines)
    hunks = sum(line.startswith("@@") for line in lines)
    for preview in growing(diff, data):
        assert preview.headline == f"a diff of {files} file{'s' if files > 1 else ''}, +{added} -{removed}"
        if preview.text.startswith("… "):
            continue
        assert preview.text.split("\n")[0].endswith(f", {hunks} hunk{'s' if hunks != 1 else ''}")
        told = [line for line in preview.text.split("\n") if line.startswith("@@")]
        assert len(told) + hidden(preview.text, "hunk") == hunks


@given(diffs())
def test_hunks_are_shown_as_they_stand(lines: list[str]) -> None:
    if not lines:
        return
    found = must_show(diff, "\n".join(lines), WIDE)
    known = {line.replace("\ud800", "\ufffd") for line in lines}
    body = [line for line in found.text.split("\n")[1:] if line[:1] in ("+", "-", " ", "@")]
    assert all(line in known or "… [+" in line for line in body)
    assert len(body) == found.shown.end


@given(any_text)
@example("diff --git a/x b/x")
@example("diff --git ")
@example("--- a\n+++ b\n@@ -1")
def test_any_text_is_a_diff_or_is_not(data: str) -> None:
    growing(diff, data)


GIT = """\
diff --git a/src/a.py b/src/a.py
old mode 100644
new mode 100755
index 1..2
--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,3 @@ def f():
 same
-old
+new
+more
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 1..0
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git "a/n\\303\\251w.txt" "b/n\\303\\251w.txt"
new file mode 100644
index 0..1
--- /dev/null
+++ "b/n\\303\\251w.txt"
@@ -0,0 +1 @@
+hello
\\ No newline at end of file
diff --git a/old name.md b/new name.md
similarity index 100%
rename from old name.md
rename to new name.md
diff --git a/x.c b/y.c
similarity index 90%
copy from x.c
copy to y.c
--- a/x.c
+++ b/y.c
@@ -1 +1 @@
-1
+2
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
"""


def test_the_stat_tells_what_became_of_each_file() -> None:
    found = must_show(diff, GIT, WIDE)
    assert found.text.split("\n")[:8] == [
        "7 files, +4 -3, 4 hunks",
        "M src/a.py mode 100644 → 100755 +2 -1",
        "D gone.txt +0 -1",
        "A n\\303\\251w.txt +1 -0",
        "R old name.md → new name.md",
        "C x.c → y.c +1 -1",
        "M logo.png binary",
        "M run.sh mode 100644 → 100755",
    ]
    assert (
        "\nsrc/a.py:\n@@ -1,2 +1,3 @@ def f():\n same\n-old\n+new\n+more\ngone.txt:\n@@ -1 +0,0 @@\n-bye\n"
        in found.text
    )
    assert (found.headline, found.style) == ("a diff of 7 files, +4 -3", "diff")


def test_hunks_come_first_from_every_file_and_long_ones_are_cut() -> None:
    lines = [line for n in range(4) for line in file_diff(f"f{n}.py", ["x"] * 99, [f"{m}" for m in range(99)])]
    found = must_show(diff, "\n".join(lines), WIDE)
    assert found.text.count("@@ -") == 4
    assert f"… {199 - HUNK_LINES} lines of this hunk not shown …" in found.text
    many = ["diff --git a/f.py b/f.py", "--- a/f.py", "+++ b/f.py", *["@@ -1 +1 @@", "-a", "+b"] * 50]
    told = must_show(diff, "\n".join(many), WIDE).text
    assert told.count("@@ -1 +1 @@") == module.MOST_HUNKS
    assert told.endswith("… 47 hunks not shown …")


def test_files_that_are_not_listed_are_counted_and_the_largest_changes_listed() -> None:
    lines = [line for n in range(60) for line in file_diff(f"f{n}.py", ["x"], [f"{m}" for m in range(n)])]
    told = must_show(diff, "\n".join(lines), Room(tokens=300)).text
    assert "\nM f59.py +59 -1\n" in told
    assert "M f1.py" not in told
    assert re.search(r"(?m)^… \d+ more files, \+[\d,]+ -\d+ …$", told)
    assert "not shown" in told


def test_hunks_end_where_the_lines_for_them_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LINES", 10)
    lines = [line for n in range(4) for line in file_diff(f"f{n}.py", list("abcd"), list("efgh"))]
    found = must_show(diff, "\n".join(lines), WIDE)
    assert found.shown.end == 10
    assert "… 8 lines of this hunk not shown …\n… 2 hunks not shown …" in found.text


def test_files_past_those_that_are_read_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = must_show(diff, GIT, WIDE)
    monkeypatch.setattr(module, "MOST_READ", 2)
    found = must_show(diff, GIT, WIDE)
    assert found.text.split("\n")[0] == whole.text.split("\n")[0]
    assert "… 5 more files, +2 -1 …" in found.text


def test_plain_and_combined_diffs_and_commits_are_read_too() -> None:
    plain = "Index: a.c\n====\n--- a.c\t2026-01-01\n+++ a.c\t2026-01-02\n@@ -1 +1 @@\n-x\n+y\n" * 2
    assert must_show(diff, plain).text.split("\n")[:2] == ["2 files, +2 -2, 2 hunks", "M a.c +1 -1"]
    combined = "diff --cc a.c\nindex 1,2..3\n--- a/a.c\n+++ b/a.c\n@@@ -1,2 -1,2 +1,2 @@@\n  x\n +y\n- z\n++w\n"
    assert must_show(diff, combined).headline == "a diff of 1 file, +2 -1"
    commit = "commit 12ab\nAuthor: A\nDate:   today\n\n    message\n\n"
    assert must_show(diff, commit + GIT + commit + GIT).headline == "a diff of 14 files, +8 -6"


def test_the_signature_of_a_mailed_patch_is_no_removed_line() -> None:
    patch = GIT[: GIT.index("diff --git a/gone")]
    mail = f"From 12ab Mon Sep 17\nFrom: A\nDate: today\nSubject: x\n\n---\n a | 2 +-\n\n{patch}-- \n2.50.0\n\n"
    assert must_show(diff, mail + mail).headline == "a diff of 2 files, +4 -2"
    unsigned = mail.replace("-- \n2.50.0\n", "")
    assert must_show(diff, unsigned).headline == "a diff of 1 file, +2 -1"


@pytest.mark.parametrize(
    "data",
    [
        "",
        "some prose\n--- and a rule\n+++ another\n",
        "Here is a patch:\n" + GIT + "and then\na lot of\nprose follows\nthat is no diff\n" * 200,
        "x\n" * 9_000 + GIT,
        '["diff --git a/x b/x"]',
    ],
)
def test_what_is_no_diff_is_left_to_others(data: str) -> None:
    assert shown(diff, data) is None
