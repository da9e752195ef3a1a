"""Names that a client gives, and the files of a scan: inside the allowed folder, or refused."""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from server_parts.globs import Ignored, globs, matches
from server_parts.paths import RealFolder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock import CallerError
    from server_parts.globs import Spec

# Not the project's own: other people's packages, and what tools keep for themselves.
LEFT_OUT: Final = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
    }
)
LONGEST: Final = 1_000  # characters of a path below the root; an answer has room for a finding in such a file


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The files of a scan, and how many were skipped for which reason."""

    files: tuple[Path, ...]
    skipped: dict[str, int]


class Root(RealFolder):
    """The folder that nothing leaves."""

    __slots__ = ()

    def find(self, name: str, *, example: str) -> Path:
        """Return the real path of something that is there."""
        real = self.inside(name)
        if real is None:
            raise self._refused(name, "which leads out of it", example)
        try:
            is_there = real.exists()
        except OSError:  # a name that no file can have
            is_there = False
        if not is_there:
            raise self._refused(name, "where there is nothing", example)
        return real

    def has(self, file: str) -> bool:
        """Return True if a path, as an engine tells it, is one of this folder."""
        return Path(os.path.normpath(self.folder / file)).is_relative_to(self.folder)

    def files(self, start: Path, *, max_files: int, max_file_bytes: int, exclude: Sequence[str] = ()) -> Files:
        """Return the files at and below a path, in the order of their names. Links are skipped: they may lead anywhere;
        so is what ``exclude`` or a ``.gitignore`` names."""
        taken: list[Path] = []
        skipped: Counter[str] = Counter()
        for path in self._walk(start, skipped, globs("exclude", exclude, ["vendor/**"])):
            reason = _reason(path, max_file_bytes)
            if len(str(path)) - len(str(self.folder)) > LONGEST:
                reason = "odd_names"
            if reason is None and len(taken) == max_files:
                reason = "too_many"
            if reason is None:
                taken.append(path)
            else:
                skipped[reason] += 1
        return Files(files=tuple(taken), skipped=dict(sorted(skipped.items())))

    def _walk(self, start: Path, skipped: Counter[str], unwanted: Spec) -> list[Path]:
        if not start.is_dir():
            return [start]
        paths: list[Path] = []

        def unreadable(_: OSError) -> None:
            skipped["unreadable"] += 1

        entered: dict[str, Ignored] = {os.fspath(start): self._above(start)}
        for folder, names, files in os.walk(start, onerror=unreadable):
            base = Path(folder)
            at = "" if base == self.folder else f"{self.name_of(base)}/"
            ignored = entered.pop(folder, Ignored()).entering(base, at)
            links = {name for name in names if os.path.islink(os.path.join(folder, name))}
            skipped["links"] += len(links)
            kept = []
            for name in sorted(names):
                if name in LEFT_OUT or name in links:
                    continue
                if f"{at}{name}/" in ignored or matches(unwanted, f"{at}{name}/"):
                    skipped["ignored_folders"] += 1
                else:
                    kept.append(name)
            names[:] = kept
            entered |= dict.fromkeys((os.path.join(folder, name) for name in kept), ignored)
            for name in sorted(files):
                if f"{at}{name}" in ignored or matches(unwanted, f"{at}{name}"):
                    skipped["ignored"] += 1
                else:
                    paths.append(base / name)
        skipped += Counter()  # without those that are 0
        return paths

    def _above(self, start: Path) -> Ignored:
        """Return what the folders above a path ignore; a path that a client names itself is never ignored whole."""
        ignored = Ignored()
        for folder in reversed([one for one in start.parents if one.is_relative_to(self.folder)]):
            at = "" if folder == self.folder else f"{self.name_of(folder)}/"
            ignored = ignored.entering(folder, at)
        return ignored

    def _refused(self, name: str, why: str, example: str) -> CallerError:
        there = example if (self.folder / example).exists() else self._like(example)
        return self.refused("path", name, there or name, why)

    def _like(self, example: str) -> str | None:
        """Find a file of the folder whose name has the example's in it, or its suffix where that says what a file is;
        for an example without a suffix, a folder."""
        stem, suffix = os.path.splitext(example)
        with os.scandir(self.folder) as entries:
            seen = sorted((one.name, one.is_dir(follow_symlinks=False)) for one in entries if one.name[0] != ".")
        if not suffix:
            return next((name for name, is_folder in seen if is_folder), ".")
        names = [name for name, is_folder in seen if name.endswith(suffix) and not is_folder]
        return next((name for name in names if stem in name), None)


def _reason(path: Path, max_file_bytes: int) -> str | None:
    """Say why a file is skipped, or None."""
    try:
        str(path).encode()
        state = path.lstat()
    except UnicodeEncodeError:
        return "odd_names"  # no engine can tell its name in JSON
    except OSError:
        return "unreadable"
    if stat.S_ISLNK(state.st_mode):
        return "links"
    if not stat.S_ISREG(state.st_mode):
        return "no_files"  # a pipe or a socket: reading it could wait for ever
    return "too_large" if state.st_size > max_file_bytes else None
