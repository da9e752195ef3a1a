"""The command line, and the server put together."""

from __future__ import annotations

import hashlib
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from platformdirs import user_cache_path

from penstock.middleware.fastmcp import PenstockMiddleware
from server_parts.complaints import Complaints
from server_parts.start import command_line, serve
from vault_server.answers import Maker
from vault_server.dispatch import add_dispatchers
from vault_server.progress import Reading
from vault_server.prompts import add_prompts
from vault_server.searches import add_searches
from vault_server.settings import SHIPPED, Settings, load_settings
from vault_server.tools import Parts, add_deletes, add_tools
from vault_server.vault import Vault
from vault_server.web import Fetcher

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def build(vault: Vault, settings: Settings, *, read_only: bool = False) -> FastMCP[Any]:
    """Build the server for a vault; ``read_only``: without the tool that deletes."""
    mcp: FastMCP[Any] = FastMCP(
        "vault",
        instructions="A vault of Markdown notes. Every answer tells how much there is and how to read on.",
    )
    answers = Maker(max_tokens=settings.penstock.max_tokens)
    fetcher = Fetcher(vault=vault, limits=settings.fetch)
    parts = Parts(vault=vault, answers=answers, defaults=settings.defaults, fetcher=fetcher)
    add_tools(mcp, parts)
    add_searches(mcp, parts)
    if not read_only:
        add_deletes(mcp, parts)
    add_dispatchers(mcp, parts, read_only=read_only)
    add_prompts(mcp)
    mcp.add_middleware(Complaints(mcp))
    mcp.add_middleware(Reading(vault))
    mcp.add_middleware(PenstockMiddleware(config=settings.penstock))
    return mcp


def open_vault(folder: Path, data: Path, refresh_seconds: int) -> Vault:
    """Open the vault at a folder; its index is in the data folder, never in the vault."""
    data.mkdir(parents=True, exist_ok=True)
    mark = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return Vault(folder, data / f"index-{mark}.sqlite", refresh_seconds=refresh_seconds)


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[FastMCP[Any]]:
    """Open what the command line names, and begin to read the notes."""
    settings = load_settings(options.config, tuple(options.allow_host))
    data = options.data or user_cache_path("penstock-vault", appauthor=False)
    with closing(open_vault(options.folder, data, settings.defaults.refresh_seconds)) as vault:
        vault.start()
        yield build(vault, settings, read_only=options.read_only)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a vault."""
    parser = command_line("a vault of notes", "the folder of notes", config=SHIPPED, data="the index")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="HOST[:PORT]", help="a host that fetch may ask; repeatable"
    )
    parser.add_argument("--read-only", action="store_true", help="leave out the tool that deletes")
    return serve("vault", parser, opened, arguments)
