"""The time at which each finding was seen first: a small database beside the sample, by folder and fingerprint.

Without it, newest and oldest would go by the times of files, which are all alike in a fresh clone. It has fingerprints
and times in it, and nothing of any code.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from server_parts.sqlite import write_ahead

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

PATIENCE: Final = 10.0  # seconds for another server on the same file


class Seen:
    """Remembers findings. Without a file it does so as long as the server runs."""

    def __init__(self, file: Path | None = None) -> None:
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
        self._file = file
        self._memory: dict[tuple[str, str], str] = {}

    def first(self, folder: Path, fingerprints: Iterable[str], now: float) -> dict[str, str]:
        """Return when each finding was seen first; those that were never seen are seen now."""
        moment = datetime.fromtimestamp(int(now), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        keys = [(str(folder), one) for one in fingerprints]
        if self._file is None:
            return {mark: self._memory.setdefault((root, mark), moment) for root, mark in keys}
        with closing(sqlite3.connect(self._file, timeout=PATIENCE)) as database:
            write_ahead(database, PATIENCE)
            with database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS seen (folder TEXT, fingerprint TEXT, first TEXT, "
                    "PRIMARY KEY (folder, fingerprint)) WITHOUT ROWID"
                )
                rows = [(*key, moment) for key in keys]
                database.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", rows)
            known = dict(database.execute("SELECT fingerprint, first FROM seen WHERE folder = ?", (str(folder),)))
        return {mark: known[mark] for _, mark in keys}
