"""A wrong call is answered with the argument, what was expected, what came, and an example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.examples.code_client import Talk

from code_server.app import CONFIG, build
from code_server.folder import Folder
from code_server.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("tool", "arguments", "argument", "says"),
    [
        ("search_text", {}, "query", "is required; expected the text to find"),
        ("search_text", {"query": ""}, "query", 'got ""; for example {"query": "useState"}'),
        ("search_text", {"query": "a\nb"}, "query", "expected text without a line break"),
        ("search_text", {"query": ["a"]}, "query", 'got ["a"]'),
        ("search_text", {"query": "a", "limit": 0}, "limit", "from 1 to 5,000, got 0"),
        ("search_text", {"query": "a", "limit": "many"}, "limit", 'for example {"limit": 10}'),
        ("search_text", {"query": "a", "includes": "*.py"}, "includes", "expected a list of globs"),
        ("search_text", {"query": "a", "excludes": ["!"]}, "excludes", 'got "!"'),
        ("search_text", {"query": "a", "regexp": True}, "regexp", "no such argument; expected query or includes"),
        ("get_document_symbols", {}, "path", "is required; expected a Python file"),
        ("get_document_symbols", {"path": "../../etc/passwd"}, "path", "expected a path inside of the folder"),
        ("get_document_symbols", {"path": "src/components/RoutePanel1.tsx"}, "path", "(.py or .pyi)"),
        ("get_document_symbols", {"path": "services/gone.py"}, "path", 'for example {"path": "services/nested.py"}'),
        ("get_document_symbols", {"path": "x" * 900}, "path", "(902 characters)"),
        ("get_references", {"path": "services/events.py"}, "symbol", "is required"),
        ("get_references", {"path": "services/events.py", "symbol": "gone"}, "symbol", "stands in the file"),
        ("get_references", {"path": "services/events.py", "symbol": "a b"}, "symbol", "expected one name"),
        ("get_references", {"path": "services/events.py", "symbol": "WRITTEN", "line": 1}, "symbol", "on line 1"),
        ("get_references", {"path": "services/events.py", "symbol": "WRITTEN", "line": 99}, "line", "which has 12"),
        ("get_references", {"path": "services/events.py", "symbol": "WRITTEN", "line": 0}, "line", "got 0"),
        ("get_diagnostics", {"path": "nowhere"}, "path", "a Python file or a folder that is there"),
        ("get_diagnostics", {"severity": "bad"}, "severity", "expected error, warning, information or hint"),
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


def test_too_many_files_at_once_are_refused(tmp_path: Path) -> None:
    for number in range(501):
        (tmp_path / f"m{number}.py").touch()
    with Talk(server=build(Folder(root=tmp_path), load_settings(CONFIG))) as own:
        told = own.refused("get_diagnostics")
    assert 'path: expected a folder with at most 500 Python files, got "."' in told
