"""Every message names the distribution that can really be installed."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from penstock.distribution import NAME, install

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_name_is_that_of_the_project_and_both_commands_are_there() -> None:
    assert PROJECT["name"] == NAME
    assert set(PROJECT["scripts"]) == {"penstock", NAME}
    assert PROJECT["optional-dependencies"]["all"][0].startswith(f"{NAME}[")


def test_no_page_and_no_message_names_another_distribution() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    assert not [
        page.name for page in pages if "pip install" in (text := page.read_text("utf-8")) and "penstock[" in text
    ]


@pytest.mark.parametrize(("module", "package", "extra"), [("fastmcp", "fastmcp", "fastmcp"), ("sdk", "mcp", "mcp")])
def test_a_middleware_without_its_extra_says_what_to_install(module: str, package: str, extra: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; import penstock.middleware.{module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    words = f"ModuleNotFoundError: the package {package} is not installed; {install(extra)}"
    assert done.stderr.strip().splitlines()[-1] == words
