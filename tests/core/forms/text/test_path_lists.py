"""Invariant: every line of a list of paths is a row, and only what the text proves is called a folder."""

from __future__ import annotations

import shutil
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

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
    assert found.words.what == f"a list of {amount:,} paths"
    assert found.tables["items"].noun == "paths"


def test_paths_of_windows_are_read() -> None:
    paths = [f"C:\\Program Files\\App {n % 3}\\a{n}.dll" for n in range(90)]
    found = read("\r\n".join(paths))
    assert found.column("folder")[1] == "C:\\Program Files\\App 1"
    assert found.column("name")[1] == "a1.dll"


def test_names_alone_are_files_if_their_endings_are_usual() -> None:
    assert read("\n".join(f"a{n}.py" for n in range(90))).words.what == "a list of 90 paths"
    assert read_as(FORM, "\n".join(f"a{n}.example" for n in range(90))) is None


def test_messages_between_paths_are_counted_and_shown() -> None:
    lines = [f"./d/a{n}.py" for n in range(900)]
    lines[100:100] = ["find: './x': Permission denied", "", " "]
    found = read("\n".join(["", *lines]))
    assert found.words.what == "a list of 900 paths"
    assert found.words.facts[-1] == "lines that are no paths, and in no table: 1"
    assert found.column("line")[99:101] == [101, 105]


def test_lists_of_folders_have_no_extensions() -> None:
    found = read("\n".join(f"/srv/d{n}" for n in range(90)))
    assert list(found.cells["items"]) == ["line", "path", "name", "folder"]
    assert read_as(FORM, "\n".join(["a/b.py"] * 400 + [f"d{n}/c" for n in range(4_000)])) is None


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_lists_of_paths(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"./a{n}.py:{n}:text\n" for n in range(90)),  # search output
        "".join(f"src/a{n}.py:{n}\n" for n in range(90)),
        "".join(f"./a{n}.py\n" for n in range(900)) + "".join(f"./a{n}.py:{n}\n" for n in range(2_000)),
        "".join(f"src/a{n}.py\n" for n in range(900)) + "".join(f"a{n}\n" for n in range(2_000)),
        "".join(f"./a{n}.py\n" for n in range(900)) + "prose\n" * 900,
        "./a.py\n" * 90,
        "./a.py\n./b.py\n",
        "".join(f"src/a b c {n}.py\n" for n in range(90)),
        "top:\nalpha\nbeta.py\n\ntop/alpha:\nc.py\nd.py\n",  # names below headings
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
def test_the_output_of_find_itself_is_read(tmp_path: Path) -> None:
    for file in file_paths(Random(4), 40, "top/"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    truth = [".", *(f"./{path.relative_to(tmp_path)}" for path in tmp_path.rglob("*"))]
    text = subprocess.run(["find", "."], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert sorted(read(text).column("path")) == sorted(truth)


def test_paths_from_the_root_may_recur() -> None:
    lines = [
        line for at in range(40) for line in ("/usr", "/usr/share", f"/usr/share/a{at}.txt", f"/usr/share/b{at}.md")
    ]
    assert read("\n".join(lines)).column("path") == lines
    assert read_as(FORM, "\n".join(line.removeprefix("/") for line in lines)) is None
