"""The fields that name an item, so that a reader knows which item a match was found in: its name, its path, its id."""

from __future__ import annotations

from typing import Any, Final

from penstock.core.tables.roles import WORTH, Role, named_role
from penstock.core.text import plain

MAX_FIELDS: Final = 3  # Fields of one item: a name, a path and an id.
MAX_TEXTS: Final = 2  # Texts of an item without such fields.
MAX_VALUE: Final = 40  # Characters of a value.
# The roles of fields that name an item. ``WORTH`` has their order in sample rows, and it is the same here.
NAMING: Final = sorted(
    (Role.ID, Role.LABEL, Role.PATH, Role.STATE, Role.TIME, Role.WHO, Role.CATEGORY),
    key=lambda role: WORTH[role].row or 0,
)


def key_fields(item: Any, beside: tuple[Any, ...]) -> str:
    """Write ``title Star Wars · id 39``: at most three short fields of an item, without the one that is shown anyway.

    If no name of a field says what the field is for, write the first short texts.
    """
    if not isinstance(item, dict):
        return ""
    short = {
        name: value
        for name, value in item.items()
        if (name,) != beside and isinstance(value, str | int) and len(str(value)) <= MAX_VALUE and value != ""
    }
    by_role: dict[Role, str] = {}
    for name in short:
        if (role := named_role(name)) is not None:
            by_role.setdefault(role, name)
    chosen = [by_role[role] for role in NAMING if role in by_role][:MAX_FIELDS]
    if not chosen and not any(named_role(str(step)) in NAMING for step in beside):  # The match is in its name.
        chosen = [name for name, value in short.items() if isinstance(value, str)][:MAX_TEXTS]
    return " · ".join(f"{plain(name)} {plain(short[name])}" for name in chosen)
