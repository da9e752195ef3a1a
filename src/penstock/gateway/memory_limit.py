"""Limit the bytes of requests and results that are in memory at once."""

from __future__ import annotations


class MemoryLimitError(Exception):
    """The memory limit is reached."""


class MemoryLimit:
    """``limit`` bytes, shared by all requests; each may reserve ``free`` bytes in any case."""

    def __init__(self, limit: int, free: int = 0) -> None:
        self.limit = limit
        self.free = free
        self.taken = 0


class Reservation:
    """What one request has reserved. A request that is alone is never refused, so one very large body gets through."""

    def __init__(self, room: MemoryLimit) -> None:
        self._room = room
        self._size = 0

    def take(self, size: int) -> None:
        """Reserve some more bytes; raise ``MemoryLimitError`` when there is no room for them."""
        room = self._room
        is_alone = room.taken == self._size
        if not is_alone and self._size + size > room.free and room.taken + size > room.limit:
            raise MemoryLimitError
        room.taken += size
        self._size += size

    def give_back(self) -> None:
        """Release all of it."""
        self._room.taken -= self._size
        self._size = 0
