"""Split an answer of Penstock into its parts: the JSON of the first line, and the text that follows it.

An answer is the bytes of a result, a result as a dictionary (of a tool, a resource or a prompt), an SDK's result, or
the text of the block itself.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from penstock.core.budget import TOOL_NAME


class Answer(NamedTuple):
    """The JSON of the first line, and the exact text behind the line break."""

    head: Any
    text: str


def split(answer: Any) -> Answer:
    """Return both parts. The first block has them; other blocks are ignored. A brief notice is returned with its
    figures, which are in ``_meta``, and with whole calls in ``next``, as a full notice has them."""
    _, _, text = _first_text(answer).partition("\n")
    head = line_of(answer)
    if isinstance(head, dict) and head.get("type") == "buffered_response":
        head = {**_figures(answer), **head, **_whole_calls(head)}
    return Answer(head, text)


def _whole_calls(notice: dict[str, Any]) -> dict[str, Any]:
    """Return the call in ``next`` of a brief notice with its tool and its handle."""
    following = notice.get("next")
    if not isinstance(following, dict):
        return {}
    arguments = {name: value for name, value in following.items() if name != "tool"}
    tool = following.get("tool", TOOL_NAME)
    return {"next": [{"tool": tool, "arguments": {"cache_id": notice["cache_id"], **arguments}}]}


def line_of(answer: Any) -> Any:
    """Return the JSON that a model reads in the first line, without the figures in ``_meta``."""
    return json.loads(_first_text(answer).partition("\n")[0])


def head_of(answer: Any) -> Any:
    """Return the JSON of the first line alone."""
    return split(answer).head


def text_of(answer: Any) -> str:
    """Return the text behind the first line. An answer without text fails."""
    text = split(answer).text
    assert text, "the answer is one line"
    return text


def _figures(answer: Any) -> dict[str, Any]:
    """Return the figures of a brief notice, which are in ``_meta``."""
    if isinstance(answer, str):
        return {}
    result = json.loads(answer) if isinstance(answer, bytes) else answer
    meta = result.get("_meta") if isinstance(result, dict) else result.meta
    figures = (meta or {}).get("penstock/figures", {})
    assert isinstance(figures, dict)
    return figures


def _first_text(answer: Any) -> str:
    if isinstance(answer, str):
        return answer
    result = json.loads(answer) if isinstance(answer, bytes) else answer
    if not isinstance(result, dict):
        return str(result.content[0].text)
    blocks = [*result.get("content", ()), *result.get("contents", ())]
    blocks += [message["content"] for message in result.get("messages", ())]
    return str(blocks[0]["text"])
