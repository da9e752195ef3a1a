"""The vault: a folder, the index of its files, and the catalog that answers come from.

A small vault is looked through before every answer. A large one is looked through now and then, behind the answers,
which then may be some seconds old; ``discover`` tells how old. Reading a file always reads the file.
"""

from __future__ import annotations

import gc
import json
import logging
import sqlite3
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock import CallerError, Kind, StoreError, read
from vault_server.catalog import Catalog
from vault_server.index import Index
from vault_server.notes import LARGEST, decode, known, parse
from vault_server.paths import Root
from vault_server.scan import Seen, scan

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

LOOK_EACH_TIME: Final = 3_000  # files that are looked at in about 20 ms, which nobody notices before an answer
PATIENCE: Final = 45.0  # seconds to wait for the first index; clients give up after 60


class ClosedError(OSError):
    """The vault was closed while it was being read."""

    def __init__(self) -> None:
        super().__init__("the server is being stopped")


TROUBLE: Final = (OSError, sqlite3.Error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A file's name, text and times."""

    path: str
    text: str
    stat: os.stat_result

    def known(self) -> dict[str, Any]:
        """What its text and its times tell about it."""
        stat = self.stat
        return known(self.path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, parse(self.text))


class Vault:
    """One folder of notes."""

    def __init__(
        self, folder: Path, index: Path, *, refresh_seconds: int = 10, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.root = Root.at(folder)
        self._index = Index(index)
        self._refresh_seconds, self._clock = refresh_seconds, clock
        self._catalog = Catalog()
        self._looked_at = clock()
        self._ready: Future[None] = Future()
        self._one_at_a_time = threading.Lock()
        self._closing = threading.Event()
        self._progress = (0, 0)

    @property
    def index(self) -> Index:
        """The index that belongs to the catalog."""
        return self._index

    @property
    def age_seconds(self) -> float:
        """How long ago the folder was looked through."""
        return self._clock() - self._looked_at

    def start(self) -> None:
        """Begin to read the vault; questions wait for it."""
        threading.Thread(target=self._first_look, name="vault-index", daemon=True).start()

    def close(self) -> None:
        """Let go of the index, also in the middle of filling it: what is in it stays, the rest is read next time."""
        self._closing.set()
        with self._one_at_a_time:
            self._index.close()

    def catalog(self) -> Catalog:
        """What is in the vault."""
        try:
            self._ready.result(timeout=PATIENCE)
        except NotYetError:
            done, of = self._progress
            raise CallerError(f"the vault is still being read: {done:,} of {of:,} files", do="ask again soon") from None
        except TROUBLE as error:
            raise StoreError(f"the vault could not be read: {error}", do="start the server again") from error
        if len(self._catalog.files) <= LOOK_EACH_TIME:
            try:
                self.refresh()
            except TROUBLE as error:
                raise StoreError(f"the vault cannot be read: {error}") from error
        elif self.age_seconds > self._refresh_seconds and not self._one_at_a_time.locked():
            threading.Thread(target=self.look_again, name="vault-refresh", daemon=True).start()
        return self._catalog

    def refresh(self) -> None:
        """Look through the folder and take up what has changed."""
        with self._one_at_a_time:
            seen = scan(self.root.folder)
            gone = self._catalog.by_path.keys() - seen.keys()
            new = [one for one in seen.values() if not self._knows(one)]
            self._looked_at = self._clock()
            if not gone and not new:
                return
            self._index.forget(gone)
            self._index.put(self.root.folder, sorted(new, key=lambda one: one.path), self._report(len(new)))
            fresh = self._index.load_some(one.path for one in new)
            replaced = gone | {one.path for one in new}
            kept = [
                (file, self._catalog.folded(place))
                for place, file in enumerate(self._catalog.files)
                if file.path not in replaced
            ]
            self._catalog = Catalog.of([*kept, *fresh])
            # Hundreds of thousands of objects that live as long as the server: whenever Python looked for garbage, an
            # answer would wait until it has looked at all of them.
            gc.freeze()

    def look_again(self) -> None:
        """The same for whoever has an answer already: trouble is logged, and answers go on with what is known."""
        try:
            self.refresh()
        except TROUBLE as error:
            logging.getLogger(__name__).warning("the vault could not be looked through: %s", error)

    def content(self, name: str, argument: str = "filename") -> Content:
        """The text of a file, read now."""
        real = self.root.locate(name, argument)
        path = self.root.name_of(real)
        if not real.is_file() and (same := self.catalog().spelled_as(path)) is not None:
            path, real = same, self.root.locate(same, argument)
        if not real.is_file():
            near = self.catalog().alike(path)
            do = (
                f"did you mean {' or '.join(map(json.dumps, near))}?"
                if near
                else "list_vault_files shows what is there"
            )
            raise CallerError(f"{argument}: expected the path of a file, got {name!a}: no such file", do=do)
        try:
            stat = real.stat()
            if stat.st_size > LARGEST:
                raise CallerError(f"{argument}: {path} has {stat.st_size:,} bytes; files up to {LARGEST:,} are read")
            data = real.read_bytes()
        except OSError as error:
            raise CallerError(f"{argument}: {path} cannot be read: {error.strerror}") from error
        document = read(data)
        if document.kind is Kind.BINARY and not document.base64:
            raise CallerError(f"{argument}: expected a text, got {path}: {document.media}, {len(data):,} bytes")
        return Content(path=path, text=decode(data), stat=stat)

    def active(self) -> str:
        """The note that is open in the user's editor; else the one that was changed last."""
        catalog = self.catalog()
        for name in _open_files(self.root.folder / ".obsidian" / "workspace.json"):
            if name in catalog.by_path:
                return name
        notes = [file for file in catalog.files if file.is_note]
        if not notes:
            raise CallerError("the vault has no notes, and so no active one", do="write one first")
        return max(notes, key=lambda file: file.mtime_ns).path

    def _first_look(self) -> None:
        try:
            self._catalog = Catalog.of(self._index.load())
            self.refresh()
        except BaseException as error:  # noqa: BLE001  (whoever asks is told)
            self._ready.set_exception(error)
        else:
            self._ready.set_result(None)

    def _knows(self, seen: Seen) -> bool:
        place = self._catalog.by_path.get(seen.path)
        if place is None:
            return False
        file = self._catalog.files[place]
        return (file.size, file.mtime_ns) == (seen.size, seen.mtime_ns)

    def _report(self, of: int) -> Callable[[int], None]:
        def report(done: int) -> None:
            self._progress = (done, of)
            if self._closing.is_set():
                raise ClosedError

        report(0)
        return report


def _open_files(workspace: Path) -> list[str]:
    """The active file first, then those that were open last, as Obsidian writes them down."""
    try:
        told = json.loads(workspace.read_bytes())
        active, last = told.get("active"), told.get("lastOpenFiles") or []
        leaves = list(_leaves(told.get("main") or {}))
    except (OSError, ValueError, AttributeError, RecursionError):
        return []
    names = [file for leaf, file in leaves if leaf == active] + [name for name in last if isinstance(name, str)]
    return [name for name in names if isinstance(name, str)]


def _leaves(part: dict[str, Any]) -> list[tuple[Any, Any]]:
    if part.get("type") == "leaf":
        return [(part.get("id"), part.get("state", {}).get("state", {}).get("file"))]
    return [leaf for child in part.get("children", ()) for leaf in _leaves(child)]
