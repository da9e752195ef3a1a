"""References are asked for where a name is defined, and an empty answer is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types as lsp

from code_server.places import definitions, occurrences
from penstock import CallerError

if TYPE_CHECKING:
    from tests.kit.examples.code_client import Talk

TEXT = '''"""Uses berth, and 𝒽 berth."""

class Quay:
    def berth(self): return berth

def berth(): ...
'''


def symbol(name: str, row: int, column: int, *children: lsp.DocumentSymbol) -> lsp.DocumentSymbol:
    place = lsp.Range(lsp.Position(row, column), lsp.Position(row, column + len(name)))
    kind = lsp.SymbolKind.Class if children else lsp.SymbolKind.Method
    return lsp.DocumentSymbol(name=name, kind=kind, range=place, selection_range=place, children=children)


def test_a_name_is_found_at_every_place_in_the_units_of_a_language_server() -> None:
    assert occurrences(TEXT, "berth", None) == [(0, 8), (0, 22), (3, 8), (3, 28), (5, 4)]
    assert occurrences(TEXT, "berth", 4) == [(3, 8), (3, 28)]
    with pytest.raises(CallerError, match=r'stands on line 3, got "berth"; for example \{"symbol": "Quay"\}'):
        occurrences(TEXT, "berth", 3)


def test_all_symbols_of_a_name_are_its_definitions_with_what_they_are_in() -> None:
    tree = [symbol("Quay", 2, 6, symbol("berth", 3, 8)), symbol("(*Quay).berth", 5, 0)]
    told = [one.as_json() for one in definitions(tree, "berth", TEXT)]
    assert told == [{"line": 4, "kind": "method", "in": "Quay"}, {"line": 6, "kind": "method"}]
    assert [one.place for one in definitions(tree, "berth", TEXT)] == [(3, 8), (5, 4)]


def test_a_server_that_gives_flat_symbols_is_understood() -> None:
    place = lsp.Location("file:///x", lsp.Range(lsp.Position(3, 4), lsp.Position(3, 30)))
    flat = lsp.SymbolInformation(name="berth", kind=lsp.SymbolKind.Method, location=place, container_name="Quay")
    (found,) = definitions([flat], "berth", TEXT)
    assert (found.place, found.inside) == ((3, 8), "Quay")


def test_a_name_that_stands_in_a_docstring_first_is_asked_for_at_its_definition(talk: Talk) -> None:
    told = talk.references(path="services/events.py", symbol="WRITTEN")
    assert [one["line"] for one in told["definitions"]] == [5]
    assert told["totalMatches"] == 3
    held = talk.references(path="services/events.py", symbol="record_event")
    assert held["metadata"]["totalMatches"] == 662


def test_a_name_that_the_file_only_uses_is_asked_for_where_it_is_used(talk: Talk) -> None:
    by_use = talk.references(path="services/handlers/route_1.py", symbol="record_event")
    assert by_use["metadata"]["totalMatches"] == 662


def test_uses_of_all_symbols_of_a_name_come_with_a_word_and_a_line_asks_for_one(talk: Talk) -> None:
    every = talk.references(path="services/nested.py", symbol="open")
    assert [one["in"] for one in every["definitions"]] == [f"Shed{n}" for n in range(5)]
    assert every["totalMatches"] == 5
    assert "line asks for one" in every["note"]
    line = every["definitions"][2]["line"]
    assert talk.references(path="services/nested.py", symbol="open", line=line)["totalMatches"] == 1


def test_a_name_that_is_no_symbol_anywhere_is_an_error_and_not_an_empty_list(talk: Talk) -> None:
    told = talk.refused("get_references", path="services/events.py", symbol="harbour")
    assert "symbol: harbour stands on line 1 of services/events.py, and the language server knows no symbol" in told
    assert 'search_text {"query":"harbour"}' in told
