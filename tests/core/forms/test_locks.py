"""Lock files: every package and every dependency, as tomllib and the writers of the files know them."""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from typing import Any

import pytest

from penstock.core.forms.locks import FORM
from tests.kit.forms.facts import reading_of
from tests.kit.forms.reading import Read, read_as


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def poetry(count: int) -> str:
    choose = random.Random(count)
    blocks = ["# This file is made."]
    for at in range(count):
        files = "".join(f'    {{file = "p-{at}-{n}.whl", hash = "sha256:{choose.random()}"}},\n' for n in range(at % 4))
        blocks.append(
            f'[[package]]\nname = "pkg-{at % 40}"\nversion = "1.{at}"\ndescription = "A \\"tool\\", [x] \\\\ {{y}}"\n'
            f"optional = {'true' if at % 3 else 'false'}\npython-versions = '>=3.{at % 4}'\n"
            f'groups = ["main", "dev"]\nfiles = [\n{files}]\n\n[package.dependencies]\n"pkg-{at % 7}" = ">=1.0"\n'
            f'x = "*"\nother = {{version = "*", optional = true}}\n\n[package.extras]\nall = ["a", "b"]\n\n'
            f'[package.source]\ntype = "git"'
        )
    return "\n\n".join([*blocks, '[metadata]\nlock-version = "2.0"\nfiles = [\n]\n'])


UV = "version = 1\n\n" + "\n\n".join(
    f"""[[package]]
name = "pkg-{at}"
version = "0.{at}"
source = {{ registry = "a mirror", "odd key" = ["x"] }}
dependencies = [
    {{ name = "pkg-{at + 1}", marker = "x < '3'" }},
    {{ name = "b" }},
]
wheels = [
    {{ url = "wheel {at}", size = 12 }},
]
size = 1_000 # of it"""
    for at in range(5)
)
CARGO = "\n\n".join(
    f'[[package]]\nname = "c{at}"\nversion = "1.0"\ndependencies = [\n "serde",\n "log 0.4 (x)",\n]' for at in range(4)
)
YARN = "# yarn lockfile v1\n\n\n" + "\n\n".join(
    f'"@a/p{at}@^1.0.0", "@a/p{at}@^1.1":\n  version "1.{at}"\n  resolved "of {at}"\n'
    f'  dependencies:\n    "@b/c" "^2.0"\n'
    f"    d ^3.0\n  bin:\n    x y"
    for at in range(4)
)
BERRY = "__metadata:\n  version: 8\n  cacheKey: 10\n\n" + "\n\n".join(
    f'"p{at}@npm:^1.0.0":\n  version: 1.{at}\n  resolution: "p{at}@npm:1.{at}"\n  dependencies:\n'
    f'    d: "npm:^3.0"\n  checksum: 10/abc\n'
    f"  languageName: node"
    for at in range(4)
)
SUM = "".join(
    f"example.org/m{at // 4} v1.{at // 2}.0{'/go.mod' if at % 2 else ''} h1:{'a' * 42}{at % 10}=\n" for at in range(40)
)


@pytest.mark.parametrize("batch", [5, 4_096])
def test_packages_are_those_that_tomllib_finds(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr("penstock.core.forms.locks.BATCH", batch)
    text = poetry(60)
    truth: list[dict[str, Any]] = tomllib.loads(text)["package"]
    found = read(text)
    for row, one in zip(found.rows(), truth, strict=True):
        for key in ("name", "version", "description", "python-versions"):
            assert row[key] == one[key]
        assert row["optional"] == one["optional"]
        assert row["files"] == len(one["files"])
        assert row["source.type"] == "git"
    needed = Counter(name for one in truth for name in one["dependencies"])
    assert Counter(found.column("name", "dependencies")) == needed
    assert found.column("package", "dependencies")[:2] == ["pkg-0", "pkg-0"]
    assert found.words.what == "a lock file: 60 packages"
    assert found.words.facts[0].startswith("names with several versions: pkg-0 ×2")
    assert found.words.facts[1].startswith("most needed by others: x ×60 · other ×60 · pkg-0 ×9")
    assert reading_of(text).form == "lock"


@pytest.mark.parametrize("text", [SUM, YARN, BERRY, CARGO, "a==1\nb>=2\nc==3\nd==4\n"])
def test_rows_are_the_same_in_batches_of_any_size(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    rows = read(text).rows()
    monkeypatch.setattr("penstock.core.forms.locks.BATCH", 2)
    assert read(text).rows() == rows


def test_arrays_of_tables_and_texts_are_dependencies() -> None:
    found = read(UV)
    assert found.rows()[4]["source.registry"] == "a mirror"
    assert found.rows()[4]["wheels"] == 1
    assert found.column("size") == ["1_000"] * 5
    assert found.rows("dependencies")[0] == {"package": "pkg-0", "name": "pkg-1", "spec": "marker x < '3'"}
    cargo = read(CARGO)
    assert cargo.rows("dependencies")[:2] == [
        {"package": "c0", "name": "serde", "spec": None},
        {"package": "c0", "name": "log", "spec": "0.4 (x)"},
    ]


def test_both_kinds_of_yarn_are_read() -> None:
    found = read(YARN)
    assert found.rows()[3] == {
        "line": 31,
        "name": "@a/p3",
        "specs": "@a/p3@^1.0.0, @a/p3@^1.1",
        "version": "1.3",
        "resolved": "of 3",
    }
    assert found.rows("dependencies")[0] == {"package": "@a/p0", "name": "@b/c", "spec": "^2.0"}
    assert found.tables["dependencies"].count == 8
    berry = read(BERRY)
    assert berry.column("name") == ["p0", "p1", "p2", "p3"]
    assert berry.column("spec", "dependencies") == ["npm:^3.0"] * 4


def test_go_sum_has_a_row_for_each_checksum() -> None:
    found = read(SUM + "\n")
    assert found.words.what == "go.sum: 40 checksums of 10 modules"
    assert found.words.facts == (
        "names with several versions: " + " · ".join(f"example.org/m{n} ×2" for n in range(8)) + " · +2 values",
    )
    assert Counter(found.column("of")) == {"module": 20, "go.mod": 20}


OTHERS = {
    "few packages": '[[package]]\nname = "a"\n',
    "a header that is none": f"{CARGO}\n[[package]\n",
    "no key": f"{CARGO}\nwords\n",
    "a value over lines": f'{CARGO}\ndescription = """\n',
    "an array without an end": f'{CARGO}\nfiles = [\n "a",\n',
    "an endless array": f"{CARGO}\nfiles = [\n" + ' "a",\n' * 300_000,
    "yarn with words": f"{YARN}\nwords\n",
    "yarn with odd lines": f"{YARN}\n   odd line here\n",
    "sums with words": SUM * 20 + "words\n" + SUM,
    "empty": "",
}


def test_requirements_are_rows_with_versions_and_markers() -> None:
    text = (
        "# made\n--index-url x.example\nalpha==1.2.3 \\\n    --hash=sha256:ab\n    # via beta\n\n"
        "beta[extra, more] >= 2, <3.0 ; python_version < '3.12'  # why\ngamma===1.0.post1\ndelta ~= 4.1\n"
    )
    found = read(text)
    assert [tuple(row.values()) for row in found.rows()] == [
        (3, "alpha", "1.2.3", None, None, None),
        (7, "beta", None, ">= 2, <3.0", "extra, more", "python_version < '3.12'"),
        (8, "gamma", "1.0.post1", None, None, None),
        (9, "delta", None, "~= 4.1", None, None),
    ]
    assert found.words.what == "requirements of pip: 4 packages, 2 of one version"
    assert reading_of("".join(f"p{n}==1.{n}\n" for n in range(9))).form == "lock"
    assert read_as(FORM, "a==1\nb==2\nc==3\n" * 200 + "words\n" + "d==4\n" * 200) is None
    assert read_as(FORM, "a == b\nb == c\nc == d\n") is None


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize(
    "line",
    [
        'a = "' + "\\" * 500_000,
        "a = {" * 100_000,
        "a = [" + "{" * 300_000 + "]",
        "x" * 1_000_000,
        "[" * 300_000,
        'a = "\x00"',
        "a = ' ",
    ],
)
def test_hostile_texts_are_read_or_refused(line: str) -> None:
    for text in (CARGO, YARN, SUM):
        read_as(FORM, f"{text}\n{line}\n")
