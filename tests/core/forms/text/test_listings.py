"""Invariant: every entry is a row with its whole path and all that the text says of it; the sums are exact."""

from __future__ import annotations

import shutil
import subprocess
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.api import BATCH
from penstock.core.forms.text.listings import FORM
from tests.kit.forms.facts import reading_of
from tests.kit.forms.paths import HOSTILE, OTHER, extension, file_paths, folder
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Row = dict[str, Any]


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def named(path: str) -> Row:
    return {"path": path, "name": path[path.rfind("/") + 1 :], "folder": folder(path), "extension": extension(path)}


@pytest.mark.parametrize("amount", [60, BATCH + 500])
def test_every_entry_is_a_row(amount: int) -> None:
    random = Random(amount)
    rows = [
        {
            "line": number,
            **named(path),
            "mode": random.choice(["-rw-r--r--", "-rwxr-xr-x"]),
            "owner": random.choice(["root", "ann"]),
            "group_name": "staff",
            "size": random.randint(0, 10**7),
            "modified": f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02} 10:11",
            "is_dir": False,
        }
        for number, path in enumerate(file_paths(random, amount), 1)
    ]
    found = read("".join("{mode} 1 {owner} {group_name} {size:8} {modified} {path}\n".format(**row) for row in rows))
    assert found.rows() == rows
    assert found.words.what == f"a listing of {amount:,} entries"
    assert found.words.facts == ()


OTHERS: dict[str, Callable[[str, int], str]] = {
    "find -ls": lambda path, size: f"  {1234:6}   8 -rw-r--r--   1 ann staff {size:8} Mar  1 10:11 {path}",
    "tar": lambda path, size: f"-rw-r--r-- ann/staff {size:9} 2026-01-02 10:11 {path}",
    "aws s3 ls": lambda path, size: f"2026-01-02 10:11:12 {size:10} {path}",
    "unzip -l": lambda path, size: f"{size:9}  2026-01-02 10:11   {path}",
    "sha256sum": lambda path, size: f"{size:064x}  {path}",
    "wc -l": lambda path, size: f"  {size:6} {path}",
}


@pytest.mark.parametrize("program", OTHERS)
def test_listings_that_no_server_returns_are_read_as_lines(program: str) -> None:
    random = Random(7)
    lines = [OTHERS[program](path, random.randint(0, 10**6)) for path in file_paths(random, 300)]
    assert read_as(FORM, "\n".join(lines)) is None
    reading = reading_of("\n".join(lines))
    assert reading.words.startswith("300 lines of text")
    assert reading.facts == ()


def ls_lines(random: Random, amount: int, root: str = ".") -> tuple[list[str], list[Row]]:
    """What ``ls -laR`` writes about a tree of so many files, and its rows but the lines."""
    paths = [f"{root}/{path}" for path in file_paths(random, amount)]
    folders = {root}
    for path in paths:
        while (path := folder(path)) != root:
            folders.add(path)
    inside: dict[str, list[str]] = {}
    for path in sorted({*paths, *folders} - {root}):
        inside.setdefault(folder(path), []).append(path)
    lines: list[str] = []
    rows: list[Row] = []
    for place in sorted(folders):
        lines += ["", f"{place}:", f"total {random.randint(4, 99)}"] if lines else [f"{place}:", "total 8"]
        lines += [f"drwxr-xr-x  9 root root    4096 Nov 16 14:02 {name}" for name in (".", "..")]
        for path in inside[place]:
            is_dir = path in folders
            name = path[path.rfind("/") + 1 :]
            size = 4096 if is_dir else random.randint(0, 99_999)
            is_link = not is_dir and len(rows) % 9 == 8
            mode = "drwxr-xr-x." if is_dir else "lrwxrwxrwx" if is_link else "-rw-r--r--"
            lines.append(
                f"{mode} {random.randint(1, 20):2} root staff {size:8} Nov {random.randint(1, 28):2}  2025 {name}"
            )
            rows.append(
                {
                    **named(path),
                    "line": len(lines),
                    "extension": None if is_dir else extension(path),
                    "size": size,
                    "mode": mode,
                    "is_dir": is_dir,
                    "target": "../x y" if is_link else None,
                }
            )
            lines[-1] += " -> ../x y" if is_link else ""
    return lines, rows


@pytest.mark.parametrize("amount", [40, BATCH + 300])
def test_names_below_the_heading_of_a_folder_lie_in_it(amount: int) -> None:
    lines, rows = ls_lines(Random(amount), amount)
    found = read("\n".join(lines) + "\n")
    assert [{name: row[name] for name in rows[0]} for row in found.rows()] == rows
    assert found.words.what == f"a listing of {len(rows):,} entries"
    assert found.words.facts == ()


def test_rounded_sizes_stay_texts() -> None:
    lines = [
        f"-rw-r--r-- 1 a b {size:>5} 2026-01-02 10:11 a{n}.txt"
        for n, size in enumerate(["512", "4.0K", "12M", "1,5G"] * 9)
    ]
    found = read("\n".join(lines))
    assert found.column("size")[:4] == ["512", "4.0K", "12M", "1,5G"]
    commas = read("\n".join(f"-rw-r--r-- 1 a b {n % 9},5K 2026-01-02 10:11 a{n}.txt" for n in range(30)))
    assert commas.column("size")[:2] == ["0,5K", "1,5K"]


def test_devices_have_no_size() -> None:
    lines = [f"crw-rw---- 1 root tty {n}, {n + 1} Jan  2 10:11 tty{n}" for n in range(20)]
    lines += [f"-rw-r--r-- 1 root tty {n:6} Jan  2 10:11 a{n}" for n in range(20)]
    found = read("total 0\n" + "\n".join(lines))
    assert found.column("size") == [None] * 20 + list(range(20))


ENTRY = "-rw-r--r-- 1 root staff 512 Mar  1 10:11 a{}.bin\n"


def test_lines_that_are_no_entries_are_counted() -> None:
    lines = [ENTRY.format(n).rstrip() for n in range(900)]
    lines[400:400] = [f"ls: cannot open c{n}: Permission denied" for n in range(5)]
    found = read("\n".join([*lines, "", "  "]))
    assert found.words.facts == ("lines that are no entries, and in no table: 5",)


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_listings(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "".join(map(ENTRY.format, range(500))) + "prose\n" * 500,
        "".join(f"{ENTRY.format(n)}prose\n" for n in range(90)),
        ENTRY.format(1),
        "./a:\ntotal 0\n\n" * 90,
    ],
)
def test_a_form_that_does_not_hold_for_the_whole_is_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str) -> None:
    read_as(FORM, HOSTILE[name])
    found = read_as(FORM, "".join(map(ENTRY.format, range(300))) + HOSTILE[name])
    assert found is None or found.column("line")[:300] == list(range(1, 301))


def test_values_are_harmless_where_they_are_told() -> None:
    found = read("".join(ENTRY.format(f"·…\x1b[31m{n}") for n in range(90)) + "\x1b[31mother\n")
    assert all(fact.isprintable() for fact in found.words.facts)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = Random(4)
    root = tmp_path_factory.mktemp("listing")
    for file in file_paths(random, 40, "top/"):
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("line\n" * random.randint(0, 300))
    (root / "top" / "link").symlink_to("alpha")
    return root


def run(*command: str, at: Path) -> str:
    return subprocess.run(command, cwd=at, capture_output=True, text=True, check=True, env={"LC_ALL": "C"}).stdout


@pytest.mark.skipif(shutil.which("ls") is None, reason="ls is not here; its output is generated above")
@pytest.mark.parametrize("options", ["-lR", "-laR", "-lR --full-time"])
def test_the_output_of_ls_itself_is_read(tree: Path, options: str) -> None:
    try:
        text = run("/bin/ls", *options.split(), "top", at=tree)
    except subprocess.CalledProcessError:
        pytest.skip("this ls has no such option")
    found = read(text)
    truth = {str(path.relative_to(tree)): path for path in (tree / "top").rglob("*")}
    assert sorted(found.column("path")) == sorted(truth)
    for row in found.rows():
        path = truth[row["path"]]
        assert row["is_dir"] == (path.is_dir() and not path.is_symlink())
        assert row["is_dir"] or path.is_symlink() or row["size"] == path.stat().st_size
    assert [target for target in found.column("target") if target] == ["alpha"]


def test_marks_of_file_servers_tell_files_from_folders() -> None:
    found = read("[DIR] src\n[FILE] read me.txt\n[FILE] [x].py\n[DIR] a.b\n")
    assert found.column("path") == ["src", "read me.txt", "[x].py", "a.b"]
    assert found.column("is_dir") == [True, False, False, True]
    assert "mode" not in found.cells["items"]


def test_sizes_behind_such_marks_are_a_column() -> None:
    rows = ["[DIR] src                            ", "[FILE] a b.py                        1.50 KB"]
    text = "\n".join([*rows * 3, "[FILE] empty                             0 B", "", "Total: 4 files, 3 directories"])
    found = read(f"{text}\nCombined size: 4.50 KB\n")
    assert found.column("path") == [*["src", "a b.py"] * 3, "empty"]
    assert found.column("size") == [*[None, "1.50 KB"] * 3, "0 B"]
    assert found.words.facts[-2:] == (
        "its own summary: Total: 4 files, 3 directories",
        "its own summary: Combined size: 4.50 KB",
    )
