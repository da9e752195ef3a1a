"""The vault: a folder, the index of its files, and the catalog that answers come from.

The names of files are known as soon as the folders have been looked through; lists wait for nothing else. Searches and
queries wait until every new note has been read.

A small vault is looked through before every answer. A large one is looked through now and then, behind the answers,
which then may be some seconds old; ``discover`` tells how old. Reading a file always reads the file.
"""

from __future__ import annotations

import codecs
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

import msgspec

from penstock import CallerError, Kind, StoreError, read
from server_parts.paths import RealFolder
from vault_server.catalog import Catalog, File, scan, unread
from vault_server.dataview import Pages
from vault_server.index import Index
from vault_server.links import Links
from vault_server.notes import LARGEST, SUFFIXES, decode, parse

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

LOOK_EACH_TIME: Final = 3_000  # files that are looked at in about 20 ms, which no client notices before an answer
EXAMPLE: Final = "Projects/Harbour/Overview.md"
UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
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
        """Return what its text and its times tell about it."""
        note = parse(self.text)
        file = msgspec.structs.replace(unread(self.path, self.stat), tags=note.tags)
        known: dict[str, Any] = msgspec.json.decode(file.known(msgspec.json.encode(note.frontmatter), note.wrong))
        return known


class Vault:
    """One folder of notes."""

    def __init__(
        self, folder: Path, index: Path, *, refresh_seconds: int = 10, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.root = RealFolder.at(folder, "vault")
        self._index = Index(index)
        self._refresh_seconds, self._clock = refresh_seconds, clock
        self._catalog = Catalog()
        self._listing: Catalog | None = None  # the names of files that are still being read
        self._links: tuple[Catalog, Links] | None = None
        self._looked_at = clock()
        self.listed: Future[None] = Future()
        self.ready: Future[None] = Future()
        self._one_at_a_time = threading.Lock()
        self._closing = threading.Event()
        self.progress = (0, 0)  # files that have been read, of those that are new

    @property
    def index(self) -> Index:
        """Return the index that belongs to the catalog."""
        return self._index

    @property
    def age_seconds(self) -> float:
        """Return how long ago the folder was looked through."""
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
        """Return what is in the vault, once all of it has been read."""
        self._wait_for(self.ready)
        self._refresh_now_or_soon()
        return self._catalog

    def listing(self) -> Catalog:
        """Return the same for names, sizes and times alone: in a large vault it does not wait for notes to be read."""
        self._wait_for(self.listed)
        known = self._listing or self._catalog
        if self.ready.done() or len(known.files) <= LOOK_EACH_TIME:
            self._wait_for(self.ready)
            self._refresh_now_or_soon()
        return self._listing or self._catalog

    def refresh(self) -> None:
        """Look through the folder and take up what has changed."""
        with self._one_at_a_time:
            known = self._catalog.by_path
            seen = {file.path: file for file in scan(self.root.folder)}
            same = {path: known[path] for path, file in seen.items() if path in known and _is_same(known[path], file)}
            new = [file for path, file in seen.items() if path not in same]
            self._looked_at = self._clock()
            if new or len(same) < len(known):
                self._listing = Catalog([*same.values(), *new])
                self._announce(self.listed)
                self._index.forget(path for path in known if path not in seen)
                fresh = self._index.put(self.root.folder, new, self._report(len(new)))
                self._catalog, self._listing = Catalog([*same.values(), *fresh]), None
            self._announce(self.listed)

    def look_again(self) -> None:
        """Look through the folder again for a caller that has an answer already: trouble is logged, and answers go on
        with what is known."""
        try:
            self.refresh()
        except TROUBLE as error:
            logging.getLogger(__name__).warning("the vault could not be looked through: %s", error)

    def content(self, name: str, argument: str = "filename") -> Content:
        """Return the text of a file, read now."""
        real = self.root.locate(name, argument, EXAMPLE)
        path = self.root.name_of(real)
        if not real.is_file() and (same := self.listing().spelled_as(path)) is not None:
            path, real = same, self.root.locate(same, argument, EXAMPLE)
        if not real.is_file():
            near = self.listing().alike(path)
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
        is_text = path.lower().endswith(SUFFIXES) and (b"\0" not in data or data.startswith(UTF16))
        if document.kind is Kind.BINARY and not document.base64 and not is_text:
            raise CallerError(f"{argument}: expected a text, got {path}: {document.media}, {len(data):,} bytes")
        return Content(path=path, text=decode(data), stat=stat)

    def pages(self) -> Pages:
        """Return the notes for a Dataview query. Links are read when a query first asks, and kept until notes
        change."""
        catalog = self.catalog()

        def links() -> Links:
            known = self._links
            if known is None or known[0] is not catalog:
                known = self._links = (catalog, Links(catalog, self._index))
            return known[1]

        return Pages(catalog, self._index, links)

    def text(self, path: str) -> str:
        """Return the text of a note as it is now; empty where it is gone since it was found."""
        try:
            with open(f"{self.root.folder}/{path}", "rb") as file:
                return decode(file.read())
        except OSError:
            return ""

    def active(self) -> str:
        """Return the note that is open in the user's editor; else the one that was changed last."""
        catalog = self.listing()
        for name in _open_files(self.root.folder / ".obsidian" / "workspace.json"):
            if name in catalog.by_path:
                return name
        notes = [file for file in catalog.files if file.path.lower().endswith(SUFFIXES)]
        if not notes:
            raise CallerError("the vault has no notes, and so no active one", do="write one first")
        return max(notes, key=lambda file: file.mtime_ns).path

    def _first_look(self) -> None:
        try:
            self._catalog = Catalog(self._index.load())
            self.refresh()
        except BaseException as error:  # noqa: BLE001  (the caller that waits gets it)
            for waited_for in (self.listed, self.ready):
                if not waited_for.done():
                    waited_for.set_exception(error)
        else:
            gc.collect()
            gc.freeze()  # what the server is made of lives as long as it: no query waits until all of it was looked at
            self.ready.set_result(None)

    def _wait_for(self, future: Future[None]) -> None:
        try:
            future.result(timeout=PATIENCE)
        except NotYetError:
            raise self.not_yet() from None
        except TROUBLE as error:
            raise StoreError(f"the vault could not be read: {error}", do="start the server again") from error

    def not_yet(self) -> CallerError:
        """Return the error for a question that has waited long enough."""
        done, of = self.progress
        return CallerError(f"the vault is still being read: {done:,} of {of:,} files", do="ask again soon")

    def _refresh_now_or_soon(self) -> None:
        if len(self._catalog.files) <= LOOK_EACH_TIME:
            try:
                self.refresh()
            except TROUBLE as error:
                raise StoreError(f"the vault cannot be read: {error}") from error
        elif self.age_seconds > self._refresh_seconds and not self._one_at_a_time.locked():
            threading.Thread(target=self.look_again, name="vault-refresh", daemon=True).start()

    @staticmethod
    def _announce(future: Future[None]) -> None:
        if not future.done():
            future.set_result(None)

    def _report(self, of: int) -> Callable[[int], None]:
        def report(done: int) -> None:
            self.progress = (done, of)
            if self._closing.is_set():
                raise ClosedError

        report(0)
        return report


def _is_same(known: File, seen: File) -> bool:
    return (known.size, known.mtime_ns) == (seen.size, seen.mtime_ns)


def _open_files(workspace: Path) -> list[str]:
    """Return the active file first, then those that were open last, as Obsidian writes them down."""
    try:
        state = json.loads(workspace.read_bytes())
        active, last = state.get("active"), state.get("lastOpenFiles") or []
        leaves = list(_leaves(state.get("main") or {}))
    except (OSError, ValueError, AttributeError, RecursionError):
        return []
    names = [file for leaf, file in leaves if leaf == active] + [name for name in last if isinstance(name, str)]
    return [name for name in names if isinstance(name, str)]


def _leaves(part: dict[str, Any]) -> list[tuple[Any, Any]]:
    if part.get("type") == "leaf":
        return [(part.get("id"), part.get("state", {}).get("state", {}).get("file"))]
    return [leaf for child in part.get("children", ()) for leaf in _leaves(child)]
