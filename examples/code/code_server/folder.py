"""The files of a folder, and which paths are inside it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from code_server.servers import KNOWN
from server_parts.complaints import wrong
from server_parts.globs import Ignored, globs, matches
from server_parts.paths import RealFolder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_BYTES: Final = 2_000_000  # of one file; larger ones are data, bundles or logs, and not code
SNIFFED: Final = 8_192  # bytes in which a binary file shows itself by a zero

CODE: Final = tuple(suffix for server in KNOWN for suffix in server.suffixes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder of code. Hidden files and folders, caches, links, and what its ``.gitignore`` files name are no part
    of it."""

    root: Path

    def files(self, includes: Sequence[str] = (), excludes: Sequence[str] = ()) -> Iterator[str]:
        """Yield the paths of all files that the globs let through, in order, with forward slashes."""
        wanted = globs("includes", includes) if includes else None
        unwanted = globs("excludes", excludes) if excludes else None
        for name in self._walk():
            if wanted is not None and not matches(wanted, name):
                continue
            if unwanted is None or not matches(unwanted, name):
                yield name

    def text(self, name: str) -> str | None:
        """Return the text of a file; None for one that is binary, too large or gone."""
        try:
            with (self.root / name).open("rb") as file:
                raw = file.read(MOST_BYTES + 1)
        except OSError:
            return None
        if len(raw) > MOST_BYTES or b"\0" in raw[:SNIFFED]:
            return None
        return raw.decode("utf-8", "replace")

    def file(self, path: str) -> str:
        """Return the name of a file that a caller has named."""
        name = self._inside(path)
        if not os.path.isfile(self.root / name):  # which, unlike Path.is_file, takes a name that is too long for absent
            raise wrong("path", "a file that is there", path, self._example(path))
        return name

    def files_at(self, path: str, suffixes: tuple[str, ...]) -> list[str]:
        """Return the names of the files at a path: the file itself, or all under a folder that have a suffix."""
        name = self._inside(path)
        if os.path.isfile(self.root / name):
            return [name]
        if not os.path.isdir(self.root / name):
            raise wrong("path", "a file or a folder that is there", path, self._example(path))
        prefix = "" if name == "." else f"{name}/"
        return [one for one in self._walk() if one.startswith(prefix) and one.endswith(suffixes)]

    def stamps(self, suffixes: tuple[str, ...]) -> dict[str, tuple[int, int]]:
        """Return when each file with a suffix was last written, and its size: a change since then shows in it."""
        stamps = {}
        for name in self._walk():
            if name.endswith(suffixes):
                try:
                    status = (self.root / name).stat()
                except OSError:  # gone since it was listed
                    continue
                stamps[name] = (status.st_mtime_ns, status.st_size)
        return stamps

    def name_of(self, path: Path) -> str:
        """Return the name of a file in the folder, or the whole path of one elsewhere."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.as_posix()

    def _inside(self, path: str) -> str:
        folder = RealFolder(folder=self.root)
        real = folder.inside(path)
        if real is None:
            raise wrong("path", "a path inside the folder", path, self._example(path))
        return folder.name_of(real)

    def _example(self, refused: str) -> str:
        """Return a file that is there, so that the call can be made as it stands: the one that was meant, by its name,
        or one with its suffix, or any file of code."""
        every = [name for name in self._walk() if name != refused]
        wanted = refused.rpartition("/")[2]
        near = get_close_matches(refused, every, 1) or [name for name in every if name.rpartition("/")[2] == wanted]
        suffix = os.path.splitext(wanted)[1]
        same = (name for name in every if suffix and name.endswith(suffix))
        code = (name for name in every if name.endswith(CODE))
        return next(chain(near, same, code, every), ".")

    def _walk(self) -> Iterator[str]:
        entered: dict[str, Ignored] = {}  # by folder, until it is walked through
        for here, folders, files in os.walk(self.root):
            base = Path(here)
            at = "" if base == self.root else f"{base.relative_to(self.root).as_posix()}/"
            ignored = entered.pop(at, Ignored()).entering(base, at)
            folders[:] = sorted(
                one
                for one in folders
                if not one.startswith(".") and one != "__pycache__" and f"{at}{one}/" not in ignored
            )
            entered |= dict.fromkeys((f"{at}{one}/" for one in folders), ignored)
            for one in sorted(files):
                name = f"{at}{one}"
                if not one.startswith(".") and name not in ignored and not (base / one).is_symlink():
                    yield name
