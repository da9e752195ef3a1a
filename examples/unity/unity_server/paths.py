"""Names that a client gives, as real files: inside the project, or refused."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from server_parts.complaints import wrong

if TYPE_CHECKING:
    from pathlib import Path

LONGEST: Final = 1_024  # characters; file systems take 255 bytes for each name and 4,096 for all of a path
_OUTSIDE: Final = re.compile(r"^[/~]|^[A-Za-z]:|\\|(?:^|/)\.")  # absolute, a drive, a backslash, ``..`` or hidden


def locate(folder: Path, name: str, argument: str, example: str) -> Path:
    """Return the real path of a name in a folder that is itself real, whether there is such a file or not."""
    expected = "a path inside the project"
    unseen = any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in name)
    # What looks like a dot or a slash must not become one in another program.
    forms = (name, unicodedata.normalize("NFKC", name))
    if unseen or not name.strip() or len(name) > LONGEST or any(_OUTSIDE.search(form) for form in forms):
        raise wrong(argument, expected, name, example)
    try:
        real = (folder / name).resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or a name that no file can have
        raise wrong(argument, expected, name, example) from None
    if not real.is_relative_to(folder):
        raise wrong(argument, f"{expected}, and this leads out of it", name, example)
    return real
