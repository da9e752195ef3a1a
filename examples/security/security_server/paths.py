"""Names that a client gives, and the files of a scan: inside of the allowed folder, or refused."""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from server_parts.complaints import wrong
from server_parts.paths import RealFolder

if TYPE_CHECKING:
    from penstock import CallerError

# Not what somebody has written: other people's packages, and what tools keep for themselves.
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

    def locate(self, name: str, *, example: str, argument: str = "path") -> Path:
        """The real path of something that is there."""
        try:
            real = (self.folder / name).resolve()
            inside = real.is_relative_to(self.folder)
            there = inside and real.exists()
        except (OSError, RuntimeError, ValueError):  # a loop of links, or a name that no file can have
            raise self._refused(argument, name, "which cannot be a file's name", example) from None
        if not inside:
            raise self._refused(argument, name, "which leads out of it", example)
        if not there:
            raise self._refused(argument, name, "where there is nothing", example)
        return real

    def files(self, start: Path, *, max_files: int, max_file_bytes: int) -> Files:
        """The files at and below a path, in the order of their names. Links are skipped: they may lead anywhere."""
        found: list[Path] = []
        skipped: Counter[str] = Counter()
        for path in _walk(start, skipped):
            reason = _reason(path, max_file_bytes)
            if len(str(path)) - len(str(self.folder)) > LONGEST:
                reason = "odd_names"
            if reason is None and len(found) == max_files:
                reason = "too_many"
            if reason is None:
                found.append(path)
            else:
                skipped[reason] += 1
        return Files(files=tuple(found), skipped=dict(sorted(skipped.items())))

    def _refused(self, argument: str, name: str, why: str, example: str) -> CallerError:
        return wrong(argument, "a path inside of the allowed folder", name, example, why)


def _walk(start: Path, skipped: Counter[str]) -> list[Path]:
    if not start.is_dir():
        return [start]
    paths: list[Path] = []

    def unreadable(_: OSError) -> None:
        skipped["unreadable"] += 1

    for folder, names, files in os.walk(start, onerror=unreadable):
        links = {name for name in names if os.path.islink(os.path.join(folder, name))}
        skipped["links"] += len(links)
        names[:] = sorted(name for name in names if name not in LEFT_OUT and name not in links)
        paths += (Path(folder, name) for name in sorted(files))
    skipped += Counter()  # without those that are 0
    return paths


def _reason(path: Path, max_file_bytes: int) -> str | None:
    """Why a file is skipped, or None."""
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
