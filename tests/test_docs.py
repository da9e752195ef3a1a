"""Whatever the documentation shows works: its Python runs, its commands run and print what they are said to print.

A page's blocks share one folder and one Python namespace, in the order of the page, as a reader would try them.
A line of shown output that has an ellipsis in it stands for anything.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(kind, body) for kind, body in BLOCK.findall(page.read_text()) if kind in ("python", "console")]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.stem)
def test_what_a_page_shows_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "120")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for kind, body in blocks(page):
        if kind == "python":
            exec(compile(body, str(page), "exec"), namespace)
        else:
            run_console(body)


def run_console(body: str) -> None:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        if shlex.split(command)[0] == "make":
            continue  # this very test is run by make
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        printed = {line.strip() for line in (done.stdout + done.stderr).splitlines()}
        for line in shown.splitlines():
            assert "…" in line or line.strip() in printed, f"{command}: {line!r} is not printed"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    missing = [
        page.name for page in PAGES if page.parent != ROOT and page.name != "README.md" and page.name not in index
    ]
    assert not missing
