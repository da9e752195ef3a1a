"""Start each server once through the gateway before ``wrap`` writes, so that no set-up that works is made worse.

A server that fails is left as it is, with its words; it is also started without the gateway, to say whose fault it is.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.cli.mcp_client import McpClient
from penstock.client_config import expand
from penstock.client_config.expand import LocalServer
from penstock.client_config.remotes import PREFIX
from penstock.core.text import counted
from penstock.errors import ConfigError, UpstreamError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.client_config.command_line import Gateway
    from penstock.client_config.servers import ServerEntry

AT_ONCE: Final = 4  # servers; a server's start is mostly waiting, and each may take a processor for a while


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The outcome of one server's start: how it works, or why it is left alone."""

    note: str = ""
    why: str = ""
    words: tuple[str, ...] = ()


def try_out(
    gateway: Gateway, file: str, servers: Sequence[ServerEntry], *, timeout: float
) -> dict[tuple[str, ...], Trial]:
    """Start each of these servers, several at once, and return what became of it."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        trials = pool.map(lambda one: _trial(gateway, file, one, timeout), servers)
        return {(*one.section, one.name): trial for one, trial in zip(servers, trials, strict=True)}


def _trial(gateway: Gateway, file: str, entry: ServerEntry, timeout: float) -> Trial:
    if expand.is_off(entry.value):
        return Trial(note="not started: it is switched off")
    try:
        server = expand.server_of(file, entry)
    except ConfigError as error:
        return Trial(note=f"not started: it {error.what.removeprefix(f'{file}: {entry.name} ')}")
    if isinstance(server, LocalServer):
        behind = [*gateway.words, *server.command]
        environment, folder = server.environment, server.folder
    else:
        behind = [*gateway.words_for_url(), server.url]
        environment, folder = {f"{PREFIX}{name}": value for name, value in server.headers.items()}, ""
    trial = _start(behind, environment, folder, timeout)
    if not trial.why or not isinstance(server, LocalServer):
        return trial if not trial.why else Trial(why=f"does not work: {trial.why}", words=trial.words)
    alone = _start(list(server.command), environment, folder, timeout)
    if alone.why:
        return Trial(why=f"does not work without the gateway either: {alone.why}", words=alone.words)
    return Trial(why=f"works, but not behind the gateway: {trial.why}", words=trial.words)


def _start(command: list[str], environment: Mapping[str, str], folder: str, timeout: float) -> Trial:
    client: McpClient | None = None
    try:
        with McpClient(command, timeout=timeout, environment=environment, folder=folder) as client:
            greeting = client.greet()
            tools = client.everything("tools/list", "tools") if "tools" in greeting.capabilities else []
    except UpstreamError as error:
        return Trial(why=str(error), words=tuple(client.process.words) if client is not None else ())
    return Trial(note=f"works: {counted(len(tools), 'tool')} with Penstock's own")
