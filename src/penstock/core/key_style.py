"""The names of our own keys in snake_case or camelCase. Keys that are data are never renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from penstock.core.text import nearest
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Mapping

Style = Literal["snake", "camel"]


def camel(name: str) -> str:
    """Write ``total_items`` as ``totalItems``. Underscores in front are kept, as in ``_pagination``."""
    bare = name.lstrip("_")
    first, *rest = bare.split("_")
    return "_" * (len(name) - len(bare)) + first + "".join(part[:1].upper() + part[1:] for part in rest)


def render(mapping: Mapping[str, Any], style: Style = "snake") -> dict[str, Any]:
    """Return a mapping whose keys are ours with its keys in the style. Its values are copied as they are."""
    if style not in get_args(Style):
        near = nearest(str(style), get_args(Style)) or list(get_args(Style))
        raise CallerError(f"no such style of names: {style!r}", do=f"use {' or '.join(near)}")
    return {camel(key) if style == "camel" else key: value for key, value in mapping.items()}
