"""The command line, and the server put together."""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from platformdirs import user_cache_path

from penstock import ConfigError, PenstockError
from penstock.middleware.fastmcp import PenstockMiddleware
from server_parts.complaints import Complaints
from server_parts.sample import kept_sample
from vault_server.answers import Maker
from vault_server.dispatch import add_dispatchers
from vault_server.progress import Reading
from vault_server.prompts import add_prompts
from vault_server.sample import make_vault
from vault_server.searches import add_searches
from vault_server.settings import SHIPPED, Settings, load_settings
from vault_server.tools import Parts, add_deletes, add_tools
from vault_server.vault import Vault
from vault_server.web import Fetcher

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIG = SHIPPED


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


def open_vault(folder: Path | None, data: Path | None, refresh_seconds: int) -> Vault:
    """Open the vault at a folder, or the sample vault; its index lies in the data folder, never in the vault."""
    data = user_cache_path("penstock-vault", appauthor=False) if data is None else data
    data.mkdir(parents=True, exist_ok=True)
    if folder is None:
        folder = kept_sample(data, make_vault)
    if not folder.is_dir():
        raise ConfigError(f"{folder}: expected a folder of notes", do="name one, or none for the sample vault")
    mark = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return Vault(folder, data / f"index-{mark}.sqlite", refresh_seconds=refresh_seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a vault over standard input and output."""
    parser = argparse.ArgumentParser(prog="server.py", description=main.__doc__)
    parser.add_argument("vault", nargs="?", type=Path, help="the folder of notes (default: a sample vault is made)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="where the index and the sample vault are kept")
    parser.add_argument("--config", type=Path, metavar="FILE", default=CONFIG, help="settings (default: penstock.toml)")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="HOST[:PORT]", help="a host that fetch may ask; repeatable"
    )
    parser.add_argument("--read-only", action="store_true", help="leave out the tool that deletes")
    options = parser.parse_args(arguments)
    logging.getLogger("fastmcp").setLevel(logging.ERROR)  # a client shows a server's stderr to its user
    try:
        settings = load_settings(options.config, tuple(options.allow_host))
        vault = open_vault(options.vault, options.data, settings.defaults.refresh_seconds)
    except (PenstockError, OSError) as error:
        print(f"vault: {error}", file=sys.stderr)  # noqa: T201
        return 2
    vault.start()
    try:
        build(vault, settings, read_only=options.read_only).run(show_banner=False)
    except KeyboardInterrupt:
        return 130
    finally:
        vault.close()
    return 0
