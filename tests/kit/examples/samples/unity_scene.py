"""The scenes of the sample project, in the words that Unity 2022 writes."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.kit.examples.samples.unity_prefabs import Prefabs

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
    "Text": "  m_Text: OK\n",
    "Light": "  serializedVersion: 10\n  m_Type: 1\n  m_Color: {r: 1, g: 0.95, b: 0.84, a: 1}\n  m_Intensity: 1\n",
}
SOURCE: Final = (
    "  m_CorrespondingSourceObject: {fileID: 0}\n  m_PrefabInstance: {fileID: 0}\n  m_PrefabAsset: {fileID: 0}\n"
)


@dataclass(slots=True, kw_only=True)
class Made:
    """An object that is being written: its ids, and what is known of it before all others are."""

    own: int
    transform: int
    components: tuple[int, ...]
    head: str  # its documents up to the list of its children
    tail: str
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A prefab that instances are made from: its guid, and the ids of its root and of that one's Transform."""

    guid: str
    own: int
    transform: int


class Writer:
    """Collects the documents of one file."""

    def __init__(self, scripts: dict[str, str], first_id: int = 100_000) -> None:
        self._scripts = scripts
        self._made: list[Made | str] = []
        self._roots: list[int] = []
        self._last_id = first_id
        self.dice = random.Random(2_022)
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
        made = Made(own=own, transform=transform, components=tuple(ids), head="".join(documents), tail=tail)
        self._made.append(made)
        (self._roots if parent is None else parent.children).append(transform)
        self.number += 1
        return made

    def instance(
        self,
        name: str,
        parent: Made | None,
        prefab: Template,
        *,
        changes: Sequence[tuple[int, str, str]] = (),
        removed: Sequence[int] = (),
        added: Sequence[tuple[int, str]] = (),
    ) -> int:
        """Write an instance of a prefab, and return its id. Targets are ids of the prefab: of objects and components
        that are changed (path, value), of components that are removed, of objects that get a component."""
        own, transform = self._id(), self._id()
        source = f"guid: {prefab.guid}, type: 3}}"
        changed = "".join(
            f"    - target: {{fileID: {target}, {source}\n      propertyPath: {path}\n      value: {value}\n"
            "      objectReference: {fileID: 0}\n"
            for target, path, value in ((prefab.own, "m_Name", name), *changes)
        )
        ids = [(self._id(), self._id()) for _ in added]
        listed = "".join(
            f"    - targetCorrespondingSourceObject: {{fileID: {target}, {source}\n      insertIndex: -1\n"
            f"      addedObject: {{fileID: {component}}}\n"
            for (_, component), (target, _) in zip(ids, added, strict=True)
        )
        father = 0 if parent is None else parent.transform
        self._made.append(
            f"--- !u!1001 &{own}\nPrefabInstance:\n  m_ObjectHideFlags: 0\n  serializedVersion: 2\n  m_Modification:\n"
            f"    serializedVersion: 3\n    m_TransformParent: {{fileID: {father}}}\n    m_Modifications:\n{changed}"
            + _section("m_RemovedComponents", "".join(f"    - {{fileID: {one}, {source}\n" for one in removed))
            + _section("m_RemovedGameObjects", "")
            + _section("m_AddedGameObjects", "")
            + _section("m_AddedComponents", listed)
            + f"  m_SourcePrefab: {{fileID: 100100000, {source}\n"
        )
        if parent is not None:
            self._made.append(_stripped(transform, "4", "Transform", own, f"{{fileID: {prefab.transform}, {source}"))
            parent.children.append(transform)
        for (game_object, component), (target, kind) in zip(ids, added, strict=True):
            self._made.append(_stripped(game_object, "1", "GameObject", own, f"{{fileID: {target}, {source}"))
            self._made.append(self._component(component, kind, game_object))
        self.number += 1
        return own

    def text(self, *, is_scene: bool = True) -> str:
        """Return the file."""
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
            return f"--- !u!114 &{file_id}\nMonoBehaviour:\n{start}{end}{FIELDS.get(kind, '')}"
        return f"--- !u!{CLASSES[kind]} &{file_id}\n{kind}:\n{start}{FIELDS.get(kind, '')}"


def island(writer: Writer, lantern: Template, objects: int) -> str:
    """Write a scene of so many objects: villages of houses, trees and crates, and pebbles on the beach."""
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


def _village(writer: Writer, village: Made, lantern: Template) -> None:
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


def menu(writer: Writer, ui: Prefabs) -> str:
    """Write a small scene: four buttons of its own, and a dialog and a button that are instances of prefabs."""
    _basics(writer)
    canvas = writer.add("Canvas", None, "Canvas")
    for name in ("New Game", "Continue", "'Options: sound & light'", "Quit"):
        writer.add(name, canvas, "MenuButton", active=name != "Continue")
    writer.instance(
        "Really quit", canvas, ui.dialog, changes=[(ui.never, "m_Name", "Stay"), (ui.never_text, "m_Text", "Stay")]
    )
    writer.instance("Credits", canvas, ui.button, removed=[ui.image], added=[(ui.button.own, "AudioSource")])
    return writer.text()


def _basics(writer: Writer) -> None:
    writer.add("Main Camera", None, "Camera", "AudioListener", tag="MainCamera")
    writer.add("Directional Light", None, "Light", "DayCycle")


def _section(key: str, items: str) -> str:
    return f"    {key}:\n{items}" if items else f"    {key}: []\n"


def _stripped(own: int, number: str, kind: str, instance: int, source: str) -> str:
    return (
        f"--- !u!{number} &{own} stripped\n{kind}:\n  m_CorrespondingSourceObject: {source}\n"
        f"  m_PrefabInstance: {{fileID: {instance}}}\n  m_PrefabAsset: {{fileID: 0}}\n"
    )


def _listed(key: str, ids: list[int]) -> str:
    return f"  {key}:\n" + "".join(f"  - {{fileID: {one}}}\n" for one in ids) if ids else f"  {key}: []\n"
