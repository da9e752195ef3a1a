"""A wrong call is answered with the argument, what was expected, what came, and an example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.kit.examples.code_client import Talk


@pytest.mark.parametrize(
    ("tool", "arguments", "argument", "says"),
    [
        ("search_text", {}, "query", "is required; expected text of 1 to 500 characters"),
        ("search_text", {"query": ""}, "query", 'got ""; for example {"query": "useState"}'),
        ("search_text", {"query": "a\nb"}, "query", "expected text without a line break"),
        ("search_text", {"query": ["a"]}, "query", 'got ["a"]'),
        ("search_text", {"query": "a", "limit": 0}, "limit", "from 1 to 50,000, got 0"),
        ("search_text", {"query": "a", "limit": "many"}, "limit", 'for example {"limit": 10}'),
        ("search_text", {"query": "a", "includes": 7}, "includes", "expected a list of text or null, got 7"),
        ("search_text", {"query": "a", "excludes": ["!"]}, "excludes", 'got "!"'),
        ("search_text", {"query": "a", "regexp": True}, "regexp", "no such argument; expected query or includes"),
        ("get_document_symbols", {}, "path", "is required; expected text of 1 to 1,000"),
        ("get_document_symbols", {"path": "../../etc/passwd"}, "path", "expected a path inside the folder"),
        ("get_document_symbols", {"path": "README.md"}, "path", "a file with a language server (.py .pyi .ts"),
        ("get_document_symbols", {"path": "services/gone.py"}, "path", "a file that is there"),
        ("get_document_symbols", {"path": "x" * 900}, "path", "(902 characters)"),
        ("get_references", {"path": "services/events.py"}, "symbol", "is required"),
        ("get_references", {"path": "services/events.py", "symbol": "gone"}, "symbol", "stands in the file"),
        ("get_references", {"path": "services/events.py", "symbol": "a b"}, "symbol", "expected one name"),
        ("get_references", {"path": "services/events.py", "symbol": "WRITTEN", "line": 1}, "symbol", "on line 1"),
        ("get_references", {"path": "services/events.py", "symbol": "WRITTEN", "line": 99}, "line", "which has 12"),
        ("get_references", {"path": "services/events.py", "symbol": "WRITTEN", "line": 0}, "line", "got 0"),
        ("get_diagnostics", {"path": "nowhere"}, "path", "a file or a folder that is there"),
        (
            "get_diagnostics",
            {"severity": "bad"},
            "severity",
            'expected one of "error", "warning", "information", "hint" or null',
        ),
    ],
)
def test_a_wrong_call_names_what_is_wrong(
    talk: Talk, tool: str, arguments: dict[str, Any], argument: str, says: str
) -> None:
    told = talk.refused(tool, **arguments)
    assert f"{argument}: " in told
    assert says in told
    assert len(told) < 500


def test_an_unknown_buffer_is_a_tool_error(talk: Talk) -> None:
    assert "no held result" in talk.refused("fetch_cached_response", cache_id="r_nothing", action="info")


@pytest.mark.parametrize("path", ["services/nestd.py", "nested.py", "src/nested.py"])
def test_the_example_for_a_file_that_is_not_there_is_the_one_that_was_meant(talk: Talk, path: str) -> None:
    assert talk.refused("get_document_symbols", path=path).endswith('for example {"path": "services/nested.py"}')


def test_an_example_is_never_what_was_refused(talk: Talk) -> None:
    path = talk.refused("get_document_symbols", path="no such thing")
    assert path == 'path: expected a file that is there, got "no such thing"; for example {"path": "complex-file.ts"}'
    name = talk.refused("get_references", path="services/nested.py", symbol="record_event")
    assert name.endswith('for example {"symbol": "Zone1"}')
