"""``penstock gather FILE``: the servers of a client's configuration as one server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import CallerError, ConfigError

if TYPE_CHECKING:
    import argparse

    from penstock.gateway.gather import Server

NAMES = ("mcpServers", "servers")
UNLISTED = "penstock_reads_nothing_here"  # the tool of a gateway that holds nothing; nobody else has one of that name
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
    entries = _entries(file)
    if unknown := [name for name in only if name not in entries]:
        raise ConfigError(f"{file} has no server {unknown[0]!r}", do=f"it has {', '.join(entries) or 'none'}")
    servers = [_server(file, name, entry) for name, entry in entries.items() if not only or name in only]
    if not servers:
        raise ConfigError(f"{file} names no servers", do='expected {"mcpServers": {"name": {"command": "..."}}}')
    return servers


def _server(file: str, name: str, entry: dict[str, Any]) -> Server:
    from penstock.gateway.gather import Server

    url = entry.get("url", entry.get("serverUrl"))
    if isinstance(url, str) and "command" not in entry:
        return _remote(file, name, url, entry.get("headers", {}))
    command, words, environment = entry.get("command"), entry.get("args", []), entry.get("env", {})
    if not isinstance(command, str) or not command:
        do = 'for example {"command": "npx", "args": ["-y", "package"]}, or {"url": "https://..."}'
        raise ConfigError(f"{file}: the server {name!r} has neither a command nor a URL", do=do)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ConfigError(f"{file}: {name}.args: expected a list of texts", do='for example ["-y", "package"]')
    if not _are_texts(environment):
        raise ConfigError(f"{file}: {name}.env: expected texts by name", do='for example {"TOKEN": "..."}')
    return Server(name=name, command=[command, *words], environment=environment)


def _remote(file: str, name: str, url: str, headers: Any) -> Server:
    """A server over HTTP, as one that holds nothing itself. Headers go by the environment: they may be secrets."""
    from penstock.cli.remote import PREFIX, read_url
    from penstock.gateway.gather import Server

    try:
        read_url(url)
    except CallerError:
        raise ConfigError(f"{file}: {name}.url: expected a URL", do="for example http://127.0.0.1:9000/mcp") from None
    if not _are_texts(headers):
        raise ConfigError(f"{file}: {name}.headers: expected texts by name", do='for example {"Authorization": "..."}')
    environment = {f"{PREFIX}{key}": value for key, value in headers.items()}
    environment |= {"PENSTOCK_NEVER_HOLD": "true", "PENSTOCK_TOOL_NAME": UNLISTED}
    command = [sys.executable, "-m", "penstock", "run", "--store", "memory:", "--url", url]
    return Server(name=name, command=command, environment=environment, unlisted=UNLISTED)


def _are_texts(told: Any) -> bool:
    return isinstance(told, dict) and all(isinstance(one, str) for one in told.values())


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
