"""The objects of a scene, in the order of its tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock import CallerError
from server_parts.complaints import wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from unity_server.changes import Change
    from unity_server.documents import Document
    from unity_server.fields import Fields


class Component(NamedTuple):  # a scene has 100,000 of them, as of its documents
    """A component of an object. Its document may be in another file, that of a prefab, and is None where there is none;
    ``changes`` are what instances change of it, the innermost first."""

    name: str
    file_id: int
    fields: Fields | None
    document: Document | None
    changes: tuple[Change, ...] = ()
    inherited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GameObject:
    """One object. ``file_id`` is its id in the file: of its own document, of the prefab instance whose root it is, or
    the one that ``prefabs`` gives to what is inside an instance."""

    file_id: int
    name: str
    path: str
    parent: int | None
    depth: int
    active: bool
    active_in_hierarchy: bool
    tag: str
    layer: int
    parts: tuple[Component, ...]
    children: tuple[int, ...]
    prefab: str | None

    @property
    def components(self) -> tuple[str, ...]:
        """Return the names of its components."""
        return tuple(part.name for part in self.parts)

    def row(self) -> dict[str, Any]:
        """Return the object as it stands in a list. Ids are texts: they have more digits than a number of JSON
        keeps."""
        row: dict[str, Any] = {
            "fileID": str(self.file_id),
            "name": self.name,
            "path": self.path,
            "parentID": None if self.parent is None else str(self.parent),
            "depth": self.depth,
            "activeSelf": self.active,
            "tag": self.tag,
            "layer": self.layer,
            "componentNames": [part.name for part in self.parts],
            "childCount": len(self.children),
        }
        if self.prefab is not None:
            row["prefab"] = self.prefab
        return row


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A scene or prefab file that was read, with what is inside its prefab instances.

    ``owners`` has the object for each id that a game object or a Transform has in this file; ``problems`` is how often
    something did not fit together, or was not looked into; ``sources`` are the prefabs in it, with their marks.
    """

    path: str
    documents: Mapping[int, Document]
    fields: Fields
    objects: Mapping[int, GameObject]  # depth first, as the editor shows them
    owners: Mapping[int, int]
    problems: Mapping[str, int]
    sources: Mapping[str, tuple[int, int]]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Describe the problems for a model."""
        return tuple(f"{what}: {count:,}" for what, count in self.problems.items())

    @cached_property
    def _by_path(self) -> dict[str, list[GameObject]]:
        return _grouped(self.objects.values(), lambda one: one.path)

    @cached_property
    def _by_name(self) -> dict[str, list[GameObject]]:
        return _grouped(self.objects.values(), lambda one: one.name)

    def under(self, root: GameObject | None, depth: int | None) -> Iterator[GameObject]:
        """Yield an object with all below it, or all objects, to a depth that counts from there."""
        top = 0 if root is None else root.depth
        inside = root is None
        for one in self.objects.values():
            if root is not None:
                if one is root:
                    inside = True
                elif one.depth <= top:
                    inside = False
            if inside and (depth is None or one.depth - top < depth):
                yield one

    def one(self, target: str, argument: str) -> GameObject:
        """Find the object that a caller means: by its id, its path, or a name that no other has."""
        try:
            number = int(target)
            candidate = self.objects.get(number) or self.objects.get(self.owners.get(number, 0))
        except ValueError:
            candidate = None
        if candidate is not None:
            return candidate
        named = self._by_path.get(f"/{target.strip('/')}") or self._by_name.get(target, [])
        example = next((one.path for one in self.objects.values()), "/Main Camera")
        if not named:
            raise wrong(argument, f"the path, name or fileID of an object in {self.path}", target, example)
        if len(named) > 1:
            some = ", ".join(f"{one.file_id} ({one.path})"[:120] for one in named[:2])
            raise CallerError(
                f"{argument}: expected one object, but {len(named):,} are called {target[:80]!a}, as {some}",
                do=f'name one by its fileID, for example {{"{argument}": "{named[0].file_id}"}}',
            )
        return named[0]


def _grouped(objects: Any, key: Callable[[GameObject], str]) -> dict[str, list[GameObject]]:
    groups: dict[str, list[GameObject]] = {}
    for one in objects:
        groups.setdefault(key(one), []).append(one)
    return groups
