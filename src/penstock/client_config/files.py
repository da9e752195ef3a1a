"""Read a configuration file, keep a backup beside it, and replace it in one step."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.errors import CallerError

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX: Final = ".penstock-backup"
MAX_BYTES: Final = 67_108_864  # Claude Code's own file grows to some MB; a hundred times that is no configuration
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file's bytes and text. ``path`` is what the user calls it, ``target`` what links lead to."""

    path: Path
    target: Path
    data: bytes
    text: str  # without the byte order mark, which no parser takes

    @property
    def backup(self) -> Path:
        return self.target.with_name(self.target.name + SUFFIX)

    def encoded(self, text: str) -> bytes:
        """Encode a new text, with a byte order mark if the file has one."""
        return (_BOM * self.data.startswith(_BOM.encode()) + text).encode()


def read(path: Path) -> File:
    """Read a file, or raise a ``CallerError`` of one line."""
    try:
        target = path.resolve(strict=True)
        if not target.is_file():
            raise CallerError(f"{path} is not a file", do="give the client's configuration file")
        if target.stat().st_size > MAX_BYTES:
            raise CallerError(f"{path} is larger than {MAX_BYTES:,} bytes", do="give the client's configuration file")
        data = target.read_bytes()
        return File(path=path, target=target, data=data, text=data.decode().removeprefix(_BOM))
    except UnicodeDecodeError:
        raise CallerError(f"{path} is not UTF-8 text", do="save it as UTF-8 first") from None
    except FileNotFoundError:
        raise CallerError(f"{path}: no such file", do="check its name and folder") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise CallerError(
            f"{path} cannot be read: {_reason(error)}", do="check that the file exists and that you may read it"
        ) from None


def read_backup(file: File) -> File | None:
    """Read the backup. None if there is none, or if it cannot be read."""
    try:
        return read(file.backup)
    except CallerError:
        return None


def keep(file: File) -> None:
    """Write the file as it is now to its backup."""
    _write(file, file.backup, file.data)


def put_beside(file: File, path: Path, data: bytes) -> None:
    """Write another file beside this one, with its mode and its owner."""
    _write(file, path, data)


def drop(path: Path) -> None:
    """Remove a file that was put beside another."""
    with suppress(OSError):  # nothing reads it any more
        path.unlink()


def drop_backup(file: File) -> None:
    """Remove the backup."""
    with suppress(OSError):  # it is a copy of the file: nothing is lost and nothing is wrong if it stays
        file.backup.unlink()


def replace(file: File, data: bytes) -> None:
    """Replace the file, unless another program has changed it since it was read."""
    if read(file.path).data != file.data:
        raise CallerError(f"{file.path} was changed by another program meanwhile", do="run the command again")
    _write(file, file.target, data)


def _write(file: File, path: Path, data: bytes) -> None:
    """Write all or nothing, with the mode and the owner of the file: it may hold the keys of services."""
    name = ""
    try:
        was = file.target.stat()
        if not os.access(file.target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            # It could be replaced all the same, but who took the right to write away meant it.
            raise PermissionError(None, "it is read-only")
        if was.st_nlink > 1:  # a new file in its place would leave the other name with the old one, without a word
            raise OSError(None, "it has a second name (a hard link); make that a symbolic link first")
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with open(handle, "wb") as new:
            new.write(data)
            new.flush()
            os.fsync(new.fileno())
        with suppress(OSError, AttributeError):  # only root may give a file away; Windows has no such owner
            os.chown(name, was.st_uid, was.st_gid)
        os.chmod(name, stat.S_IMODE(was.st_mode))
        os.replace(name, path)
        _sync_folder(path.parent)
    except OSError as error:
        if name:
            with suppress(OSError):
                os.unlink(name)
        raise CallerError(
            f"{path} cannot be written: {_reason(error)}",
            do="nothing was changed; check the rights of the file and its folder, and the space on the disk",
        ) from None


def _sync_folder(folder: Path) -> None:
    """Make the new name as durable as the bytes. Not every system can open a folder, and none has to."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
