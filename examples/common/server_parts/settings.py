"""A settings file of several sections: what it leaves out is as in the file that comes with the server.

A section is a dataclass, whose types say what a value may be. A ``ConfigError`` names the file, the setting, what was
expected and what was found.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import msgspec

from penstock import Config, ConfigError, load
from server_parts.complaints import expected, quoted

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")


def read_sections(file: Path, shipped: Path, own: tuple[str, ...]) -> tuple[Config, dict[str, Any]]:
    """Return Penstock's settings and the table of a TOML file; ``own`` are the server's sections."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        table = {}
    has_own_alone = bool(table) and table.keys() <= {*own}
    penstock = load(shipped if has_own_alone else file)  # which says what is wrong with a file
    return penstock, merged(tomllib.loads(shipped.read_text(encoding="utf-8")), table)


def merged(table: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a table with changes, those of tables in it one by one."""
    whole = dict(table)
    for name, value in changes.items():
        both_tables = isinstance(value, dict) and isinstance(table.get(name), dict)
        whole[name] = merged(table[name], value) if both_tables else value
    return whole


def section(file: Path, where: str, table: Any, kind: type[T]) -> T:
    """Return a section of a file."""
    return kind(**values(file, where, table, kind))


def values(file: Path, where: str, table: Any, kind: type[Any]) -> dict[str, Any]:
    """Return the settings that a section names, as its dataclass has them."""
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{file}: {where}: expected a table, found {_actual(table)}")
    types = get_type_hints(kind, include_extras=True)
    converted: dict[str, Any] = {}
    for name, value in (table or {}).items():
        if name not in types:
            raise ConfigError(f"{file}: {where}.{name}: not a setting", do=f"one of {', '.join(types)}")
        try:
            converted[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError:
            schema = msgspec.json.schema(types[name])
            words = schema.get("description") or expected(schema)
            raise ConfigError(f"{file}: {where}.{name}: expected {words}, found {_actual(value)}") from None
    return converted


def _actual(value: object) -> str:
    # A list may be a bomb of aliases, which is small until it is written out.
    return "a list or a table" if isinstance(value, list | dict) else quoted(value)
