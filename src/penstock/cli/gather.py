"""``penstock gather FILE``: the servers of a client's configuration as one server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import ConfigError

if TYPE_CHECKING:
    import argparse

    from penstock.gateway.gather import Server

NAMES = ("mcpServers", "servers")
HELP = """Be all servers of an MCP client's configuration at once, on standard input and output. Tools keep their names;
where two servers have the same one, each has its server's name before it. Put the gateway in front of it:
penstock run -- penstock gather FILE, or penstock serve -- penstock gather FILE."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", help="a configuration with mcpServers (or servers), as clients have it")
    parser.add_argument("servers", nargs="*", help="only these of its servers")


def run(options: argparse.Namespace) -> int:
    """Be those servers until the client has gone."""
    from penstock.gateway.gather import Gather

    Gather(servers_in(options.file, options.servers)).run()


def servers_in(file: str, only: list[str]) -> list[Server]:
    """The servers that a configuration names."""
    from penstock.gateway.gather import Server

    entries = _entries(file)
    if unknown := [name for name in only if name not in entries]:
        raise ConfigError(f"{file} has no server {unknown[0]!r}", do=f"it has {', '.join(entries) or 'none'}")
    servers: list[Server] = []
    for name, entry in entries.items():
        if only and name not in only:
            continue
        command, words, environment = entry.get("command"), entry.get("args", []), entry.get("env", {})
        if not isinstance(command, str) or not command:
            do = "name the others after the file, or serve that one with penstock serve --url URL"
            raise ConfigError(f"{file}: the server {name!r} has no command of its own", do=do)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ConfigError(f"{file}: {name}.args: expected a list of texts", do='for example ["-y", "package"]')
        if not isinstance(environment, dict) or not all(isinstance(one, str) for one in environment.values()):
            raise ConfigError(f"{file}: {name}.env: expected texts by name", do='for example {"TOKEN": "..."}')
        servers.append(Server(name=name, command=[command, *words], environment=environment))
    if not servers:
        raise ConfigError(f"{file} names no servers", do='expected {"mcpServers": {"name": {"command": "..."}}}')
    return servers


def is_clients(file: str) -> bool:
    """Whether a file is the configuration of a client, and not one of ours."""
    try:
        told = json.loads(Path(file).read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and any(isinstance(told.get(name), dict) for name in NAMES)


def _entries(file: str) -> dict[str, dict[str, Any]]:
    try:
        told = json.loads(Path(file).read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or f"it is no JSON: {error}"
        raise ConfigError(f"{file} cannot be read: {reason}", do="name a client's configuration file") from None
    entries = next((told[name] for name in NAMES if name in told), None) if isinstance(told, dict) else None
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise ConfigError(f"{file} has no mcpServers", do='expected {"mcpServers": {"name": {"command": "..."}}}')
    return entries
