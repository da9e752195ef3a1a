"""The metadata of answers, and answers that stay small whatever is in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import count, list_window
from vault_server.answers import MOST_BYTES, Call, Maker
from vault_server.catalog import Catalog, File

MAKER = Maker(max_tokens=10_000)
CALL = Call(tool="t", arguments={"a": 1, "none": None})


def texts(result: Any) -> list[str]:
    return [block.text for block in result.content]


@given(st.text(max_size=300), st.integers(1, 50))
def test_windows_put_together_are_the_text(text: str, length: int) -> None:
    start, parts = 0, []
    while True:
        shown = MAKER.window(text, start, length)
        parts.append(shown.text)
        if shown.next_index is None:
            break
        start = shown.next_index
    assert "".join(parts) == text


@given(st.lists(st.text(max_size=5), max_size=30), st.integers(1, 7))
def test_pages_put_together_are_the_items(items: list[str], limit: int) -> None:
    offset, found = 0, []
    while True:
        told = json.loads(texts(MAKER.listing("files", list_window(items, offset, limit), CALL))[0])
        found += told["files"]
        if not told["pagination"]["hasMore"]:
            assert "next" not in told
            break
        offset = told["next"]["arguments"]["offset"]
    assert found == items


@pytest.mark.parametrize("char", [" ", "\n", "a", "\u6e2f", "\U0001f600", '"', "\\", "\u1240"])
def test_a_window_of_the_usual_length_fits_whatever_is_in_it(char: str) -> None:
    answer = texts(MAKER.text(char * 30_000, 0, 10_000, CALL))
    assert 0 < len(answer[0]) <= 10_000
    assert sum(len(json.dumps(text).encode()) for text in answer) < 80_000
    assert sum(len(text.encode()) for text in answer) < 50_000
    assert count("".join(answer)).upper <= 10_000


@pytest.mark.parametrize("text", [" " * 150_000, "a" * 50_000, (" " * 90 + "word\n") * 700])
def test_text_of_many_bytes_and_few_tokens_is_cut_too(text: str) -> None:
    """Penstock's budget is in tokens: this would pass it whole."""
    assert count(text).upper <= 10_000
    assert len(text) > 49_000
    shown = MAKER.window(text, 0, 1_000_000)
    assert len(shown.text.encode()) <= MOST_BYTES
    assert shown.next_index == len(shown.text)


def test_lists_of_many_bytes_and_few_tokens_are_cut_too() -> None:
    items = [" " * 4_000 for _ in range(40)]
    told = json.loads(texts(MAKER.listing("items", list_window(items, 0, 30), CALL))[0])
    shown = len(told["items"])
    assert shown < 30
    assert told["pagination"] == {"total": 40, "offset": 0, "limit": 30, "hasMore": True}
    assert told["next"]["arguments"]["offset"] == shown
    answer = texts(MAKER.best("items", items, 40, 40, CALL))[0]
    assert len(answer.encode()) <= MOST_BYTES
    assert json.loads(answer)["pagination"]["hasMore"] is True


def test_a_next_call_has_only_the_arguments_that_were_given() -> None:
    assert CALL.with_(offset=5).as_dict() == {"tool": "t", "arguments": {"a": 1, "offset": 5}}


def test_the_default_list_of_fifty_thousand_files_stays_under_ten_kilobytes() -> None:
    paths = [f"Projects/Area {number % 40}/Meeting notes of the week {number}.md" for number in range(50_000)]
    files = [File(id=n, path=path, size=1, mtime_ns=0, is_note=True) for n, path in enumerate(paths)]
    catalog = Catalog(files)
    answer = texts(MAKER.listing("files", list_window([file.path for file in catalog.under("")], 40_000, 100), CALL))[0]
    assert json.loads(answer)["pagination"] == {"total": 50_000, "offset": 40_000, "limit": 100, "hasMore": True}
    assert len(answer.encode()) < 10_000


def test_half_a_character_in_an_argument_does_not_break_an_answer() -> None:
    call = Call(tool="t", arguments={"query": "\ud800"})
    assert texts(MAKER.listing("items", list_window([1, 2], 0, 1), call))[0].encode()
