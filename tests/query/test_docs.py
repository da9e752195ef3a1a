"""The pages about questions are true: the examples run, in order, and the notes are those of the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.query.test_forgiving import PROBES, notes_of

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_examples_of_the_page_run_in_order() -> None:
    page = DOCS / "how-to/query-from-python.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 6
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize(
    ("condition", "note"),
    re.findall(
        r"^\| `([^`]+)`[^|]*\| (.+) \|$",
        (DOCS / "reference/queries.md").read_text(encoding="utf-8").partition("## Notes")[2].partition("## jq")[0],
        re.MULTILINE,
    ),
)
def test_notes_of_the_page_are_what_a_query_gets(condition: str, note: str) -> None:
    assert note.removeprefix("...; ") in "; ".join(notes_of(PROBES[condition]))
