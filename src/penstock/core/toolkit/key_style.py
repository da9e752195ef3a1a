"""Metadata in snake_case or camelCase, without ever renaming a key that is data.

A reader of an answer cannot tell our keys from the data's, but we can: a mapping whose keys we wrote is a ``Meta``,
and only the keys of a ``Meta`` are renamed. Everything else (group names, records, counts by value) is copied as it
is. The mark is on our side because forgetting it there costs a key in the wrong style, while forgetting it on the
data's side would corrupt the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from penstock.core.text import nearest
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Mapping

Style = Literal["snake", "camel"]


class Meta(dict[str, Any]):
    """A mapping whose keys are ours, and may be renamed."""


def camel(name: str) -> str:
    """Write ``total_items`` as ``totalItems``; underscores in front are kept, as in ``_pagination``."""
    bare = name.lstrip("_")
    first, *rest = bare.split("_")
    return "_" * (len(name) - len(bare)) + first + "".join(part[:1].upper() + part[1:] for part in rest)


def render(mapping: Mapping[str, Any], style: Style = "snake") -> dict[str, Any]:
    """Return the mapping as plain dicts, its own keys and those of every ``Meta`` in it (or in a list in it) in the
    style."""
    if style not in get_args(Style):
        near = nearest(str(style), get_args(Style)) or list(get_args(Style))
        raise CallerError(f"no such style of names: {style!r}", do=f"use {' or '.join(near)}")
    return {camel(key) if style == "camel" else key: _rendered(value, style) for key, value in mapping.items()}


def _rendered(value: Any, style: Style) -> Any:
    if isinstance(value, Meta):
        return render(value, style)
    if isinstance(value, list | tuple) and any(isinstance(part, Meta) for part in value):
        return [_rendered(part, style) for part in value]
    return value
