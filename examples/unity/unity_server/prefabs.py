"""The objects of a prefab's instance: copies of the prefab's objects, with what the instance changes.

A copy needs an id in the instance's file. Where another document points to an object inside an instance, the file
has a ``stripped`` document for it, and the id is that document's. Else it is what Unity computes: the id of the
instance and that of the object in its prefab, by exclusive or, without the sign. Files further out name it by that id.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from unity_server.scene import Component, GameObject, Scene

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unity_server.changes import Modification
    from unity_server.documents import Document
    from unity_server.fields import Fields

CLASS: Final = 1001
_SOURCE: Final = ("m_SourcePrefab", "m_ParentPrefab")  # now, and before Unity 2018.3
_UNSIGNED: Final = (1 << 63) - 1

MISSING: Final = "prefab instances whose file is not in the project, so what is inside them is not known"
MODEL: Final = "instances of models, whose objects are in no text file and are neither shown nor searched"
BROKEN: Final = "prefab instances whose file cannot be read, so what is inside them is not known"
CYCLE: Final = "instances of prefabs that contain themselves, of which only the root is shown"
DEEP: Final = "prefab instances that are nested too deeply, of which only the root is shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefab:
    """A file that instances are made from. ``scene`` is None where it was not read, and ``why`` then says why not;
    ``sources`` are the files that it was made of, with their marks."""

    path: str | None
    scene: Scene | None = None
    why: str = ""
    sources: Mapping[str, tuple[int, int]] = field(default_factory=dict)


class Assets(Protocol):
    """The other files of a project."""

    def path_of(self, guid: str) -> str | None:
        """Return the path of the file with this guid."""

    def prefab(self, guid: str) -> Prefab:
        """Return the prefab with this guid."""


@dataclass(slots=True, kw_only=True)
class Draft:
    """An object while its file is read. ``father`` is the id of its parent's Transform; what is inside an instance
    has its ``parent`` itself."""

    name: str
    tag: str = "Untagged"
    layer: int = 0
    active: bool = True
    parts: list[Component] = field(default_factory=list)
    prefab: str | None = None
    inherited: bool = False
    father: int = 0
    parent: int | None = None
    has_place: bool = False
    children: list[int] = field(default_factory=list)


def source(fields: Fields, document: Document) -> str:
    """Return the guid of the file that an instance is made from; empty for a document that is no instance."""
    return fields.guid(document, *_SOURCE)


def computed_id(instance: int, inside: int) -> int:
    """Return the id that an object of a prefab has in the file of an instance."""
    return (instance ^ inside) & _UNSIGNED


def unread(prefab: Prefab, guid: str, change: Modification) -> Draft:
    """Describe an instance whose prefab is not known, by what its own document says."""
    file = (prefab.path or "").rpartition("/")[2]
    layer = change.text(None, "m_Layer") or ""
    return Draft(
        name=change.text(None, "m_Name") or file.rpartition(".")[0] or "Missing Prefab",
        tag=change.text(None, "m_TagString") or "Untagged",
        layer=int(layer) if layer.isdecimal() else 0,
        active=change.text(None, "m_IsActive") != "0",
        parts=[Component("Transform", 0, None, None)],
        prefab=prefab.path or guid,
        inherited=True,
        father=change.father,
        has_place=True,
    )


def copies(
    prefab: Scene, instance: int, change: Modification, id_of: Callable[[int], int], *, root_only: bool
) -> dict[int, tuple[int, Draft]]:
    """Copy a prefab's objects, by their ids in the prefab: each with its id in the instance's file. The root has the id
    of the instance itself; what is removed is left out with all below it."""
    gone = {prefab.owners[one] for one in change.removed if one in prefab.owners}
    changed: dict[int, dict[str, str]] = {}
    for target, changes in change.changes.items():
        if (owner := prefab.owners.get(target)) is not None:
            changed.setdefault(owner, {}).update({one.path: one.text for one in changes})
    made: dict[int, tuple[int, Draft]] = {}
    for inside, one in prefab.objects.items():  # parents come before their children
        is_root = not made
        if not is_root and (root_only or inside in gone or (one.parent is not None and one.parent not in made)):
            continue
        draft = _copy(one, changed.get(inside, {}), change, id_of)
        if is_root or one.parent is None:
            draft.father = change.father
        else:
            draft.parent = made[one.parent][0]
        made[inside] = (instance if is_root else id_of(inside), draft)
    return made


def _copy(one: GameObject, changed: Mapping[str, str], change: Modification, id_of: Callable[[int], int]) -> Draft:
    layer = changed.get("m_Layer", "")
    return Draft(
        name=changed.get("m_Name", one.name),
        tag=changed.get("m_TagString", one.tag),
        layer=int(layer) if layer.isdecimal() else one.layer,
        active=changed["m_IsActive"] != "0" if "m_IsActive" in changed else one.active,
        parts=[_part(part, change, id_of) for part in one.parts if part.file_id not in change.removed],
        prefab=one.prefab,
        inherited=True,
        has_place=True,
    )


def _part(part: Component, change: Modification, id_of: Callable[[int], int]) -> Component:
    changes = (*part.changes, *change.changes.get(part.file_id, ()))
    return part._replace(file_id=id_of(part.file_id), changes=changes, inherited=True)
