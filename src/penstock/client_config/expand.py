"""Read the servers that a client's configuration names, with ``${VARIABLES}`` filled in as the client would do it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.client_config.files import read
from penstock.client_config.plan import dialect_of
from penstock.client_config.remotes import ADDRESSES, are_texts, is_server_url
from penstock.errors import CallerError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.client_config.servers import ServerEntry

EXPECTED: Final = 'expected {"mcpServers": {"name": {"command": "..."}}}'

# What clients put in from the environment: ${NAME}, ${NAME:-otherwise} and ${env:NAME}; OpenCode {env:NAME}.
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
BRACES = re.compile(r"\{env:([A-Za-z_][A-Za-z0-9_]*)()\}")
_FROM_CLIENT = re.compile(r"\$\{(?:(?:input|command|config):|workspaceFolder|userHome)[^}]*\}|\{file:[^}]*\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A server that is a command: its words, its variables beside ours, and its folder if it is not the current one."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteServer:
    """A server over streamable HTTP. Headers may be secrets: no command line may show them."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


def servers_in(file: str, only: list[str]) -> list[LocalServer | RemoteServer]:
    """Return the servers that a configuration names, or those of ``only``. Servers that are switched off are left out
    unless ``only`` names them."""
    entries = _entries(file)
    if unknown := [name for name in only if name not in entries]:
        raise ConfigError(f"{file} has no server {unknown[0]!r}", do=f"it has {', '.join(entries) or 'none'}")
    wanted = {name: entry for name, entry in entries.items() if (name in only if only else not is_off(entry.value))}
    if not wanted:
        raise ConfigError(f"{file} names no servers", do=EXPECTED)
    return [server_of(file, entry) for entry in wanted.values()]


def server_of(file: str, entry: ServerEntry) -> LocalServer | RemoteServer:
    """Return one server of a file as it would be started. Raises a ``ConfigError`` for one that cannot be, and for a
    placeholder that cannot be filled in here."""
    return _Entry(file, entry).server()


def has_servers(file: str) -> bool:
    """Return True if a file names MCP servers, as a client's does. Raises a ``ConfigError`` if it cannot be read."""
    return bool(_entries(file))


def _entries(file: str) -> dict[str, ServerEntry]:
    try:
        source = read(Path(file))
    except CallerError as error:
        raise ConfigError(error.what, do=error.do) from None
    try:
        servers = dialect_of(source).read(source.text)
    except CallerError as error:
        raise ConfigError(f"{file} {error.what}", do=error.do) from None
    return {one.name: one for one in servers if len(one.section) == 1}  # others belong to one folder only


def is_off(entry: Any) -> bool:
    """Return True if a server is switched off in its client."""
    return isinstance(entry, dict) and (entry.get("disabled") is True or entry.get("enabled") is False)


class _Entry:
    """One server's entry, checked member by member. Errors name the file, the server and the member."""

    def __init__(self, file: str, entry: ServerEntry) -> None:
        self._where = f"{file}: {entry.name}"
        self._name = entry.name
        self._keys = entry.keys
        self._members: dict[str, Any] = entry.value if isinstance(entry.value, dict) else {}

    def server(self) -> LocalServer | RemoteServer:
        url = next((self._members[key] for key in ADDRESSES if key in self._members), None)
        if self._keys.command not in self._members and url is not None:
            return self._remote(url)
        command, words = self._members.get(self._keys.command), self._members.get("args", [])
        if self._keys.is_array and isinstance(command, list):
            command, words = (command or [""])[0], command[1:]
        if not isinstance(command, str) or not command:
            do = 'for example {"command": "npx", "args": ["-y", "package"]}, or {"url": "https://..."}'
            raise ConfigError(f"{self._where} is a server with neither a command nor a URL", do=do)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ConfigError(f"{self._where}.args: expected a list of texts", do='for example ["-y", "package"]')
        folder = self._members.get("cwd", "")
        if not isinstance(folder, str):
            raise ConfigError(f"{self._where}.cwd: expected a folder", do='for example "/some/folder"')
        return LocalServer(
            name=self._name,
            command=[self._filled(word) for word in (command, *words)],
            environment=self._texts(self._keys.env, "TOKEN"),
            folder=self._filled(folder),
        )

    def _remote(self, address: Any) -> RemoteServer:
        if self._members.get("type") in ("sse", "ws"):
            raise ConfigError(
                f"{self._where} is of type {self._members['type']}, which Penstock does not speak",
                do="use a server over streamable HTTP, or a command",
            )
        url = self._filled(address) if isinstance(address, str) else ""
        if not is_server_url(url):
            raise ConfigError(f"{self._where}.url: expected a URL", do="for example http://127.0.0.1:9000/mcp")
        return RemoteServer(name=self._name, url=url, headers=self._headers())

    def _headers(self) -> Mapping[str, str]:
        """Collect the headers, also those that Codex takes from the environment."""
        variables = self._texts("env_http_headers", "X-Key")
        headers = {
            **self._texts("headers", "Authorization"),
            **self._texts("http_headers", "Authorization"),
            **{key: self._variable(name) for key, name in variables.items()},
        }
        token = self._members.get("bearer_token_env_var")
        return {**headers, "Authorization": f"Bearer {self._variable(token)}"} if isinstance(token, str) else headers

    def _texts(self, key: str, example: str) -> dict[str, str]:
        texts = self._members.get(key, {})
        if not are_texts(texts):
            raise ConfigError(f"{self._where}.{key}: expected texts by name", do=f'for example {{"{example}": "..."}}')
        return {name: self._filled(value) for name, value in texts.items()}

    def _filled(self, text: str) -> str:
        """Fill in the variables of a text from the environment."""
        if placeholder := _FROM_CLIENT.search(text):
            raise ConfigError(
                f"{self._where} has {placeholder[0]}, which only a client can fill in",
                do="write ${NAME} for a variable of the environment instead",
            )
        pattern = BRACES if self._keys.braces_are_variables else _VARIABLE
        return pattern.sub(lambda match: self._variable(match[1], match[2]), text)

    def _variable(self, name: str, otherwise: str | None = None) -> str:
        value = os.environ.get(name, otherwise)
        if value is None:
            raise ConfigError(
                f"{self._where} needs the variable {name} of the environment", do="set it, and start again"
            )
        return value
