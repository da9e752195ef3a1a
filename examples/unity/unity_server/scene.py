"""The objects of a scene, in the order of its tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from penstock import CallerError
from server_parts.complaints import wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from unity_server.documents import Document
    from unity_server.fields import Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class GameObject:
    """One object. ``file_id`` is its id in the file: of its own document, or of the prefab instance that it is."""

    file_id: int
    name: str
    path: str
    parent: int | None
    depth: int
    active: bool
    active_in_hierarchy: bool
    tag: str
    layer: int
    components: tuple[str, ...]
    component_ids: tuple[int, ...]
    children: tuple[int, ...]
    prefab: str | None

    def row(self) -> dict[str, Any]:
        """The object as it stands in a list. Ids are texts: they have more digits than a number of JSON keeps."""
        row: dict[str, Any] = {
            "fileID": str(self.file_id),
            "name": self.name,
            "path": self.path,
            "parentID": None if self.parent is None else str(self.parent),
            "depth": self.depth,
            "activeSelf": self.active,
            "tag": self.tag,
            "layer": self.layer,
            "componentNames": list(self.components),
            "childCount": len(self.children),
        }
        if self.prefab is not None:
            row["prefab"] = self.prefab
        return row


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A scene file that was read. ``warnings`` is what did not fit together in it, or was not looked into; ``hidden``
    is the number of objects inside of prefab instances."""

    path: str
    documents: Mapping[int, Document]
    fields: Fields
    objects: Mapping[int, GameObject]  # depth first, as the editor shows them
    warnings: Sequence[str]
    hidden: int = 0

    @cached_property
    def _by_path(self) -> dict[str, list[GameObject]]:
        return _grouped(self.objects.values(), lambda one: one.path)

    @cached_property
    def _by_name(self) -> dict[str, list[GameObject]]:
        return _grouped(self.objects.values(), lambda one: one.name)

    def under(self, root: GameObject | None, depth: int | None) -> Iterator[GameObject]:
        """An object with all below it, or all objects, to a depth that counts from there."""
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
        """The object that a caller means: by its id, its path, or a name that no other has."""
        try:
            found = self.objects.get(int(target))
        except ValueError:
            found = None
        if found is not None:
            return found
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
