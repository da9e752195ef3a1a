"""What an instance of a prefab takes from its prefab, and what it changes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from unity_server.fields import parsed

if TYPE_CHECKING:
    from unity_server.documents import Document
    from unity_server.fields import Fields

CLASS: Final = 1001
_SOURCE: Final = ("m_SourcePrefab", "m_ParentPrefab")  # now, and before Unity 2018.3
_CHANGE: Final = re.compile(
    rb"- target: \{fileID: (-?\d{1,19})[^}]*\}\n"
    rb" +propertyPath: (m_(?:Name|TagString|Layer|IsActive))\n"
    rb" +value:(.*(?:\n {8,}.*)*)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherited:
    """The object at the root of a prefab. ``file_id`` is what changes of its name are addressed to; ``inside`` is the
    number of objects below it, None where the prefab could not be read."""

    file_id: int
    name: str
    tag: str
    layer: int
    active: bool
    components: tuple[str, ...]
    inside: int | None = None


class Assets(Protocol):
    """What other files of the project say."""

    def path_of(self, guid: str) -> str | None:
        """The path of the file with this guid."""

    def prefab(self, guid: str) -> Inherited | None:
        """The root of the prefab with this guid."""


def is_instance(fields: Fields, document: Document) -> bool:
    """Whether it is made from another file."""
    return fields.guid(document, *_SOURCE) != ""


def instance(fields: Fields, document: Document, assets: Assets) -> tuple[Inherited, str]:
    """An instance as an object of its own, and the path of its prefab (its guid, if the file is not there)."""
    guid = fields.guid(document, *_SOURCE)
    path = assets.path_of(guid)
    root = assets.prefab(guid)
    changed = _changes(fields.raw(document), None if root is None else root.file_id)
    name = path.rpartition("/")[2].removesuffix(".prefab") if path else "Missing Prefab"
    base = root or Inherited(file_id=0, name=name, tag="Untagged", layer=0, active=True, components=("Transform",))
    layer = changed.get("m_Layer", "")
    found = Inherited(
        file_id=document.file_id,
        name=changed.get("m_Name", base.name),
        tag=changed.get("m_TagString", base.tag),
        layer=int(layer) if layer.isdecimal() else base.layer,
        active=changed["m_IsActive"] != "0" if "m_IsActive" in changed else base.active,
        components=base.components,
        inside=base.inside,
    )
    return found, path or guid


def _changes(raw: bytes, root: int | None) -> dict[str, str]:
    """The changes of the root's own fields; of any object's, the first, when the root is not known."""
    changed: dict[str, str] = {}
    for target, key, value in _CHANGE.findall(raw):
        if root is None or int(target) == root:
            text = value.strip()
            read = parsed(b"value: " + text) if text[:1] in (b'"', b"'") or b"\n" in text else None
            plain = text.decode("utf-8", "replace")
            changed.setdefault(key.decode(), str(read["value"]) if isinstance(read, dict) else plain)
    return changed
