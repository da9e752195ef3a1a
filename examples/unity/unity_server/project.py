"""A Unity project: its scenes, which of them is open, and the ones that were read already."""

from __future__ import annotations

import os
import re
import stat
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock import CallerError, ConfigError
from server_parts.complaints import wrong
from server_parts.paths import RealFolder
from unity_server.assets import ProjectAssets
from unity_server.documents import BrokenError
from unity_server.tree import read_scene

if TYPE_CHECKING:
    from unity_server.scene import Scene

LARGEST: Final = 268_435_456  # bytes of a scene: it is in memory with three times as much for its objects
KEPT: Final = 3  # scenes in memory: the one that is worked on, and those that it is compared with
_OPEN: Final = re.compile(r"^- path: (.+\.unity)\n(?:  .*\n)*?  isActive: 1$", re.MULTILINE)
_BUILT: Final = re.compile(r"^  - enabled: 1\n    path: (.+\.unity)$", re.MULTILINE)


class Project:
    """A folder that Unity has made: scenes below ``Assets``, settings in ``ProjectSettings``."""

    def __init__(self, folder: Path) -> None:
        if not (folder / "Assets").is_dir():
            raise ConfigError(
                f"{folder}: expected the folder of a Unity project, with Assets in it",
                do="name one, or none for the sample project",
            )
        self.folder = folder.resolve()
        self._assets = ProjectAssets(self.folder)
        self._read: OrderedDict[Path, tuple[tuple[int, int], Scene]] = OrderedDict()
        self._lock = threading.Lock()  # tools run in threads; two calls for one scene should not both read it

    def scenes(self) -> list[str]:
        """Return the paths of all scenes, as Unity writes them."""
        paths = []
        for folder, folders, files in os.walk(self.folder / "Assets"):
            folders[:] = [name for name in folders if not name.startswith(".")]
            paths += [os.path.join(folder, name) for name in files if name.endswith(".unity")]
        return sorted(Path(path).relative_to(self.folder).as_posix() for path in paths)

    def open_scene(self) -> str | None:
        """Return the scene that the editor has open; else the first that is built."""
        active = _OPEN.findall(self._setting("Library/LastSceneManagerSetup.txt"))
        return next(iter([*active, *self.built_scenes()]), None)

    def built_scenes(self) -> list[str]:
        """Return the scenes of the build settings, in their order."""
        return _BUILT.findall(self._setting("ProjectSettings/EditorBuildSettings.asset"))

    def version(self) -> str | None:
        """Return the version of Unity that the project is made with."""
        text = self._setting("ProjectSettings/ProjectVersion.txt")
        return text.partition("m_EditorVersion:")[2].partition("\n")[0].strip() or None

    def scene(self, name: str | None, argument: str) -> Scene:
        """Read a scene by its path or its name, a prefab by its path, or the open scene, or the only one; again when
        the file has changed."""
        path = self._path_of(name, argument)
        real = RealFolder(folder=self.folder, what="project").locate(path, argument, self._example())
        try:
            known = real.stat()
        except OSError:  # not there, or a name that no file can have
            known = None
        if known is None or not stat.S_ISREG(known.st_mode) or not path.endswith((".unity", ".prefab")):
            raise wrong(argument, f"a scene of the project, or a prefab: {self._some()}", path, self._example())
        mark = (known.st_mtime_ns, known.st_size)
        if known.st_size > LARGEST:
            raise BrokenError(path, f"has {known.st_size:,} bytes, and {LARGEST:,} can be read", do="split the scene")
        with self._lock:
            kept = self._read.pop(real, None)
            if kept is None or kept[0] != mark or not self._assets.are_current(kept[1].sources):
                self._assets.begin()
                name = real.relative_to(self.folder).as_posix()
                kept = (mark, read_scene(name, _bytes(name, real), self._assets))
            self._read[real] = kept
            while len(self._read) > KEPT:
                self._read.popitem(last=False)
        return kept[1]

    def _path_of(self, name: str | None, argument: str) -> str:
        if name is None:
            scenes = self.scenes()
            name = self.open_scene() or (scenes[0] if len(scenes) == 1 else None)
            if name is None:
                raise wrong(argument, f"a scene, as none is open: {self._some()}", None, self._example())
        if "/" in name or name.endswith(".unity"):
            return name
        named = [path for path in self.scenes() if path.rpartition("/")[2] == f"{name}.unity"]
        if len(named) > 1:
            raise CallerError(
                f"{argument}: expected one scene, but {len(named)} are called {name[:80]!a}: {', '.join(named[:5])}",
                do=f'name one by its path, for example {{"{argument}": "{named[0]}"}}',
            )
        return named[0] if named else name

    def _some(self) -> str:
        scenes = self.scenes()
        return ", ".join(scenes[:5]) + (f" and {len(scenes) - 5} more" if len(scenes) > 5 else "") or "there is none"

    def _example(self) -> str:
        return next(iter(self.scenes()), "Assets/Scenes/Main.unity")

    def _setting(self, name: str) -> str:
        try:
            return (self.folder / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""  # Library is not in version control, and a project without settings has its defaults


def _bytes(name: str, file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BrokenError(name, f"cannot be read: {error.strerror}", do="look at its permissions") from None
