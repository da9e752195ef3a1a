"""The settings file, and the list of tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.examples.code_client import Talk
from tests.kit.examples.samples.code import make_sample
from tests.kit.examples.starts import refused_settings, with_penstock

from code_server.app import build
from code_server.folder import Folder
from code_server.language import Limits
from code_server.settings import SHIPPED, load_settings
from penstock import count
from server_parts.answers import as_json

if TYPE_CHECKING:
    from pathlib import Path


def ask(folder: Path, config: Path, tool: str, **arguments: Any) -> Any:
    with Talk(server=build(Folder(root=folder.resolve()), load_settings(config))) as own:
        return own.told(tool, **arguments)


def test_the_shipped_settings_are_the_defaults_of_the_specification() -> None:
    settings = load_settings(SHIPPED)
    config = settings.penstock
    assert (config.max_tokens, config.max_depth, config.ttl) == (25_000, 3, 60)
    assert (config.auto_truncate, config.never_hold, config.always_hold) == (True, False, False)
    tools = ("search_text", "get_document_symbols", "get_references", "get_diagnostics", "another")
    assert [config.rule_for(tool).max_depth for tool in tools] == [2, 4, 3, 3, 3]
    assert settings.language == Limits()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[buffer]\nmaxTokensPerResponse = 3", "buffer.maxTokensPerResponse: expected a whole number of tokens"),
        ("[buffer]\ndefaultMaxDepth = 'x'", "buffer.defaultMaxDepth: expected a whole number"),
        ("[buffer]\nautoTruncate = 3", "buffer.autoTruncate: expected true or false"),
        ("[buffer]\nenableBuffering = 1", "buffer.enableBuffering: expected true or false, found 1"),
        ("[buffer]\nbufferTTL = 10", "buffer.bufferTTL: expected milliseconds from 1,000 to 86,400,000, found 10"),
        ("[buffer]\nbufferTtl = 10", "buffer.bufferTtl: not a setting; one of maxTokensPerResponse"),
        ("[buffer.toolConfigs]\nsearch_text = 3", "buffer.toolConfigs.search_text: expected a table"),
        ("[buffer.toolConfigs]\nsearch = {}", "buffer.toolConfigs.search: not a setting; one of search_text"),
        ("[buffer.toolConfigs]\nsearch_text = {depth = 3}", "buffer.toolConfigs.search_text.depth: not a setting"),
        ("[buffer.toolConfigs]\nsearch_text = {maxDepth = 0}", "buffer.toolConfigs.search_text.maxDepth: expected"),
        ("buffer = 3", "buffer: expected a table"),
        ("[languageServer]\ncommand = 'x'", "languageServer.command: not a setting; one of startSeconds"),
        ("[languageServer.servers]\npython.command = 'x'", "servers.python.command: expected a list of words"),
        ("[languageServer.servers]\npython.command = ['']", "servers.python.command: expected a list of words"),
        ("[languageServer.servers]\nzig.command = ['zls']", "servers.zig: expected a command and languages"),
        (
            "[languageServer.servers.zig]\ncommand = ['zls']\nlanguages = {zig = 'zig'}",
            "zig.languages: expected a language for a suffix",
        ),
        ("[languageServer.servers]\nrust.port = 3", "languageServer.servers.rust.port: not a setting; one of command"),
        ("[languageServer]\nrequestSeconds = 0", "languageServer.requestSeconds: expected seconds from 1 to 600"),
        ("[languageServer]\nstartSeconds = true", "languageServer.startSeconds: expected seconds"),
        ("not toml", "not valid TOML"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused_settings(load_settings, tmp_path / "buffer.toml", with_penstock(text))


def test_without_buffering_every_answer_passes_whole(code: Path, tmp_path: Path) -> None:
    (code / "long.txt").write_text("the tide\n" * 3_000)
    config = tmp_path / "mine.toml"
    config.write_text("[buffer]\nenableBuffering = false\n[penstock]\n")
    assert len(ask(code, config, "search_text", query="tide")["matches"]) == 3_000 + 1


def test_a_tool_can_always_be_buffered(code: Path, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[buffer.toolConfigs]\nsearch_text = {alwaysBuffer = true}\n[penstock]\nstore = 'memory:'\n")
    told = ask(code, config, "search_text", query="height")
    assert told["type"] == "buffered_response"
    assert told["metadata"]["wouldExceedLimit"] is False
    assert told["metadata"]["totalMatches"] == 3


def test_an_answer_held_for_its_upper_bound_says_which_figure_is_above_the_limit(code: Path, tmp_path: Path) -> None:
    (code / "long.txt").write_text("the tide\n" * 300)
    config = tmp_path / "mine.toml"
    config.write_text("[buffer]\nenableBuffering = false\n[penstock]\n")
    whole = ask(code, config, "search_text", query="tide")
    tokens = count(as_json(whole), profile="claude").tokens
    config.write_text(f"[buffer]\nmaxTokensPerResponse = {tokens + 1}\n[penstock]\nstore = 'memory:'\n")
    told = ask(code, config, "search_text", query="tide")
    assert told["metadata"]["totalTokens"] <= tokens + 1
    assert told["metadata"]["wouldExceedLimit"] is True
    words = rf"\(about {tokens:,} tokens, and up to ([\d,]+) as it is sent; the limit is {tokens + 1:,}\)"
    up_to = re.search(words, told["message"])
    assert up_to is not None, told["message"]
    assert int(up_to[1].replace(",", "")) > tokens + 1


def test_a_tool_can_have_a_budget_and_a_mark_of_its_own(code: Path, tmp_path: Path) -> None:
    (code / "some.txt").write_text("the tide\n" * 100)
    config = tmp_path / "mine.toml"
    config.write_text(
        "[buffer]\ntruncationIndicator = '[cut]'\npreserveArrayLength = true\n[buffer.toolConfigs]\n"
        "search_text = {maxTokens = 2_500, maxDepth = 3}\n[penstock]\nstore = 'memory:'\n"
    )
    told = ask(code, config, "search_text", query="tide", includes=["some.txt"])
    assert told["metadata"]["tokenLimit"] == 2_500
    assert told["preview"]["firstMatches"][0]["context"] == {"before": "[cut: 0 items]", "after": "[cut: 4 items]"}


@pytest.mark.parametrize("tool", ["search_text", "get_document_symbols"])
def test_where_nothing_can_be_kept_the_answer_says_so_and_fits(tool: str, tmp_path: Path) -> None:
    make_sample(tmp_path / "sample")
    (tmp_path / "file").write_text("a file where a folder should be")
    config = tmp_path / "mine.toml"
    store = (tmp_path / "file/store.db").as_posix()
    config.write_text(f"[buffer]\nautoTruncate = true\n[penstock]\nstore = 'sqlite:///{store}'\n")
    arguments = {"query": "useState"} if tool == "search_text" else {"path": "services/nested.py"}
    with Talk(server=build(Folder(root=(tmp_path / "sample").resolve()), load_settings(config))) as own:
        answer = own.call(tool, **arguments)
    assert not answer.is_error
    assert "The rest was not kept" in answer.data["message"]
    assert "bufferId" not in answer.data
    assert answer.tokens < 25_000


def test_the_tools_are_listed_with_their_arguments_and_penstocks_own_last(talk: Talk) -> None:
    tools = {tool.name: tool for tool in talk.tools()}
    assert list(tools) == [
        "search_text",
        "get_document_symbols",
        "get_references",
        "get_diagnostics",
        "fetch_cached_response",
    ]
    search_text = tools["search_text"]
    assert list(search_text.input_schema["properties"]) == ["query", "includes", "excludes", "limit", "offset"]
    assert search_text.input_schema["required"] == ["query"]
    for tool in list(tools.values())[:-1]:
        assert tool.annotations.read_only_hint
        assert all(one["description"] and one["examples"] for one in tool.input_schema["properties"].values())


def test_a_section_that_a_file_leaves_out_is_as_shipped(tmp_path: Path) -> None:
    config = tmp_path / "own.toml"
    config.write_text('[languageServer.servers.zig]\ncommand = ["zls"]\nlanguages = { ".zig" = "zig" }\n')
    own, shipped = load_settings(config), load_settings(SHIPPED)
    assert own.penstock == shipped.penstock
    assert [one.name for one in own.language.servers] == [*(one.name for one in shipped.language.servers), "zig"]


def test_a_setting_changes_nothing_else_of_its_section(tmp_path: Path) -> None:
    config = tmp_path / "own.toml"
    config.write_text("[buffer]\nbufferTTL = 5_000\n[buffer.toolConfigs]\nsearch_text = {alwaysBuffer = true}\n")
    own = load_settings(config).penstock
    assert (own.max_tokens, own.max_depth, own.ttl, own.auto_truncate) == (25_000, 3, 5, True)
    assert (own.rule_for("search_text").always_hold, own.rule_for("search_text").max_depth) == (True, 2)
    assert own.rule_for("get_document_symbols").max_depth == 4
