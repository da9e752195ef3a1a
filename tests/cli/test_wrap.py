"""``penstock wrap`` and ``penstock unwrap`` for each client: which files, which servers, and what is said."""

from __future__ import annotations

import io
import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from penstock.cli import main

PROGRAM = "/opt/penstock"
SERVERS = {
    "github": {"command": "npx", "args": ["-y", "server-github"], "env": {"TOKEN": "secret"}},
    "win": {"command": "cmd", "args": ["/c", "npx", "-y", "x"]},
    "bare": {"command": "bare-server"},
    "notion": {"type": "http", "url": "https://example.com/mcp"},
}
REMOTE = "notion is reached by URL and may need an OAuth login in the client. To wrap it anyway: penstock wrap notion"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project of a user who has nothing yet."""
    folder = tmp_path / "home" / "project"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder.parent))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def write(path: str, value: Any, **layout: Any) -> Path:
    file = Path(path).expanduser()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value, **layout))
    return file


def wrap(*words: str) -> int:
    return main(["wrap", "--yes", "--no-check", "--program", PROGRAM, *words])


def unwrap(*words: str) -> int:
    return main(["unwrap", "--yes", *words])


def line_of(entry: dict[str, Any]) -> list[str]:
    return [entry["command"], *entry.get("args", [])]


@pytest.mark.parametrize(
    ("client", "path", "key"),
    [
        ("claude-code", ".mcp.json", "mcpServers"),
        ("claude-code", "~/.claude.json", "mcpServers"),
        ("claude-desktop", "~/.config/Claude/claude_desktop_config.json", "mcpServers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("cursor", "~/.cursor/mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
        ("vscode", "~/.config/Code/User/mcp.json", "servers"),
        ("gemini-cli", "~/.gemini/settings.json", "mcpServers"),
        ("qwen-code", ".qwen/settings.json", "mcpServers"),
        ("copilot-cli", "~/.copilot/mcp-config.json", "mcpServers"),
        ("amp", "~/.config/amp/settings.json", "amp.mcpServers"),
        ("windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers"),
        ("zed", "~/.config/zed/settings.json", "context_servers"),
        ("cline", "~/.cline/data/settings/cline_mcp_settings.json", "mcpServers"),
        ("roo", ".roo/mcp.json", "mcpServers"),
        ("lm-studio", "~/.lmstudio/mcp.json", "mcpServers"),
        ("kiro", ".kiro/settings/mcp.json", "mcpServers"),
    ],
)
def test_every_client_with_json_is_wrapped_and_unwrapped(client: str, path: str, key: str) -> None:
    file = write(path, {"other": 1, key: SERVERS}, indent=2)
    before = file.read_bytes()
    assert wrap("--client", client) == 0
    after = json.loads(file.read_text())
    lines = {name: line_of(entry) for name, entry in after[key].items() if name != "notion"}
    assert lines == {
        "github": [PROGRAM, "run", "--", "npx", "-y", "server-github"],
        "win": [PROGRAM, "run", "--", "cmd", "/c", "npx", "-y", "x"],
        "bare": [PROGRAM, "run", "--", "bare-server"],
    }
    assert after[key]["github"]["env"] == {"TOKEN": "secret"}
    assert (after[key]["notion"], after["other"]) == (SERVERS["notion"], 1)
    assert unwrap("--client", client) == 0
    assert file.read_bytes() == before


@pytest.mark.parametrize("path", [".codex/config.toml", "~/.codex/config.toml"])
def test_codex_is_wrapped_and_unwrapped(path: str) -> None:
    before = """model = "x"\n\n[mcp_servers.github]\ncommand = "npx"\nargs = ["-y", "server-github"]\n
[mcp_servers.notion]\nurl = "https://example.com/mcp"\n"""
    file = write(path, before)
    assert wrap("--client", "codex") == 0
    after = tomllib.loads(file.read_text())["mcp_servers"]
    assert line_of(after["github"]) == [PROGRAM, "run", "--", "npx", "-y", "server-github"]
    assert after["notion"] == {"url": "https://example.com/mcp"}
    assert unwrap("--client", "codex") == 0
    assert file.read_text() == before


def test_opencode_has_commands_that_are_arrays() -> None:
    servers = {
        "files": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"K": "{env:KEY}"}},
        "bare": {"type": "local", "command": ["bare"]},
        "shop": {"type": "remote", "url": "http://127.0.0.1:9000/mcp", "headers": {"X": "1"}, "oauth": False},
        "login": {"type": "remote", "url": "https://example.com/mcp"},
        "odd": {"type": "local", "command": []},
        "off": {"enabled": False},
    }
    file = write("opencode.json", {"$schema": "s", "mcp": servers}, indent=2)
    before = file.read_bytes()
    assert wrap("--client", "opencode") == 0
    after = json.loads(file.read_text())["mcp"]
    assert after["files"]["command"] == [PROGRAM, "run", "--", "npx", "-y", "x"]
    assert after["bare"]["command"] == [PROGRAM, "run", "--", "bare"]
    assert after["shop"] == {
        "type": "local",
        "command": [PROGRAM, "run", "--url", "http://127.0.0.1:9000/mcp"],
        "environment": {"PENSTOCK_HEADER_X": "1"},
        "oauth": False,
    }
    assert {name: after[name] for name in ("login", "odd", "off")} == {
        name: servers[name] for name in ("login", "odd", "off")
    }
    assert unwrap("--client", "opencode") == 0
    assert file.read_bytes() == before


def test_settings_that_are_called_like_opencodes_servers_are_no_servers(capsys: pytest.CaptureFixture[str]) -> None:
    write(".gemini/settings.json", {"mcp": {"allowed": ["a"]}, "mcpServers": {"a": {"command": "a"}}})
    assert wrap("--client", "gemini-cli") == 0
    assert json.loads(Path(".gemini/settings.json").read_text())["mcp"] == {"allowed": ["a"]}


@pytest.mark.parametrize(
    "entry",
    [
        {"httpUrl": "http://127.0.0.1:9000/mcp"},
        {"serverUrl": "http://127.0.0.1:9000/mcp", "headers": {"X": "1"}},
        {"type": "streamableHttp", "url": "http://127.0.0.1:9000/mcp"},
        {"type": "streamable-http", "url": "http://127.0.0.1:9000/mcp"},
    ],
    ids=["qwen-code", "windsurf", "cline", "roo"],
)
def test_each_clients_spelling_of_a_url_comes_back(entry: dict[str, Any]) -> None:
    file = write(".mcp.json", {"mcpServers": {"shop": entry}})
    before = file.read_bytes()
    assert wrap("--max-tokens", "8000") == 0
    after = json.loads(file.read_text())["mcpServers"]["shop"]
    assert line_of(after)[-2:] == ["--url", "http://127.0.0.1:9000/mcp"]
    assert unwrap() == 0
    assert file.read_bytes() == before


def test_several_clients_are_wrapped_at_once_and_all_of_them() -> None:
    files = [
        write(path, {"mcpServers": {"a": {"command": "a"}}})
        for path in (".cursor/mcp.json", "~/.gemini/settings.json", "~/.qwen/settings.json")
    ]
    before = [file.read_bytes() for file in files]
    assert wrap("--client", "cursor", "--client", "gemini-cli", "--client", "cursor") == 0
    assert [file.read_bytes() == was for file, was in zip(files, before, strict=True)] == [False, False, True]
    assert wrap() == 0
    assert [file.read_bytes() == was for file, was in zip(files, before, strict=True)] == [False, False, False]
    assert unwrap() == 0
    assert [file.read_bytes() for file in files] == before


def test_comments_and_trailing_commas_of_vs_code_survive() -> None:
    before = '{\n  // ours\n  "servers": {\n    "a": { "command": "a", /* no args */ },\n  },\n  "inputs": [],\n}\n'
    file = write(".vscode/mcp.json", before)
    assert wrap() == 0
    assert file.read_text() == before.replace('"command": "a"', f'"args": ["run", "--", "a"], "command": "{PROGRAM}"')
    assert unwrap() == 0
    assert file.read_text() == before


def test_without_a_client_the_files_of_the_project_and_of_the_user_are_wrapped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    places = (".mcp.json", ".cursor/mcp.json", "~/.cursor/mcp.json", "~/.junie/mcp/mcp.json")
    files = [write(path, {"mcpServers": SERVERS}) for path in places]
    assert wrap() == 0
    shown = capsys.readouterr().out
    assert all(PROGRAM in file.read_text() for file in files)
    assert "junie, your user" in shown
    assert "To have one for all, unwrap and re-wrap with --together." in shown
    assert "Restart the client" in shown


def test_continue_is_wrapped_in_its_config_and_in_its_folder() -> None:
    text = "mcpServers:\n  - name: a\n    command: x\n"
    files = [write(path, text) for path in (".continue/mcpServers/a.yaml", "~/.continue/config.yaml")]
    assert wrap("--client", "continue") == 0
    assert all(PROGRAM in file.read_text() for file in files)
    assert unwrap() == 0
    assert [file.read_text() for file in files] == [text, text]


def test_a_file_of_the_project_and_of_the_user_at_once_is_wrapped_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write("~/.cursor/mcp.json", {"mcpServers": SERVERS})
    monkeypatch.chdir(os.path.expanduser("~"))
    assert wrap("--dry-run") == 0
    shown = capsys.readouterr().out
    assert shown.count("(cursor, your user)") == 1
    assert "this project" not in shown


def test_a_folder_without_any_file_is_told_what_to_do(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert wrap() == 2
    assert f"looked in {project} and {project.parent}; give the file: --client FILE" in capsys.readouterr().err


def test_of_claude_code_the_user_and_this_project_are_wrapped_and_not_the_other_projects(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = {"mcpServers": {"db": {"type": "stdio", "command": "db", "args": [], "env": {}}}, "history": ["x"]}
    file = write("~/.claude.json", {**one, "projects": {str(project): one, "/another": one}}, indent=2)
    before = file.read_bytes()
    assert wrap("--client", "claude-code") == 0
    after = json.loads(file.read_text())
    assert after["mcpServers"]["db"]["args"] == ["run", "--", "db"]
    assert after["projects"][str(project)]["mcpServers"]["db"]["args"] == ["run", "--", "db"]
    assert after["projects"]["/another"] == one
    assert f"db (in {project})" in capsys.readouterr().out
    assert unwrap("--client", "claude-code") == 0
    assert file.read_bytes() == before
    # Who names the file means all of it.
    assert wrap("--client", str(file)) == 0
    assert json.loads(file.read_text())["projects"]["/another"]["mcpServers"]["db"]["command"] == PROGRAM


def test_the_change_is_shown_without_what_else_the_file_says(capsys: pytest.CaptureFixture[str]) -> None:
    write(".mcp.json", {"mcpServers": SERVERS})
    assert wrap("--dry-run") == 0
    shown = capsys.readouterr().out
    assert "    - npx -y server-github\n" in shown
    assert f"    + {PROGRAM} run -- npx -y server-github\n" in shown
    assert REMOTE in shown
    assert "secret" not in shown


def test_a_dry_run_writes_nothing(project: Path) -> None:
    file = write(".mcp.json", {"mcpServers": SERVERS})
    before = file.read_bytes()
    assert wrap("--dry-run") == 0
    assert [(path.name, path.read_bytes()) for path in project.iterdir()] == [(".mcp.json", before)]


def test_servers_that_are_named_are_the_only_ones(capsys: pytest.CaptureFixture[str]) -> None:
    file = write(".mcp.json", {"mcpServers": SERVERS})
    assert wrap("github", "notion") == 0
    after = json.loads(file.read_text())["mcpServers"]
    assert after["github"]["command"] == PROGRAM
    assert after["win"] == SERVERS["win"]
    assert line_of(after["notion"]) == [PROGRAM, "run", "--url", "https://example.com/mcp"]
    assert REMOTE not in capsys.readouterr().out


@pytest.mark.parametrize("command", [wrap, unwrap])
@pytest.mark.parametrize(
    ("name", "words"), [("gihub", "unknown server 'gihub'; did you mean github?"), ("zzz", "servers: bare, github")]
)
def test_an_unknown_server_is_one_clear_line(
    command: Any, name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(".mcp.json", {"mcpServers": SERVERS})
    before = file.read_bytes()
    assert command("win", name) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert file.read_bytes() == before


def test_what_is_behind_penstock_already_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    file = write(
        ".mcp.json",
        {"mcpServers": {"a": {"command": "docker", "args": ["run", "image", "penstock", "run", "--", "a"]}}},
    )
    before = file.read_bytes()
    assert wrap("--max-tokens", "300") == 0
    shown = capsys.readouterr().out
    assert "a is already behind penstock" in shown
    assert "nothing to change" in shown
    assert unwrap() == 0
    assert "in a way that wrap does not write" in capsys.readouterr().out
    assert file.read_bytes() == before


def test_entries_that_cannot_be_started_are_left_alone_with_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    servers = {
        "none": {},
        "null": None,
        "empty": {"command": ""},
        "list": {"command": ["npx", "x"]},
        "number": {"command": "x", "args": [1]},
        "text": {"command": "x", "args": "y"},
        "sse": {"type": "sse", "command": "x", "url": "https://example.com"},
        "url": {"url": "https://example.com"},
    }
    file = write(".mcp.json", {"mcpServers": servers})
    before = file.read_bytes()
    assert wrap() == 0
    shown = capsys.readouterr().out
    assert "none has no command" in shown
    assert "null is not an object" in shown
    assert all(
        f"{name} has a command or args that are not text" in shown for name in ("empty", "list", "number", "text")
    )
    assert all(f"{name} is reached by URL" in shown for name in ("sse", "url"))
    assert unwrap() == 0
    assert file.read_bytes() == before


def test_options_of_the_gateway_are_checked_and_passed_on(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(".mcp.json", {"mcpServers": {"a": {"command": "a"}}})
    config = write("penstock.toml", "max_tokens = 9000\n")
    options = ["--ttl", "1h", "--tool-name=-x", "--config", config.name, "--max-tokens", "8000"]
    assert wrap("a", *options) == 0
    (entry,) = json.loads(file.read_text())["mcpServers"].values()
    passed = ["--config", str(project / "penstock.toml"), "--max-tokens", "8000", "--ttl", "1h", "--tool-name=-x"]
    assert entry["args"] == ["run", *passed, "--", "a"]
    assert unwrap() == 0
    for wrong in (["--max-tokens", "few"], ["--profile", "zzz"], ["--config", "nowhere.toml"]):
        assert wrap(*wrong) == 2
        error = capsys.readouterr().err
        assert wrong[1] in error or wrong[0] in error
    assert json.loads(file.read_text()) == {"mcpServers": {"a": {"command": "a"}}}


def test_without_a_program_the_path_of_this_one_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    file = write(".mcp.json", {"mcpServers": {"a": {"command": "a"}}})
    assert main(["wrap", "--yes", "--no-check"]) == 0
    command = json.loads(file.read_text())["mcpServers"]["a"]["command"]
    assert Path(command).is_absolute()
    assert Path(command).exists()
    assert "This file now contains an absolute path" in capsys.readouterr().out
    assert unwrap() == 0
    assert main(["wrap", "--yes", "--no-check", "--program", "penstock"]) == 0
    assert json.loads(file.read_text())["mcpServers"]["a"]["command"] == "penstock"
    assert "path of this machine" not in capsys.readouterr().out
    assert unwrap() == 0
    assert main(["wrap", "--yes", "--program", "sudo"]) == 2


def test_names_that_would_do_something_to_a_terminal_are_shown_as_what_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(".mcp.json", '{"mcpServers": {"\\u001b[2J[red]": {"command": "\\ud800", "args": ["\\n"]}}}')
    assert wrap("--dry-run") == 0
    shown = capsys.readouterr().out
    assert "\\x1b[2J[red]" in shown
    assert "\\ud800" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("answer", "code"), [(b"y\n", 0), (b"n\n", 1), (b"\xff\n", 1), (b"", 2)], ids=["yes", "no", "garbage", "nobody"]
)
def test_only_a_yes_is_consent(answer: bytes, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(".mcp.json", {"mcpServers": SERVERS})
    before = file.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(answer), encoding="utf-8"))
    assert main(["wrap", "--no-check"]) == code
    assert (file.read_bytes() != before) is (code == 0)
