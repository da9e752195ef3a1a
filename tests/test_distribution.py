"""Every message names the distribution that can really be installed."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import penstock
from penstock.config import SETTINGS
from penstock.distribution import HOME, NAME, OPTIONAL, install

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


def test_each_package_that_a_system_may_lack_has_words_for_what_is_missing() -> None:
    by_python = {line.partition(">")[0] for line in PROJECT["dependencies"] if "python_version < '3.15'" in line}
    by_system = set(runpy.run_path(str(ROOT / "scripts/distribution.py"))["WITHOUT_MUSL"])
    assert by_python == {"google-re2", "PyYAML", "rapidyaml"}
    assert by_python | by_system <= OPTIONAL.keys()


@pytest.mark.parametrize(("module", "package", "extra"), [("fastmcp", "fastmcp", "fastmcp"), ("sdk", "mcp", "mcp")])
def test_a_middleware_without_its_extra_says_what_to_install(module: str, package: str, extra: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; import penstock.middleware.{module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    words = f"ModuleNotFoundError: the package {package} is not installed; {install(extra)}"
    assert done.stderr.strip().splitlines()[-1] == words


def failed_import(folder: Path, module: str, package: str, version: str) -> str:
    """Return the last line of the error if a package of this version, without any names in it, is installed."""
    (folder / package).mkdir()
    (folder / package / "__init__.py").write_text("")
    (folder / f"{package}-{version}.dist-info").mkdir()
    (folder / f"{package}-{version}.dist-info" / "METADATA").write_text(f"Name: {package}\nVersion: {version}\n")
    command = [sys.executable, "-c", f"import penstock.middleware.{module}"]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stderr.count("Traceback") == 1
    return done.stderr.strip().splitlines()[-1]


OLD = [("fastmcp", "fastmcp", "3.4.10", 4), ("fastmcp", "fastmcp", "2.0rc1", 4), ("sdk", "mcp", "1.30.0", 2)]


@pytest.mark.parametrize(("module", "package", "version", "oldest"), OLD)
def test_middleware_with_an_old_package_says_which_version_it_needs(
    module: str, package: str, version: str, oldest: int, tmp_path: Path
) -> None:
    assert failed_import(tmp_path, module, package, version) == (
        f"ImportError: penstock.middleware.{module} needs {package} {oldest} or later, "
        f"but {version} is installed; upgrade it with {install(package)}"
    )
    assert f"{package}>={oldest}" in PROJECT["optional-dependencies"][package]


@pytest.mark.parametrize(("module", "package", "version"), [("fastmcp", "fastmcp", "4.0.0"), ("sdk", "mcp", "12.1")])
def test_middleware_with_a_broken_package_of_a_supported_version_keeps_the_import_error(
    module: str, package: str, version: str, tmp_path: Path
) -> None:
    assert failed_import(tmp_path, module, package, version).startswith("ModuleNotFoundError: No module named ")
