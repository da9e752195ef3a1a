"""The fields beside a match: the id and the label of its row, then the other fields of the object that it is in."""

from __future__ import annotations

from typing import Any, Final

from penstock.core.tables.roles import Role, named_role
from penstock.core.text import plain

MAX_FIELDS: Final = 8  # Fields of one match: as many as a reader compares at a glance.
MAX_LENGTH: Final = 160  # Characters of all fields of one match, so that many matches have room.
MAX_VALUE: Final = 40  # Characters of a value. A longer one is a text.
NAMING: Final = (Role.ID, Role.LABEL, Role.PATH)  # The roles of fields that tell rows apart, the best first.


def key_fields(row: Any, item: Any, way: tuple[Any, ...]) -> str:
    """Write ``id 39 · title Star Wars · year 1977``: what names the row, then the fields of the item of the match.

    ``way`` leads from the item to the match, which is shown anyway.
    """
    fields: dict[str, Any] = {}
    if isinstance(row, dict) and row is not item:
        fields |= dict(_naming(_short(row)))
    if isinstance(item, dict):
        own = {name: value for name, value in _short(item).items() if (name,) != way}
        fields |= {name: value for name, value in (*_naming(own), *own.items()) if name not in fields}
        inner = item.get(way[0]) if len(way) > 1 else None
        if isinstance(inner, dict):
            fields |= {f"{way[0]}.{name}": value for name, value in _short(inner).items() if (name,) != way[1:]}
    written = ""
    for name, value in list(fields.items())[:MAX_FIELDS]:
        part = f"{plain(name)} {plain(value)}"
        if len(written) + len(part) > MAX_LENGTH:
            break
        written = f"{written} · {part}" if written else part
    return written


def _short(item: dict[str, Any]) -> dict[str, Any]:
    """Return the fields whose values are short scalars. Links and codes tell a reader nothing."""
    return {
        name: value
        for name, value in item.items()
        if isinstance(value, str | int | float)
        and value != ""
        and len(str(value)) <= MAX_VALUE
        and named_role(name) not in (Role.LINK, Role.CODE)
    }


def _naming(fields: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return one field of each role that names a row."""
    by_role: dict[Role, str] = {}
    for name in fields:
        if (role := named_role(name)) in NAMING:
            by_role.setdefault(role, name)
    return [(by_role[role], fields[by_role[role]]) for role in NAMING if role in by_role]
