"""The data's type in one line, as a programmer would write it: ``{matches: [{file: str, line: int, text?: str}]}``.

``?`` after a name: the field is missing in some objects. ``{<key>: T}``: an object used as a map. ``…``: more than
is shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from penstock.core.json.path import shorten
from penstock.core.json.strings import quote

if TYPE_CHECKING:
    from penstock.core.sample import Form

LONGEST: Final = 600  # characters; the notice carries the shape, and it must leave room for the preview
MOST_FIELDS: Final = 16  # fields written of one object
MAP_KEYS: Final = 24  # an object with more keys than this is a map when its values are alike

_PLAIN = re.compile(r"[A-Za-z_$][\w$-]*")


def shape(form: Form, longest: int = LONGEST) -> str:
    """Write the form in at most ``longest`` characters, with as many levels and fields as that allows."""
    fewer = (MOST_FIELDS, 8, 4)
    for levels in range(8, 0, -1):
        for fields in fewer:
            text = _write(form, levels, fields)
            if len(text) <= longest:
                return text
    return shorten(_write(form, 1, 1), longest)


def _write(form: Form, levels: int, most: int) -> str:
    kinds: list[str] = []
    if form.objects:
        kinds.append(_write_object(form, levels, most) if levels > 0 else "{…}")
    if form.arrays:
        kinds.append(_write_array(form, levels, most) if levels > 0 else "[…]")
    names = dict.fromkeys(kind for kind in form.scalars if kind != "null")
    if "float" in names:
        names.pop("int", None)  # 1 and 1.5 in one field are numbers of one kind
    kinds.extend(names)
    if "null" in form.scalars:
        kinds.append("null")
    return "|".join(kinds)


def _write_array(form: Form, levels: int, most: int) -> str:
    inner = _write(form.item, levels - 1, most) if form.item is not None else ""
    return f"[{inner}]"


def _write_object(form: Form, levels: int, most: int) -> str:
    if is_map(form):
        inner = next(iter(form.fields.values()))
        return "{<key>: " + _write(inner, levels - 1, most) + "}"
    parts = []
    for name, inner in list(form.fields.items())[:most]:
        mark = "?" if inner.seen < form.objects else ""
        parts.append(f"{_name(name)}{mark}: {_write(inner, levels - 1, most)}")
    if len(form.fields) > most:
        parts.append("…")
    return "{" + ", ".join(parts) + "}"


def is_map(form: Form) -> bool:
    """Whether an object is a map from keys to values of one kind, rather than a record with named fields."""
    if form.wide:
        return True
    if len(form.fields) <= MAP_KEYS:
        return False
    kinds = {_write(inner, 1, 4) for inner in form.fields.values()}
    return len(kinds) * 8 <= len(form.fields)


def _name(name: str) -> str:
    short = shorten(name, 40)
    return short if _PLAIN.fullmatch(short) else quote(short).decode()
