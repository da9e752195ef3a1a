"""``penstock gather FILE``: the servers of a client's configuration as one server."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import CallerError, ConfigError, PenstockError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from penstock.gateway.gather import Server

UNLISTED: Final = "penstock_reads_nothing_here"  # the tool of a gateway that holds nothing; nobody else has that name
SHOWN: Final = 'expected {"mcpServers": {"name": {"command": "..."}}}'
HELP = """Be all servers of an MCP client's configuration at once, on standard input and output. Tools keep their names;
where two servers have the same one, each has its server's name before it. Put the gateway in front of it:
penstock run -- penstock gather FILE, or penstock serve -- penstock gather FILE."""

# What clients put in from the environment: ${NAME}, ${NAME:-otherwise} and ${env:NAME}.
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_FROM_CLIENT = re.compile(r"\$\{(?:input|command|config):[^}]*\}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", help="a configuration with mcpServers (or servers), as clients have it")
    parser.add_argument("servers", nargs="*", help="only these of its servers")


def run(options: argparse.Namespace) -> int:
    """Be those servers until the client has gone."""
    from penstock.gateway.gather import Gather

    Gather(servers_in(options.file, options.servers)).run()


def servers_in(file: str, only: list[str]) -> list[Server]:
    """The servers that a configuration names, but for those that are switched off."""
    entries = _entries(file)
    if unknown := [name for name in only if name not in entries]:
        raise ConfigError(f"{file} has no server {unknown[0]!r}", do=f"it has {', '.join(entries) or 'none'}")
    wanted = {name: entry for name, entry in entries.items() if (name in only if only else not _is_off(entry))}
    if not wanted:
        raise ConfigError(f"{file} names no servers", do=SHOWN)
    return [_Entry(file, name, entry).server() for name, entry in wanted.items()]


def is_clients(file: str) -> bool:
    """Whether a file is the configuration of a client, and not one of ours."""
    try:
        return bool(_entries(file))
    except PenstockError:
        return False


def _entries(file: str) -> dict[str, Any]:
    from penstock.cli.wrapping.files import read
    from penstock.cli.wrapping.plan import dialect_of

    try:
        found = read(Path(file))
    except CallerError as error:
        raise ConfigError(error.what, do=error.do) from None
    try:
        servers = dialect_of(found).read(found.text)
    except CallerError as error:
        raise ConfigError(f"{file} {error.what}", do=error.do) from None
    return {one.name: one.given for one in servers if len(one.section) == 1}  # others belong to one folder only


def _is_off(entry: Any) -> bool:
    return isinstance(entry, dict) and (entry.get("disabled") is True or entry.get("enabled") is False)


class _Entry:
    """What a configuration says about one server."""

    def __init__(self, file: str, name: str, given: Any) -> None:
        self._where = f"{file}: {name}"
        self._name = name
        self._given: dict[str, Any] = given if isinstance(given, dict) else {}

    def server(self) -> Server:
        from penstock.cli.wrapping.remotes import ADDRESSES
        from penstock.gateway.gather import Server

        url = next((self._given[key] for key in ADDRESSES if key in self._given), None)
        if "command" not in self._given and url is not None:
            return self._remote(url)
        command, words = self._given.get("command"), self._given.get("args", [])
        if not isinstance(command, str) or not command:
            do = 'for example {"command": "npx", "args": ["-y", "package"]}, or {"url": "https://..."}'
            raise ConfigError(f"{self._where} is a server with neither a command nor a URL", do=do)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ConfigError(f"{self._where}.args: expected a list of texts", do='for example ["-y", "package"]')
        folder = self._given.get("cwd", "")
        if not isinstance(folder, str):
            raise ConfigError(f"{self._where}.cwd: expected a folder", do='for example "/some/folder"')
        return Server(
            name=self._name,
            command=[self._filled(word) for word in (command, *words)],
            environment=self._texts("env", "TOKEN"),
            folder=self._filled(folder),
        )

    def _remote(self, given: Any) -> Server:
        """A server over HTTP, as one that holds nothing itself. Headers go by the environment: they may be secrets."""
        from penstock.cli.url_options import PREFIX, read_url
        from penstock.gateway.gather import Server

        if self._given.get("type") in ("sse", "ws"):
            raise ConfigError(
                f"{self._where} is of type {self._given['type']}",
                do="only streamable HTTP and commands are spoken here",
            )
        url = self._filled(given) if isinstance(given, str) else ""
        try:
            read_url(url)
        except CallerError:
            raise ConfigError(
                f"{self._where}.url: expected a URL", do="for example http://127.0.0.1:9000/mcp"
            ) from None
        environment = {f"{PREFIX}{key}": value for key, value in self._headers().items()}
        environment |= {"PENSTOCK_NEVER_HOLD": "true", "PENSTOCK_TOOL_NAME": UNLISTED}
        command = [sys.executable, "-m", "penstock", "run", "--store", "memory:", "--url", url]
        return Server(name=self._name, command=command, environment=environment, unlisted=UNLISTED)

    def _headers(self) -> Mapping[str, str]:
        """Also those that Codex takes from the environment."""
        named = self._texts("env_http_headers", "X-Key")
        headers = {
            **self._texts("headers", "Authorization"),
            **self._texts("http_headers", "Authorization"),
            **{key: self._variable(name) for key, name in named.items()},
        }
        token = self._given.get("bearer_token_env_var")
        return {**headers, "Authorization": f"Bearer {self._variable(token)}"} if isinstance(token, str) else headers

    def _texts(self, key: str, example: str) -> dict[str, str]:
        from penstock.cli.wrapping.remotes import are_texts

        told = self._given.get(key, {})
        if not are_texts(told):
            raise ConfigError(f"{self._where}.{key}: expected texts by name", do=f'for example {{"{example}": "..."}}')
        return {name: self._filled(value) for name, value in told.items()}

    def _filled(self, text: str) -> str:
        """A text with what the environment has for its variables, as clients do it."""
        if asked := _FROM_CLIENT.search(text):
            raise ConfigError(
                f"{self._where} has {asked[0]}, which only a client can fill in",
                do="write ${NAME} for a variable of the environment instead",
            )
        return _VARIABLE.sub(lambda found: self._variable(found[1], found[2]), text)

    def _variable(self, name: str, otherwise: str | None = None) -> str:
        value = os.environ.get(name, otherwise)
        if value is None:
            raise ConfigError(
                f"{self._where} needs the variable {name} of the environment", do="set it, and start again"
            )
        return value
