"""Puts the objects of a file together: what they are, who their parents are, in which order they stand.

A game object is a document; its place is in the document of its Transform. An instance of a prefab is a document too,
and stands for all that is in the prefab: of the objects inside of it a file has at most ``stripped`` documents, which
say no more than whose instance they belong to.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from unity_server import prefabs
from unity_server.builtin_scripts import SCRIPTS
from unity_server.documents import BrokenError, Document, normalized, split
from unity_server.fields import Fields
from unity_server.scene import GameObject, Scene

if TYPE_CHECKING:
    from unity_server.prefabs import Assets

GAME_OBJECT: Final = 1
TRANSFORMS: Final = (4, 224)
SCRIPT: Final = 114
ROOTS: Final = 1660057539
INSIDE: Final = "objects inside of prefab instances, which are neither shown nor searched"
UNREAD: Final = "prefab instances whose prefab is a model, is missing or cannot be read"
NAMELESS: Final = "scripts that are not in the project, shown as MonoBehaviour"
DEEPEST: Final = 1_000  # levels of the tree, ten times what editors show; paths grow with its square
LAST: Final = 1 << 40  # the place of an object that no list names: after all that are named


@dataclass(slots=True, kw_only=True)
class Draft:
    """An object while its file is read."""

    name: str
    tag: str
    layer: int
    active: bool
    component_ids: list[int] = field(default_factory=list)
    inherited: tuple[str, ...] = ()
    prefab: str | None = None
    father: int = 0  # the id of a Transform
    has_place: bool = False
    children: list[int] = field(default_factory=list)


def read_scene(name: str, data: bytes, assets: Assets) -> Scene:
    """A scene, or a prefab, from the bytes of its file."""
    data = normalized(data)
    documents = split(name, data)
    return _Reading(name, documents, Fields(data), assets, is_cut=not data.endswith(b"\n")).scene()


class _Reading:
    """The state of reading one file."""

    def __init__(
        self, name: str, documents: dict[int, Document], fields: Fields, assets: Assets, *, is_cut: bool
    ) -> None:
        self.name, self.documents, self.fields, self.assets = name, documents, fields, assets
        self.drafts: dict[int, Draft] = {}
        self.owner: dict[int, int] = {}  # the object that a Transform, or a stripped document, belongs to
        self.places: dict[int, int] = {}  # of objects among their siblings
        self.roots: list[int] = []  # Transforms and instances, as the file lists them
        self.problems: Counter[str] = Counter()
        if is_cut:
            self.problems["documents at the end that may have been cut"] = 1

    def scene(self) -> Scene:
        for document in self.documents.values():
            self._meet(document)
        self.places.update({self.owner.get(root, root): place for place, root in enumerate(self.roots)})
        for document in self.documents.values():
            if document.class_id in TRANSFORMS and not document.stripped:
                self._place(document)
        self._add_components()
        roots = self._families()
        objects = self._in_order(roots)
        warnings = tuple(f"{what}: {count:,}" for what, count in self.problems.items())
        return Scene(
            path=self.name,
            documents=self.documents,
            fields=self.fields,
            objects=objects,
            warnings=warnings,
            hidden=self.problems[INSIDE],
        )

    def _meet(self, document: Document) -> None:
        fields, file_id = self.fields, document.file_id
        if document.class_id == prefabs.CLASS and not prefabs.is_instance(fields, document):
            return  # the prefab itself, as Unity before 2018.3 writes it into the prefab's file
        if document.class_id == prefabs.CLASS:
            found, prefab = prefabs.instance(fields, document, self.assets)
            if found.inside is None:
                self.problems[UNREAD] += 1
            elif found.inside:
                self.problems[INSIDE] += found.inside
            father = fields.raw(document).partition(b"m_TransformParent: {fileID: ")[2].partition(b"}")[0]
            self.drafts[file_id] = Draft(
                name=found.name, tag=found.tag, layer=found.layer, active=found.active, inherited=found.components,
                prefab=prefab, father=int(father) if father.lstrip(b"-").isdigit() else 0, has_place=True,
            )  # fmt: skip
        elif document.stripped:
            self.owner[file_id] = fields.reference(document, "m_PrefabInstance", "m_PrefabInternal")
        elif document.class_id == GAME_OBJECT:
            name = fields.text(document, "m_Name")
            if name is None:
                raise BrokenError(self.name, f"the game object {file_id} has no m_Name")
            self.drafts[file_id] = Draft(
                name=name,
                tag=fields.text(document, "m_TagString") or "Untagged",
                layer=fields.number(document, "m_Layer", 0),
                active=fields.number(document, "m_IsActive", 1) != 0,
                component_ids=fields.references(document, "m_Component"),
            )
        elif document.class_id == ROOTS:
            self.roots = fields.references(document, "m_Roots")
        elif document.class_id in TRANSFORMS:
            self.owner[file_id] = fields.reference(document, "m_GameObject")

    def _place(self, document: Document) -> None:
        fields, file_id = self.fields, document.file_id
        draft = self.drafts.get(self.owner[file_id])
        if draft is None:
            self.problems["Transforms of game objects that are not in the file"] += 1
            return
        draft.father = fields.reference(document, "m_Father")
        draft.has_place = True
        if draft.father == 0:  # Unity before 2022.2 has no list of roots
            self.places.setdefault(self.owner[file_id], fields.number(document, "m_RootOrder", LAST))
        for place, child in enumerate(fields.references(document, "m_Children")):
            self.places[self.owner.get(child, child)] = place

    def _add_components(self) -> None:
        """Components that a scene adds to an instance, which no list of components names."""
        named = {one for draft in self.drafts.values() for one in draft.component_ids}
        for document in self.documents.values():
            if document.stripped or document.file_id in named or document.class_id in (GAME_OBJECT, prefabs.CLASS):
                continue
            owner = self.owner.get(self.fields.reference(document, "m_GameObject"), 0)
            if (draft := self.drafts.get(owner)) is not None and draft.prefab is not None:
                draft.component_ids.append(document.file_id)

    def _families(self) -> list[int]:
        """Give every object its children, and return those without a parent."""
        roots: list[int] = []
        for file_id, draft in self.drafts.items():
            parent = self.owner.get(draft.father, 0)
            if parent in self.drafts:
                self.drafts[parent].children.append(file_id)
            else:
                roots.append(file_id)
                if draft.father:
                    self.problems["objects with a parent that is not in the file"] += 1
            if not draft.has_place:
                self.problems["game objects without a Transform"] += 1
        for siblings in (roots, *(draft.children for draft in self.drafts.values())):
            siblings.sort(key=lambda one: self.places.get(one, LAST))
        return roots

    def _in_order(self, roots: list[int]) -> dict[int, GameObject]:
        objects: dict[int, GameObject] = {}
        waiting: list[tuple[int, GameObject | None]] = [(root, None) for root in reversed(roots)]
        while waiting:
            file_id, parent = waiting.pop()
            draft = self.drafts[file_id]
            if parent is not None and parent.depth >= DEEPEST:
                raise BrokenError(self.name, f"the game object {file_id} lies more than {DEEPEST:,} levels deep")
            made = objects[file_id] = GameObject(
                file_id=file_id,
                name=draft.name,
                path=f"{parent.path if parent else ''}/{draft.name}",
                parent=parent.file_id if parent else None,
                depth=parent.depth + 1 if parent else 0,
                active=draft.active,
                active_in_hierarchy=draft.active and (parent is None or parent.active_in_hierarchy),
                tag=draft.tag,
                layer=draft.layer,
                components=(*draft.inherited, *(self._component(one) for one in draft.component_ids)),
                component_ids=tuple(draft.component_ids),
                children=tuple(draft.children),
                prefab=draft.prefab,
            )
            waiting.extend((child, made) for child in reversed(draft.children))
        if len(objects) < len(self.drafts):
            lost = next(one for one in self.drafts if one not in objects)
            raise BrokenError(self.name, f"the game object {lost} is among its own parents")
        return objects

    def _component(self, file_id: int) -> str:
        document = self.documents.get(file_id)
        if document is None:
            self.problems["components that are not in the file"] += 1
            return "Missing"
        if document.class_id != SCRIPT:
            return document.kind
        guid = self.fields.guid(document, "m_Script")
        path = self.assets.path_of(guid)
        if path is not None:
            return path.rpartition("/")[2].partition(".")[0]
        named = self.fields.text(document, "m_EditorClassIdentifier") or ""
        name = SCRIPTS.get(guid) or named.rpartition(":")[2].rpartition(".")[2]
        if not name:
            self.problems[NAMELESS] += 1
        return name or document.kind
