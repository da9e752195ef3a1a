"""A bad argument is answered with its name, what was expected, and an example; nothing is done."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.kit.examples.vault_client import Talk

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("list_vault_files", {"limit": 0}, "limit"),
    ("list_vault_files", {"limit": 100_001}, "limit"),
    ("list_vault_files", {"limit": "many"}, "limit"),
    ("list_vault_files", {"offset": -1}, "offset"),
    ("list_vault_files", {"pattern": "../*"}, "pattern"),
    ("list_vault_files", {"pattern": ""}, "pattern"),
    ("list_vault_files", {"directory": 7}, "directory"),
    ("get_vault_file", {}, "filename"),
    ("get_vault_file", {"filename": ""}, "filename"),
    ("get_vault_file", {"filename": "x.md", "format": "html"}, "format"),
    ("get_vault_file", {"filename": "x.md", "maxLength": 0}, "maxLength"),
    ("get_vault_file", {"filename": "x.md", "startIndex": -5}, "startIndex"),
    ("get_active_file", {"maxLength": "all"}, "maxLength"),
    ("search_vault_simple", {}, "query"),
    ("search_vault_simple", {"query": ""}, "query"),
    ("search_vault_simple", {"query": "x", "contextLength": 5_000}, "contextLength"),
    ("search_vault", {"queryType": "sql", "query": "x"}, "queryType"),
    ("search_vault", {"queryType": "jsonlogic", "query": "{"}, "query"),
    ("search_vault", {"queryType": "jsonlogic", "query": '{"no-such": 1}'}, "query"),
    ("search_vault", {"queryType": "dataview", "query": "SELECT 1"}, "query"),
    ("search_vault", {"queryType": "dataview", "query": "TABLE a WHERE"}, "query"),
    ("search_vault_smart", {"query": "!!!"}, "query"),
    ("search_vault_smart", {"query": "x", "filter": {"limit": 0}}, "filter"),
    ("search_vault_smart", {"query": "x", "filter": {"limits": 5}}, "filter"),
    ("bulk_delete_files", {}, "pattern"),
    ("bulk_delete_files", {"pattern": "", "dryRun": False}, "pattern"),
    ("bulk_delete_files", {"pattern": "/etc/*", "dryRun": False}, "pattern"),
    ("bulk_delete_files", {"pattern": "*", "limit": 0, "dryRun": False}, "limit"),
    ("bulk_delete_files", {"pattern": "*", "dryRun": "perhaps"}, "dryRun"),
    ("fetch", {"url": ""}, "url"),
    ("fetch", {"url": "ftp://example.org/"}, "url"),
    ("vault", {"operation": "format"}, "operation"),
    ("vault", {"operation": "read", "params": {}}, "filename"),
    ("vault", {"operation": "list", "params": {"limit": -3}}, "limit"),
    ("active_file", {"operation": "info", "params": {"a": 1}}, "params"),
    ("discover", {"category": "colours"}, "category"),
]


@pytest.mark.parametrize(("tool", "arguments", "name"), BAD, ids=lambda value: json.dumps(value)[:60])
def test_a_bad_argument_is_named_with_what_was_expected_and_an_example(
    talk: Talk, tool: str, arguments: dict[str, Any], name: str
) -> None:
    talk.complains(tool, arguments, name)


def test_an_unknown_argument_is_answered_with_the_known_ones(talk: Talk) -> None:
    text = talk.refused("list_vault_files", dir="Projects")
    assert "dir: no such argument; expected directory or limit or offset or pattern" in text


def test_many_mistakes_in_one_call_are_told_in_one_answer(talk: Talk) -> None:
    text = talk.refused("get_vault_file", format="x", maxLength=0, startIndex=-1, a=1, b=2, c=3)
    assert "filename: is required" in text
    assert "and 2 more" in text


def test_a_number_in_quotes_is_taken_for_the_number_it_is(talk: Talk) -> None:
    assert len(talk.told("list_vault_files", limit="3")["files"]) == 3


def test_bad_arguments_have_deleted_nothing(talk: Talk) -> None:
    assert talk.told("list_vault_files", limit=1)["pagination"]["total"] == 2_002
