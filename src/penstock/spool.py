"""Bytes that arrive piece by piece: up to 64 MB in memory, more in a file without a name, which is then mapped.

Such a file goes with the process, however that ends: a result that never came to its end leaves nothing behind.
"""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Final

from penstock.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from penstock.core.json.buffer import Bytes

MAX_IN_MEMORY: Final = 67_108_864  # Bytes. With what is made of them they take about 200 MB, which any machine has.


class Spool:
    """Gathers bytes. ``open_file`` opens the file when it is needed; without one all bytes stay in memory."""

    def __init__(self, open_file: Callable[[], IO[bytes] | None] = lambda: None) -> None:
        self._open_file = open_file
        self._bytes: IO[bytes] = BytesIO()
        self._is_settled = False  # Whether a file was asked for.

    def __len__(self) -> int:
        return self._bytes.tell()

    @property
    def is_in_file(self) -> bool:
        """Return True if the bytes take no memory of this process."""
        return not isinstance(self._bytes, BytesIO)

    def append(self, part: bytes) -> None:
        """Write bytes behind the others. Raises a ``StoreError`` if the disk is full."""
        if not self._is_settled and len(self) + len(part) > MAX_IN_MEMORY:
            self._is_settled = True
            self._move()
        try:
            self._bytes.write(part)
        except OSError as error:
            raise _failed(error) from error

    def tail(self, size: int) -> bytes:
        """Return the last bytes, at most so many."""
        end = len(self)
        self._bytes.seek(max(0, end - size))
        last = self._bytes.read(size)
        self._bytes.seek(end)
        return last

    def done(self) -> Bytes:
        """Return all bytes, and let go of them here."""
        if isinstance(self._bytes, BytesIO):
            return self._bytes.getvalue()
        try:
            self._bytes.flush()
            whole = mmap(self._bytes.fileno(), 0, access=ACCESS_READ)
        except OSError as error:
            raise _failed(error) from error
        self.close()
        return whole

    def close(self) -> None:
        """Let go of the file."""
        with suppress(OSError):  # of what a full disk did not take
            self._bytes.close()

    def __del__(self) -> None:
        self.close()

    def _move(self) -> None:
        try:
            file = self._open_file()
            if file is not None:
                assert isinstance(self._bytes, BytesIO)
                file.write(self._bytes.getbuffer())
                self._bytes = file
        except OSError as error:
            raise _failed(error) from error


def _failed(error: OSError) -> StoreError:
    return StoreError(
        f"the result could not be written to a file ({error.strerror or type(error).__name__})",
        do="free space in the folder of the store, or narrow the call",
    )
