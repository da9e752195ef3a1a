"""``penstock run``: which server is meant, and one clear line where none is. What it then does is in tests/gateway."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from penstock.cli import main
from penstock.cli.start_server import FLAGS, split
from penstock.cli.url_options import read_headers, read_url
from penstock.errors import CallerError
from tests.kit.command_line import refused

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "s3cr3t-value"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no server is given; give its command: penstock run COMMAND ARGS..., or its URL: "),
        (["--max-tokens", "9000"], "penstock run --url URL"),
        (["--"], "no command follows --"),
        (["--url", "http://127.0.0.1:1", "--", "x"], "both a URL and a command are given; give --url URL, or"),
        (["--url=http://127.0.0.1:1", "--", "x"], "both a URL and a command"),
        (["--header", "A: b", "--", "x"], "both a URL and a command"),
        (["--url", f"ftp://{SECRET}"], "--url: expected the URL of a server; for example"),
        (["--url", f"https://[{SECRET}"], "--url: expected the URL of a server"),
        (["--url", "http://127.0.0.1:99999"], "--url: expected the URL of a server"),
        (["--url", "http://127.0.0.1:1", "--header", SECRET], "--header: expected NAME: VALUE, found no colon"),
        (["--url", "http://127.0.0.1:1", "--header", "a b: c"], "'a b' cannot be the name of a header"),
        (["--url", "http://127.0.0.1:1", "--header", f"A: {SECRET}\nB: c"], "the header A has a line break"),
        (["--url", "http://127.0.0.1:1", "--max-tokens", "few"], "--max-tokens"),
    ],
)
def test_what_cannot_be_run_is_one_line_that_shows_no_key(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = refused(["run", *words], capsys)
    assert said in line
    assert SECRET not in line


def test_help_names_both_kinds_of_server(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["run", "--help"])
    shown = capsys.readouterr().out
    assert end.value.code == 0
    assert "penstock run [options] COMMAND ARGS..." in shown
    assert "penstock run [options] --url URL" in shown
    assert "penstock run [options] --config FILE" in shown


@pytest.mark.parametrize(
    ("servers", "words", "said"),
    [
        ({"a": {"command": "x"}}, ["--url", "http://127.0.0.1:1"], "both a URL and the servers of"),
        ({"a": {"command": "x"}}, ["--header", "A: b"], "both a URL and the servers of"),
        ({"a": {"command": 3}}, [], "a is a server with neither a command nor a URL"),
        ({"a": {"command": "x"}}, ["--max-tokens", "few"], "--max-tokens"),
    ],
)
def test_a_client_s_configuration_is_checked_before_its_servers_are_started(
    servers: dict[str, Any], words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}))
    assert said in refused(["run", "--config", str(file), *words], capsys)


def test_without_its_packages_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [
        name for name in sys.modules if name.startswith(("penstock.gateway.stdio.bridge", "penstock.gateway.upstreams"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    modules: Any = sys.modules
    monkeypatch.setitem(modules, "aiohttp", None)
    assert main(["run", "--url", "http://127.0.0.1:1"]) == 2
    assert 'pip install "penstock-mcp[http]"' in capsys.readouterr().err


def test_the_command_line_comes_after_the_environment_so_that_it_wins() -> None:
    env = {"PENSTOCK_HEADER_X-A": " 1 ", "OTHER": "x"}
    assert read_headers(["x-a:2", "Y: a: b"], env) == [("X-A", "1"), ("x-a", "2"), ("Y", "a: b")]


def test_a_header_that_no_request_can_carry_is_refused() -> None:
    with pytest.raises(CallerError, match="line break"):
        read_headers([], {"PENSTOCK_HEADER_X": "\udc80"})
    with pytest.raises(CallerError, match="cannot be the name of a header"):
        read_headers([], {"PENSTOCK_HEADER_": "x"})


def test_a_url_stays_as_it_is_written() -> None:
    assert read_url("https://Example.com:8443/a%20b?x=1") == "https://Example.com:8443/a%20b?x=1"


@pytest.mark.parametrize(
    ("words", "options", "command"),
    [
        (["npx", "-y", "x"], [], ["npx", "-y", "x"]),
        (["--", "npx", "--", "x"], [], ["npx", "--", "x"]),
        (["--max-tokens", "9", "npx", "--max-tokens"], ["--max-tokens", "9"], ["npx", "--max-tokens"]),
        (["--max-tokens=9", "npx"], ["--max-tokens=9"], ["npx"]),
        (["--record", "x.jsonl", "--", "npx"], ["--record", "x.jsonl"], ["npx"]),
        (["--ttl", "--", "npx"], ["--ttl"], ["npx"]),
        (["--url", "http://x"], ["--url", "http://x"], None),
        (["--help"], ["--help"], None),
    ],
)
def test_a_command_needs_no_dashes_before_it(words: list[str], options: list[str], command: list[str] | None) -> None:
    assert split(words) == (options, command)


def test_every_option_has_one_value_as_the_quick_split_takes_for_granted() -> None:
    from penstock.cli.parsers import parser_of

    known = {name: one.nargs for one in parser_of("run")._actions for name in one.option_strings}
    assert {name for name, values in known.items() if values is None} == FLAGS
    assert {name for name, values in known.items() if values is not None} == {"-h", "--help"}


def test_an_unknown_option_is_told_before_any_server_is_started(capsys: pytest.CaptureFixture[str]) -> None:
    assert "unknown option --bogus" in refused(["run", "--bogus", "--", "no-such-program"], capsys)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("missing.json", None, "missing.json: no such file"),
        ("bad.json", '{\n"mcpServers": }', "bad.json is not valid JSON: expected a value, found '}' (at line 2"),
        ("bad.toml", "x = [", "bad.toml is not valid TOML"),
        ("wrong.toml", "max_token = 9", "wrong.toml:1: max_token: not a setting; did you mean max_tokens?"),
        ("ours.toml", "max_tokens = 9000", "ours.toml names no MCP server, and no other is given; give its command"),
        ("empty.yaml", "", "empty.yaml names no MCP server"),
    ],
)
@pytest.mark.parametrize("command", ["run", "serve", "doctor"])
def test_a_configuration_that_names_no_server_is_named_with_the_reason(
    command: str, name: str, text: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    if text is not None:
        file.write_text(text)
    assert said in refused([command, "--config", str(file)], capsys)
