"""The settings file: ``[penstock]`` is Penstock's, ``[vault]`` and ``[fetch]`` are read here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta

from penstock import Config, ConfigError
from server_parts.settings import read_sections, section
from vault_server.web import HOST, Limits

SHIPPED: Final = Path(__file__).resolve().parents[1] / "penstock.toml"
# The largest size that a call may name. What is too large to show is held by Penstock, so that it is there to be read
# on, but it has to be made first.
MOST_ITEMS: Final = 100_000
MOST_CHARACTERS: Final = 20_000_000

Items = Annotated[int, Meta(ge=1, le=MOST_ITEMS)]
Characters = Annotated[int, Meta(ge=1, le=MOST_CHARACTERS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """Sizes for calls that name none."""

    list_limit: Items = 100
    content_length: Characters = 10_000
    search_limit: Items = 20
    query_limit: Items = 50
    bulk_limit: Items = 50
    fetch_length: Characters = 5_000
    refresh_seconds: Annotated[int, Meta(ge=1, le=86_400)] = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a file can say."""

    penstock: Config
    defaults: Defaults
    fetch: Limits


def load_settings(file: Path, hosts: tuple[str, ...] = ()) -> Settings:
    """Read a settings file, or raise a ``ConfigError`` that names the file and the setting."""
    penstock, table = read_sections(file, SHIPPED, ("vault", "fetch"))
    for name in hosts:
        if not re.fullmatch(HOST, name):
            example = "a host such as docs.python.org or 127.0.0.1:8080"
            raise ConfigError(f"--allow-host: expected {example}, found {name!r}")
    fetch = section(file, "fetch", table.get("fetch"), Limits)
    defaults = section(file, "vault", table.get("vault"), Defaults)
    return Settings(penstock=penstock, defaults=defaults, fetch=replace(fetch, hosts=(*fetch.hosts, *hosts)))
