"""The conversations in the documentation are real: each call is made, and answered with what is shown."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from tests.examples.unity.talk import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

    from tests.examples.unity.talk import Talk

PAGES = [FOLDER / "README.md", FOLDER.parents[1] / "docs" / "how-to" / "example-unity.md"]
CALL = re.compile(r"^\*\*`(\w+)`\*\* `(\{[^\n]*\})`\n\n```(?:json|text)\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_a_conversation_is_answered_as_it_is_shown(talk: Talk, page: Path) -> None:
    handle = ""
    found = CALL.findall(page.read_text())
    assert len(found) > 4
    for tool, arguments, shown in found:
        told = talk.call(tool, **json.loads(arguments.replace('"cache_id": "…"', f'"cache_id": "{handle}"')))
        text = "\n".join(told.texts)
        handle = told.data["cache_id"] if text.startswith("{") and "cache_id" in told.data else handle
        # JSON is shown in more lines than it has.
        one_line = shown.replace("\n", "") if shown.startswith("{") else shown
        place = 0
        for piece in one_line.split("…"):
            place = text.find(piece, place)
            assert place >= 0, f"{tool} does not say {piece!r}: {text[:3_000]}"
            place += len(piece)
