"""The pages about configuration are true: the reference is the table, and every example in the how-to is valid."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scripts.generated import write_or_check

from penstock.config import SETTINGS, Config, load

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
HOW_TO = (ROOT / "docs/how-to/configure.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```(toml|yaml|json)\n(.*?)^```$", HOW_TO, re.MULTILINE | re.DOTALL)


def test_the_types_of_settings_are_the_table() -> None:
    assert runpy.run_path(str(ROOT / "scripts/settings_types.py"))["main"](["--check"]) == 0


@pytest.fixture(scope="module")
def reference() -> Callable[[list[str]], int]:
    names: dict[str, Any] = runpy.run_path(str(ROOT / "scripts/settings_reference.py"))
    main: Callable[[list[str]], int] = names["main"]
    return main


def test_the_reference_page_is_the_table(reference: Callable[[list[str]], int]) -> None:
    assert reference(["--check"]) == 0
    page = (ROOT / "docs/reference/settings.md").read_text("utf-8")
    assert all(f"\n## {setting.name}\n" in page for setting in SETTINGS)


@pytest.mark.parametrize("content", [None, "# Settings\n"])
def test_a_page_that_differs_or_is_missing_fails_the_check_with_a_clear_line(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "settings.md"
    if content:
        page.write_text(content)
    assert write_or_check({page: "# All settings\n"}, ["--check"], script="settings_reference", description=None) == 1
    line = "not as they would be made now: settings.md; run python -m scripts.settings_reference\n"
    assert capsys.readouterr().err == line
    assert write_or_check({page: "# All settings\n"}, [], script="settings_reference", description=None) == 0
    assert page.read_text() == "# All settings\n"


@pytest.mark.parametrize(("suffix", "text"), EXAMPLES)
def test_every_example_file_of_the_how_to_is_valid(suffix: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / f"penstock.{suffix}"
    file.write_text(text)
    assert load(file, env={}) != Config()


def test_the_how_to_has_an_example_in_each_format() -> None:
    assert {suffix for suffix, _ in EXAMPLES} == {"toml", "yaml", "json"}
