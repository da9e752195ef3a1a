"""Bytes that are in memory at once, whoever they are for."""

from __future__ import annotations


class MemoryLimitError(Exception):
    """There is no room for more."""


class MemoryLimit:
    """So many bytes, shared by all. ``free`` are those that each may have in any case."""

    def __init__(self, limit: int, free: int = 0) -> None:
        self.limit = limit
        self.free = free
        self.taken = 0


class Reservation:
    """What one request has taken. Nobody is refused while all the others have nothing, however much it wants."""

    def __init__(self, room: MemoryLimit) -> None:
        self._room = room
        self._size = 0

    def take(self, size: int) -> None:
        """Some more bytes; a ``CrowdedError`` when there is no room for them."""
        room = self._room
        is_alone = room.taken == self._size
        if not is_alone and self._size + size > room.free and room.taken + size > room.limit:
            raise MemoryLimitError
        room.taken += size
        self._size += size

    def give_back(self) -> None:
        """Let go of all of it."""
        self._room.taken -= self._size
        self._size = 0
