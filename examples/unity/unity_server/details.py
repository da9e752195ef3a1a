"""Everything that the file says of one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from unity_server.documents import BrokenError
from unity_server.fields import parsed

if TYPE_CHECKING:
    from unity_server.scene import GameObject, Scene

# Where a document comes from and belongs to; it is told once, for the object.
_BOOKKEEPING: Final = frozenset(
    ("m_ObjectHideFlags", "m_CorrespondingSourceObject", "m_PrefabInstance", "m_PrefabAsset", "m_GameObject",
     "m_PrefabParentObject", "m_PrefabInternal")
)  # fmt: skip


def details(scene: Scene, one: GameObject) -> dict[str, Any]:
    """The object with its components, their serialized fields, and its children."""
    told = one.row() | {"activeInHierarchy": one.active_in_hierarchy}
    own = one.components[len(one.components) - len(one.component_ids) :]
    components: list[dict[str, Any]] = [
        {"type": name, "inherited": True} for name in one.components[: len(one.components) - len(own)]
    ]
    for name, file_id in zip(own, one.component_ids, strict=True):
        properties = _properties(scene, file_id)
        components.append({"fileID": str(file_id), "type": name, "properties": properties})
    told["components"] = components
    if one.prefab is not None:
        told["modification"] = _properties(scene, one.file_id).get("m_Modification", {})
    told["children"] = [{"fileID": str(child), "name": scene.objects[child].name} for child in one.children]
    return told


def _properties(scene: Scene, file_id: int) -> dict[str, Any]:
    document = scene.documents.get(file_id)
    if document is None:
        return {}
    read = parsed(scene.fields.raw(document))
    if not isinstance(read, dict):
        raise BrokenError(scene.path, f"the document {file_id} ({document.kind}) is not the YAML that Unity writes")
    return {name: value for name, value in read.items() if name not in _BOOKKEEPING}
