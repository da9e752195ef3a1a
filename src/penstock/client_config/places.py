"""Find the files in which each MCP client keeps its servers: in the project's folder, and in the user's home."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.core.text import nearest
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.client_config.servers import Section

CLIENTS: Final = (
    *("claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini-cli", "qwen-code", "opencode"),
    *("copilot-cli", "amp", "windsurf", "zed", "cline", "roo", "lm-studio", "goose", "kiro", "junie", "continue"),
)


CONTINUE: Final = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigPlace:
    """One file in which servers may be configured."""

    path: Path
    client: str = ""
    of_project: bool = False
    sections: frozenset[Section] | None = None  # None: all that the file has

    @property
    def exists(self) -> bool:
        return os.path.exists(self.path)  # unlike Path.exists, False also for what may not be looked at

    @property
    def note(self) -> str:
        whose = "this project" if self.of_project else "your user"
        return f"{self.client}, {whose}" if self.client else ""


def known(*, folder: Path, home: Path, platform: str, env: Mapping[str, str]) -> list[ConfigPlace]:
    """Return every place for the project in ``folder`` and for the user, whether its file exists or not."""
    settings = _settings(home, platform, env)
    claude = Path(env.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
    codex = Path(env.get("CODEX_HOME") or home / ".codex") / "config.toml"
    # Claude Code keeps the servers of all projects in one file; those of the others are not asked about here.
    here = [("projects", name, "mcpServers") for name in (str(folder), folder.as_posix())]
    project = {
        "claude-code": [".mcp.json"],
        "cursor": [".cursor/mcp.json"],
        "vscode": [".vscode/mcp.json"],
        "codex": [".codex/config.toml"],
        "gemini-cli": [".gemini/settings.json"],
        "qwen-code": [".qwen/settings.json"],
        "opencode": ["opencode.json", "opencode.jsonc"],
        "copilot-cli": [".github/mcp.json"],  # and .mcp.json, which is Claude Code's
        "amp": [".amp/settings.json"],
        "zed": [".zed/settings.json"],
        "roo": [".roo/mcp.json"],
        "kiro": [".kiro/settings/mcp.json"],
        "junie": [".junie/mcp/mcp.json"],
        # Continue reads every file in this folder.
        "continue": sorted(str(path) for path in folder.glob(".continue/mcpServers/*") if path.suffix in CONTINUE),
    }
    xdg = Path(env.get("XDG_CONFIG_HOME") or home / ".config")  # on every platform, unlike ``settings``
    editors = [settings / name / "User" for name in ("Code", "Code - Insiders")]
    user = {
        "claude-desktop": [settings / "Claude" / "claude_desktop_config.json"],
        "cursor": [home / ".cursor" / "mcp.json"],
        "vscode": [editor / "mcp.json" for editor in editors],
        "codex": [codex],
        "gemini-cli": [home / ".gemini" / "settings.json"],
        "qwen-code": [home / ".qwen" / "settings.json"],
        "opencode": [xdg / "opencode" / "opencode.json", xdg / "opencode" / "opencode.jsonc"],
        "copilot-cli": [Path(env.get("COPILOT_HOME") or home / ".copilot") / "mcp-config.json"],
        "amp": [xdg / "amp" / "settings.json"],
        "windsurf": [home / ".codeium" / "windsurf" / "mcp_config.json"],
        "zed": [settings / "Zed" / "settings.json" if platform == "win32" else xdg / "zed" / "settings.json"],
        "cline": [
            *(editor / "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json" for editor in editors),
            Path(env.get("CLINE_DIR") or home / ".cline") / "data/settings/cline_mcp_settings.json",
        ],
        "roo": [editor / "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json" for editor in editors],
        "lm-studio": [home / ".lmstudio" / "mcp.json"],
        "goose": [settings / "Block/goose/config/config.yaml" if platform == "win32" else xdg / "goose/config.yaml"],
        "kiro": [home / ".kiro" / "settings" / "mcp.json"],
        "junie": [home / ".junie" / "mcp" / "mcp.json"],  # of all JetBrains IDEs
        "continue": [home / ".continue" / "config.yaml"],
    }
    return [
        *(ConfigPlace(client=one, path=Path(path), of_project=True) for one in project for path in project[one]),
        ConfigPlace(client="claude-code", path=claude, sections=frozenset([("mcpServers",), *here])),
        *(ConfigPlace(client=one, path=path) for one in user for path in user[one]),
    ]


def existing(places: list[ConfigPlace]) -> list[ConfigPlace]:
    """Return the places whose file exists. A file that two places name counts once, for the user: the home folder may
    be the project's."""
    files: dict[str, ConfigPlace] = {}
    for place in sorted(places, key=lambda place: place.of_project):
        if place.exists:
            files.setdefault(os.path.realpath(place.path), place)
    return [place for place in places if place in files.values()]


def _settings(home: Path, platform: str, env: Mapping[str, str]) -> Path:
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(env.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(env.get("XDG_CONFIG_HOME") or home / ".config")


def of_client(name: str, places: list[ConfigPlace]) -> list[ConfigPlace]:
    """Return the existing files of a client, or the one file that is named. Raises if there is none."""
    if name in CLIENTS:
        mine = [place for place in places if place.client == name]
        existing = [place for place in mine if place.exists]
        if not existing:
            looked = ", ".join(str(place.path) for place in mine)
            raise CallerError(
                f"no configuration of {name} was found", do=f"looked at {looked}; or give the file: --client FILE"
            )
        return existing
    path = Path(os.path.expanduser(name))
    if not os.path.lexists(path):
        near = nearest(name, CLIENTS)
        do = f"did you mean {near[0]}?" if near else f"give one of {', '.join(CLIENTS)}, or the path of a file"
        raise CallerError(f"{name}: there is no such client or file", do=do)
    return [ConfigPlace(path=path)]
