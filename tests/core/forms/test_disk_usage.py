"""Invariant: every line of du is a row, and totals are those of the folders that hold all others."""

from __future__ import annotations

import shutil
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

from penstock.core.forms import disk_usage
from penstock.core.forms.disk_usage import FORM
from penstock.core.forms.text_form import BATCH
from penstock.core.notice.facts import facts_of
from tests.kit.forms.paths import HOSTILE, OTHER, file_paths, folder
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from pathlib import Path


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def usages(random: Random, amount: int, root: str) -> dict[str, int]:
    """The usage of files and of all folders above them, in the order of du."""
    sizes = {path: random.randint(0, 10**6) for path in file_paths(random, amount, f"{root}/")}
    inside: dict[str, set[str]] = {}
    for path in sizes:
        above = path
        while above != root:
            inside.setdefault(folder(above), set()).add(above)
            above = folder(above)
    found: dict[str, int] = {}

    def close(path: str) -> int:
        found[path] = sizes[path] if path in sizes else 4 + sum([close(inner) for inner in sorted(inside[path])])
        return found[path]

    close(root)
    return found


@pytest.mark.parametrize("amount", [30, BATCH + 300])
@pytest.mark.parametrize("root", [".", "/srv/data", "top"])
def test_every_line_is_a_path_with_its_usage(amount: int, root: str) -> None:
    truth = usages(Random(amount), amount, root)
    found = read("".join(f"{usage}\t{path}\n" for path, usage in truth.items()))
    assert found.rows() == [
        {
            "line": number,
            "path": path,
            "name": path[path.rfind("/") + 1 :],
            "folder": folder(path) or "/" * path.startswith("/"),
            "usage": usage,
        }
        for number, (path, usage) in enumerate(truth.items(), 1)
    ]
    holding = len({folder(path) for path in truth} & truth.keys())
    assert found.words.what == f"disk usage (du) of {len(truth):,} paths, {holding:,} of them folders that hold others"
    assert found.words.facts[0] == f"in all: {root} {truth[root]:,}"
    inside = sorted(((usage, path) for path, usage in truth.items() if folder(path) == root), reverse=True)[:8]
    assert found.words.facts[2] == f"largest in {root}: " + " · ".join(f"{path} {usage:,}" for usage, path in inside)


def test_rounded_usages_stay_texts_and_are_ordered_by_size() -> None:
    found = read("4,0K\t./a\n900M\t./b/c\n1.1G\t./b\n512\t./d\n0\t./e\n\n1.2G\t.\n")
    assert found.column("usage") == ["4,0K", "900M", "1.1G", "512", "0", "1.2G"]
    assert found.words.facts == (
        "in all: . 1.2G",
        "the usage of a folder includes what lies in it: usages do not add up",
        "largest in .: ./b 1.1G · ./a 4,0K · ./d 512 · ./e 0",
    )


def test_several_roots_are_told_the_largest_first() -> None:
    found = read("1\ta/x\n3\ta\n4\tb/y\n9\tb\n0\tc/z\n1\tc\n")
    assert found.words.facts[0] == "in all: b 9 · a 3 · c 1"
    assert found.words.facts[2:] == ("largest in b: b/y 4", "largest in a: a/x 1")


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_disk_usage(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{n}\tsrc/a{n}.py\n" for n in range(90)),  # a table of numbers and paths
        "".join(f"{n}\td{n}/a.py\n{n}\td{n}\n" for n in range(90)),
        "".join(f"{n}\td{n}/e/a.py\n" for n in range(900)) + "1\tx/y\n2\tx\n",
        "9\ta/x\n3\ta\n1\tb\n2\tc\n",  # a folder smaller than what lies in it
        "1\ta/x\n3\ta\n",
        "".join(f"1\ta/x{n}\n" for n in range(900))
        + "prose\n"
        + "".join(f"1\ta/y{n}\n" for n in range(9_000))
        + "99999\ta\n",
        "1\ta/x\n3\ta\n1\tb\nprose\n",
    ],
)
def test_a_form_that_does_not_hold_for_the_whole_is_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_stray_line_between_samples_is_found() -> None:
    lines = [f"1\ta/x{n}" for n in range(9_000)]
    assert read_as(FORM, "\n".join([*lines, "99999\ta"])) is not None
    assert read_as(FORM, "\n".join([*lines[:500], "prose", *lines[500:], "99999\ta"])) is None


def test_few_folders_are_open_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join([*(f"1\ta{n}/b/c" for n in range(30)), "5\ta1/b", "9\ta1"])
    monkeypatch.setattr(disk_usage, "MOST_OPEN", 10)
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str) -> None:
    read_as(FORM, HOSTILE[name])
    found = read_as(FORM, "1\ta/x\n3\ta\n4\tb/y\n9\tb\n" + HOSTILE[name])
    assert found is None or found.column("line") == [1, 2, 3, 4]


def test_values_are_harmless_where_they_are_told() -> None:
    found = read("1\t./\x1b[31m·x\n2\t./b|\n3\t./\ud800\n9\t.\n")
    assert all(fact.isprintable() for fact in found.words.facts)


@pytest.mark.skipif(shutil.which("du") is None, reason="du is not here; its output is generated above")
@pytest.mark.parametrize("option", ["-a", "-h", "-ah"])
def test_the_output_of_du_itself_is_read(tmp_path: Path, option: str) -> None:
    for file in file_paths(Random(4), 30, "top/"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("x" * 9_000)
    text = subprocess.run(["du", option, "top"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    found = read(text)
    assert [f"{row['usage']}\t{row['path']}" for row in found.rows()] == text.splitlines()
    assert found.words.facts[0].startswith("in all: top ")


def test_no_sum_is_told_of_usages_that_include_each_other() -> None:
    text = "".join(f"{number}\t./a/{number}\n" for number in range(1, 9)) + "40\t./a\n44\t.\n"
    found = read(text)
    [usage] = [fact.text for fact in facts_of(found.tables["items"]) if fact.text.startswith("usage")]
    assert usage == "usage: 1 to 44, mean 12, median 5.5"
