"""Deleted files go to the folder ``.trash`` of their vault, as in Obsidian: a user finds them there."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from penstock import CallerError

if TYPE_CHECKING:
    from pathlib import Path

    from server_parts.paths import RealFolder

FOLDER: Final = ".trash"


def move_to_trash(root: RealFolder, name: str) -> str:
    """Move one file; what is in the trash under its name already stays there. Gives the new name."""
    source, target = _places(root, name)
    try:
        source.rename(target)
    except OSError as error:
        raise CallerError(f"{name} cannot be moved to {FOLDER}: {error.strerror}") from error
    return target.relative_to(root.folder).as_posix()


def _places(root: RealFolder, name: str) -> tuple[Path, Path]:
    source = root.folder / name
    # A link on the way would let a name in the vault stand for a file that is not in it.
    if root.locate(name, "pattern", "*.md") != source or not source.is_file():
        raise CallerError(f"{name} is not a file of the vault any more")
    trash = root.folder / FOLDER
    target = trash / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CallerError(f"{name} cannot be moved to {FOLDER}: {error.strerror}") from error
    if not target.parent.resolve().is_relative_to(trash) or trash.is_symlink():
        raise CallerError(f"{FOLDER} leads out of the vault", do="remove the link")
    return source, _free(target)


def _free(target: Path) -> Path:
    if not target.exists():
        return target
    names = (target.with_name(f"{target.stem} {number}{target.suffix}") for number in count(2))
    return next(name for name in names if not name.exists())
