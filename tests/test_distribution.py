"""Every message names the distribution that can really be installed."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import penstock
from penstock.config import SETTINGS
from penstock.distribution import HOME, NAME, install

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_name_is_that_of_the_project_and_both_commands_are_there() -> None:
    assert PROJECT["name"] == NAME
    assert set(PROJECT["scripts"]) == {"penstock", NAME}
    assert PROJECT["optional-dependencies"]["all"][0].startswith(f"{NAME}[")


def test_the_address_of_the_project_is_left_out_while_there_is_none() -> None:
    assert PROJECT.get("urls", {}).get("Homepage", "") == HOME


def test_the_sources_of_a_release_have_what_their_pages_name() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["sdist"]
    assert {"/Makefile", "/constraints.txt", "/tests", "/scripts", "/CONTRIBUTING.md"} <= set(build["include"])
    assert all((ROOT / name.lstrip("/")).exists() for name in build["include"])


def test_no_page_and_no_message_names_another_distribution() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    assert not [
        page.name for page in pages if "pip install" in (text := page.read_text("utf-8")) and "penstock[" in text
    ]


def test_the_entry_for_the_registry_of_servers_is_that_of_this_version() -> None:
    entry = json.loads((ROOT / "server.json").read_text("utf-8"))
    (package,) = entry["packages"]
    assert package["identifier"] == NAME
    assert entry["version"] == package["version"] == penstock.__version__
    assert len(entry["description"]) <= 100  # the registry takes no more
    # By this mark on the index page the registry knows that the two belong together.
    assert f"<!-- mcp-name: {entry['name']} -->" in (ROOT / "README.md").read_text("utf-8")
    names = {setting.env for setting in SETTINGS}
    assert {one["name"] for one in package["environmentVariables"]} <= names


def test_a_wheel_for_musl_leaves_out_what_cannot_be_installed_there() -> None:
    script = runpy.run_path(str(ROOT / "scripts/distribution.py"))
    requires = [f"Requires-Dist: {name}\n" for name in PROJECT["dependencies"]]
    left = script["without"]("".join(requires), script["WITHOUT_MUSL"])
    assert len(left.splitlines()) == len(requires) - 2
    with pytest.raises(SystemExit, match="not all are dependencies"):
        script["without"](left, script["WITHOUT_MUSL"])


@pytest.mark.parametrize(("module", "package", "extra"), [("fastmcp", "fastmcp", "fastmcp"), ("sdk", "mcp", "mcp")])
def test_a_middleware_without_its_extra_says_what_to_install(module: str, package: str, extra: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; import penstock.middleware.{module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    words = f"ModuleNotFoundError: the package {package} is not installed; {install(extra)}"
    assert done.stderr.strip().splitlines()[-1] == words
