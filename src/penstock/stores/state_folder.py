"""Find the folder for held results on this machine, and make files that only their owner can read."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping


def state_folder(*, platform: str = sys.platform, env: Mapping[str, str] = os.environ) -> Path:
    """Return the platform's folder for data that a program keeps between runs and that needs no backup."""
    if platform == "darwin":
        return at_home("~/Library/Application Support/penstock")
    if platform == "win32":
        folder = env.get("LOCALAPPDATA", "")
        return Path(folder) / "penstock" if folder else at_home("~/AppData/Local/penstock")
    folder = env.get("XDG_STATE_HOME", "")
    # The XDG specification has relative paths ignored.
    return Path(folder) / "penstock" if os.path.isabs(folder) else at_home("~/.local/state/penstock")


def at_home(path: str) -> Path:
    """Expand ``~`` in a path. Raises for a user without a home."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ConfigError("there is no home directory for the store's file", do="write sqlite:///path") from error


def make_private(file: Path) -> None:
    """Make an empty file of mode 0600, in a folder of mode 0700 if that is missing too. What is there stays as it is.

    The modes hold from the first moment, and whatever the umask: it can take bits from them, and they are set again.
    A link to a file that is missing is followed, or SQLite would make that file by the umask.
    """
    file = Path(os.path.realpath(file))
    folder = file.parent
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            folder.mkdir(mode=0o700)
            folder.chmod(0o700)
        except FileExistsError:  # another process was faster
            pass
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        file.chmod(0o600)
    except FileExistsError:
        pass


def open_to_others(file: Path) -> str:
    """Return the mode of a file that other users of this machine may read or write, as ``chmod`` writes it; else
    nothing."""
    if sys.platform == "win32":  # where rights are no bits of a mode
        return ""
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
    except OSError:
        return ""
    return f"{mode:04o}" if mode & 0o077 else ""
