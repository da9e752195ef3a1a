"""The settings file: ``[penstock]`` is Penstock's, ``[vault]`` and ``[fetch]`` are read here."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from penstock import Config, ConfigError
from server_parts.sections import read_sections
from vault_server.web import Limits

SHIPPED: Final = Path(__file__).resolve().parents[1] / "penstock.toml"
# The largest size that a call may name. What is too large to show is held by Penstock, so that it is there to be read
# on, but it has to be made first.
MOST_ITEMS: Final = 100_000
MOST_CHARACTERS: Final = 20_000_000

_HOST: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\s/:@\[\]]+)(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """Sizes for calls that name none."""

    list_limit: int = 100
    content_length: int = 10_000
    search_limit: int = 20
    query_limit: int = 50
    bulk_limit: int = 50
    fetch_length: int = 5_000
    refresh_seconds: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a file can say."""

    penstock: Config
    defaults: Defaults
    fetch: Limits


def load_settings(file: Path, hosts: tuple[str, ...] = ()) -> Settings:
    """Read a settings file, or raise a ``ConfigError`` that names the file and the setting."""
    penstock, table = read_sections(file, SHIPPED, ("vault", "fetch"))
    most = {field.name: MOST_ITEMS if field.name.endswith("limit") else MOST_CHARACTERS for field in fields(Defaults)}
    defaults = _whole_numbers(file, "vault", table.get("vault", {}), most)
    section = dict(table.get("fetch", {}))
    named = section.pop("hosts", [])
    if not isinstance(named, list):
        raise ConfigError(f"{file}: fetch.hosts: expected a list of host names, found {named!r}")
    for name in (*named, *hosts):
        if not isinstance(name, str) or not _HOST.fullmatch(name):
            where = "--allow-host" if name in hosts else f"{file}: fetch.hosts"
            raise ConfigError(f"{where}: expected a host such as docs.python.org or 127.0.0.1:8080, found {name!r}")
    limits = _whole_numbers(file, "fetch", section, {"max_bytes": 100_000_000, "seconds": 600})
    fetch = Limits(hosts=(*named, *hosts), **limits)
    return Settings(penstock=penstock, defaults=Defaults(**defaults), fetch=fetch)


def _whole_numbers(file: Path, section: str, numbers: Any, most: dict[str, int]) -> dict[str, Any]:
    if not isinstance(numbers, dict):
        raise ConfigError(f"{file}: {section}: expected a table")
    for name, value in numbers.items():
        if name not in most:
            raise ConfigError(f"{file}: {section}.{name}: not a setting", do=f"one of {', '.join(most)}")
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most[name]:
            raise ConfigError(
                f"{file}: {section}.{name}: expected a whole number from 1 to {most[name]:,}, found {value!r}"
            )
    return numbers
