"""The page that names the test of each failure names tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explanation" / "regressions.md"


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if re.match(r"\| \d", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_entry_has_a_number_and_a_test() -> None:
    assert [int(number) for number, _, _ in rows()] == list(range(1, 21))
    assert all(re.findall(r"`tests/[\w/]+\.py::test_\w+`", tests) for _, _, tests in rows())


def test_every_test_that_is_named_is_there() -> None:
    for number, _, tests in rows():
        for file, name in re.findall(r"`([\w/.]+)::(\w+)`", tests):
            tree = ast.parse((ROOT / file).read_text("utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{number}: {name}"
