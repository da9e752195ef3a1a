"""What the specification asks for, scenario by scenario, with the names and the defaults that it gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock import count

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kit.examples.vault_client import Talk

LONG = "Reference/Field guide.md"
LIST_KEYS = {"total", "offset", "limit", "hasMore"}
TEXT_KEYS = {"totalLength", "startIndex", "endIndex", "hasMore", "truncated"}


def test_list_vault_files_respects_its_limit(talk: Talk) -> None:
    told = talk.told("list_vault_files", limit=10)
    assert len(told["files"]) == 10
    assert told["pagination"]["hasMore"] is True


def test_get_vault_file_cuts_a_large_file_and_says_so(talk: Talk) -> None:
    answer = talk.call("get_vault_file", filename=LONG, maxLength=1_000)
    assert 0 < len(answer.texts[0]) <= 1_000
    assert json.loads(answer.texts[1])["truncated"] is True


@pytest.mark.parametrize(
    ("tool", "arguments", "key", "expected"),
    [
        ("list_vault_files", {}, "files", 100),
        ("search_vault_simple", {"query": "the"}, "results", 20),
        ("search_vault", {"queryType": "jsonlogic", "query": '{"!!": [{"var": "path"}]}'}, "results", 50),
        ("search_vault", {"queryType": "dataview", "query": "LIST"}, "results", 50),
        ("search_vault_smart", {"query": "drainage"}, "results", 20),
        ("bulk_delete_files", {"pattern": "*.md"}, "files", 50),
        ("vault", {"operation": "list"}, "files", 100),
        ("vault", {"operation": "search", "params": {"query": "the"}}, "results", 20),
    ],
)
def test_the_default_limits_are_those_of_the_specification(
    talk: Talk, tool: str, arguments: dict[str, Any], key: str, expected: int
) -> None:
    told = talk.told(tool, **arguments)
    assert len(told[key]) == told["pagination"]["limit"] == expected
    assert set(told["pagination"]) == LIST_KEYS
    assert told["pagination"]["total"] > expected
    assert told["pagination"]["hasMore"] is True


@pytest.mark.parametrize(
    ("tool", "arguments", "length"),
    [
        ("get_vault_file", {"filename": LONG}, 10_000),
        ("vault", {"operation": "read", "params": {"filename": LONG}}, 10_000),
        ("fetch", {"url": LONG}, 5_000),
    ],
)
def test_the_default_lengths_are_those_of_the_specification(
    talk: Talk, tool: str, arguments: dict[str, Any], length: int
) -> None:
    text, told, _ = talk.call(tool, **arguments).texts
    metadata = json.loads(told.removeprefix("Pagination: "))
    assert length * 0.9 < len(text) <= length
    assert set(metadata) == {*TEXT_KEYS, "nextIndex"}
    assert (metadata["startIndex"], metadata["endIndex"]) == (0, len(text))
    assert metadata["nextIndex"] == metadata["endIndex"]
    assert (metadata["hasMore"], metadata["truncated"]) == (True, True)


def test_fetch_names_its_metadata_as_it_always_did(talk: Talk) -> None:
    assert talk.call("fetch", url=LONG).texts[1].startswith('Pagination: {"totalLength":')


def test_the_end_of_a_file_has_no_next_index(talk: Talk) -> None:
    answer = talk.call("get_vault_file", filename="Projects/Harbour/Overview.md")
    metadata = json.loads(answer.texts[1])
    assert set(metadata) == TEXT_KEYS
    assert (metadata["hasMore"], metadata["truncated"]) == (False, False)
    assert len(answer.texts) == 2


def test_the_active_file_is_the_one_that_is_open_in_the_editor(talk: Talk, sample: Path) -> None:
    assert talk.call("get_active_file").texts[0] == (sample / "Projects/Harbour/Overview.md").read_text()
    assert talk.told("active_file", operation="info")["path"] == "Projects/Harbour/Overview.md"
    assert talk.call("active_file", params={"maxLength": 50}).texts[0].startswith("---\ntitle: Harbour")


def test_a_note_as_json_has_its_front_matter_and_tags(talk: Talk) -> None:
    told = talk.told("get_vault_file", filename="Projects/Harbour/Overview.md", format="json")
    assert told["frontmatter"]["status"] == "active"
    assert told["tags"] == ["project/harbour"]
    assert told["stat"]["size"] == len(told["content"].encode())
    assert talk.told("get_active_file", format="json") == told


def test_windows_of_a_large_file_put_together_are_the_file(talk: Talk, sample: Path) -> None:
    whole, parts = (sample / LONG).read_text(), []
    answer = talk.call("get_vault_file", filename=LONG, maxLength=200_000)  # made smaller, as it is too much for one
    assert 10_000 < len(answer.texts[0]) == json.loads(answer.texts[1])["nextIndex"] < 50_000
    assert whole.startswith(answer.texts[0])
    assert json.loads(answer.texts[1])["limitedTo"] == "9,000 tokens or 40,000 bytes of text in one answer"
    answer = talk.call("get_vault_file", filename=LONG, startIndex=len(whole) - 60_000)
    while True:
        parts.append(answer.texts[0])
        if len(answer.texts) == 2:
            break
        answer = talk.follow(json.loads(answer.texts[2])["next"])
    assert "".join(parts) == whole[-60_000:]


def test_pages_of_a_list_put_together_are_all_files(talk: Talk, sample: Path) -> None:
    told, files = talk.told("list_vault_files", directory="Projects", limit=90), []
    while True:
        files += told["files"]
        if "next" not in told:
            break
        told = talk.follow(told["next"]).data
    assert files == sorted(path.relative_to(sample).as_posix() for path in (sample / "Projects").rglob("*.md"))


def test_pages_of_a_search_put_together_have_every_note_once(talk: Talk, sample: Path) -> None:
    told, files = talk.told("search_vault_simple", query="north wall although", limit=60, contextLength=10), []
    total = told["pagination"]["total"]
    while True:
        files += [result["filename"] for result in told["results"]]
        if "next" not in told:
            break
        told = talk.follow(told["next"]).data
    expected = [path for path in sample.rglob("*.md") if "north wall although" in path.read_text()]
    assert sorted(files) == sorted(path.relative_to(sample).as_posix() for path in expected)
    assert total == len(files) > 100


def test_past_the_end_there_is_nothing_but_the_total(talk: Talk) -> None:
    told = talk.told("list_vault_files", offset=1_000_000)
    assert told["files"] == []
    assert told["pagination"]["hasMore"] is False
    assert told["pagination"]["total"] == 2_002
    answer = talk.call("get_vault_file", filename="Projects/Harbour/Overview.md", startIndex=1_000_000)
    assert answer.texts[0] == ""
    assert json.loads(answer.texts[1])["totalLength"] == 279


def test_discover_lists_the_operations_with_pagination(talk: Talk) -> None:
    told = talk.told("discover", limit=3)
    assert [one["operation"] for one in told["operations"]] == ["list", "read", "search"]
    assert told["operations"][0]["params"]["limit"] == 100
    assert told["pagination"] == {"total": 8, "offset": 0, "limit": 3, "hasMore": True}
    assert [one["operation"] for one in talk.follow(told["next"]).data["operations"]] == ["query", "smart", "fetch"]


@pytest.mark.parametrize(("category", "first"), [("folders", "Attachments"), ("tags", "safety"), ("fields", "status")])
def test_discover_counts_folders_tags_and_fields(talk: Talk, category: str, first: str) -> None:
    told = talk.told("discover", category=category, limit=1)
    assert told[category][0]["name"] == first
    assert told["vault"]["notes"] == 2_000


def test_every_tool_tells_how_to_read_on_and_is_short(talk: Talk) -> None:
    tools = talk.tools()
    assert tools[-1].name == "fetch_cached_response"
    for tool in tools[:-1]:
        assert len(tool.description) < 2_048
        assert "Example" in tool.description
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"
    paginated = [tool for tool in tools[:-1] if {"offset", "startIndex"} & tool.input_schema["properties"].keys()]
    assert all("next" in tool.description for tool in paginated)


def test_prompts_have_examples_of_paginated_calls(talk: Talk) -> None:
    explore = talk.run(talk.client.get_prompt("explore_vault", {"topic": "drainage"})).messages[0].content.text
    read = talk.run(talk.client.get_prompt("read_long_note", {"filename": LONG})).messages[0].content.text
    call = json.loads(explore.partition("search_vault_simple ")[2].partition(";")[0])
    assert talk.told("search_vault_simple", **call)["pagination"]["offset"] == 0
    call = json.loads(read.partition("get_vault_file ")[2].partition("\n")[0])
    assert talk.call("get_vault_file", **call).texts[1].startswith('{"totalLength":')


def test_calls_from_before_there_were_limits_still_work(talk: Talk) -> None:
    before: list[tuple[str, dict[str, Any]]] = [
        ("list_vault_files", {}),
        ("list_vault_files", {"directory": "Projects"}),
        ("get_vault_file", {"filename": LONG}),
        ("get_vault_file", {"filename": LONG, "format": "json"}),
        ("get_active_file", {}),
        ("search_vault_simple", {"query": "pump", "contextLength": 40}),
        ("search_vault", {"queryType": "dataview", "query": 'TABLE status FROM "Projects"'}),
        ("search_vault_smart", {"query": "pump", "filter": {"folders": ["Projects"]}}),
        ("bulk_delete_files", {"pattern": "*.md", "limit": 10}),
        ("fetch", {"url": LONG}),
    ]
    for tool, arguments in before:
        assert not talk.call(tool, **arguments).is_error


def test_a_search_costs_about_five_kilobytes(talk: Talk) -> None:
    for query in ("the", "harbour", "report"):
        answer = talk.call("search_vault_simple", query=query)
        assert len(answer.data["results"]) == 20
        assert answer.size < 5_500
        ranked = talk.call("search_vault_smart", query=query)
        assert len(ranked.data["results"]) == 20
        assert ranked.size < 5_500


def test_answers_are_small_on_average_and_none_is_large(talk: Talk) -> None:
    """Under 10 KB on average and none above 50 KB, also when far more is asked for."""
    everything = '{"!!": [{"var": "path"}]}'
    asked: list[tuple[str, dict[str, Any]]] = [
        ("list_vault_files", {}),
        ("list_vault_files", {"limit": 100_000}),
        ("get_vault_file", {"filename": LONG}),
        ("get_vault_file", {"filename": LONG, "format": "json"}),
        ("get_vault_file", {"filename": LONG, "maxLength": 2_000_000}),
        ("get_vault_file", {"filename": "Reference/港口笔记.md"}),
        ("search_vault_simple", {"query": "e"}),
        ("search_vault_simple", {"query": "e", "limit": 3_000, "contextLength": 2_000}),
        ("search_vault", {"queryType": "jsonlogic", "query": everything}),
        ("search_vault", {"queryType": "jsonlogic", "query": everything, "limit": 5_000}),
        ("search_vault", {"queryType": "dataview", "query": "TABLE status, due, owner, file.tags", "limit": 5_000}),
        ("search_vault_smart", {"query": "the soil report"}),
        ("search_vault_smart", {"query": "the soil report", "filter": {"limit": 5_000}}),
        ("bulk_delete_files", {"pattern": "**"}),
        ("bulk_delete_files", {"pattern": "**", "limit": 5_000}),
        ("fetch", {"url": LONG}),
        ("fetch", {"url": LONG, "maxLength": 1_000_000}),
        ("discover", {}),
        ("discover", {"category": "folders", "limit": 1_000}),
    ]
    answers = [talk.call(tool, **arguments) for tool, arguments in asked]
    assert not any(answer.is_error for answer in answers)
    assert sum(answer.size for answer in answers) / len(answers) < 10_000
    assert max(answer.size for answer in answers) < 50_000
    assert max(count("".join(answer.texts)).upper for answer in answers) <= 10_000
