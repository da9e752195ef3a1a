"""A settings file of several sections: one that it leaves out is as in the file that comes with the server."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from penstock import Config, load

if TYPE_CHECKING:
    from pathlib import Path


def read_sections(file: Path, shipped: Path, own: tuple[str, ...]) -> tuple[Config, dict[str, Any]]:
    """Return Penstock's settings and the table of a file; ``own`` are the server's sections. A file that cannot be read
    is a ``ConfigError``."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        table = {}
    has_own_alone = bool(table) and table.keys() <= {*own}
    penstock = load(shipped if has_own_alone else file)  # which says what is wrong with a file
    return penstock, {**tomllib.loads(shipped.read_text(encoding="utf-8")), **table}
