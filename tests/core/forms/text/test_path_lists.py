"""Invariant: every line of a list of paths is a row, and only what the text proves is called a folder."""

from __future__ import annotations

import shutil
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

from penstock.core.forms import listing_rows
from penstock.core.forms.api import BATCH
from penstock.core.forms.text.path_lists import FORM
from tests.kit.forms.paths import HOSTILE, OTHER, extension, file_paths, folder
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from pathlib import Path


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def folders_of(paths: list[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        while path := folder(path):
            found.add(path)
    return found


@pytest.mark.parametrize("root", ["", "./", "/srv/", "../", "~/"])
@pytest.mark.parametrize("amount", [60, BATCH + 500])
def test_every_line_is_a_path(root: str, amount: int) -> None:
    paths = file_paths(Random(amount), amount, root)
    found = read("\n".join(paths) + "\n")
    assert found.rows() == [
        {
            "line": number,
            "path": path,
            "name": path[path.rfind("/") + 1 :],
            "folder": folder(path),
            "extension": extension(path),
        }
        for number, path in enumerate(paths, 1)
    ]
    assert found.words.what == f"a listing of {amount:,} paths in {len({folder(path) for path in paths}):,} folders"
    assert found.tables["items"].noun == "paths"


@pytest.mark.parametrize("amount", [60, BATCH])
def test_a_path_is_a_folder_if_others_lie_in_it(amount: int) -> None:
    paths = file_paths(Random(amount), amount, "./")
    folders = folders_of(paths)
    found = read("\n".join(sorted([*paths, *folders])))
    assert found.words.facts[0] == f"{len(folders):,} folders that others lie in, {amount:,} files or empty folders"
    assert "is_dir" not in found.cells["items"]


def test_marked_folders_are_known() -> None:
    paths = file_paths(Random(2), 300, "/srv/")
    folders = {f"{one}/" for one in folders_of(paths)}
    found = read("\n".join(sorted([*paths, *folders])))
    assert found.words.what == f"a listing of 300 files and {len(folders)} folders"
    assert sorted(f"{row['path']}/" for row in found.rows() if row["is_dir"]) == sorted(folders)


def test_paths_of_windows_are_read() -> None:
    paths = [f"C:\\Program Files\\App {n % 3}\\a{n}.dll" for n in range(90)]
    found = read("\r\n".join(paths))
    assert found.column("folder")[1] == "C:\\Program Files\\App 1"
    assert found.words.facts[0].startswith("by folder below C:\\Program Files\\: App 0\\ ×30")


def test_names_alone_are_files_if_their_endings_are_usual() -> None:
    assert read("\n".join(f"a{n}.py" for n in range(90))).words.what == "a listing of 90 paths"
    assert read_as(FORM, "\n".join(f"a{n}.example" for n in range(90))) is None


def test_messages_between_paths_are_counted_and_shown() -> None:
    lines = [f"./d/a{n}.py" for n in range(900)]
    lines[100:100] = ["find: './x': Permission denied", "", " "]
    found = read("\n".join(["", *lines]))
    assert found.words.what == "a listing of 900 paths"
    assert found.words.facts[-1] == "no entries, and in no table: 1 line"
    assert found.words.excerpts[0].numbers == (102,)
    assert found.column("line")[99:101] == [101, 105]


def test_lists_of_folders_have_no_extensions() -> None:
    found = read("\n".join(f"/srv/d{n}" for n in range(90)))
    assert list(found.cells["items"]) == ["line", "path", "name", "folder"]
    assert found.words.facts == ()
    assert read_as(FORM, "\n".join(["a/b.py"] * 400 + [f"d{n}/c" for n in range(4_000)])) is None


def names(paths: list[str]) -> list[str]:
    """What ``ls -R`` writes about these files."""
    inside: dict[str, list[str]] = {}
    for path in sorted({*paths, *folders_of(paths)}):
        inside.setdefault(folder(path), []).append(path[path.rfind("/") + 1 :])
    blocks = [[f"{place}:", *inside[place]] for place in sorted(inside.keys() - {""})]
    return "\n\n".join("\n".join(block) for block in blocks).split("\n")


@pytest.mark.parametrize("amount", [30, 3_000])
def test_names_below_headings_lie_in_their_folder(amount: int) -> None:
    paths = file_paths(Random(amount), amount, "top/")
    folders = folders_of(paths) - {"top"}
    lines = names(paths)
    found = read("\n".join(lines) + "\n" * (2 * BATCH))
    assert sorted(found.column("path")) == sorted({*paths, *folders})
    assert all(lines[row["line"] - 1] == row["name"] for row in found.rows())
    assert found.words.what.startswith(f"a listing of {amount + len(folders):,} names in ")
    assert found.words.facts[0] == f"{len(folders):,} folders with a block of their own, {amount:,} others"
    assert found.tables["items"].noun == "names"


def test_a_folder_that_is_listed_twice_gives_rows_twice() -> None:
    lines = names(file_paths(Random(1), 60, "top/"))
    found = read("\n".join([*lines, "", *lines]))
    assert found.tables["items"].count == 2 * sum(bool(line) and not line.endswith(":") for line in lines)


def test_lines_of_no_folder_are_counted() -> None:
    lines = [*names(file_paths(Random(1), 500, "top/")), "", "ls: cannot open", "x", "", "top/alpha/none:", "a/b", "c"]
    found = read("\n".join(lines))
    assert found.words.facts[-1] == "no entries, and in no table: 3 lines"
    assert found.rows()[-1]["path"] == "top/alpha/none/c"
    assert found.rows()[-1]["line"] == len(lines)


def test_too_many_paths_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(sorted({*(paths := file_paths(Random(6), 300, "./")), *folders_of(paths)}))
    lines = names(paths := file_paths(Random(6), 3_000, "top/"))
    folders = folders_of(paths) - {"top"}
    monkeypatch.setattr(listing_rows, "MOST_PATHS", 100)
    found = read(text)
    assert found.words.facts[0].startswith("by folder")
    listed = read("\n".join(lines))
    assert listed.words.facts[0] == f"{len(folders)} folders with a block of their own, 3,000 others"


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_lists_of_paths(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"./a{n}.py:{n}:text\n" for n in range(90)),  # search output
        "".join(f"src/a{n}.py:{n}\n" for n in range(90)),
        "".join(f"./a{n}.py\n" for n in range(900)) + "".join(f"./a{n}.py:{n}\n" for n in range(2_000)),
        "".join(f"./a{n}.py\n" for n in range(900)) + "".join(f"./a b {n}.py\n" for n in range(2_000)),
        "".join(f"src/a{n}.py\n" for n in range(900)) + "".join(f"a{n}\n" for n in range(2_000)),
        "".join(f"./a{n}.py\n" for n in range(900)) + "prose\n" * 900,
        "./a.py\n" * 90,
        "./a.py\n./b.py\n",
        "".join(f"./a{n}.py\n" for n in range(90)) + "./" + "a" * 5_000,
        "".join(f"src/a b c {n}.py\n" for n in range(90)),
        "a:\nb\nc\n\na/b:\nd\n",  # a folder in another is too little
    ],
)
def test_a_form_that_does_not_hold_for_the_whole_is_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str) -> None:
    read_as(FORM, HOSTILE[name])
    found = read_as(FORM, "".join(f"./a{n}.py\n" for n in range(900)) + HOSTILE[name])
    assert found is None or found.column("line")[:900] == list(range(1, 901))


def test_values_are_harmless_where_they_are_told() -> None:
    found = read("".join(f"./d·…\x1b[31m{n % 3}/a\ud800{n}.py\n" for n in range(90)))
    assert all(fact.isprintable() for fact in found.words.facts)


@pytest.mark.skipif(shutil.which("find") is None, reason="find is not here; its output is generated above")
def test_the_output_of_find_and_ls_themselves_is_read(tmp_path: Path) -> None:
    for file in file_paths(Random(4), 40, "top/"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    truth = {str(path.relative_to(tmp_path)): path for path in [tmp_path / "top", *(tmp_path / "top").rglob("*")]}

    def run(*command: str) -> str:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    found = read(run("find", "."))
    assert sorted(found.column("path")) == sorted([".", *(f"./{path}" for path in truth)])
    folders = sum(path.is_dir() for path in truth.values())
    assert found.words.facts[0] == f"{folders + 1} folders that others lie in, 40 files or empty folders"
    listed = read(run("ls", "-R", "top"))
    assert sorted(listed.column("path")) == sorted(truth.keys() - {"top"})


def test_paths_from_the_root_may_recur_and_are_told_by_their_number() -> None:
    lines = [
        line for at in range(40) for line in ("/usr", "/usr/share", f"/usr/share/a{at}.txt", f"/usr/share/b{at}.md")
    ]
    found = read_as(FORM, "\n".join(lines))
    assert found is not None
    assert found.column("path") == lines
    assert "different paths: 82" in found.words.facts
    relative = [line.removeprefix("/") for line in lines]
    assert read_as(FORM, "\n".join(relative)) is None
