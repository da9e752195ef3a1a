"""Names that a client gives, as real files: inside the vault, or refused.

A name is refused for how it is spelled (``..``, an absolute path, a backslash, look-alikes of dots and slashes,
characters that do not show, hidden folders), and then for where it leads: a link out of the vault is outside of it.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path, PurePosixPath
from typing import Final

from penstock import CallerError
from server_parts.paths import RealFolder

LONGEST: Final = 1_024  # characters; file systems take 255 bytes for each name and 4,096 for all of a path
UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn")  # control, format (as bidi marks), half characters
JOINERS: Final = "\u200c\u200d"  # format characters that words and emoji are written with

_DRIVE: Final = re.compile(r"[A-Za-z]:")


class Root(RealFolder):
    """The folder that names are relative to."""

    __slots__ = ()

    def locate(self, name: str, argument: str, *, example: str = "Projects/Harbour/Overview.md") -> Path:
        """Return the real path of a name, whether there is such a file or not."""
        spelled = self._spelled(name, argument, example)
        try:
            real = (self.folder / spelled).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a loop of links, or a name that no file can have
            raise refused(argument, name, "cannot be a file's name", example) from error
        if not real.is_relative_to(self.folder):
            raise refused(argument, name, "leads out of the vault", example)
        if any(part.startswith(".") for part in real.relative_to(self.folder).parts):
            raise refused(argument, name, "is hidden, and not a part of the vault", example)
        return real

    def _spelled(self, name: str, argument: str, example: str) -> str:
        if len(name) > LONGEST:
            raise refused(argument, name[:40], f"is longer than {LONGEST:,} characters", example)
        if _has_unseen(name):
            raise refused(argument, name, "has characters that do not show", example)
        # What looks like a dot or a slash must not become one: in a shell, a browser, or another file system.
        for form in (name, unicodedata.normalize("NFKC", name)):
            if form.startswith(("/", "~")) or "\\" in form or _DRIVE.match(form):
                raise refused(argument, name, "is absolute, or has a backslash", example)
            if ".." in form.split("/"):
                raise refused(argument, name, "leaves the vault with ..", example)
        if any(part.startswith(".") and part != "." for part in name.split("/")):
            raise refused(argument, name, "is hidden, and not a part of the vault", example)
        return str(PurePosixPath(name))


def refused(argument: str, name: str, why: str, example: str) -> CallerError:
    """Return the error for a name that is not taken. The name is shown as ASCII, so that it cannot pretend to be
    another."""
    return CallerError(
        f"{argument}: expected a path inside the vault, got {name!a}, which {why}",
        do=f'for example "{example}"',
    )


def is_shown(name: str) -> bool:
    """Return True if the entry of a folder belongs to the vault: not hidden, and with a name that ``locate`` takes."""
    if name.startswith("."):
        return False
    return (name.isascii() and name.isprintable()) or not _has_unseen(name)


def _has_unseen(name: str) -> bool:
    return any(unicodedata.category(char) in UNSEEN and char not in JOINERS for char in name)
