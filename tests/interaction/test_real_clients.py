"""Clients that nobody here wrote: each writes its own file, which is wrapped, used by the client, and unwrapped."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from scripts.real_parts import install_clients, missing

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 120.0  # seconds for one command of a client
SERVER = [sys.executable, "-m", "penstock.cli.demo_server", "."]
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """How a client is told of a server, where it writes it, and the word by which its list says that it connects.

    Codex, Copilot and Amp only connect after a login: their list shows what they would start.
    """

    file: str
    add: tuple[str, ...]
    connected: str | None = None
    variables: dict[str, str] = field(default_factory=dict)


CLIENTS = {
    "claude-code": Client(
        file=".claude.json", add=("mcp", "add", "--scope", "user", "files", "--"), connected="Connected"
    ),
    "gemini-cli": Client(
        file=".gemini/settings.json",
        add=("mcp", "add", "--scope", "user", "files"),
        connected="Connected",
        variables={"GEMINI_CLI_TRUST_WORKSPACE": "true"},
    ),
    "qwen-code": Client(
        file=".qwen/settings.json", add=("mcp", "add", "--scope", "user", "files"), connected="Connected"
    ),
    "opencode": Client(
        file=".config/opencode/opencode.jsonc", add=("mcp", "add", "files", "--"), connected="connected"
    ),
    "codex": Client(file=".codex/config.toml", add=("mcp", "add", "files", "--")),
    "copilot-cli": Client(file=".copilot/mcp-config.json", add=("mcp", "add", "files", "--")),
    "amp": Client(file=".config/amp/settings.json", add=("mcp", "add", "files", "--")),
}


@pytest.fixture(scope="module")
def commands() -> dict[str, list[str]]:
    if absent := missing():
        pytest.skip(f"the clients of others need {', '.join(absent)}, not found on this machine")
    return install_clients()


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A home folder of its own, with a project beside it, in which commands are run."""

    folder: Path
    variables: dict[str, str]

    def run(self, *words: str) -> str:
        """Return what a command prints, without colours."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        done = subprocess.run(
            words,
            cwd=self.folder / "project",
            env={**kept, "HOME": str(self.folder), **self.variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return ESCAPES.sub("", done.stdout + done.stderr)

    def penstock(self, *words: str) -> str:
        return self.run(sys.executable, "-m", "penstock", *words)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_s_own_file_is_wrapped_used_and_given_back(
    name: str, commands: dict[str, list[str]], tmp_path: Path
) -> None:
    client, program = CLIENTS[name], commands[name]
    (tmp_path / "project").mkdir()
    home = Home(folder=tmp_path, variables={**client.variables, "PENSTOCK_STORE": "memory:"})
    home.run(*program, *client.add, *SERVER)
    file = tmp_path / client.file
    before = file.read_bytes()

    home.penstock("wrap", "--client", name, "--yes")
    assert b"penstock" in file.read_bytes()
    assert file.read_bytes() != before
    home.penstock("unwrap", "--client", name, "--yes")
    assert file.read_bytes() == before

    # Some clients write into their file whenever they run: what comes back then is the server's entry.
    home.penstock("wrap", "--client", name, "--yes")
    listed = home.run(*program, "mcp", "list")
    assert "files" in listed
    if client.connected is not None:
        line = next(line for line in listed.splitlines() if "files" in line)
        assert client.connected in line, listed
    home.penstock("unwrap", "--client", name, "--yes")
    assert servers(file) == servers_of(before, file)


def servers(file: Path) -> object:
    return servers_of(file.read_bytes(), file)


def servers_of(data: bytes, file: Path) -> object:
    """Return the entries of the servers in a client's file."""
    if file.suffix == ".toml":
        return data
    whole = json.loads(data)
    return next(whole[key] for key in ("mcpServers", "mcp", "amp.mcpServers") if key in whole)
