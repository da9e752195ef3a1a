"""The scenes of the sample project, in the words that Unity 2022 writes."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

HEADER: Final = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
CLASSES: Final = {
    "Camera": 20, "MeshRenderer": 23, "MeshFilter": 33, "Rigidbody": 54, "BoxCollider": 65, "AudioListener": 81,
    "AudioSource": 82, "Light": 108, "SphereCollider": 135, "CapsuleCollider": 136, "TerrainCollider": 154,
    "Terrain": 218, "Canvas": 223,
}  # fmt: skip
FIELDS: Final = {
    "Camera": "  m_ClearFlags: 1\n  near clip plane: 0.3\n  far clip plane: 1000\n  field of view: 60\n",
    "MeshRenderer": "  m_CastShadows: 1\n  m_ReceiveShadows: 1\n  m_Materials:\n"
    "  - {fileID: 10303, guid: 0000000000000000f000000000000000, type: 0}\n  m_LightmapIndex: 65535\n",
    "MeshFilter": "  m_Mesh: {fileID: 10202, guid: 0000000000000000e000000000000000, type: 0}\n",
    "Rigidbody": "  serializedVersion: 4\n  m_Mass: 1\n  m_Drag: 0\n  m_AngularDrag: 0.05\n  m_UseGravity: 1\n",
    "BoxCollider": "  m_IsTrigger: 0\n  m_Size: {x: 1, y: 1, z: 1}\n  m_Center: {x: 0, y: 0, z: 0}\n",
    "SphereCollider": "  m_IsTrigger: 1\n  m_Radius: 0.5\n  m_Center: {x: 0, y: 0, z: 0}\n",
    "CapsuleCollider": "  m_IsTrigger: 0\n  m_Radius: 0.25\n  m_Height: 4\n  m_Direction: 1\n",
    "Light": "  serializedVersion: 10\n  m_Type: 1\n  m_Color: {r: 1, g: 0.95, b: 0.84, a: 1}\n  m_Intensity: 1\n",
}
SOURCE: Final = (
    "  m_CorrespondingSourceObject: {fileID: 0}\n  m_PrefabInstance: {fileID: 0}\n  m_PrefabAsset: {fileID: 0}\n"
)


@dataclass(slots=True, kw_only=True)
class Made:
    """An object that is being written: its Transform, and what is known of it before all others are."""

    transform: int
    head: str  # its documents up to the list of its children
    tail: str
    children: list[int] = field(default_factory=list)


class Writer:
    """Collects the documents of one file."""

    def __init__(self, scripts: dict[str, str]) -> None:
        self._scripts = scripts
        self._made: list[Made | str] = []
        self._roots: list[int] = []
        self._last_id = 100_000
        self.dice = random.Random(2_022)  # noqa: S311  (not a secret: the same project everywhere)
        self.number = 0

    def _id(self) -> int:
        self._last_id += 1 + self._last_id % 7
        return self._last_id

    def add(self, name: str, parent: Made | None, *components: str, tag: str = "Untagged", active: bool = True) -> Made:
        """Write a game object with a Transform and these components."""
        own, transform = self._id(), self._id()
        ids = [self._id() for _ in components]
        listed = "".join(f"  - component: {{fileID: {one}}}\n" for one in (transform, *ids))
        x, y, z = (round(self.dice.uniform(-400, 400), 3) for _ in range(3))
        documents = [
            f"--- !u!1 &{own}\nGameObject:\n  m_ObjectHideFlags: 0\n{SOURCE}  serializedVersion: 6\n"
            f"  m_Component:\n{listed}  m_Layer: 0\n  m_Name: {name}\n  m_TagString: {tag}\n  m_Icon: {{fileID: 0}}\n"
            f"  m_NavMeshLayer: 0\n  m_StaticEditorFlags: 0\n  m_IsActive: {active:d}\n"
        ]
        documents += [self._component(one, kind, own) for one, kind in zip(ids, components, strict=True)]
        documents.append(
            f"--- !u!4 &{transform}\nTransform:\n  m_ObjectHideFlags: 0\n{SOURCE}  m_GameObject: {{fileID: {own}}}\n"
            "  serializedVersion: 2\n  m_LocalRotation: {x: 0, y: 0, z: 0, w: 1}\n"
            f"  m_LocalPosition: {{x: {x}, y: {y}, z: {z}}}\n  m_LocalScale: {{x: 1, y: 1, z: 1}}\n"
            "  m_ConstrainProportionsScale: 0\n"
        )
        father = 0 if parent is None else parent.transform
        tail = f"  m_Father: {{fileID: {father}}}\n  m_LocalEulerAnglesHint: {{x: 0, y: 0, z: 0}}\n"
        made = Made(transform=transform, head="".join(documents), tail=tail)
        self._made.append(made)
        (self._roots if parent is None else parent.children).append(transform)
        self.number += 1
        return made

    def instance(self, name: str, parent: Made, prefab: str) -> None:
        """Write an instance of a prefab."""
        own, transform = self._id(), self._id()
        source = f"guid: {prefab}, type: 3}}"
        self._made.append(
            f"--- !u!1001 &{own}\nPrefabInstance:\n  m_ObjectHideFlags: 0\n  serializedVersion: 2\n  m_Modification:\n"
            f"    serializedVersion: 3\n    m_TransformParent: {{fileID: {parent.transform}}}\n    m_Modifications:\n"
            f"    - target: {{fileID: 100006, {source}\n      propertyPath: m_Name\n      value: {name}\n"
            "      objectReference: {fileID: 0}\n    m_RemovedComponents: []\n"
            f"  m_SourcePrefab: {{fileID: 100100000, {source}\n"
            f"--- !u!4 &{transform} stripped\nTransform:\n"
            f"  m_CorrespondingSourceObject: {{fileID: 100013, {source}\n"
            f"  m_PrefabInstance: {{fileID: {own}}}\n  m_PrefabAsset: {{fileID: 0}}\n"
        )
        parent.children.append(transform)
        self.number += 1

    def text(self, *, is_scene: bool = True) -> str:
        """The file."""
        parts = [HEADER]
        if is_scene:
            parts.append("--- !u!29 &1\nOcclusionCullingSettings:\n  m_ObjectHideFlags: 0\n  serializedVersion: 2\n")
        for one in self._made:
            parts += [one] if isinstance(one, str) else [one.head, _listed("m_Children", one.children), one.tail]
        if is_scene:
            roots = _listed("m_Roots", self._roots)
            parts.append(f"--- !u!1660057539 &9223372036854775807\nSceneRoots:\n  m_ObjectHideFlags: 0\n{roots}")
        return "".join(parts)

    def _component(self, file_id: int, kind: str, owner: int) -> str:
        start = f"  m_ObjectHideFlags: 0\n{SOURCE}  m_GameObject: {{fileID: {owner}}}\n  m_Enabled: 1\n"
        if kind in self._scripts:
            script = f"{{fileID: 11500000, guid: {self._scripts[kind]}, type: 3}}"
            end = f"  m_EditorHideFlags: 0\n  m_Script: {script}\n  m_Name: \n  m_EditorClassIdentifier: \n"
            return f"--- !u!114 &{file_id}\nMonoBehaviour:\n{start}{end}"
        return f"--- !u!{CLASSES[kind]} &{file_id}\n{kind}:\n{start}{FIELDS.get(kind, '')}"


def island(writer: Writer, lantern: str, objects: int) -> str:
    """A scene of so many objects: villages of houses, trees and crates, and pebbles on the beach."""
    _basics(writer)
    writer.add("Terrain", None, "Terrain", "TerrainCollider", tag="Ground")
    world = writer.add("Villages", None)
    village = 0
    while writer.number + 500 <= objects - 100:
        village += 1
        _village(writer, writer.add(f"Village {village}", world), lantern)
    beach = writer.add("Beach", None)
    while writer.number < objects:
        writer.add(f"Pebble ({writer.number})", beach, "MeshFilter", "MeshRenderer")
    return writer.text()


def _village(writer: Writer, village: Made, lantern: str) -> None:
    houses, trees, yard = (writer.add(name, village) for name in ("Houses", "Trees", "Yard"))
    for number in range(30):
        house = writer.add(f"House {number + 1}", houses, "BoxCollider", tag="Building")
        for part in ("Walls", "Roof", "Door"):
            made = writer.add(part, house, "MeshFilter", "MeshRenderer", "BoxCollider")
            if part == "Door":
                writer.add("Handle", made, "MeshFilter", "MeshRenderer", active=number % 3 != 0)
    for number in range(200):
        writer.add(f"Tree ({number})", trees, "MeshFilter", "MeshRenderer", "CapsuleCollider", tag="Vegetation")
    for number in range(50):
        writer.add(f"Crate ({number})", yard, "MeshFilter", "MeshRenderer", "BoxCollider", "Rigidbody")
    for number in range(20):
        writer.instance(f"Lantern {number + 1}", yard, lantern)
    for number in range(15):
        writer.add(f"Villager {number + 1}", village, "CapsuleCollider", "Villager", tag="NPC")
    writer.add('"Fontaine \\u00E9clair\\u00E9e"', village, "AudioSource", "Light")
    writer.add("Spawn", village, "SpawnPoint", "SphereCollider", tag="Respawn")


def menu(writer: Writer) -> str:
    """A small scene."""
    _basics(writer)
    canvas = writer.add("Canvas", None, "Canvas")
    for name in ("New Game", "Continue", "'Options: sound & light'", "Quit"):
        writer.add(name, canvas, "MenuButton", active=name != "Continue")
    return writer.text()


def _basics(writer: Writer) -> None:
    writer.add("Main Camera", None, "Camera", "AudioListener", tag="MainCamera")
    writer.add("Directional Light", None, "Light", "DayCycle")


def _listed(key: str, ids: list[int]) -> str:
    return f"  {key}:\n" + "".join(f"  - {{fileID: {one}}}\n" for one in ids) if ids else f"  {key}: []\n"
