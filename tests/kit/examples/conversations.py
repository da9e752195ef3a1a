"""The conversations that the documentation of an example shows, held once more."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.examples.client import Talk

CALL = re.compile(r"^\*\*`(\w+)`\*\* `(\{[^\n]*\})`\n\n```(?:json|text)\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


def pages(example: Path) -> list[Path]:
    """Where conversations with an example are shown."""
    return [example / "README.md", example.parents[1] / "docs" / "how-to" / f"example-{example.name}.md"]


def replay(talk: Talk, page: Path) -> None:
    """Make each call of a page, and find in the answers what is shown, in its order; ``…`` stands for anything."""
    handle = ""
    found = CALL.findall(page.read_text())
    assert len(found) >= 3
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
