"""Split an answer of Penstock into its parts: the JSON of the first line, and the text that follows it.

An answer is the bytes of a result, a result as a dictionary (of a tool, a resource or a prompt), an SDK's result, or
the text of the block itself.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """The JSON of the first line, and the exact text behind the line break."""

    head: Any
    text: str


def split(answer: Any) -> Answer:
    """Return both parts. The first block has them; other blocks are ignored."""
    line, _, text = _first_text(answer).partition("\n")
    return Answer(json.loads(line), text)


def head_of(answer: Any) -> Any:
    """Return the JSON of the first line alone."""
    return split(answer).head


def text_of(answer: Any) -> str:
    """Return the text behind the first line. An answer without text fails."""
    text = split(answer).text
    assert text, "the answer is one line"
    return text


def _first_text(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    result = json.loads(answer) if isinstance(answer, bytes) else answer
    if not isinstance(result, dict):
        return str(result.content[0].text)
    blocks = [*result.get("content", ()), *result.get("contents", ())]
    blocks += [message["content"] for message in result.get("messages", ())]
    return str(blocks[0]["text"])
