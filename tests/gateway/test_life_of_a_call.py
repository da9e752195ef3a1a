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
    """A driver that is added to an end has to be told of."""
    ends = [path for end in ("stdio", "upstreams") for path in (ROOT / "src/penstock/gateway" / end).glob("*.py")]
    told = {Path(name).stem for name in NAMED}
    helpers = {"__init__", "process_windows"}
    assert {path.stem for path in ends} - told - helpers == set()
