"""Installed packages add forms: the example of the documentation is one of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock.core.forms.plugins import remove_form
from penstock.core.forms.registry import form_named
from penstock.query import plugin_forms

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/teach-a-format.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STATES = ("passed", "failed", "passed", "skipped")
LINES = [f"#{at} build-{at % 7} ... {STATES[at % 4]} after {at % 90}s" for at in range(2_500)]
ASK = """
import json, sys
from penstock import Call, Config, Gate, open_store

with open_store("memory:") as store:
    gate = Gate(store, Config(max_tokens=2_000))
    result = {"content": [{"type": "text", "text": sys.stdin.read()}]}
    told = json.loads(gate.admit(Call(tool="jobs", owner="me"), json.dumps(result).encode()))
    notice = told["content"][0]["text"]
    handle = json.loads(notice.partition(chr(10))[0])["cache_id"]
    query = "SELECT status, count(*) AS n FROM items GROUP BY 1 ORDER BY 1"
    answer = json.loads(gate.fetch("me", {"cache_id": handle, "action": "sql", "sql": query}))
    gate.close()
print(json.dumps([notice, answer["content"][0]["text"]]))
"""


def install(folder: Path, code: str) -> None:
    """Write what an installer writes for the package of the documentation."""
    blocks = dict(BLOCK.findall(PAGE.read_text()))
    place = re.search(r'^jobs = "(.*)"$', blocks["toml"], re.MULTILINE)
    assert place is not None
    (folder / "acme_forms.py").write_text(code or blocks["python"])
    metadata = folder / "acme_forms-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-forms\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{plugin_forms.GROUP}]\njobs = {place[1]}\n")


def ask(folder: Path) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        input="\n".join([*LINES, "2500 jobs"]),
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    notice, answer = json.loads(done.stdout)
    return notice, answer


def test_form_of_the_documentation_is_installed_and_answers(tmp_path: Path) -> None:
    install(tmp_path, "")
    notice, answer = ask(tmp_path)
    assert "a list of jobs: 2,500 jobs" in notice
    assert "passed ×1,250" in notice
    for state in sorted(set(STATES)):
        assert f"{STATES.count(state) * 625}" in answer


@pytest.mark.parametrize("code", ["raise RuntimeError('at import')\n", "JobList = 7\n", "class JobList: pass\n"])
def test_package_that_is_broken_costs_its_form_only(tmp_path: Path, code: str) -> None:
    install(tmp_path, code)
    notice, _ = ask(tmp_path)
    assert "2,501 lines" in notice


@pytest.fixture
def a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The form of the documentation, as this process finds it."""
    install(tmp_path, "")
    monkeypatch.syspath_prepend(tmp_path)
    plugin_forms.places.cache_clear()
    yield "acme_forms:JobList"
    plugin_forms.places.cache_clear()
    remove_form("acme_jobs")
    sys.modules.pop("acme_forms", None)


def test_places_are_those_of_installed_packages(a_place: str, caplog: pytest.LogCaptureFixture) -> None:
    assert a_place in plugin_forms.places()
    assert "acme_forms" in plugin_forms.packages()
    plugin_forms.add_plugins()
    assert form_named("acme_jobs") is not None
    plugin_forms.add_places(["no_such_module:FORM"])
    assert "no_such_module" in caplog.text
