"""The page that names the tests of each feature names tests that are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explanation" / "features.md"
EXAMPLES = {folder.name for folder in (ROOT / "examples").iterdir() if (folder / "server.py").exists()}


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if re.match(r"\| (?!feature )\S", line)]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in lines]


@cache
def names_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_example_has_its_features() -> None:
    assert set(re.findall(r"^## .*`examples/(\w+)`$", PAGE.read_text("utf-8"), re.MULTILINE)) == EXAMPLES
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_feature_has_tests_that_are_there(row: list[str]) -> None:
    _, tests = row
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", tests)
    assert named
    assert [name for file, name in named if name not in names_in(file)] == []
