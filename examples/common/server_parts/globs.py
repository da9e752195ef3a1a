"""Globs for the paths of files, as ``.gitignore`` has them: those of a caller, and those of a folder's own lists.

A glob without a slash is for a name in any folder, one with a slash for the path from the root. RE2 does the matching,
in linear time whatever the glob.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

import pathspec
import re2

from server_parts.complaints import wrong

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME: Final = ".gitignore"
MAX_GLOBS: Final = 50  # One call names at most 50 globs: each is tried on each file.
MAX_CHARACTERS: Final = 500  # A glob has at most 500 characters: longer ones are not written by hand.
_BRACKETS: Final = re.compile(r"\\.|\[[!^]?\]?[^\]]*\]")  # a list of characters, whole

Spec: TypeAlias = "pathspec.PathSpec[pathspec.Pattern]"


def globs(argument: str, patterns: Sequence[str], example: object = ("src/**",)) -> Spec:
    """Return a caller's globs, ready to be asked; raise an error for one that cannot be meant."""
    expected = f"at most {MAX_GLOBS} globs inside the folder, such as *.md or Notes/**"
    if len(patterns) > MAX_GLOBS:
        raise wrong(argument, expected, len(patterns), example)
    for one in patterns:
        is_outside = one.startswith(("!", "#")) or ".." in one.split("/") or "\\" in one
        if not one.strip() or len(one) > MAX_CHARACTERS or is_outside or not one.isprintable():
            raise wrong(argument, expected, one, example)
        if "[" in _BRACKETS.sub("", one):
            raise wrong(argument, f"{expected}, with a ] for every [", one, example)
    try:
        return _spec(patterns)
    except (ValueError, re.error, re2.error):  # as a range that is the wrong way round
        raise wrong(argument, expected, list(patterns), example) from None


def matches(spec: Spec, path: str) -> bool | None:
    """Return True if the globs take a path in; None if they say nothing about it."""
    return spec.check_file(path.encode("utf-8", "replace").decode()).include  # a name may have half a character in it


def _spec(patterns: Sequence[str]) -> Spec:
    return pathspec.PathSpec.from_lines("gitignore", patterns, backend="re2")


class Ignored:
    """The lists that apply in one folder, the nearest first. Paths have forward slashes and are relative to the root;
    those of folders end with one."""

    def __init__(self, lists: Sequence[tuple[str, Spec]] = ()) -> None:
        self._lists = tuple(lists)

    def entering(self, folder: Path, at: str) -> Ignored:
        """Return what applies in a folder, whose path is ``at``: its own list before those above it."""
        try:
            patterns = (folder / NAME).read_text("utf-8", "replace").splitlines()
            return Ignored(((at, _spec(patterns)), *self._lists))
        except (OSError, ValueError, re.error, re2.error):  # a list that is not there, or cannot be read
            return self

    def __contains__(self, path: str) -> bool:
        """Decide by the nearest list that has a pattern for the path, as git does."""
        for at, spec in self._lists:
            include = matches(spec, path.removeprefix(at))
            if include is not None:
                return include
        return False
