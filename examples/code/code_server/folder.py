"""The files of a folder, and which paths are inside of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pathspec

from server_parts.complaints import wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_BYTES: Final = 2_000_000  # of one file; larger ones are data, bundles or logs, and not code
SNIFFED: Final = 8_192  # bytes in which a binary file shows itself by a zero
MOST_GLOBS: Final = 50  # in one call; each is asked about each file
LONGEST_GLOB: Final = 200  # characters
MOST_STARS: Final = 10  # in one glob: what it may cost to try it grows with each of them
PYTHON: Final = (".py", ".pyi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder of code. Hidden files and folders, caches and links are no part of it."""

    root: Path

    def files(self, includes: Sequence[str] = (), excludes: Sequence[str] = ()) -> Iterator[str]:
        """The paths of all files that the globs let through, in order, with forward slashes."""
        wanted, unwanted = _spec("includes", includes), _spec("excludes", excludes)
        for name in self._walk():
            if wanted is not None and not wanted.match_file(name):
                continue
            if unwanted is None or not unwanted.match_file(name):
                yield name

    def text(self, name: str) -> str | None:
        """The text of a file; None for one that is binary, too large or gone."""
        try:
            with (self.root / name).open("rb") as file:
                raw = file.read(MOST_BYTES + 1)
        except OSError:
            return None
        if len(raw) > MOST_BYTES or b"\0" in raw[:SNIFFED]:
            return None
        return raw.decode("utf-8", "replace")

    def python_file(self, path: str) -> str:
        """The name of a Python file that a caller has named."""
        name = self._inside(path, "services/nested.py")
        if not name.endswith(PYTHON) or not (self.root / name).is_file():
            raise wrong("path", "a Python file (.py or .pyi) in the folder", path, "services/nested.py")
        return name

    def python_files(self, path: str) -> list[str]:
        """The names of the Python files at a path: the file itself, or all that are under a folder."""
        name = self._inside(path, "services")
        if (self.root / name).is_file():
            return [self.python_file(path)]
        if not (self.root / name).is_dir():
            raise wrong("path", "a Python file or a folder that is there", path, "services")
        prefix = "" if name == "." else f"{name}/"
        return [one for one in self._walk() if one.startswith(prefix) and one.endswith(PYTHON)]

    def stamps(self) -> dict[str, tuple[int, int]]:
        """When each Python file was last written, and its size: what has changed since shows in it."""
        found = {}
        for name in self._walk():
            if name.endswith(PYTHON):
                try:
                    status = (self.root / name).stat()
                except OSError:  # gone since it was listed
                    continue
                found[name] = (status.st_mtime_ns, status.st_size)
        return found

    def name_of(self, path: Path) -> str:
        """The name of a file in the folder, or the whole path of one elsewhere."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.as_posix()

    def _inside(self, path: str, example: str) -> str:
        if "\0" not in path:
            try:
                resolved = (self.root / path).resolve()
            except (OSError, RuntimeError):  # a name that is too long, a loop of links
                resolved = None
            if resolved is not None and resolved.is_relative_to(self.root):
                return resolved.relative_to(self.root).as_posix()
        raise wrong("path", "a path inside of the folder", path, example)

    def _walk(self) -> Iterator[str]:
        for here, folders, files in os.walk(self.root):
            folders[:] = sorted(one for one in folders if not one.startswith(".") and one != "__pycache__")
            base = Path(here)
            for one in sorted(files):
                if not one.startswith(".") and not (base / one).is_symlink():
                    yield (base / one).relative_to(self.root).as_posix()


def _spec(argument: str, globs: Sequence[str]) -> pathspec.PathSpec[pathspec.Pattern] | None:
    """The globs as ``.gitignore`` understands them; None when there are none."""
    if not globs:
        return None
    expected = f"at most {MOST_GLOBS} globs such as *.py or src/**, each of at most {LONGEST_GLOB} characters"
    if len(globs) > MOST_GLOBS:
        raise wrong(argument, expected, len(globs), ["src/**"])
    for one in globs:
        if not one.strip() or len(one) > LONGEST_GLOB or one.count("*") > MOST_STARS or one.startswith(("!", "#")):
            raise wrong(argument, expected, one, ["src/**"])
    try:
        return pathspec.PathSpec.from_lines("gitignore", globs)
    except (ValueError, re.error):  # the second for a range that is the wrong way round
        raise wrong(argument, expected, list(globs), ["src/**"]) from None
