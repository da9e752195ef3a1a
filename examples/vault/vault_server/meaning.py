"""Notes by what they mean, beside the words they have: an option.

A note has one vector, of its title and the beginning of its text; they are made behind the answers and kept in the
index.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from server_parts.meaning import BEGINNING, MODEL
from vault_server.notes import FRONT

if TYPE_CHECKING:
    from server_parts.meaning import Model
    from vault_server.vault import Vault

BATCH: Final = 256  # notes in one transaction
AT_ONCE: Final = 512  # new notes whose vectors a search makes before it answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Notes by likeness, the most alike first, and how many notes have no vector yet."""

    hits: tuple[tuple[int, float], ...]
    missing: int


class Meaning:
    """The vectors of a vault's notes."""

    def __init__(self, vault: Vault, model: Model) -> None:
        self._vault, self._model = vault, model
        self._filling = threading.Lock()

    def start(self) -> None:
        """Begin to make vectors, once the vault has been read."""
        threading.Thread(target=self._fill_first, name="vault-meaning", daemon=True).start()

    def alike(self, question: str, among: set[int] | None) -> Alike:
        """Find the notes that are about what a question is about; ``among`` some files only, or all of them."""
        missing = self._vault.index.count_without_vector(MODEL)
        if 0 < missing <= AT_ONCE:
            self._fill()
            missing = self._vault.index.count_without_vector(MODEL)
        pairs = self._model.alike(question, self._vault.index.vectors(MODEL))
        hits = [pair for pair in pairs if among is None or pair[0] in among]
        hits.sort(key=lambda pair: (-pair[1], pair[0]))
        return Alike(hits=tuple(hits), missing=missing)

    def _fill_first(self) -> None:
        try:
            self._vault.ready.result()
            self._fill()
        except Exception as error:  # noqa: BLE001  (a thread: the log is the one place to tell it)
            logging.getLogger(__name__).warning("the vectors of notes could not be made: %s", error)

    def _fill(self) -> None:
        """Make the vectors that are missing."""
        index = self._vault.index
        with self._filling:
            while rows := index.without_vector(MODEL, BATCH):
                texts = [f"{title}. {FRONT.sub('', text)[:BEGINNING]}" for _, title, text in rows]
                index.put_vectors(
                    MODEL, [(row[0], one) for row, one in zip(rows, self._model.packed(texts), strict=True)]
                )
