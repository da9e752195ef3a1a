"""The page that follows a call names files that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/explanation/life-of-a-call.md").read_text("utf-8")
NAMED = re.findall(r"`([a-z_/]+\.py)`", PAGE)


def test_every_file_that_the_page_names_exists() -> None:
    assert len(set(NAMED)) > 30
    assert [name for name in NAMED if not ((ROOT / "src/penstock" / name).exists() or (ROOT / name).exists())] == []


def test_the_page_names_both_ends_and_the_corridor() -> None:
    """A file that is added to the gateway has to be told of, unless it is a helper."""
    folder = ROOT / "src/penstock"
    files = {path.relative_to(folder).as_posix() for path in (folder / "gateway").rglob("*.py")}
    helpers = {"gateway/upstreams/process_windows.py", "gateway/log.py", "gateway/malloc.py"}
    assert {name for name in files if not name.endswith("__init__.py")} - set(NAMED) == helpers
