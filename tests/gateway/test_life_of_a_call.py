"""The page that follows a call names files that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/explanation/life-of-a-call.md").read_text("utf-8")
NAMED = re.findall(r"`([a-z_/]+\.py)`", PAGE)


def test_every_file_that_the_page_names_exists() -> None:
    assert 30 < len(set(NAMED)) < 60
    assert [name for name in NAMED if not ((ROOT / "src/penstock" / name).exists() or (ROOT / name).exists())] == []
