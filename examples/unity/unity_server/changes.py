"""The changes of an instance to its prefab, as its document says it under ``m_Modification``.

A change names its target by the id that an object or a component has in the prefab, and a property by its path, such as
``m_LocalPosition.x`` or ``m_Materials.Array.data[0]``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from unity_server.fields import parsed

_MORE: Final = rb"(.*(?:\n(?: {8}.*|(?=\n)))*)"  # the rest of a line, and the lines that it goes on in
_CHANGE: Final = re.compile(
    rb"- target: \{fileID: (-?\d{1,19})[^}]*\}\n +propertyPath:" + _MORE + rb"\n +value:" + _MORE
    + rb"\n +objectReference: (\{[^}]*\})"
)  # fmt: skip
_FATHER: Final = re.compile(rb"m_TransformParent: \{fileID: (-?\d{1,19})\}")
_ID: Final = re.compile(rb"- \{fileID: (-?\d{1,19})")
_ADDED: Final = re.compile(rb"insertIndex: (\d{1,9})\n +addedObject: \{fileID: (-?\d{1,19})\}")
_SECTION: Final = rb"\n    %b:((?:\n(?:    [ -].*|(?=\n)))*)"


class Change(NamedTuple):
    """A property that has another value. ``reference`` is the object that it points to; None for plain values."""

    path: str
    text: str
    reference: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Modification:
    """All that an instance changes, by ids of the prefab. ``father`` is the Transform that it hangs on in its own file;
    ``inserted`` has the places of objects of that file which are added between those of the prefab."""

    father: int
    changes: dict[int, list[Change]] = field(default_factory=dict)
    removed: frozenset[int] = frozenset()
    inserted: dict[int, int] = field(default_factory=dict)

    def text(self, target: int | None, path: str) -> str | None:
        """Return the new text of a property; None where it is not changed. Without a target, that of the
        first object."""
        targets = self.changes.values() if target is None else [self.changes.get(target, [])]
        return next((one.text for changes in targets for one in changes if one.path == path), None)


def modification(raw: bytes) -> Modification:
    """Read it from an instance's document."""
    father = _FATHER.search(raw)
    changes: dict[int, list[Change]] = {}
    for target, path, value, reference in _CHANGE.findall(_section(raw, b"m_Modifications")):
        changes.setdefault(int(target), []).append(Change(_text(path), _text(value), _reference(reference)))
    gone = _section(raw, b"m_RemovedComponents") + _section(raw, b"m_RemovedGameObjects")
    return Modification(
        father=int(father[1]) if father else 0,
        changes=changes,
        removed=frozenset(int(one) for one in _ID.findall(gone)),
        inserted={int(added): int(place) for place, added in _ADDED.findall(_section(raw, b"m_AddedGameObjects"))},
    )


def _section(raw: bytes, key: bytes) -> bytes:
    match = re.search(_SECTION % key, raw)
    return match[1] if match else b""


def _text(written: bytes) -> str:
    text = written.strip()
    if text[:1] in (b'"', b"'") or b"\n" in text:
        read = parsed(b"value: " + text)
        if isinstance(read, dict) and "value" in read:
            return str(read["value"])
    return text.decode("utf-8", "replace")


def _reference(written: bytes) -> dict[str, Any] | None:
    read = parsed(written)
    return read if isinstance(read, dict) and read.get("fileID") not in (0, None) else None
