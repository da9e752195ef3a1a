"""Each client's files are looked for where that client keeps them, on each platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.client_config.places import CLIENTS, ConfigPlace, known, of_client
from penstock.errors import CallerError

HOME = Path("/home/me")
FOLDER = Path("/home/me/work")


def paths(client: str, platform: str = "linux", **env: str) -> list[str]:
    places = known(folder=FOLDER, home=HOME, platform=platform, env=env)
    return [place.path.as_posix() for place in places if place.client == client]


@pytest.mark.parametrize(
    ("client", "there"),
    [
        ("claude-code", [".mcp.json", "/home/me/.claude.json"]),
        ("claude-desktop", ["/home/me/.config/Claude/claude_desktop_config.json"]),
        ("cursor", [".cursor/mcp.json", "/home/me/.cursor/mcp.json"]),
        (
            "vscode",
            [
                ".vscode/mcp.json",
                "/home/me/.config/Code/User/mcp.json",
                "/home/me/.config/Code - Insiders/User/mcp.json",
            ],
        ),
        ("codex", [".codex/config.toml", "/home/me/.codex/config.toml"]),
        ("gemini-cli", [".gemini/settings.json", "/home/me/.gemini/settings.json"]),
        ("qwen-code", [".qwen/settings.json", "/home/me/.qwen/settings.json"]),
        (
            "opencode",
            [
                *("opencode.json", "opencode.jsonc"),
                *("/home/me/.config/opencode/opencode.json", "/home/me/.config/opencode/opencode.jsonc"),
            ],
        ),
        ("copilot-cli", [".github/mcp.json", "/home/me/.copilot/mcp-config.json"]),
        ("amp", [".amp/settings.json", "/home/me/.config/amp/settings.json"]),
        ("windsurf", ["/home/me/.codeium/windsurf/mcp_config.json"]),
        ("zed", [".zed/settings.json", "/home/me/.config/zed/settings.json"]),
        ("lm-studio", ["/home/me/.lmstudio/mcp.json"]),
        ("goose", ["/home/me/.config/goose/config.yaml"]),
        ("kiro", [".kiro/settings/mcp.json", "/home/me/.kiro/settings/mcp.json"]),
    ],
)
def test_every_client_has_its_files(client: str, there: list[str]) -> None:
    assert client in CLIENTS
    assert paths(client) == there


def test_platforms_and_variables_move_them() -> None:
    desktop = "Claude/claude_desktop_config.json"
    assert paths("claude-desktop", "darwin") == [f"/home/me/Library/Application Support/{desktop}"]
    assert paths("claude-desktop", "win32", APPDATA="/roaming") == [f"/roaming/{desktop}"]
    assert paths("claude-desktop", "win32") == [f"/home/me/AppData/Roaming/{desktop}"]
    assert paths("claude-desktop", XDG_CONFIG_HOME="/xdg") == [f"/xdg/{desktop}"]
    assert paths("zed", "win32", APPDATA="/roaming")[-1] == "/roaming/Zed/settings.json"
    assert paths("zed", "darwin")[-1] == "/home/me/.config/zed/settings.json"
    assert paths("goose", "win32", APPDATA="/roaming") == ["/roaming/Block/goose/config/config.yaml"]
    assert paths("copilot-cli", COPILOT_HOME="/copilot")[-1] == "/copilot/mcp-config.json"
    assert paths("roo", "darwin")[1].startswith("/home/me/Library/Application Support/Code/User/globalStorage/roo")
    assert paths("cline", CLINE_DIR="/cline")[-1] == "/cline/data/settings/cline_mcp_settings.json"
    assert paths("codex", CODEX_HOME="/codex")[-1] == "/codex/config.toml"
    assert paths("claude-code", CLAUDE_CONFIG_DIR="/claude")[-1] == "/claude/.claude.json"


def test_of_claude_codes_own_file_only_the_user_and_this_project_are_meant() -> None:
    (place,) = [
        place
        for place in known(folder=FOLDER, home=HOME, platform="linux", env={})
        if place.path.name == ".claude.json"
    ]
    assert place.sections == frozenset([("mcpServers",), ("projects", "/home/me/work", "mcpServers")])


def test_a_client_without_any_file_is_told_where_was_looked() -> None:
    with pytest.raises(CallerError, match=r"no configuration of cursor was found; looked at .*/nowhere/mcp.json"):
        of_client("cursor", [ConfigPlace(client="cursor", path=Path("/nowhere/mcp.json"))])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude-dektop", "did you mean claude-desktop?"),
        ("zzz", "windsurf, zed, cline, roo, lm-studio, goose, kiro, junie, continue, or the path of a file"),
        ("a\0b", "there is no such client or file"),
        ("~nobody-is-called-so/x", "there is no such client or file"),
    ],
)
def test_a_name_that_is_neither_client_nor_file_is_one_clear_line(name: str, words: str) -> None:
    with pytest.raises(CallerError) as caught:
        of_client(name, [])
    assert words in str(caught.value)
