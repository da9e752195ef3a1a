"""Invariant: every finding is a row that begins at its first line, with the file that stands above or below it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from penstock.core.forms.api import BATCH
from penstock.core.forms.text.linters import FORM
from tests.kit.forms.paths import HOSTILE, OTHER, file_paths, words
from tests.kit.forms.reading import Read, read_as

Row = dict[str, Any]


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def eslint(random: Random, files: int) -> tuple[list[str], list[Row]]:
    lines: list[str] = []
    rows: list[Row] = []
    for path in file_paths(random, files, "/home/app/src/"):
        lines += ["", path]
        for _ in range(random.randint(1, 9)):
            row = {
                "line": len(lines) + 1,
                "file": path,
                "file_line": random.randint(1, 900),
                "col": random.randint(1, 90),
                "severity": random.choice(["error", "warning"]),
                "code": random.choice(["no-unused-vars", "@typescript-eslint/no-explicit-any", None]),
                "message": words(random, 2),
            }
            rows.append(row)
            code = f"  {row['code']}" if row["code"] else ""
            place = f"{row['file_line']}:{row['col']}"
            lines.append(f"  {place:>7}  {row['severity']:<7}  {row['message']:<40}{code}".rstrip())
    return lines, rows


@pytest.mark.parametrize("files", [9, 1_500])
def test_every_line_below_a_file_is_a_finding_in_it(files: int) -> None:
    lines, rows = eslint(Random(files), files)
    errors = sum(row["severity"] == "error" for row in rows)
    summary = f"✖ {len(rows)} problems ({errors} errors, {len(rows) - errors} warnings)"
    found = read("\n".join([*lines, "", summary, "  1 error and 0 warnings potentially fixable", ""]))
    assert found.rows() == rows
    assert found.words.what == f"{len(rows):,} findings in {files:,} files"
    assert found.words.facts[0] == f"its own summary: {summary}"
    assert Counter(found.column("severity")) == Counter(row["severity"] for row in rows)


def test_codes_before_messages_and_rules_in_parentheses_are_codes() -> None:
    ruff = "".join(
        f"src/a{n}.py:\n  {n}:5 E501 Line too long ({n} > 88)\n  12:1  F401 [*] unused\n\n" for n in range(1, 90)
    )
    found = read(ruff + "Found 178 errors.\n")
    assert Counter(found.column("code")) == {"E501": 89, "F401": 89}
    assert found.column("file")[:3] == ["src/a1.py", "src/a1.py", "src/a2.py"]
    assert "severity" not in found.cells["items"]
    yaml = read("".join(f"a/b{n}.yaml\n  {n}:5      error    too many spaces  (colons)\n\n" for n in range(1, 90)))
    assert set(zip(yaml.column("code"), yaml.column("message"), strict=True)) == {("colons", "too many spaces")}


def rustc(random: Random, amount: int) -> tuple[list[str], list[Row]]:
    lines = ["   Compiling app v0.1.0 (/home/app)"]
    rows: list[Row] = []
    paths = file_paths(random, 20, "src/")
    for _ in range(amount):
        row = {
            "line": len(lines) + 1,
            "file": random.choice(paths),
            "file_line": random.randint(1, 900),
            "col": random.randint(1, 90),
            "severity": random.choice(["error", "warning"]),
            "code": random.choice(["E0308", "E0425", "clippy::needless_return", None]),
            "message": words(random, 2),
        }
        rows.append(row)
        code = f"[{row['code']}]" if row["code"] else ""
        lines += [
            f"{row['severity']}{code}: {row['message']}",
            f"  --> {row['file']}:{row['file_line']}:{row['col']}",
            "   |",
            f"{row['file_line']} |     let x = y;",
            "   |         ^ expected",
            "",
            "note: defined here",
            "  --> src/lib.rs:1:1",
            "   |",
            "",
        ]
    return lines, rows


@pytest.mark.parametrize("amount", [9, BATCH // 3])
def test_a_finding_begins_above_the_arrow_to_its_place(amount: int) -> None:
    lines, rows = rustc(Random(amount), amount)
    end = [f"error: could not compile `app` due to {amount} previous errors", "For more information try it.", "odd"]
    found = read("\n".join([*lines, *end]))
    assert found.rows() == rows
    assert found.words.what == f"{amount:,} findings in {len({row['file'] for row in rows})} files"
    assert found.words.facts[0] == f"its own summary: {end[0]}"
    assert (
        found.words.facts[-1]
        == f"lines that are no findings, and in no table: {len([one for one in lines if one]) - amount + 3:,}"
    )


@pytest.mark.parametrize("name", OTHER)
def test_other_texts_are_no_findings(name: str) -> None:
    assert read_as(FORM, OTHER[name]) is None


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"src/a{n}.py\n  {n}:5  error  text  rule\n\n" for n in range(1, 300)) + "prose\n  more\n" * 900,
        "".join(f"src/a{n}.py\n  {n}:5  error  text  rule\n\n" for n in range(1, 300)) + "\n\n  indented\n" * 900,
        "".join(f"error: text\n  --> src/a.rs:{n}:1\n\n" for n in range(1, 300)) + "prose\n" * 900,
        "".join(f"  {n}:5  error  text  rule\n" for n in range(1, 300)),  # below no file
        "src/a.py\n  1:5  error  text  rule\n",
    ],
)
def test_a_form_that_does_not_hold_for_the_whole_is_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_read_or_refused(name: str) -> None:
    read_as(FORM, HOSTILE[name])
    for rows in ("src/a.py\n" + "  7:5  error  text  rule\n" * 300, "error: text\n --> a.rs:1:1\n" * 300):
        found = read_as(FORM, rows + HOSTILE[name])
        assert found is None or len(found.column("line")) == 300


RUFF = shutil.which("ruff", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


@pytest.mark.skipif(RUFF is None, reason="ruff is not here; its output is generated above")
@pytest.mark.parametrize("layout", ["full", "grouped"])
def test_the_output_of_ruff_itself_is_read(tmp_path: Path, layout: str) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("import os\nimport sys\nx = undefined\n")
    command = [str(RUFF), "check", "--isolated", "--select=F", "--no-cache", f"--output-format={layout}", "."]
    found = read(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout)
    places = zip(found.column("file"), found.column("file_line"), found.column("code"), strict=True)
    assert sorted(places) == sorted(
        (name, line, code) for name in ("a.py", "b.py") for line, code in ((1, "F401"), (2, "F401"), (3, "F821"))
    )
