"""Puts the objects of a file together: what they are, who their parents are, in which order they stand.

A game object is a document; its place is in the document of its Transform. An instance of a prefab is a document too,
and stands for all that is in the prefab: ``prefabs`` makes copies of that. Of the objects inside it a file has at
most ``stripped`` documents, which say which object of the prefab they stand for.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from unity_server import prefabs
from unity_server.builtin_scripts import name_of
from unity_server.changes import modification
from unity_server.documents import BrokenError, Document, normalized, split
from unity_server.fields import Fields
from unity_server.prefabs import Draft
from unity_server.scene import Component, GameObject, Scene

if TYPE_CHECKING:
    from unity_server.changes import Modification
    from unity_server.prefabs import Assets

GAME_OBJECT: Final = 1
TRANSFORMS: Final = (4, 224)
SCRIPT: Final = 114
ROOTS: Final = 1660057539
NAMELESS: Final = "scripts that are not in the project, shown as MonoBehaviour"
MOST: Final = 200_000  # objects of a file with its prefabs: about 200 MB; a few nested files can stand for billions
FULL: Final = f"objects inside prefab instances, neither shown nor searched: a scene is read up to {MOST:,} objects"
DEEPEST: Final = 1_000  # levels of the tree, ten times what editors show; paths grow with its square
LAST: Final = 1 << 40  # the place of an object that no list names: after all that are named


def read_scene(name: str, data: bytes, assets: Assets) -> Scene:
    """Read a scene, or a prefab, from the bytes of its file."""
    data = normalized(data)
    documents = split(name, data)
    return _Reading(name, documents, Fields(name, data), assets, is_cut=not data.endswith(b"\n")).scene()


class _Reading:
    """The state of reading one file."""

    def __init__(
        self, name: str, documents: dict[int, Document], fields: Fields, assets: Assets, *, is_cut: bool
    ) -> None:
        self.name, self.documents, self.fields, self.assets = name, documents, fields, assets
        self.drafts: dict[int, Draft] = {}
        self.owner: dict[int, int] = {}  # the object that an id of a game object or a Transform belongs to
        self.stripped: dict[tuple[int, int], int] = {}  # by instance and id in its prefab: the id in this file
        self.taken = {0, *documents}
        self.places: dict[int, int] = {}  # of objects among their siblings
        self.inserted: dict[int, int] = {}  # the places of those that are added between objects of a prefab
        self.roots: list[int] = []  # Transforms and instances, as the file lists them
        self.problems: Counter[str] = Counter()
        self.sources: dict[str, tuple[int, int]] = {}
        if is_cut:
            self.problems["documents at the end that may have been cut"] = 1

    def scene(self) -> Scene:
        instances = [document for document in self.documents.values() if not self._meet(document)]
        changes = [(document, modification(self.fields.raw(document))) for document in instances]
        for document, change in changes:
            self._expand(document, change)
        self.places.update({self.owner.get(root, root): place for place, root in enumerate(self.roots)})
        for document in self.documents.values():
            if document.class_id in TRANSFORMS and not document.stripped:
                self._place(document)
        self.inserted = {
            self.owner.get(added, added): place for _, change in changes for added, place in change.inserted.items()
        }
        self._add_components()
        roots = self._families()
        objects = self._in_order(roots)
        return Scene(
            path=self.name,
            documents=self.documents,
            fields=self.fields,
            objects=objects,
            owners=self.owner,
            problems=self.problems,
            sources=self.sources,
        )

    def _meet(self, document: Document) -> bool:
        """Take what a document says of itself. False for an instance, which needs to know of all the others."""
        fields, file_id = self.fields, document.file_id
        if document.class_id == prefabs.CLASS:
            return prefabs.source(fields, document) == ""  # the prefab itself, in its file, before Unity 2018.3
        if document.stripped:
            instance = fields.reference(document, "m_PrefabInstance", "m_PrefabInternal")
            inside = fields.reference(document, "m_CorrespondingSourceObject", "m_PrefabParentObject")
            if inside:
                self.stripped[instance, inside] = file_id
            self.owner[file_id] = instance  # until the instance says which of its objects it is
        elif document.class_id == GAME_OBJECT:
            name = fields.text(document, "m_Name")
            if name is None:
                raise BrokenError(self.name, f"the game object {file_id} has no m_Name")
            self.owner[file_id] = file_id
            self.drafts[file_id] = Draft(
                name=name,
                tag=fields.text(document, "m_TagString") or "Untagged",
                layer=fields.number(document, "m_Layer", 0),
                active=fields.number(document, "m_IsActive", 1) != 0,
                parts=[self._component(one) for one in fields.references(document, "m_Component")],
            )
        elif document.class_id == ROOTS:
            self.roots = fields.references(document, "m_Roots")
        elif document.class_id in TRANSFORMS:
            self.owner[file_id] = fields.reference(document, "m_GameObject")
        return True

    def _expand(self, document: Document, change: Modification) -> None:
        """Put the objects of an instance among those of this file."""
        instance = document.file_id
        guid = prefabs.source(self.fields, document)
        prefab = self.assets.prefab(guid)
        self.sources.update(prefab.sources)
        self.owner[instance] = instance
        if prefab.scene is None or not prefab.scene.objects:
            self.problems[prefab.why or prefabs.BROKEN] += 1
            self.drafts[instance] = prefabs.unread(prefab, guid, change)
            return
        inside = prefab.scene
        root_only = len(self.drafts) + len(inside.objects) > MOST
        if root_only and len(inside.objects) > 1:
            self.problems[FULL] += len(inside.objects) - 1
        made = prefabs.copies(inside, instance, change, lambda one: self._id(instance, one), root_only=root_only)
        first = next(iter(made))
        made[first][1].prefab = prefab.path
        for target in change.changes:
            if inside.owners.get(target) == first and (order := change.text(target, "m_RootOrder") or "").isdecimal():
                self.places[instance] = int(order)  # Unity before 2022.2 has no list of roots
        for key, owner in inside.owners.items():
            if owner in made:
                if (local := self.stripped.get((instance, key))) is not None:
                    self.owner[local] = made[owner][0]
                elif computed := prefabs.computed_id(instance, key):  # 0 is no id: it says that there is no parent
                    self.owner.setdefault(computed, made[owner][0])
        for old, (new, draft) in made.items():
            self.drafts[new] = draft
            self.owner.setdefault(new, new)
            for place, child in enumerate(inside.objects[old].children):
                if child in made:
                    self.places[made[child][0]] = place
        self.problems.update(inside.problems)

    def _id(self, instance: int, inside: int) -> int:
        """Find a free id for an object of an instance."""
        number = self.stripped.get((instance, inside))
        if number is not None:
            return number
        number = prefabs.computed_id(instance, inside)
        while number in self.taken:  # ids of older Unitys are small, and meet
            number += 1
        self.taken.add(number)
        return number

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
        """Add the components that a file adds to objects of an instance, which no list of components names."""
        named = {part.file_id for draft in self.drafts.values() if not draft.inherited for part in draft.parts}
        for document in self.documents.values():
            if document.stripped or document.file_id in named or document.class_id in (GAME_OBJECT, prefabs.CLASS):
                continue
            owner = self.owner.get(self.fields.reference(document, "m_GameObject"), 0)
            if (draft := self.drafts.get(owner)) is not None and draft.inherited:
                draft.parts.append(self._component(document.file_id))

    def _families(self) -> list[int]:
        """Give every object its children, and return those without a parent."""
        roots: list[int] = []
        for file_id, draft in self.drafts.items():
            parent = self._parent(draft)
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
        for added, place in self.inserted.items():
            if added in self.drafts and (above := self._parent(self.drafts[added])) in self.drafts:
                siblings = self.drafts[above].children
                siblings.remove(added)
                siblings.insert(place, added)
        return roots

    def _parent(self, draft: Draft) -> int:
        return self.owner.get(draft.father, 0) if draft.parent is None else draft.parent

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
                parts=tuple(draft.parts),
                children=tuple(draft.children),
                prefab=draft.prefab,
            )
            waiting.extend((child, made) for child in reversed(draft.children))
        if len(objects) < len(self.drafts):
            lost = next(one for one in self.drafts if one not in objects)
            raise BrokenError(self.name, f"the game object {lost} is among its own parents")
        return objects

    def _component(self, file_id: int) -> Component:
        document = self.documents.get(file_id)
        if document is None:
            self.problems["components that are not in the file"] += 1
            return Component("Missing", file_id, None, None)
        return Component(self._name(document), file_id, self.fields, document)

    def _name(self, document: Document) -> str:
        if document.class_id != SCRIPT:
            return document.kind
        guid = self.fields.guid(document, "m_Script")
        path = self.assets.path_of(guid)
        if path is not None and path.endswith(".cs"):
            return path.rpartition("/")[2].partition(".")[0]
        identifier = self.fields.text(document, "m_EditorClassIdentifier") or ""
        name = (
            name_of(guid, self.fields.reference(document, "m_Script"))
            or identifier.rpartition(":")[2].rpartition(".")[2]
        )
        if not name:
            self.problems[NAMELESS] += 1
        return name or document.kind
