"""Everything that the files say of one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from unity_server.documents import BrokenError
from unity_server.fields import parsed

if TYPE_CHECKING:
    from unity_server.documents import Document
    from unity_server.fields import Fields
    from unity_server.scene import Component, GameObject, Scene

# Where a document comes from and belongs to; it is told once, for the object.
_BOOKKEEPING: Final = frozenset(
    ("m_ObjectHideFlags", "m_CorrespondingSourceObject", "m_PrefabInstance", "m_PrefabAsset", "m_GameObject",
     "m_PrefabParentObject", "m_PrefabInternal")
)  # fmt: skip


def details(scene: Scene, one: GameObject) -> dict[str, Any]:
    """Describe the object with its components and its children. The ``properties`` of a component are those of the file
    that it is in: for one that is ``inherited``, of its prefab, whose ids they have. ``overrides`` are the values that
    instances put in their place, by the paths of the properties."""
    entry = one.row() | {"activeInHierarchy": one.active_in_hierarchy}
    entry["components"] = [_component(part) for part in one.parts]
    entry["children"] = [{"fileID": str(child), "name": scene.objects[child].name} for child in one.children]
    return entry


def _component(part: Component) -> dict[str, Any]:
    entry: dict[str, Any] = {"fileID": str(part.file_id), "type": part.name}
    if part.document is None or part.fields is None:
        return entry | {"properties": {}}
    if part.inherited:
        entry["inherited"] = part.fields.name
    entry["properties"] = _properties(part.fields, part.document)
    if part.changes:  # the outermost instance comes last, and counts
        entry["overrides"] = {
            change.path: change.text if change.reference is None else change.reference for change in part.changes
        }
    return entry


def _properties(fields: Fields, document: Document) -> dict[str, Any]:
    read = parsed(fields.raw(document))
    if not isinstance(read, dict):
        what = f"the document {document.file_id} ({document.kind}) is not the YAML that Unity writes"
        raise BrokenError(fields.name, what)
    return {name: value for name, value in read.items() if name not in _BOOKKEEPING}
