"""The paths of a folder that its ``.gitignore`` files name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

import pathspec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME: Final = ".gitignore"

Spec: TypeAlias = "pathspec.PathSpec[pathspec.Pattern]"


def spec_of(patterns: Sequence[str]) -> Spec:
    """Return patterns as ``.gitignore`` understands them; raise ``ValueError`` or ``re.error`` where one is none."""
    return pathspec.PathSpec.from_lines("gitignore", patterns)


def matches(spec: Spec, path: str) -> bool | None:
    """Return True if patterns take a path in; None where they say nothing about it."""
    return spec.check_file(path.encode("utf-8", "replace").decode()).include  # a name may have half a character in it


class Ignored:
    """The lists that apply in one folder, the nearest first. Paths have forward slashes and are relative to the root;
    those of folders end with one."""

    def __init__(self, lists: Sequence[tuple[str, Spec]] = ()) -> None:
        self._lists = tuple(lists)

    def entering(self, folder: Path, at: str) -> Ignored:
        """Return what applies in a folder, whose path is ``at``: its own list before those above it."""
        try:
            patterns = (folder / NAME).read_text("utf-8", "replace").splitlines()
            return Ignored(((at, spec_of(patterns)), *self._lists))
        except (OSError, ValueError, re.error):  # a list that is not there, or cannot be read, ignores nothing
            return self

    def __contains__(self, path: str) -> bool:
        """Decide by the nearest list that has a pattern for the path, as git does."""
        for at, spec in self._lists:
            include = matches(spec, path.removeprefix(at))
            if include is not None:
                return include
        return False
