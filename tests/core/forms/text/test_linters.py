"""Invariant: every finding is a row with all that its line says; they are as many as the linter wrote."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.api import BATCH, DoesNotHoldError
from penstock.core.forms.text.linters import FORM
from tests.kit.forms.paths import HOSTILE, OTHER, file_paths, words
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from collections.abc import Callable

Row = dict[str, Any]


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def findings(random: Random, amount: int) -> list[Row]:
    paths = [path for path in file_paths(random, amount // 5 + 1) if "." in path]
    rows = [
        {
            "file": random.choice(paths),
            "file_line": random.randint(1, 9_000),
            "col": random.randint(1, 120),
            "severity": random.choice(["error", "error", "warning", "note"]),
            "code": random.choice(["E501", "F401", "RUF100", "C0114"]),
            "message": words(random, 2) + random.choice(["", " (see below)", ": more", " [a b]", " at 'x:1:2'"]),
        }
        for _ in range(amount)
    ]
    return sorted(rows, key=lambda row: (row["file"], row["file_line"]))


# How a linter writes a finding, and which columns it has.
LAYOUTS: dict[str, tuple[Callable[[Row], str], str]] = {
    "gcc": (
        lambda r: f"{r['file']}:{r['file_line']}:{r['col']}: {r['severity']}: {r['message']} [-W{r['code']}]",
        "-W",
    ),
    "mypy": (lambda r: f"{r['file']}:{r['file_line']}: {r['severity']}: {r['message']}  [{r['code']}]", "no col"),
    "ruff": (lambda r: f"{r['file']}:{r['file_line']}:{r['col']}: {r['code']} {r['message']}", "no severity"),
    "ruff as pylint": (lambda r: f"{r['file']}:{r['file_line']}: [{r['code']}] {r['message']}", "no severity, no col"),
    "pylint": (lambda r: f"{r['file']}:{r['file_line']}:{r['col']}: {r['code']}: {r['message']}", "no severity"),
    "hadolint": (lambda r: f"{r['file']}:{r['file_line']} {r['code']} {r['severity']}: {r['message']}", "no col"),
    "tsc": (lambda r: f"{r['file']}({r['file_line']},{r['col']}): {r['severity']} {r['code']}: {r['message']}", ""),
    "tsc pretty": (
        lambda r: f"{r['file']}:{r['file_line']}:{r['col']} - {r['severity']} {r['code']}: {r['message']}",
        "",
    ),
    "msvc": (lambda r: f"3>{r['file']}({r['file_line']}): {r['severity']} {r['code']}: {r['message']}", "no col"),
    "pyright": (
        lambda r: f"  {r['file']}:{r['file_line']}:{r['col']} - {r['severity']}: {r['message']} ({r['code']})",
        "",
    ),
    "yamllint": (
        lambda r: f"{r['file']}:{r['file_line']}:{r['col']}: [{r['severity']}] {r['message']} ({r['code']})",
        "",
    ),
    "javac": (lambda r: f"{r['file']}:{r['file_line']}: {r['severity']}: [l{r['code']}] {r['message']}", "l, no col"),
    "rubocop": (
        lambda r: f"{r['file']}:{r['file_line']}:{r['col']}: W: [Correctable] Style/{r['code']}: {r['message']}",
        "Style/, W",
    ),
}


@pytest.mark.parametrize(
    ("layout", "amount"), [*((layout, 30) for layout in LAYOUTS), ("gcc", BATCH + 900), ("tsc", BATCH - 1)]
)
def test_every_finding_is_a_row(layout: str, amount: int) -> None:
    rows = findings(Random(amount), amount)
    write, notes = LAYOUTS[layout]
    found = read("".join(f"{write(row)}\n" for row in rows))
    for row in rows:
        for name in ("col", "severity"):
            if f"no {name}" in notes:
                del row[name]
        if "W" in notes.split(", "):
            row["severity"] = "W"
        row["code"] = (notes.split(",")[0] if notes and not notes.startswith("no") else "") + row["code"]
    assert found.rows() == [{"line": number, **row} for number, row in enumerate(rows, 1)]
    assert found.words.what == f"{amount:,} findings in {len({row['file'] for row in rows}):,} files"
    assert found.tables["items"].noun == "findings"
    for name in ("severity", "code"):
        if name in rows[0]:
            field = found.tables["items"].field(name)
            assert field is not None
            assert dict(field.column.values()) == Counter(row[name] for row in rows)


def test_findings_without_severity_and_code_need_a_column_and_a_message() -> None:
    lines = [f"./pkg{n % 9}/a.go:{n + 1}:{n % 7 + 1}: call of {n} copies lock value (govet)" for n in range(90)]
    found = read("\n".join(lines))
    assert set(found.column("code")) == {"govet"}
    assert found.column("message")[3] == "call of 3 copies lock value"
    assert read_as(FORM, "\n".join(line.replace(": call", ":call") for line in lines)) is None
    assert read_as(FORM, "\n".join(lines + ["prose"] * 40)) is None
    assert read_as(FORM, "\n".join(lines * 6 + ["prose"] * 100)) is None
    assert "code" not in read("\n".join(line.removesuffix(" (govet)") for line in lines)).cells["items"]


def test_source_below_findings_and_headings_above_are_no_rows() -> None:
    lines: list[str] = []
    starts = []
    for n in range(1, 3_000):
        lines += [f"src/a{n % 5}.c: In function 'f{n}':"] if n % 3 == 0 else []
        starts.append(len(lines) + 1)
        lines += [
            f"src/a{n % 5}.c:{n}:3: warning: text {n} [-Wall]",
            f" {n} | int x[{n}] = f(y)",
            "      |     ^~~~",
            "",
        ]
    found = read("\n".join(["In file included from src/b.h:3,", "                 from src/c.h:4:", *lines]))
    assert found.column("line") == [start + 2 for start in starts]
    assert found.words.what == "2,999 findings in 5 files"
    assert not any("in no table" in fact for fact in found.words.facts)


def test_a_line_of_source_above_a_caret_belongs_to_its_finding() -> None:
    block = "src/A.java:{n}: error: cannot find symbol\nint x = y;\n        ^\n  symbol: y\n"
    found = read(
        "".join(block.format(n=n) for n in range(1, 90)) + "^\nsrc/A.java:99: error: x\nNote: more\n\n89 errors\n"
    )
    assert found.words.what == "90 findings in 1 file"
    assert found.words.facts[0] == "its own summary: 89 errors"
    assert "lines that are no findings, and in no table: 270" in found.words.facts


def test_brackets_behind_a_message_that_are_no_code_are_its_text() -> None:
    lines = [f"src/a.py:{n}: error: bad  [misc]\nsrc/a.py:{n}: note: one of list[int, str]" for n in range(1, 90)]
    found = read("\n".join(lines))
    assert Counter(found.column("code")) == {"misc": 89, None: 89}
    assert set(found.column("message")) == {"bad", "one of list[int, str]"}


def test_names_that_are_no_files_have_no_findings() -> None:
    assert read_as(FORM, "".join(f"host{n}:{n}: error: not there\n" for n in range(1, 60))) is None


@pytest.mark.parametrize("style", ["colon", "headings"])
def test_no_lines_are_no_findings(style: str) -> None:
    with pytest.raises(DoesNotHoldError):
        list(FORM.read([], {"style": style}))


def test_a_code_behind_a_message_is_that_of_the_finding() -> None:
    block = (
        "/w/a{n}.py\n  /w/a{n}.py:{n}:5 - error: Type is unknown\n    It is (that)\n    of x (reportOne)\n"
        "  /w/a{n}.py:{n}:9 - warning: Bad call (reportTwo)\n    more\n"
    )
    found = read("".join(block.format(n=n) for n in range(1, 200)))
    assert Counter(found.column("code")) == {"reportTwo": 199, None: 199}
    assert found.column("message")[:2] == ["Type is unknown", "Bad call"]


@pytest.mark.parametrize("gap", [BATCH - 2, BATCH - 1, BATCH])
def test_a_place_below_a_message_is_read_where_some_thousand_lines_end(gap: int) -> None:
    below = "error[E0308]: mismatched types\n  --> src/a.rs:{n}:5\n"
    lines = "".join(below.format(n=n) for n in range(1, 90)) + " |\n" * (gap - 178)
    found = read(lines + "".join(below.format(n=n) for n in range(90, 120)))
    assert found.column("file_line") == list(range(1, 120))


def test_what_a_linter_sums_up_is_told_as_it_stands() -> None:
    rows = "".join(f"src/a.py:{n}: error: bad  [misc]\n" for n in range(1, 90))
    found = read(rows + "Found 89 errors in 1 file (checked 3 source files)\n[*] 3 fixable with the `--fix` option.\n")
    assert found.words.facts[:2] == (
        "its own summary: Found 89 errors in 1 file (checked 3 source files)",
        'its own summary: "[*] 3 fixable with the `--fix` option."',
    )


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_findings(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"src/a.py:{n}:    raise ValueError('error: {n}')\n" for n in range(1, 90)),  # search output
        "".join(f"logs/a.log:{n}:error: text {n}\n" for n in range(1, 90)),
        "".join(f"src/a.py:{n}:5:error: text\n" for n in range(1, 90)),
        "".join(f"   {n}:5 E501 text\n" for n in range(1, 90)),
        "".join(f"src/a.py:{n}: error: text\n" for n in range(1, 500)) + "prose\n" * 500,
        "".join(f"src/a.py:{n}: error: text\n" for n in range(1, 9)) + "    indented\n" * 5_000,
        "src/a.py:1: error: text\n",
    ],
)
def test_what_only_mentions_errors_is_no_finding(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str) -> None:
    read_as(FORM, HOSTILE[name])
    rows = "".join(f"src/a.py:{n}: error: x  [misc]\n" for n in range(1, 300))
    found = read_as(FORM, rows + HOSTILE[name])
    assert found is None or found.column("line")[:299] == list(range(1, 300))


def test_values_are_harmless_where_they_are_told() -> None:
    text = "".join(f"src/a\x1b[31m·…{n}.py:{n}: error: x\ud800  [a\x00b]\r\n" for n in range(1, 60))
    found = read(text + "Found 59 errors \x1b[0m|\n")
    assert all(fact.isprintable() for fact in found.words.facts)


def run(*command: str, at: Path) -> str:
    found = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)
    return found.stdout + found.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here; its output is generated above")
def test_the_output_of_gcc_itself_is_read(tmp_path: Path) -> None:
    functions = "".join(f"int f{n}(int x) {{ int unused{n}; return x; }}\n" for n in range(12))
    (tmp_path / "a.c").write_text(functions)
    found = read(run("gcc", "-Wall", "-fsyntax-only", "a.c", at=tmp_path))
    assert set(found.column("file")) == {"a.c"}
    assert found.column("file_line") == list(range(1, 13))
    assert set(found.column("code")) == {"-Wunused-variable"}
    assert set(found.column("severity")) == {"warning"}


RUFF = shutil.which("ruff", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


@pytest.mark.skipif(RUFF is None, reason="ruff is not here; its output is generated above")
def test_the_output_of_ruff_itself_is_read(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("import os\nimport sys\nx = undefined\n")
    text = run(
        str(RUFF), "check", "--isolated", "--select=F", "--no-cache", "--output-format=concise", ".", at=tmp_path
    )
    found = read(text)
    assert sorted(zip(found.column("file"), found.column("file_line"), found.column("code"), strict=True)) == sorted(
        (name, line, code) for name in ("a.py", "b.py") for line, code in ((1, "F401"), (2, "F401"), (3, "F821"))
    )
    assert found.words.facts[0] == "its own summary: Found 6 errors."
