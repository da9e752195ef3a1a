"""Scenes as Unity writes them, in as few words as it takes."""

from __future__ import annotations

from typing import Final

from unity_server.prefabs import MISSING, Prefab
from unity_server.tree import read_scene

HEADER: Final = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
LAMP: Final = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"


class NoAssets:
    """A project without any other file."""

    def path_of(self, guid: str) -> str | None:
        return None

    def prefab(self, guid: str) -> Prefab:
        return Prefab(path=None, why=MISSING)


class Files(NoAssets):
    """A project of prefabs, by their guids: each is the text of its documents, in ``Assets/GUID.prefab``."""

    def __init__(self, **texts: str) -> None:
        self._texts = texts

    def path_of(self, guid: str) -> str | None:
        return f"Assets/{guid}.prefab" if guid in self._texts else None

    def prefab(self, guid: str) -> Prefab:
        path = self.path_of(guid)
        if path is None:
            return super().prefab(guid)
        return Prefab(path=path, scene=read_scene(path, (HEADER + self._texts[guid]).encode(), self))


def thing(
    number: int, name: str, father: int = 0, children: tuple[int, ...] = (), also: str = "", components: str = ""
) -> str:
    """A game object with the id ``number`` and a Transform with the next one."""
    listed = "".join(f"  - {{fileID: {one}}}\n" for one in children)
    below = f"  m_Children:\n{listed}" if children else "  m_Children: []\n"
    return (
        f"--- !u!1 &{number}\nGameObject:\n  m_Component:\n  - component: {{fileID: {number + 1}}}\n{components}"
        f"  m_Layer: 0\n  m_Name: {name}\n  m_TagString: Untagged\n{also}  m_IsActive: 1\n"
        f"--- !u!4 &{number + 1}\nTransform:\n  m_GameObject: {{fileID: {number}}}\n{below}"
        f"  m_Father: {{fileID: {father}}}\n"
    )


def instance(
    number: int, father: int, changes: dict[str, str], target: int = 50, guid: str = LAMP, more: str = ""
) -> str:
    """An instance of a prefab with the id ``number``, and its stripped Transform with the next one. ``more`` is what
    its modification has beside changes."""
    changed = "".join(
        f"    - target: {{fileID: {target}, guid: {guid},\n        type: 3}}\n      propertyPath: {key}\n"
        f"      value: {value}\n      objectReference: {{fileID: 0}}\n"
        for key, value in changes.items()
    )
    return (
        f"--- !u!1001 &{number}\nPrefabInstance:\n  m_Modification:\n    m_TransformParent: {{fileID: {father}}}\n"
        f"    m_Modifications:\n{changed}{more}  m_SourcePrefab: {{fileID: 100100000, guid: {guid}, type: 3}}\n"
        f"--- !u!4 &{number + 1} stripped\nTransform:\n  m_PrefabInstance: {{fileID: {number}}}\n"
    )


def stripped(number: int, kind: str, instance: int, inside: int) -> str:
    """The document that stands for an object inside an instance."""
    class_id = {"GameObject": 1, "Transform": 4}[kind]
    return (
        f"--- !u!{class_id} &{number} stripped\n{kind}:\n"
        f"  m_CorrespondingSourceObject: {{fileID: {inside}, guid: {LAMP}, type: 3}}\n"
        f"  m_PrefabInstance: {{fileID: {instance}}}\n"
    )


def roots(*ids: int) -> str:
    """The list of roots that ends a scene of a current Unity."""
    return "--- !u!1660057539 &9223372036854775807\nSceneRoots:\n  m_Roots:\n" + "".join(
        f"  - {{fileID: {one}}}\n" for one in ids
    )
