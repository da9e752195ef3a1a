"""The whole definition of a tool is found over the pages of the upstream's list."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.errors import CallerError, UpstreamError
from penstock.protocol.definitions import MOST_PAGES, DefinitionSearch


def page(*names: str, **more: Any) -> bytes:
    return json.dumps({"tools": [{"name": name, "inputSchema": {"é": 1}} for name in names], **more}).encode()


def test_pages_are_asked_for_until_the_tool_is_there() -> None:
    search = DefinitionSearch.begin({"action": "tool", "name": "c"})
    assert search.step(page("a", nextCursor="2"), "") is search
    assert search.cursor == "2"
    found = search.step(page("b", "c"), "")
    assert isinstance(found, bytes)
    (block,) = json.loads(found)["content"]
    assert json.loads(block["text"]) == {"name": "c", "inputSchema": {"é": 1}}


def test_a_list_that_ends_or_never_ends_without_it_is_an_error() -> None:
    search = DefinitionSearch.begin({"tool": "find"})
    search.step(page("finds", nextCursor="2"), "")
    with pytest.raises(CallerError, match="there is no tool 'find'; did you mean finds"):
        search.step(page("other"), "")
    endless = DefinitionSearch(tool="x", pages=MOST_PAGES)
    with pytest.raises(CallerError, match="there is no tool"):
        endless.step(page("a", nextCursor="2"), "")


def test_what_cannot_be_listed_is_the_upstreams_fault() -> None:
    for result, failure in ((b"", "the server ended"), (b"[]", ""), (b'{"tools": 7}', "")):
        with pytest.raises(UpstreamError):
            DefinitionSearch(tool="x").step(result, failure)
    with pytest.raises(CallerError, match="tool is missing"):
        DefinitionSearch.begin({"action": "tool", "tool": 7})
