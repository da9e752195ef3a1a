"""The changes of an instance to its prefab, as its document says it under ``m_Modification``.

A change names its target by the id that an object or a component has in the prefab, and a property by its path, such as
``m_LocalPosition.x`` or ``m_Materials.Array.data[0]``.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from unity_server.fields import parsed, scalar

LONGEST: Final = 10_000  # items to which a change of an array's size adds; Unity's inspector shows no more either
_MORE: Final = rb"(.*(?:\n(?: {8}.*|(?=\n)))*)"  # the rest of a line, and the lines that it goes on in
_CHANGE: Final = re.compile(
    rb"- target: \{fileID: (-?\d{1,19})[^}]*\}\n +propertyPath:" + _MORE + rb"\n +value:" + _MORE
    + rb"\n +objectReference: (\{[^}]*\})"
)  # fmt: skip
_FATHER: Final = re.compile(rb"m_TransformParent: \{fileID: (-?\d{1,19})\}")
_ID: Final = re.compile(rb"- \{fileID: (-?\d{1,19})")
_ADDED: Final = re.compile(rb"insertIndex: (\d{1,9})\n +addedObject: \{fileID: (-?\d{1,19})\}")
_SECTION: Final = rb"\n    %b:((?:\n(?:    [ -].*|(?=\n)))*)"
_STEP: Final = re.compile(r"\.?(?:Array\.(?:data\[(\d{1,9})\]|(size)$)|([^.\[\]]+))")


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


def apply(properties: dict[str, Any], changes: tuple[Change, ...]) -> tuple[dict[str, Any], list[Change]]:
    """Return the properties with the changes made, and the changes whose path leads nowhere in them."""
    changed = copy.deepcopy(properties) if changes else properties
    return changed, [one for one in changes if not _put(changed, one)]


def _put(properties: dict[str, Any], change: Change) -> bool:
    steps = _steps(change.path)
    if not steps:
        return False
    place: Any = properties
    for step in steps[:-1]:
        try:
            place = place[step]
        except (KeyError, IndexError, TypeError):
            return False
    last = steps[-1]
    if last == "size" and isinstance(place, list):
        return _resize(place, change.text)
    if isinstance(last, int) and isinstance(place, list) and last < len(place):
        place[last] = _value(change, place[last])
        return True
    if isinstance(last, str) and isinstance(place, dict) and (last in place or place is properties):
        place[last] = _value(change, place.get(last))
        return True
    return False


def _steps(path: str) -> list[str | int]:
    """Split a path into its keys and indexes; none of them where it has another form, as those into managed references
    have."""
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            return []
        index, size, name = step.groups()
        steps.append(int(index) if index else size or name)
        at = step.end()
    return steps


def _resize(items: list[Any], text: str) -> bool:
    if not text.isdecimal() or int(text) - len(items) > LONGEST:
        return False
    size = int(text)
    last = items[-1] if items else None
    items[size:] = [copy.deepcopy(last) for _ in range(size - len(items))]  # Unity repeats the last one
    return True


def _value(change: Change, old: Any) -> Any:
    if change.reference is not None:
        return change.reference
    if isinstance(old, dict) and "fileID" in old and not change.text:
        return {"fileID": 0}
    return change.text if isinstance(old, str) else scalar(change.text)


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
