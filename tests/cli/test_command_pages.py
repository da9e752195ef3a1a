"""The reference page and the man page say what the commands say of themselves."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from penstock.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pages() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts/command_pages.py"))


def test_the_reference_has_the_help_of_every_command_as_it_is(pages: dict[str, Any]) -> None:
    page = pages["REFERENCE"].read_text()
    assert page == pages["reference"](page), "run python -m scripts.command_pages"
    assert all(f"<!-- help of {name} -->" in page for name in COMMANDS)


def test_the_man_page_is_made_from_the_parsers(pages: dict[str, Any]) -> None:
    made = pages["man_page"]()
    assert pages["MAN"].read_text() == made, "run python -m scripts.command_pages"
    assert all(f".SS penstock {name}\n" in made for name in COMMANDS)
    assert not [line for line in made.splitlines() if line.startswith("'")]
    assert "\\-\\-older\\-than" in made
