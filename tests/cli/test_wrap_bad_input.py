"""Whatever the file is: one clear line, exit code 2, nothing written, no traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.cli import main
from tests.kit.command_line import refused


@pytest.mark.parametrize("command", ["wrap", "unwrap"])
@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.json", b"", "a.json is empty"),
        ("a.json", b"\xef\xbb\xbf", "a.json is empty"),
        ("a.json", b"[1]", "a.json is not a JSON object"),
        ("a.json", b'{"mcpServers": {', "a.json is not valid JSON: expected text in double quotes, found the end"),
        ("a.json", b'{"mcpServers": {}}', "a.json: no MCP server is configured"),
        ("a.json", b"{}", "no MCP server is configured"),
        ("a.json", b'{"mcpServers": "x"}', "a.json has a mcpServers that is not an object"),
        ("a.json", b'{"mcpServers": {"a": {}, "a": {}}}', 'a.json has "a" a second time in line 1'),
        ("a.json", b"\xff\xfe{\x00}\x00", "a.json is not UTF-8 text"),
        ("a.json", b"[" * 100_000, "a.json is not valid JSON: expected at most 100 levels"),
        ("a.toml", b"", "no MCP server is configured"),
        ("a.toml", b"[mcp_servers", "a.toml is not valid TOML"),
        ("a.toml", b"mcp_servers = []", "a.toml has an mcp_servers that is not a table"),
    ],
)
def test_a_file_that_is_no_configuration(
    command: str,
    name: str,
    data: bytes,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(data)
    assert words in refused([command, "--yes", "--client", name], capsys)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, data)]


@pytest.mark.parametrize("name", ["missing.json", ".", "dangling", "circle", "a\0b", "x" * 5_000])
def test_a_file_that_is_not_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.symlink("nowhere", "dangling")
    os.symlink("circle", "circle")
    assert main(["wrap", "--yes", "--client", name]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_one_broken_file_stops_the_work_on_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = '{"mcpServers": {"a": {"command": "a"}}}'
    Path(".mcp.json").write_text(text)
    Path(".cursor").mkdir()
    Path(".cursor", "mcp.json").write_text("{")
    assert main(["wrap", "--yes"]) == 2
    assert ".cursor/mcp.json is not valid JSON" in capsys.readouterr().err
    assert Path(".mcp.json").read_text() == text


def test_a_folder_that_is_gone_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert main(["wrap"]) == 2
    assert "the current folder no longer exists" in capsys.readouterr().err


def test_a_file_that_another_program_changes_while_we_ask_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"a": {"command": "a"}}}')

    def answer(_: str) -> str:
        file.write_text('{"mcpServers": {}}')
        return "y"

    monkeypatch.setattr("builtins.input", answer)
    assert main(["wrap", "--no-check", "--client", str(file)]) == 2
    assert "was changed by another program meanwhile" in capsys.readouterr().err
    assert file.read_text() == '{"mcpServers": {}}'
