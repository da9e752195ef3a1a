"""Servers behind one gateway: what is written says what is meant, and every byte comes back."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from penstock.cli import main
from penstock.client_config.expand import servers_in
from penstock.client_config.together import MARK
from tests.kit.client_configs import Written, json_files

TWO = {"a": {"command": "a", "args": ["1"]}, "b": {"command": "b", "env": {"KEY": "${KEY:-}"}}}
CODEX = """\
model = "x"  # mine

# the first
[mcp_servers.a]
command = "a"
args = ["1"]

[mcp_servers.a.env]
K = "v"

[mcp_servers.b]
command = "b"

[other]
x = 1
"""
GOOSE = """\
extensions:
  developer:
    type: builtin
    enabled: true
  a:
    type: stdio
    name: a
    cmd: a
    args:
    - '1'
    enabled: true
  # of mine
  b:
    type: stdio
    name: b
    cmd: b
    args: []
    enabled: true
other: 1
"""
OPENCODE = json.dumps(
    {
        "$schema": "s",
        "mcp": {
            "a": {"type": "local", "command": ["a", "1"]},
            "b": {"type": "local", "command": ["b"], "environment": {"K": "{env:KEY}"}},
        },
    },
    indent=2,
)


def wrap(file: Path, *words: str) -> int:
    given = ["--yes", "--no-check", "--program", "/opt/penstock", "--client", str(file), "--together", *words]
    return main(["wrap", *given])


def unwrap(file: Path) -> int:
    return main(["unwrap", "--yes", "--client", str(file)])


def sides(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if MARK in path.name)


@given(json_files())
def test_every_byte_comes_back_and_the_servers_are_those_of_the_file(one: Written) -> None:
    if not one.servers:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mcp.json")
        file.write_bytes(one.text.encode())
        assert wrap(file) == 0
        if moved := sides(Path(folder)):
            given = json.loads(moved[0].read_text())
            lines = {name: [each["command"], *each["args"]] for name, each in given["mcpServers"].items()}
            assert lines == {name: [one.servers[name]["command"], *one.servers[name].get("args", [])] for name in lines}
        assert unwrap(file) == 0
        assert file.read_bytes() == one.text.encode()
        assert [path.name for path in Path(folder).iterdir()] == ["mcp.json"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("config.toml", CODEX), ("config.yaml", GOOSE), ("opencode.json", OPENCODE)],
    ids=["codex", "goose", "opencode"],
)
def test_other_formats_move_and_come_back_too(name: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert wrap(file) == 0
    (side,) = sides(tmp_path)
    assert [one.name for one in servers_in(str(side), [])] == ["a", "b"]
    assert [list(getattr(one, "command", ())) for one in servers_in(str(side), [])] == [["a", "1"], ["b"]]
    (ours,) = [one for one in servers_in(str(file), []) if one.name == "penstock"] if name != "config.yaml" else [None]
    if ours is not None:
        assert list(getattr(ours, "command", ())) == ["/opt/penstock", "run", "--config", str(side)]
    assert unwrap(file) == 0
    assert file.read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_each_server_says_alike_is_said_of_the_one_and_the_rest_stays(tmp_path: Path) -> None:
    file = tmp_path / "mcp-config.json"
    servers: dict[str, Any] = {
        "a": {"tools": ["*"], "type": "local", "command": "a", "timeout": 5},
        "login": {"type": "http", "url": "https://example.com/mcp"},
        "off": {"command": "x", "disabled": True},
        "asks": {"command": "x", "args": ["${input:key}"]},
        "b": {"tools": ["*"], "type": "local", "command": "b", "timeout": 6},
    }
    file.write_text(json.dumps({"mcpServers": servers}, indent=1))
    before = file.read_bytes()
    assert wrap(file) == 0
    (side,) = sides(tmp_path)
    after = json.loads(file.read_text())["mcpServers"]
    assert list(after) == ["penstock", "login", "off", "asks"]
    assert after["penstock"] == {
        "type": "stdio",
        "command": "/opt/penstock",
        "args": ["run", "--config", str(side)],
        "tools": ["*"],
    }
    assert {name: after[name] for name in ("login", "off", "asks")} == {
        name: servers[name] for name in ("login", "off", "asks")
    }
    assert unwrap(file) == 0
    assert file.read_bytes() == before


def test_what_was_edited_elsewhere_survives_and_a_file_that_was_written_anew_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": TWO}, indent=2))
    assert wrap(file) == 0
    file.write_text(file.read_text().replace("{", '{"mine": 1,', 1))
    assert unwrap(file) == 0
    assert json.loads(file.read_text()) == {"mine": 1, "mcpServers": TWO}
    assert wrap(file) == 0
    anew = json.loads(file.read_text())
    anew["mcpServers"]["c"] = {"command": "c"}
    file.write_text(json.dumps(anew, indent=7))
    assert unwrap(file) == 0
    assert json.loads(file.read_text()) == {"mine": 1, "mcpServers": {**TWO, "c": {"command": "c"}}}
    assert sides(tmp_path) == []


def test_the_dry_run_says_that_tools_get_another_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": TWO}))
    before = file.read_bytes()
    assert wrap(file, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert "penstock, instead of 2 servers" in shown
    assert "mcp__penstock__TOOL" in shown
    assert "Change allow-lists, permissions and prompts that name a tool with its server." in shown
    assert file.read_bytes() == before
    assert sides(tmp_path) == []


def test_one_server_alone_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": TWO["a"]}}))
    assert wrap(file) == 0
    assert "a is the only one that could move; wrap it without --together" in capsys.readouterr().out


def test_without_its_file_a_group_stays_with_a_word_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": TWO}))
    assert wrap(file) == 0
    (side,) = sides(tmp_path)
    wrapped, kept = file.read_bytes(), side.read_bytes()
    for damage in (b"{}", b"\xff", None):
        side.unlink() if damage is None else side.write_bytes(damage)
        assert unwrap(file) == 0
        assert "penstock cannot be taken apart: mcp.penstock-servers.json" in capsys.readouterr().out
        assert file.read_bytes() == wrapped
    side.write_bytes(kept)
    assert unwrap(file) == 0
    assert json.loads(file.read_text()) == {"mcpServers": TWO}


def test_a_second_group_does_not_take_the_first_one_s_name(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": TWO}, indent=2))
    assert wrap(file) == 0
    more = json.loads(file.read_text())
    more["mcpServers"] |= {"c": {"command": "c"}, "d": {"command": "d"}}
    file.write_text(json.dumps(more, indent=2))
    assert wrap(file) == 0
    assert list(json.loads(file.read_text())["mcpServers"]) == ["penstock", "penstock-2"]
    assert len(sides(tmp_path)) == 2
    assert unwrap(file) == 0
    assert sorted(json.loads(file.read_text())["mcpServers"]) == ["a", "b", "c", "d"]


def test_settings_are_given_as_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": TWO}))
    assert wrap(file, "--config", "penstock.toml") == 2
    assert "--together and --config cannot be combined" in capsys.readouterr().err
    assert wrap(file, "--max-tokens", "8000", "--owner", "me") == 0
    words = json.loads(file.read_text())["mcpServers"]["penstock"]["args"]
    assert words[:5] == ["run", "--max-tokens", "8000", "--owner", "me"]
