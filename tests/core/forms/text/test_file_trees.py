"""Invariant: every entry of a tree is a row whose path leads to it from the root; its depth is that of the drawing."""

from __future__ import annotations

import shutil
import subprocess
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.api import BATCH
from penstock.core.forms.text.file_trees import FORM
from tests.kit.forms.paths import HOSTILE, OTHER, file_paths, folder
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from pathlib import Path

BOXES = ("├── ", "└── ", "│\xa0\xa0 ", "    ")
LINES = ("├── ", "└── ", "│   ", "    ")
ASCII = ("|-- ", "`-- ", "|   ", "    ")
NARROW = ("├── ", "└── ", "│ ", "  ")


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def draw(
    paths: list[str], root: str, marks: tuple[str, str, str, str], write: Any = None
) -> tuple[list[str], list[dict[str, Any]]]:
    """The lines that draw these paths, and their rows."""
    folders = {root}
    for path in paths:
        while (path := folder(path)) and path != root:
            folders.add(path)
    inside: dict[str, list[str]] = {}
    for path in sorted({*paths, *folders} - {root}):
        inside.setdefault(folder(path), []).append(path)
    lines, rows = [root], []
    waiting = [(path, "", 1, path == inside[root][-1]) for path in reversed(inside[root])]
    while waiting:
        path, before, depth, is_last = waiting.pop()
        name = path[path.rfind("/") + 1 :]
        holds = path in folders
        lines.append(before + marks[1 if is_last else 0] + (write(path, name, holds) if write else name))
        rows.append(
            {
                "line": len(lines),
                "path": path,
                "name": name,
                "folder": folder(path),
                "depth": depth,
            }
        )
        below = inside.get(path, [])
        waiting += [(one, before + marks[3 if is_last else 2], depth + 1, one == below[-1]) for one in reversed(below)]
    return lines, rows


@pytest.mark.parametrize(
    ("marks", "amount"),
    [(BOXES, 40), (LINES, 50), (ASCII, 60), (NARROW, 70), (BOXES, BATCH + 100), (NARROW, BATCH - 30)],
)
def test_every_entry_is_a_row_with_its_path(marks: tuple[str, str, str, str], amount: int) -> None:
    lines, rows = draw(file_paths(Random(amount), amount, "top/"), "top", marks)
    holding = len({row["folder"] for row in rows})
    summary = f"{holding} directories, {amount} files"
    found = read("\n".join([*lines, "", summary]) + "\n")
    assert found.rows() == rows
    assert found.words.what == f"a tree of {len(rows):,} entries"
    assert found.words.facts == (f"its own summary: {summary}",)


def test_words_in_brackets_and_targets_are_columns() -> None:
    paths = file_paths(Random(3), 60, "top/")
    lines, rows = draw(
        paths, "top", LINES, lambda path, name, holds: f"[{len(path):11}]  {name}{'/' if holds else ' -> x y'}"
    )
    found = read("\n".join(lines))
    assert found.column("path") == [row["path"] for row in rows]
    assert found.column("info") == [str(len(row["path"])) for row in rows]
    assert found.column("target") == [None if row["path"] not in paths else "x y" for row in rows]


def test_other_trees_are_trees_of_entries() -> None:
    lines = ["app@1.0.0 /home/app"]
    for n in range(60):
        lines += [f"├─┬ one@{n}.1", "│ ├── two@2.1.0 deduped", "│ └─┬ three@1.0", "│   └── four@1"]
    found = read("\n".join([*lines, "└── last@1"]))
    assert found.rows()[3] == {
        "line": 5,
        "path": "app@1.0.0 /home/app/one@0.1/three@1.0/four@1",
        "name": "four@1",
        "folder": "app@1.0.0 /home/app/one@0.1/three@1.0",
        "depth": 3,
    }
    assert found.words.what == "a tree of 241 entries"


def test_several_roots_and_the_root_of_all_are_part_of_paths() -> None:
    text = "".join(f"d{n}/\n├── a\n│   └── b.py\n└── c.py\n\n" for n in range(20)) + "/\n└── etc\n"
    found = read(text + "3 directories, 2 files\n1 directory\n2 directories\n")
    assert found.column("path")[:4] == ["d0/a", "d0/a/b.py", "d0/c.py", "d1/a"]
    assert found.rows()[-1]["path"] == "/etc"
    assert found.rows()[-1]["folder"] == "/"
    assert "its own summary: 3 directories, 2 files" in found.words.facts


def test_a_tree_without_a_root_begins_with_names() -> None:
    assert read("├── a\n│   └── b\n├── c\n└── d\n").column("path") == ["a", "a/b", "c", "d"]


def test_entry_below_nothing_makes_the_text_another_one() -> None:
    lines = ["top", *["├── a"] * 200, "│   │   │   ├── far", "├── b"]
    assert read_as(FORM, "\n".join(lines)) is None


def test_blank_lines_may_fill_a_batch() -> None:
    found = read("top\n├── a.py\n" + "\n" * (2 * BATCH) + " \n" + "├── b.py\n" * BATCH)
    assert found.words.what == f"a tree of {BATCH + 1:,} entries"
    assert found.column("line")[:2] == [2, 2 * BATCH + 4]


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_trees(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "top\n" + "├── a\n" * 500 + "prose\n" * 500,
        "top\n" + "├── a\nprose\n" * 90,
        "top\n" + "│   │   ├── a\n" * 90,  # below nothing
        "top\n├── a\n",
    ],
)
def test_a_form_that_does_not_hold_for_the_whole_is_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str) -> None:
    read_as(FORM, HOSTILE[name])
    found = read_as(FORM, "top\n" + "├── a.py\n" * 300 + HOSTILE[name])
    assert found is None or found.column("line")[:300] == list(range(2, 302))


def test_values_are_harmless_where_they_are_told() -> None:
    found = read("top\n" + "├── \x1b[31m·|…\n│   └── \ud800.py\n" * 30)
    assert all(fact.isprintable() for fact in found.words.facts)


@pytest.mark.skipif(shutil.which("tree") is None, reason="tree is not here; its output is generated above")
def test_the_output_of_tree_itself_is_read(tmp_path: Path) -> None:
    for file in file_paths(Random(4), 30, "top/"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    text = subprocess.run(["tree", "top"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    truth = [str(path.relative_to(tmp_path)) for path in (tmp_path / "top").rglob("*")]
    assert sorted(read(text).column("path")) == sorted(truth)


def test_packages_in_a_tree_of_ascii_are_no_files() -> None:
    text = "app@1.0.0 /srv/app\n+-- @acme/core@2.1.x\n| +-- left@1.3.0\n| `-- mid@0.1.0 deduped\n`-- tool@3.0.0\n"
    found = read(text)
    assert found.column("name") == ["@acme/core@2.1.x", "left@1.3.0", "mid@0.1.0 deduped", "tool@3.0.0"]
    assert found.column("depth") == [1, 2, 2, 1]
    assert found.column("folder")[1] == "app@1.0.0 /srv/app/@acme/core@2.1.x"
