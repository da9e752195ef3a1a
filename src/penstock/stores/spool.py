"""Bytes on their way into a store: a few megabytes in memory, more in a file that has no name.

Such a file goes with the process, however that ends: a result that never came to its end leaves nothing behind.
"""

from __future__ import annotations

import tempfile
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import IO

IN_MEMORY: Final = 8_388_608  # bytes that are kept in memory; as frames those of a result of some 30 MB


class Spool:
    """Bytes that grow at their end, and are read by spans. Safe from several threads at once."""

    def __init__(self, folder: str | None, *, may_write: bool) -> None:
        """Keep bytes. ``folder`` is where the file is made, None for the system's own. Unless the spool ``may_write``,
        there is no file."""
        self._folder = folder
        self._limit = IN_MEMORY if may_write else None
        self._lock = threading.Lock()
        self._memory = bytearray()
        self._file: IO[bytes] | None = None
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, data: bytes | bytearray) -> None:
        """Write bytes behind the others. Raises an ``OSError`` when the disk is full."""
        with self._lock:
            if self._file is None and self._limit is not None and self._size + len(data) > self._limit:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115  (closed with the spool)
                self._file.write(self._memory)
                self._memory = bytearray()
            if self._file is None:
                self._memory += data
            else:
                self._file.seek(self._size)
                self._file.write(data)
            self._size += len(data)

    def read(self, start: int, end: int) -> bytes:
        with self._lock:
            if self._file is None:
                return bytes(memoryview(self._memory)[start:end])
            self._file.seek(start)
            return self._file.read(end - start)

    def close(self) -> None:
        """Let go of all bytes. What is written then begins anew."""
        with self._lock:
            self._memory = bytearray()
            self._size = 0
            if self._file is not None:
                self._file.close()
                self._file = None

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()
