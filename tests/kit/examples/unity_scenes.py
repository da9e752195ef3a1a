"""Scenes as Unity writes them, in as few words as it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from unity_server.prefabs import Inherited

HEADER: Final = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
LAMP: Final = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"


class NoAssets:
    """A project without any other file."""

    def path_of(self, guid: str) -> str | None:
        return None

    def prefab(self, guid: str) -> Inherited | None:
        return None


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


def instance(number: int, father: int, changes: dict[str, str], target: int = 50, guid: str = LAMP) -> str:
    """An instance of a prefab with the id ``number``, and its stripped Transform with the next one."""
    changed = "".join(
        f"    - target: {{fileID: {target}, guid: {guid},\n        type: 3}}\n      propertyPath: {key}\n"
        f"      value: {value}\n      objectReference: {{fileID: 0}}\n"
        for key, value in changes.items()
    )
    return (
        f"--- !u!1001 &{number}\nPrefabInstance:\n  m_Modification:\n    m_TransformParent: {{fileID: {father}}}\n"
        f"    m_Modifications:\n{changed}  m_SourcePrefab: {{fileID: 100100000, guid: {guid}, type: 3}}\n"
        f"--- !u!4 &{number + 1} stripped\nTransform:\n  m_PrefabInstance: {{fileID: {number}}}\n"
    )


def roots(*ids: int) -> str:
    """The list of roots that ends a scene of a current Unity."""
    return "--- !u!1660057539 &9223372036854775807\nSceneRoots:\n  m_Roots:\n" + "".join(
        f"  - {{fileID: {one}}}\n" for one in ids
    )
