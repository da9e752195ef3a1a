"""The files that guids stand for. Unity keeps the guid of every file in a ``.meta`` file beside it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from penstock import CallerError
from unity_server import tree
from unity_server.prefabs import BROKEN, CYCLE, DEEP, MISSING, MODEL, Prefab

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

FOLDERS: Final = ("Assets", "Packages", "Library/PackageCache")
_GUID: Final = re.compile(rb"^guid: ([0-9a-f]{32})\s*$", re.MULTILINE)
_MODELS: Final = (".fbx", ".obj", ".dae", ".3ds", ".dxf", ".blend", ".max", ".ma", ".mb", ".c4d", ".glb", ".gltf")
_KNOWN: Final = tuple(f"{one}.meta" for one in (".cs", ".prefab", *_MODELS))  # the only files whose names are shown
_NESTED: Final = 50  # prefabs in prefabs; a reading takes a dozen of Python's 1,000 frames
_LARGEST: Final = 67_108_864  # bytes of a prefab; those of projects have a few million at most


class ProjectAssets:
    """The scripts and prefabs of a project. Looked up anew when a guid comes up that was not there before."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, str] = {}
        self._missing: set[str] = set()
        self._metas: dict[str, tuple[int, str]] = {}  # by their paths: when written, and which guid
        self._prefabs: dict[str, Prefab] = {}
        self._looked_at: dict[str, Prefab] = {}  # since the reading of a scene began: they do not change while it lasts
        self._open: list[str] = []  # prefabs that are being read, each inside the one before it
        self._cyclic: set[str] = set()

    def begin(self) -> None:
        """Forget what was missing before: another scene is read, and it may be there now."""
        self._missing.clear()
        self._looked_at.clear()

    def path_of(self, guid: str) -> str | None:
        """Return the path of the script, prefab or model with this guid, in the project."""
        if guid and guid not in self._paths and guid not in self._missing:
            if not self._missing:  # one look for all that are missing from a file
                self._look()
            if guid not in self._paths:
                self._missing.add(guid)
        return self._paths.get(guid)

    def are_current(self, sources: Mapping[str, tuple[int, int]]) -> bool:
        """Return True if all of these files are as they were."""
        return all(self._mark(path) == mark for path, mark in sources.items())

    def prefab(self, guid: str) -> Prefab:
        """Return the prefab with this guid, with all that is nested in it."""
        path = self.path_of(guid)
        if path is None:
            return Prefab(path=None, why=MISSING)
        if not path.endswith(".prefab"):
            return Prefab(path=path, why=MODEL)
        if path in self._open:
            self._cyclic.update(self._open[self._open.index(path) :])
            return Prefab(path=path, why=CYCLE)
        if path not in self._looked_at:
            kept = self._prefabs.get(path)
            if kept is None or not self.are_current(kept.sources):
                if len(self._open) >= _NESTED:
                    return Prefab(path=path, why=DEEP)
                kept = self._read(path)
            self._prefabs[path] = self._looked_at[path] = kept
        return self._looked_at[path]

    def _read(self, path: str) -> Prefab:
        mark = self._mark(path)
        own = {path: mark}
        if mark[1] > _LARGEST:
            return Prefab(path=path, why=BROKEN, sources=own)
        self._open.append(path)
        try:
            scene = tree.read_scene(path, (self._folder / path).read_bytes(), self)
        except (OSError, CallerError):
            return Prefab(path=path, why=BROKEN, sources=own)
        finally:
            self._open.pop()
        sources = {**scene.sources, **own}
        if path in self._cyclic:
            self._cyclic.discard(path)
            return Prefab(path=path, why=CYCLE, sources=sources)
        return Prefab(path=path, scene=scene, sources=sources)

    def _mark(self, path: str) -> tuple[int, int]:
        try:
            known = (self._folder / path).stat()
        except OSError:
            return (0, 0)
        return (known.st_mtime_ns, known.st_size)

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
                        elif entry.name.lower().endswith(_KNOWN) and entry.is_file(follow_symlinks=False):
                            yield entry
            except OSError:  # not there, or not for us
                continue


def _guid(path: str) -> str:
    try:
        with open(path, "rb") as file:
            match = _GUID.search(file.read(4_096))  # it stands in the second line
    except OSError:
        return ""
    return match[1].decode() if match else ""
