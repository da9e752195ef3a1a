"""Write an export as a new file in the export folder: never outside of it, never over another file.

A name is cleaned of all that leads elsewhere, and a file is made only where nothing is yet: a link that lies there is
something, wherever it leads.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from penstock.errors import CallerError, StoreError

LONGEST_NAME: Final = 100  # bytes of a name before its ending; file systems end at 255
MOST_NUMBERED: Final = 1_000  # files of one name; a caller who makes more is asked for another
FLAGS: Final = (
    os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)  # O_EXCL never follows a link (POSIX, open)
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)  # on Windows


def clean_name(wanted: str, form: str) -> str:
    """Return a file name that stays in its folder and that every system takes, with the ending of its format."""
    words = "".join(one if one.isalnum() or one in "._- " else "_" for one in wanted.rpartition("/")[2])
    stem = words.strip(". -_").removesuffix(f".{form}").strip(". ") or "export"
    stem = f"_{stem}" if _DEVICES.fullmatch(stem) else stem
    short = stem.encode("utf-8", "replace")[:LONGEST_NAME].decode("utf-8", "ignore").rstrip(". ")
    return f"{short}.{form}"


def write_file(folder: str, name: str, data: bytes) -> str:
    """Write a new file of mode 0600 and return its path; the folder is made, with mode 0700, if it is missing. A name
    that is taken gets a number."""
    place = Path(folder)
    try:
        if not place.exists():
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.chmod(0o700)
        if place.is_symlink():
            raise StoreError(f"the export folder {folder} is a link", do="set export_folder to the folder itself")
        folder_at = _held_open(place)
        try:
            return _written(place, folder_at, name, data)
        finally:
            if folder_at is not None:
                os.close(folder_at)
    except OSError as error:
        raise StoreError(
            f"the export cannot be written to {folder}: {error.strerror}",
            do="the user who runs this has to make room there, or set export_folder to another folder",
        ) from None


def _held_open(place: Path) -> int | None:
    """Open the folder itself, so that nothing that takes its place meanwhile is written to; None on Windows."""
    if os.open not in os.supports_dir_fd:
        return None
    return os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _written(place: Path, folder_at: int | None, name: str, data: bytes) -> str:
    stem, _, ending = name.rpartition(".")
    for number in range(1, MOST_NUMBERED + 1):
        path = place / (name if number == 1 else f"{stem}-{number}.{ending}")
        where = path if folder_at is None else path.name
        try:
            made = os.open(where, FLAGS, 0o600, dir_fd=folder_at)
        except FileExistsError:
            continue
        try:
            with os.fdopen(made, "wb") as file:
                file.write(data)
        except OSError:
            os.unlink(where, dir_fd=folder_at)  # half a file would look like a whole one
            raise
        return str(path)
    raise CallerError(f"there are {MOST_NUMBERED:,} files named like {name}", do="give another name")
