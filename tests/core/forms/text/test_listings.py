"""Invariant: every entry is a row with its whole path and all that the text says of it; the sums are exact."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms import path_counts
from penstock.core.forms.api import BATCH
from penstock.core.forms.text.listings import FORM
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


def files(random: Random, amount: int) -> list[Row]:
    return [
        {
            **named(path),
            "size": random.randint(0, 10**7),
            "mode": random.choice(["-rw-r--r--", "-rwxr-xr-x"]),
            "owner": random.choice(["root", "ann"]),
            "group_name": "staff",
            "modified": f"20{random.randint(10, 26)}-{random.randint(1, 12):02}-{random.randint(1, 28):02} "
            f"{random.randint(0, 23):02}:{random.randint(0, 59):02}",
            "digest": f"{random.getrandbits(256):064x}",
            "count": random.randint(0, 999),
            "is_dir": False,
        }
        for path in file_paths(random, amount)
    ]


# How a program writes an entry, and which columns it has beside the path.
LAYOUTS: dict[str, tuple[Callable[[Row], str], str]] = {
    "find -ls": (
        lambda r: (
            f"  {1234:6}   {8:4} {r['mode']}   1 {r['owner']:8} {r['group_name']:8} {r['size']:8} "
            f"{r['modified']} {r['path']}"
        ),
        "size mode owner group_name modified is_dir",
    ),
    "tar": (
        lambda r: f"{r['mode']} {r['owner']}/{r['group_name']} {r['size']:9} {r['modified']} {r['path']}",
        "size mode owner group_name modified is_dir",
    ),
    "aws s3 ls": (lambda r: f"{r['modified']}:00 {r['size']:10} {r['path']}", "size modified"),
    "unzip -l": (lambda r: f"{r['size']:9}  {r['modified']}   {r['path']}", "size modified"),
    "sha256sum": (lambda r: f"{r['digest']}  {r['path']}", "digest"),
    "wc": (lambda r: f" {r['count']:4} {r['count']:5} {r['size']:7} {r['path']}", "size lines words"),
    "wc -l": (lambda r: f"  {r['count']:4} {r['path']}", "count"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("amount", [60, BATCH + 500])
def test_every_entry_is_a_row(layout: str, amount: int) -> None:
    rows = files(Random(amount), amount)
    write, columns = LAYOUTS[layout]
    found = read("".join(f"{write(row)}\n" for row in rows))
    expected = [
        {
            "line": number,
            **named(row["path"]),
            **{name: row[name if name in row else "count"] for name in columns.split()},
        }
        for number, row in enumerate(rows, 1)
    ]
    if layout == "aws s3 ls":
        expected = [{**row, "modified": f"{row['modified']}:00"} for row in expected]
    assert found.rows() == expected
    noun = "paths" if layout == "wc -l" else "files"
    assert found.words.what == f"a listing of {amount:,} {noun} in {len({row['folder'] for row in rows}):,} folders"
    if "size" in columns:
        assert found.words.facts[0] == f"size of all: {sum(row['size'] for row in rows):,} bytes"
        largest = sorted(rows, key=lambda row: -row["size"])[:5]
        told = " · ".join(f"{row['path']} {row['size']:,}" for row in largest)
        assert found.words.facts[1] == f"largest: {told}"
    if "modified" in columns:
        newest = max(row["modified"] for row in expected)
        with_it = [row["path"] for row in expected if row["modified"] == newest]
        what = with_it[0] if len(with_it) == 1 else f"{len(with_it)} files"
        assert found.words.facts[2] == f"newest: {what} {newest}"


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
    kinds = Counter("folder" if row["is_dir"] else "link" if row["target"] else "file" for row in rows)
    assert all(f"{count:,} {kind}" in found.words.what for kind, count in kinds.items())
    assert f"size of files: {sum(row['size'] for row in rows if not row['is_dir']):,} bytes" in found.words.facts
    dots = sum(line.endswith((" .", " ..")) for line in lines)
    assert found.words.facts[-1] == f"left out: {dots:,} entries . and .."
    assert not any(fact.startswith("newest") for fact in found.words.facts)


def test_rounded_sizes_stay_texts() -> None:
    lines = [
        f"-rw-r--r-- 1 a b {size:>5} 2026-01-02 10:11 a{n}.txt"
        for n, size in enumerate(["512", "4.0K", "12M", "1,5G"] * 9)
    ]
    found = read("\n".join(lines))
    assert found.column("size")[:4] == ["512", "4.0K", "12M", "1,5G"]
    assert not any(fact.startswith(("size", "largest")) for fact in found.words.facts)
    commas = read("\n".join(f"-rw-r--r-- 1 a b {n % 9},5K 2026-01-02 10:11 a{n}.txt" for n in range(30)))
    assert commas.column("size")[:2] == ["0,5K", "1,5K"]


def test_devices_have_no_size() -> None:
    lines = [f"crw-rw---- 1 root tty {n}, {n + 1} Jan  2 10:11 tty{n}" for n in range(20)]
    lines += [f"-rw-r--r-- 1 root tty {n:6} Jan  2 10:11 a{n}" for n in range(20)]
    found = read("total 0\n" + "\n".join(lines))
    assert found.column("size") == [None] * 20 + list(range(20))
    assert found.words.what == "a listing of 20 special files and 20 files"
    assert found.words.facts == ("largest: a19 19 · a18 18 · a17 17 · a16 16 · a15 15",)


def test_several_files_of_the_newest_time_are_counted() -> None:
    lines = [f"2026-01-02 10:{n % 3:02}:00 {n:6} logs/a{n}.txt" for n in range(30)]
    assert "newest: 10 files 2026-01-02 10:02:00" in read("\n".join(lines)).words.facts
    offsets = [f"-rw-r--r-- 1 a b 5 2026-01-02 10:11:12.000000000 +0{n % 2}00 a{n}.txt" for n in range(30)]
    assert not any(fact.startswith("newest") for fact in read("\n".join(offsets)).words.facts)
    dirs = "\n".join(f"drwxr-xr-x 2 a b 4096 2026-01-02 10:11 d{n}" for n in range(30))
    assert read(dirs).words == type(read(dirs).words)(what="a listing of 30 folders")


def test_an_archive_has_folders_that_end_with_a_slash_and_a_total() -> None:
    head = "Archive:  a.zip\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n"
    rows = "".join(f"{0:9}  2026-01-02 10:11   d{n}/\n{n:9}  2026-01-02 10:11   d{n}/a b.txt\n" for n in range(40))
    found = read(f"{head}{rows}---------                     -------\n{780:9}                     80 files\n")
    assert found.words.what == "a listing of 40 folders and 40 files"
    assert found.column("is_dir") == [True, False] * 40
    assert found.column("path")[:2] == ["d0", "d0/a b.txt"]
    assert found.words.facts[-1] == "its own total: 780                     80 files"


def test_totals_are_told_and_no_entries() -> None:
    rows = "".join(f"  {n:4} src/a{n}.py\n" for n in range(200))
    found = read(f"{rows} 19900 total\n{rows.replace('src', 'lib')} 19900 total\n 19900 total\n")
    assert found.words.what == "a listing of 400 paths in 2 folders"
    assert found.words.facts[0] == f"count of all: {19_900 * 2:,}"
    assert found.words.facts[-2:] == ("its own total: 19900 total",) * 2


def test_a_listing_of_windows_has_its_own_separators() -> None:
    lines = [" Volume in drive C has no label.", " Volume Serial Number is 1234-5678", ""]
    for n in range(30):
        lines += [
            f" Directory of C:\\work\\d{n}",
            "",
            "11/16/2026  02:02 PM    <DIR>          .",
            "11/16/2026  02:02 PM    <DIR>          ..",
            "11/16/2026  02:02 PM    <DIR>          sub",
            "11/16/2026  02:02 PM    <SYMLINK>      s.lnk [C:\\x]",
            f"11/16/2026  02:03 PM         1,{n:03},234 a{n}.txt",
            f"               1 File(s)      1,{n:03},234 bytes",
            "",
        ]
    found = read("\r\n".join(lines))
    assert found.words.what == "a listing of 30 folders, 30 links and 30 files"
    assert found.rows()[2] == {
        "line": 10,
        "path": "C:\\work\\d0\\a0.txt",
        "name": "a0.txt",
        "folder": "C:\\work\\d0",
        "extension": "txt",
        "size": 1_000_234,
        "modified": "11/16/2026  02:03 PM",
        "is_dir": False,
    }


def test_lines_that_are_no_entries_are_counted_and_shown() -> None:
    lines = [f"{'0' * 63}{n % 10}  a/b{n}.bin" for n in range(900)]
    lines[400:400] = [f"sha256sum: a/c{n}: Permission denied" for n in range(5)]
    found = read("\n".join([*lines, "", "  "]))
    assert found.words.facts[-1] == "no entries, and in no table: 5 lines"
    [excerpt] = found.words.excerpts
    assert (excerpt.numbers, excerpt.lines) == ((401, 402, 403), tuple(lines[400:403]))


def test_too_many_folders_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_counts, "MOST_PATHS", 20)
    found = read("".join(f"{'0' * 32}  d{n}/a.e{n}x\n" for n in range(200)))
    assert found.words.what == "a listing of 200 files"
    assert found.words.facts == ()


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_listings(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{'0' * 64}  a/b{n}.bin\n" for n in range(500)) + "prose\n" * 500,
        "".join(f"{'0' * 64}  a/b{n}.bin\nprose\n" for n in range(90)),
        "".join(f"{'0' * 50}  a/b{n}.bin\n" for n in range(90)),  # no digest has that length
        f"{'0' * 64}  a/b.bin\n",
        "".join(f"  {n} times a word\n" for n in range(90)),
        "./a:\ntotal 0\n\n" * 90,
        "".join(f"  {n} src/a{n}.py\n" for n in range(500)) + "".join(f"  {n} src/a {n}.py\n" for n in range(900)),
    ],
)
def test_a_form_that_does_not_hold_for_the_whole_is_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str) -> None:
    read_as(FORM, HOSTILE[name])
    found = read_as(FORM, "".join(f"{'0' * 64}  a/b{n}.bin\n" for n in range(300)) + HOSTILE[name])
    assert found is None or found.column("line")[:300] == list(range(1, 301))


def test_values_are_harmless_where_they_are_told() -> None:
    found = read("".join(f"{n:5} src·…/a\x1b[31m{n}.py\n" for n in range(90)))
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


@pytest.mark.skipif(shutil.which("wc") is None, reason="wc is not here; its output is generated above")
def test_the_output_of_wc_itself_is_read(tree: Path) -> None:
    paths = sorted(str(path.relative_to(tree)) for path in (tree / "top").rglob("*") if path.is_file())
    found = read(run("wc", *paths, at=tree))
    assert found.column("path") == paths
    assert found.column("lines") == [len((tree / path).read_text().splitlines()) for path in paths]
    assert found.column("size") == [(tree / path).stat().st_size for path in paths]


def test_marks_of_file_servers_tell_files_from_folders() -> None:
    found = read("[DIR] src\n[FILE] read me.txt\n[FILE] [x].py\n[DIR] a.b\n")
    assert found.words.what == "a listing of 2 folders and 2 files"
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
        "its own total: Total: 4 files, 3 directories",
        "its own total: Combined size: 4.50 KB",
    )
