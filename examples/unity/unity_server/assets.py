"""What a guid stands for. Unity keeps the guid of every file in a ``.meta`` file beside it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from penstock import CallerError
from unity_server import tree
from unity_server.prefabs import Inherited

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDERS: Final = ("Assets", "Packages", "Library/PackageCache")
_GUID: Final = re.compile(rb"^guid: ([0-9a-f]{32})\s*$", re.MULTILINE)
_KNOWN: Final = (".cs.meta", ".prefab.meta")  # the only files whose names are shown
_NESTED: Final = 20  # variants of variants; a longer chain leads back to itself


class ProjectAssets:
    """The scripts and prefabs of a project. Looked up anew when a guid comes up that was not there before."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, str] = {}
        self._missing: set[str] = set()
        self._metas: dict[str, tuple[int, str]] = {}  # by their paths: when written, and which guid
        self._prefabs: dict[str, tuple[int, Inherited | None]] = {}
        self._opened = 0

    def begin(self) -> None:
        """Another file is read, and what was missing before may be there now."""
        self._missing.clear()

    def path_of(self, guid: str) -> str | None:
        """The path of the script or prefab with this guid, in the project."""
        if guid and guid not in self._paths and guid not in self._missing:
            if not self._missing:  # one look for all that are missing from a file
                self._look()
            if guid not in self._paths:
                self._missing.add(guid)
        return self._paths.get(guid)

    def prefab(self, guid: str) -> Inherited | None:
        """The root of a prefab; None for a model, a file that is not there, or one that cannot be read."""
        path = self.path_of(guid)
        if path is None or not path.endswith(".prefab") or self._opened >= _NESTED:
            return None
        try:
            written = (self._folder / path).stat().st_mtime_ns
            if (known := self._prefabs.get(guid)) is not None and known[0] == written:
                return known[1]
            self._opened += 1
            try:
                read = tree.read_scene(path, (self._folder / path).read_bytes(), self)
            finally:
                self._opened -= 1
        except (OSError, CallerError):
            return None
        root = next(iter(read.objects.values()), None)
        found = None if root is None else Inherited(
            file_id=root.file_id, name=root.name, tag=root.tag, layer=root.layer, active=root.active,
            components=root.components, inside=len(read.objects) - 1 + read.hidden,
        )  # fmt: skip
        self._prefabs[guid] = (written, found)
        return found

    def _look(self) -> None:
        metas: dict[str, tuple[int, str]] = {}
        for entry in self._entries():
            written = entry.stat().st_mtime_ns
            known = self._metas.get(entry.path)
            metas[entry.path] = known if known is not None and known[0] == written else (written, _guid(entry.path))
        self._metas = metas
        start = len(str(self._folder)) + 1
        self._paths = {
            guid: path[start:].removesuffix(".meta").replace(os.sep, "/") for path, (_, guid) in metas.items() if guid
        }

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        waiting = [str(self._folder / name) for name in FOLDERS]
        while waiting:
            try:
                with os.scandir(waiting.pop()) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            waiting.append(entry.path)
                        elif entry.name.endswith(_KNOWN) and entry.is_file(follow_symlinks=False):
                            yield entry
            except OSError:  # not there, or not for us
                continue


def _guid(path: str) -> str:
    try:
        with open(path, "rb") as file:
            found = _GUID.search(file.read(4_096))  # it stands in the second line
    except OSError:
        return ""
    return found[1].decode() if found else ""
