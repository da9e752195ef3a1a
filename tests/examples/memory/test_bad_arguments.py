"""A bad argument is answered with its name, what was expected, and an example; nothing is stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.kit.examples.memory_client import Talk

ASK: dict[str, Any] = {"session_id": "s", "current_task": "x"}
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("context_aware_retrieve", {"current_task": "x"}, "session_id"),
    ("context_aware_retrieve", {"session_id": "s"}, "current_task"),
    ("context_aware_retrieve", {**ASK, "session_id": " "}, "session_id"),
    ("context_aware_retrieve", {**ASK, "session_id": "s" * 129}, "session_id"),
    ("context_aware_retrieve", {**ASK, "current_task": "!?"}, "current_task"),
    ("context_aware_retrieve", {**ASK, "current_task": "x" * 4_001}, "current_task"),
    ("context_aware_retrieve", {**ASK, "task_type": "gardening"}, "task_type"),
    ("context_aware_retrieve", {**ASK, "max_chunks": 0}, "max_chunks"),
    ("context_aware_retrieve", {**ASK, "max_chunks": 1_001}, "max_chunks"),
    ("context_aware_retrieve", {**ASK, "auto_expand": "perhaps"}, "auto_expand"),
    ("context_aware_retrieve", {**ASK, "max_response_tokens": 999}, "max_response_tokens"),
    ("context_aware_retrieve", {**ASK, "max_response_tokens": 24_001}, "max_response_tokens"),
    ("context_aware_retrieve", {**ASK, "page": 0}, "page"),
    ("context_aware_retrieve", {**ASK, "pages": 1}, "pages"),
    ("store_chunks", {"session_id": "bad", "chunks": []}, "chunks"),
    ("store_chunks", {"session_id": "bad", "chunks": "text"}, "chunks"),
    ("store_chunks", {"session_id": "bad", "chunks": [{"content": "good"}, {"content": ""}]}, "chunks.1.content"),
    ("store_chunks", {"session_id": "bad", "chunks": [{"content": "good", "text": "x"}]}, "chunks.0.text"),
    ("store_chunks", {"session_id": "bad", "chunks": [{"content": "x", "links": [""]}]}, "chunks.0.links.0"),
    ("store_chunks", {"session_id": "bad", "chunks": [{"content": "x" * 1_000_001}]}, "chunks.0.content"),
    ("get_chunk", {"session_id": "s", "chunk_id": 10**9}, "chunk_id"),
    ("get_chunk", {"session_id": "s", "chunk_id": 2**70}, "chunk_id"),
]


@pytest.mark.parametrize(("tool", "arguments", "name"), BAD, ids=lambda value: json.dumps(value)[:60])
def test_a_bad_argument_is_named_with_what_was_expected_and_an_example(
    talk: Talk, tool: str, arguments: dict[str, Any], name: str
) -> None:
    text = talk.refused(tool, **arguments)
    assert f"{name}: " in text
    assert "expected" in text
    assert "for example {" in text or "no such argument" in text
    assert len(text) < 1_000


def test_a_call_that_is_refused_stores_nothing(talk: Talk) -> None:
    chunks = [{"content": "good"}, {"content": " "}]
    talk.refused("store_chunks", session_id="nothing of this", chunks=chunks)
    assert talk.told("forget", session_id="nothing of this", everything=True)["forgotten"] == 0


def test_a_call_with_many_slips_is_told_of_the_first_ones(talk: Talk) -> None:
    chunks = [{"content": ""} for _ in range(100)]
    text = talk.refused("store_chunks", session_id="bad", chunks=chunks)
    assert text.count("expected") == 5
