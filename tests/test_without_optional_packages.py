"""Penstock works in an environment that has none of its optional packages, as on a Python without wheels of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

import penstock
from penstock.distribution import OPTIONAL

NEEDED = ("penstock", "msgspec", "jq", "rich", "pygments", "markdown_it", "mdurl")
ZSTD = () if sys.version_info >= (3, 14) else ("backports",)
QUERIES = """
import json
from penstock.middleware.decorator import budgeted

bounded = budgeted(max_tokens=2_000, store="memory:")

@bounded
def tool(text: str):
    return text

def held(text):
    return json.loads(tool(text)["content"][0]["text"].partition("\\n")[0])

def search(notice, pattern, regex):
    question = {"action": "search", "cache_id": notice["cache_id"], "pattern": pattern, "regex": regex}
    return bounded.fetch(question)["content"][0]["text"]

rows = held(json.dumps([{"id": n, "name": f"item {n}"} for n in range(5_000)]))
page = held("<html><body><h1>Head</h1>" + "<p>Some words of a page.</p>" * 2_000 + "</body></html>")
data = held("---\\nitems:\\n" + "".join(f"  - {{id: {n}, name: item {n}}}\\n" for n in range(3_000)))
print(json.dumps({
    "plain": search(rows, "item 4999", False),
    "regex": search(rows, "item 49[0-9]9", True),
    "wrong": search(rows, "item [[:digit:]]", True),
    "html": page["message"],
    "yaml": data["message"],
}))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment with the required packages only, and return its interpreter."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in (*NEEDED, *ZSTD):
        spec = find_spec(name)
        assert spec is not None
        place = Path(next(iter(spec.submodule_search_locations or [str(spec.origin)])))
        (site / place.name).symlink_to(place)
    return folder / "bin/python"


def ran(python: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PENSTOCK_", "PYTHON"))}
    return subprocess.run([python, *words], cwd=cwd, env=env, capture_output=True, text=True, check=False)


def test_version_lists_each_missing_package_and_its_feature(python: Path, tmp_path: Path) -> None:
    done = ran(python, "-m", "penstock", "version", cwd=tmp_path)
    lines = [f"without {package}: {instead}" for package, (_, instead) in OPTIONAL.items()]
    assert done.stdout.splitlines() == [f"penstock {penstock.__version__}", *lines]


def test_demo_runs_without_optional_packages(python: Path, tmp_path: Path) -> None:
    done = ran(python, "-m", "penstock", "demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_searches_find_matches_and_documents_are_text_without_optional_packages(python: Path, tmp_path: Path) -> None:
    done = ran(python, "-c", QUERIES, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert json.loads(answers["plain"].partition("\n")[0])["total"] == 1
    assert json.loads(answers["regex"].partition("\n")[0])["total"] == 10
    assert answers["wrong"].splitlines() == [
        "the regular expression cannot be read: the class [:digit:] is not available",
        "write it in the syntax of Python's re, because RE2 is not installed here; or search for plain text",
    ]
    assert "HTML" not in answers["html"]
    assert "YAML" not in answers["yaml"]


def test_a_yaml_configuration_file_without_pyyaml_is_one_error_line(python: Path, tmp_path: Path) -> None:
    (tmp_path / "penstock.yaml").write_text("max_tokens: 9000\n")
    done = ran(python, "-m", "penstock", "run", "--config", "penstock.yaml", "--", "cat", cwd=tmp_path)
    words = "cannot be read because PyYAML is not installed; pip install PyYAML, or write the file as TOML or JSON"
    assert (done.returncode, done.stderr) == (2, f"penstock: penstock.yaml: {words}\n")


def test_wrap_of_a_yaml_file_without_pyyaml_is_one_error_line(python: Path, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("extensions:\n  one:\n    cmd: 'true'\n    type: stdio\n")
    done = ran(python, "-m", "penstock", "wrap", "--client", str(file), "--dry-run", cwd=tmp_path)
    words = "cannot be read because PyYAML is not installed; pip install PyYAML"
    assert (done.returncode, done.stderr) == (2, f"penstock: {file} {words}\n")
