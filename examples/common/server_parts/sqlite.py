"""Opens a SQLite file that several servers may make at the same time."""

from __future__ import annotations

import sqlite3
import time


def write_ahead(connection: sqlite3.Connection, patience: float) -> None:
    """Turn the write-ahead log on. Where two servers make the file at once, SQLite refuses one without waiting."""
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.005)
        else:
            return
