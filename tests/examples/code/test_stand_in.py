"""The stand-in for a buffered answer: whatever is in it, it fits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from code_server.shapes import cut, levels, symbols
from code_server.stand_in import Buffered, is_deep, stand_in
from penstock import Config, Room

RULES: Any = {"search_text": {"max_depth": 2}, "get_document_symbols": {"max_depth": 4}}
SHIPPED = Config(rules=RULES, auto_truncate=True, preview_tokens=2_500, preview_bytes=8_000)
NOTICE: dict[str, Any] = {
    "cache_id": "r_X7qZ0kW9vJ3bN5mT1yR8cL",
    "metadata": {
        "total_tokens": 85_012,
        "total_bytes": 251_904,
        "max_depth": 5,
        "token_limit": 25_000,
        "expires_in_s": 60,
    },
    "next": [],
    "suggestions": [],
}


def tree(depth: int, width: int = 1) -> list[dict[str, Any]]:
    if depth == 0:
        return []
    below = {"children": tree(depth - 1)} if depth > 1 else {}
    return [{"name": f"Zone{n}", "kind": "class", "line": n, "endLine": n + 9, **below} for n in range(1, width + 1)]


def held(tool: str, data: dict[str, Any]) -> Buffered:
    return Buffered(tool=tool, arguments={}, data=data, notice=NOTICE, exceeds=True)


def fits(text: str | None, config: Config = SHIPPED) -> bool:
    return text is not None and Room(tokens=config.preview_tokens, size=config.preview_bytes).fits(text)


@given(depth=st.integers(1, 30), limit=st.integers(1, 30))
def test_a_cut_tree_and_its_mark_together_are_as_deep_as_the_whole(depth: int, limit: int) -> None:
    whole = tree(depth)
    shown: Any = cut(whole, limit)
    seen = 0
    while isinstance(shown, list):
        seen += 1
        shown = shown[0].get("children")
    if depth <= limit:
        assert cut(whole, limit) == whole
    else:
        assert (seen, shown) == (limit, f"[+{depth - limit} levels truncated]")
    assert levels(whole) == depth


def test_a_mark_tells_how_many_symbols_it_stands_for_when_that_is_asked() -> None:
    mark = cut([{"name": "A", "children": tree(2, width=7)}], 1, keep_lengths=True)[0]["children"]
    assert mark == "[+2 levels truncated: 7 items]"


def test_references_that_are_not_all_say_so_and_are_counted_by_file() -> None:
    place = {"start": {"line": 1, "character": 1}, "end": {"line": 1, "character": 9}}
    uses = [{"file": file, "line": 1, "text": "x", "range": place} for file in ("b.py", "a.py", "b.py")]
    data = {"totalMatches": 3, "fileCount": 2, "incomplete": "no answer in 45 seconds", "references": uses}
    told = json.loads(stand_in(held("get_references", data), SHIPPED) or "")
    assert "Found 3 references across 2 files (85K tokens), and there may be more: it is incomplete" in told["message"]
    assert told["incomplete"] == "no answer in 45 seconds"
    (by_file,) = told["suggestions"]
    assert by_file["arguments"]["sql"].startswith("SELECT file, count(*)")


def test_files_that_were_not_checked_are_in_the_stand_in() -> None:
    place = {"start": {"line": 1, "character": 1}, "end": {"line": 1, "character": 9}}
    wrong = {"file": "a.py", "line": 1, "severity": "error", "code": "x", "message": "m", "range": place}
    data = {
        "checkedFiles": 15,
        "totalFiles": 86,
        "notChecked": {".py: too slow": 71},
        "totalMatches": 3,
        "fileCount": 1,
        "diagnostics": [wrong] * 3,
    }
    told = json.loads(stand_in(held("get_diagnostics", data), SHIPPED) or "")
    assert "in the 15 of 86 files that were checked (85K tokens); 71 could not be checked" in told["message"]
    assert told["notChecked"] == {".py: too slow": 71}
    (kinds,) = told["suggestions"]
    assert kinds["arguments"]["sql"].startswith("SELECT severity, code, file, count(*)")
    assert not any("sum(" in one for one in told["metadata"]["suggestedRefinements"])


def test_skipped_files_of_a_search_are_in_the_stand_in() -> None:
    data = {"totalMatches": 1, "fileCount": 1, "skippedFiles": 4, "matches": [{"file": "a.py", "line": 1, "text": "x"}]}
    assert json.loads(stand_in(held("search_text", data), SHIPPED) or "")["skippedFiles"] == 4


def test_a_type_of_file_is_offered_where_its_matches_fit() -> None:
    matches = [{"file": f"m{n}.{'ts' if n % 7 == 0 else 'js'}", "line": n, "text": "tide " * 20} for n in range(840)]
    data = {"totalMatches": 840, "fileCount": 840, "matches": matches}
    told = json.loads(stand_in(held("search_text", data), SHIPPED) or "")
    first = told["suggestions"][0]
    assert first["arguments"]["includes"] == ["*.ts"]
    assert first["why"] == "120 of the 840 matches are there"
    assert told["metadata"]["suggestedRefinements"][0].startswith('Add "includes":["*.ts"]: 120 of the 840')


def test_only_symbols_are_cut_for_their_depth_and_only_when_that_is_on() -> None:
    data = {"symbols": tree(12)}
    assert is_deep("get_document_symbols", data, SHIPPED)
    assert not is_deep("get_document_symbols", {"symbols": tree(4)}, SHIPPED)
    assert not is_deep("get_document_symbols", data, SHIPPED.with_(auto_truncate=False))
    assert not is_deep("search_text", data, SHIPPED)


@pytest.mark.parametrize("width", [1, 20, 400])
def test_a_wide_tree_shows_fewer_levels_and_then_fewer_symbols(width: int) -> None:
    text = stand_in(held("get_document_symbols", {"symbolCount": width * 6, "symbols": tree(6, width)}), SHIPPED)
    assert text is not None
    assert fits(text)
    wanted = {1: "shows 4 levels [+2", 20: "shows 1 levels [+5", 400: " of 400 at the top"}
    assert wanted[width] in text


@given(lines=st.lists(st.text(max_size=300), min_size=1, max_size=5), files=st.integers(1, 50))
def test_a_preview_fits_whatever_the_code_is_made_of(lines: list[str], files: int) -> None:
    matches = [
        {"file": f"{'ü' * 200}/{n}", "line": n, "text": line * 2, "context": {"before": lines, "after": lines}}
        for n in range(files)
        for line in lines
    ]
    data = {"totalMatches": len(matches), "fileCount": files, "matches": matches}
    assert fits(stand_in(held("search_text", data), SHIPPED))


def test_where_hardly_anything_fits_the_figures_are_told_alone() -> None:
    notice = {**NOTICE, "suggestions": [{"why": "y" * 900, "tool": "search_text", "arguments": {}, "tokens": 5}]}
    matches = [{"file": "f" * 900, "line": 1, "text": "t"}]
    buffered = Buffered(
        tool="search_text",
        arguments={},
        data={"totalMatches": 1, "fileCount": 1, "matches": matches},
        notice=notice,
        exceeds=True,
    )
    small = SHIPPED.with_(preview_tokens=500, preview_bytes=900)
    text = stand_in(buffered, small)
    assert text is not None
    assert fits(text, small)
    assert '"preview":{}' in text
    assert stand_in(buffered, SHIPPED.with_(preview_tokens=250, preview_bytes=512)) is None


def test_what_is_not_cut_and_never_expires_is_not_said_to_be() -> None:
    metadata = {name: value for name, value in NOTICE["metadata"].items() if name != "expires_in_s"}
    notice = {**NOTICE, "metadata": metadata}
    data = {"symbolCount": 4, "symbols": tree(2, width=2)}
    buffered = Buffered(tool="get_document_symbols", arguments={}, data=data, notice=notice, exceeds=True)
    told = json.loads(stand_in(buffered, SHIPPED) or "")
    assert told["preview"]["symbols"] == data["symbols"]
    assert not {"truncatedAtDepth", "expiresInMs"} & told["metadata"].keys()


@pytest.mark.parametrize("tool", ["get_references", "get_document_symbols"])
def test_the_message_has_the_figure_that_decided_where_the_estimate_is_below_the_limit(tool: str) -> None:
    why = "about 22,036 tokens, and up to 26,444 as it is sent; the limit is 25,000"
    figures = {**NOTICE["metadata"], "total_tokens": 22_036}
    notice = {**NOTICE, "metadata": figures, "message": f"84 references in .references, {why}. Below: 3 of them."}
    data = {"references": [{"file": "a.py"}] * 84, "totalMatches": 84, "fileCount": 1, "symbols": tree(1, 9)}
    data["symbolCount"] = 9
    text = stand_in(Buffered(tool=tool, arguments={}, data=data, notice=notice, exceeds=True), SHIPPED)
    assert text is not None
    assert f"({why})" in json.loads(text)["message"]


def test_a_client_with_less_room_gets_a_smaller_stand_in() -> None:
    notice = {**NOTICE, "metadata": {**NOTICE["metadata"], "token_limit": 900}}
    data = {"symbolCount": 60, "symbols": tree(1, width=60)}
    buffered = Buffered(tool="get_document_symbols", arguments={}, data=data, notice=notice, exceeds=True)
    text = stand_in(buffered, SHIPPED)
    assert text is not None
    assert Room(tokens=900).fits(text)


def test_what_is_held_for_its_depth_alone_shows_all_symbols_down_to_that_depth() -> None:
    data: dict[str, Any] = {"symbolCount": 360, "symbols": tree(6, width=60)}
    notice = {**NOTICE, "metadata": {**NOTICE["metadata"], "total_tokens": 20_000, "total_bytes": 50_000}}
    buffered = Buffered(
        tool="get_document_symbols", arguments={}, data=data, notice=notice, exceeds=False, for_depth=True
    )
    text = stand_in(buffered, SHIPPED)
    assert text is not None
    assert json.loads(text)["preview"]["symbols"] == cut(data["symbols"], 4)
    assert Room(tokens=25_000).fits(text)


def test_symbols_come_in_the_order_of_their_lines_however_the_server_sorts_them() -> None:
    def symbol(name: str, line: int, *children: lsp.DocumentSymbol) -> lsp.DocumentSymbol:
        place = lsp.Range(lsp.Position(line, 0), lsp.Position(line + 1, 0))
        return lsp.DocumentSymbol(name, lsp.SymbolKind.Class, place, place, children=children)

    [first, second] = symbols([symbol("abbey", 9), symbol("wharf", 1, symbol("crane", 3), symbol("winch", 2))])
    assert (first["name"], second["name"]) == ("wharf", "abbey")
    assert [one["name"] for one in first["children"]] == ["winch", "crane"]


def test_symbols_without_a_tree_are_listed_as_they_are() -> None:
    place = lsp.Range(lsp.Position(3, 0), lsp.Position(9, 1))
    flat = lsp.SymbolInformation(name="berth", kind=lsp.SymbolKind.Method, location=lsp.Location("file:///a.py", place))
    assert symbols([flat]) == [{"name": "berth", "kind": "method", "line": 4, "endLine": 10}]
