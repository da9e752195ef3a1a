"""A folder that names are relative to, and the refusal of names that leave it.

``locate`` judges how a name is spelled (``..``, an absolute path, a backslash, look-alikes of dots and slashes,
characters that do not show, hidden folders), and then where it leads: a link out of the folder is outside of it.
``inside`` judges only where it leads.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Self

from server_parts.complaints import wrong

if TYPE_CHECKING:
    from penstock import CallerError

MAX_CHARACTERS: Final = 1_024  # A path has at most 1,024 characters; systems allow 255 bytes a name and 4,096 a path.
UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn")  # control, format (as bidi marks), half characters
JOINERS: Final = "\u200c\u200d"  # format characters that words and emoji are written with
_ABSOLUTE: Final = re.compile(r"^[/~]|\\|^[A-Za-z]:")


@dataclass(frozen=True, slots=True, kw_only=True)
class RealFolder:
    """``folder`` is real: no link is left in its path, so that it is known what is inside it. ``what`` it is called."""

    folder: Path
    what: str = "folder"

    @classmethod
    def at(cls, folder: Path, what: str = "folder") -> Self:
        """Open a folder that exists."""
        return cls(folder=folder.resolve(strict=True), what=what)

    def name_of(self, real: Path) -> str:
        """Return the name of a real path in this folder."""
        return real.relative_to(self.folder).as_posix()

    def inside(self, name: str) -> Path | None:
        """Return the real path of a name, whether there is such a file or not; None if it leads out of the folder."""
        try:
            real = (self.folder / name).resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links, or a name that no file can have
            return None
        return real if real.is_relative_to(self.folder) else None

    def locate(self, name: str, argument: str, example: object) -> Path:
        """Return the real path of a name that is spelled as one of this folder, whether there is such a file or
        not."""
        why = _misspelled(name)
        if why:
            raise self.refused(argument, name, example, why)
        real = self.inside(str(PurePosixPath(name)))
        if real is None:
            raise self.refused(argument, name, example, f"which leads out of the {self.what}")
        if any(part.startswith(".") for part in real.relative_to(self.folder).parts):
            raise self.refused(argument, name, example, "which is hidden")
        return real

    def refused(self, argument: str, name: str, example: object, why: str) -> CallerError:
        """Return the error for a name that is not accepted."""
        return wrong(argument, f"a path inside the {self.what}", name, example, why)


def _misspelled(name: str) -> str:
    """Say what is wrong with the spelling of a name; empty if nothing is."""
    if len(name) > MAX_CHARACTERS:
        return f"which is longer than {MAX_CHARACTERS:,} characters"
    if has_unseen(name) or not name.strip():
        return "which has characters that do not show"
    # What looks like a dot or a slash must not become one: in a shell, a browser, or another file system.
    for form in (name, unicodedata.normalize("NFKC", name)):
        if _ABSOLUTE.search(form):
            return "which is absolute, or has a backslash"
        parts = form.split("/")
        if ".." in parts:
            return "which leaves it with .."
        if any(part.startswith(".") and part != "." for part in parts):
            return "which is hidden"
    return ""


def has_unseen(name: str) -> bool:
    """Return True if a name has characters that do not show."""
    return any(unicodedata.category(char) in UNSEEN and char not in JOINERS for char in name)
