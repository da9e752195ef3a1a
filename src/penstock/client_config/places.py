"""Where each MCP client keeps its servers: in the project's folder, and in the user's home."""

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

CLIENTS: Final = ("claude-code", "claude-desktop", "cursor", "vscode", "codex")


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
    return [
        ConfigPlace(client="claude-code", path=Path(".mcp.json"), of_project=True),
        ConfigPlace(client="cursor", path=Path(".cursor/mcp.json"), of_project=True),
        ConfigPlace(client="vscode", path=Path(".vscode/mcp.json"), of_project=True),
        ConfigPlace(client="codex", path=Path(".codex/config.toml"), of_project=True),
        ConfigPlace(client="claude-code", path=claude, sections=frozenset([("mcpServers",), *here])),
        ConfigPlace(client="claude-desktop", path=settings / "Claude" / "claude_desktop_config.json"),
        ConfigPlace(client="cursor", path=home / ".cursor" / "mcp.json"),
        ConfigPlace(client="vscode", path=settings / "Code" / "User" / "mcp.json"),
        ConfigPlace(client="vscode", path=settings / "Code - Insiders" / "User" / "mcp.json"),
        ConfigPlace(client="codex", path=codex),
    ]


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
        found = [place for place in mine if place.exists]
        if not found:
            looked = ", ".join(str(place.path) for place in mine)
            raise CallerError(
                f"no configuration of {name} was found", do=f"looked at {looked}; or give the file: --client FILE"
            )
        return found
    path = Path(os.path.expanduser(name))
    if not os.path.lexists(path):
        near = nearest(name, CLIENTS)
        do = f"did you mean {near[0]}?" if near else f"give one of {', '.join(CLIENTS)}, or the path of a file"
        raise CallerError(f"{name}: there is no such client or file", do=do)
    return [ConfigPlace(path=path)]
