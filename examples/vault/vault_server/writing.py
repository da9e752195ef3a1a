"""Writes a note: whole or not at all, inside of the vault, never through a link, never over what was changed since."""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock import CallerError
from vault_server.notes import LARGEST, SUFFIXES
from vault_server.paths import refused
from vault_server.trash import keep_in_trash

if TYPE_CHECKING:
    from pathlib import Path

    from vault_server.paths import Root

EXAMPLE: Final = "Projects/Harbour/Next steps.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A note as it was read: its text, and the marks by which a change of it is seen."""

    path: Path
    text: str
    seen: tuple[int, int]


class Writer:
    """Writes to one vault, one note at a time."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.lock = threading.Lock()  # a note is read and written in one piece

    def place(self, name: str) -> Path:
        """Return the file of a note's name, whether it is there or not; links are refused wherever they lead."""
        if not name.lower().endswith(SUFFIXES):
            raise refused("filename", name, f"is not a note's name: it ends in none of {', '.join(SUFFIXES)}", EXAMPLE)
        real = self.root.locate(name, "filename", example=EXAMPLE)
        plain = self.root.folder / os.path.normpath(name)
        if real != plain or plain.is_symlink():
            raise refused("filename", name, "is, or lies behind, a link", EXAMPLE)
        return plain

    def read(self, path: Path) -> Original:
        """Read a note that is to be changed. One that is not UTF-8 is refused: it would come out as another file."""
        name = self.root.name_of(path)
        try:
            stat = path.stat()
            data = path.read_bytes()
        except FileNotFoundError:
            raise CallerError(f"filename: no note {name}, and none was made", do="create_vault_file makes it") from None
        except OSError as error:
            raise CallerError(f"filename: {name} cannot be read: {error.strerror}") from error
        try:
            return Original(path=path, text=data.decode(), seen=(stat.st_mtime_ns, stat.st_size))
        except UnicodeDecodeError:
            raise CallerError(
                f"filename: {name} is not UTF-8, and is not changed", do="save it as UTF-8 first"
            ) from None

    def create(self, path: Path, text: str) -> None:
        """Write a note that is not there yet, with its folders; the error for one that is there names what to do."""
        name = self.root.name_of(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with _written(path, text) as unfinished:
                _rename_if_free(unfinished, path)
        except FileExistsError:
            raise CallerError(
                f"filename: {name} is there already, and was not changed",
                do="append_to_vault_file adds to it, overwrite: true replaces it",
            ) from None
        except OSError as error:
            raise CallerError(f"filename: {name} cannot be written: {error.strerror}") from error

    def replace(self, original: Original, text: str) -> None:
        """Write a changed note in place of what was read, unless it has changed since then."""
        path, name = original.path, self.root.name_of(original.path)
        try:
            with _written(path, text) as unfinished:
                shutil.copymode(path, unfinished)
                stat = path.stat(follow_symlinks=False)
                if (stat.st_mtime_ns, stat.st_size) != original.seen:
                    raise CallerError(
                        f"filename: {name} was changed meanwhile, and is left so", do="read it and ask again"
                    )
                os.replace(unfinished, path)
        except OSError as error:
            raise CallerError(f"filename: {name} cannot be written: {error.strerror}") from error

    def overwrite(self, original: Original, text: str) -> str:
        """Replace all of a note; what it was is kept in the trash. Returns its name there."""
        kept = keep_in_trash(self.root, self.root.name_of(original.path))
        self.replace(original, text)
        return kept


class _written:  # noqa: N801
    """A finished file beside the one that it is for, removed again if it is still there at the end. Its name is hidden,
    so that no list and no other program takes it for a note."""

    def __init__(self, path: Path, text: str) -> None:
        self._data = text.encode()
        if len(self._data) > LARGEST:
            raise CallerError(f"content: the note would have {len(self._data):,} bytes; up to {LARGEST:,} are read")
        self._file = path.with_name(f".{secrets.token_hex(8)}.tmp")

    def __enter__(self) -> Path:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(self._file, flags, 0o666), "wb") as out:
            out.write(self._data)
            out.flush()
            os.fsync(out.fileno())
        return self._file

    def __exit__(self, *error: object) -> None:
        self._file.unlink(missing_ok=True)


def _rename_if_free(source: Path, target: Path) -> None:
    """Give a file its name, or raise ``FileExistsError``: a link is made in one step, and never over another file."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if target.exists():
            raise FileExistsError from None
        os.rename(source, target)
