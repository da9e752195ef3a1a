"""Limit what all callers use together (requests, streams, bytes in memory), so that no group of them can take it all.

A group (``penstock.share``) may go on taking while it has less than ``GREED`` times what is left. One alone stops at
seven eighths of the limit; the next one that comes gets most of the rest, and so on.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

GREED: Final = 7  # of a limit of 1,024 requests, one client alone leaves 128 for others


class SharedLimitError(Exception):
    """The limit is reached, or this group's part of it."""


class SharedLimit:
    """``limit`` of something; each request may reserve ``free`` of it in any case."""

    def __init__(self, limit: int, free: int = 0) -> None:
        self.limit = limit
        self.free = free
        self.taken = 0
        self._groups: Counter[str] = Counter()

    def has_room(self, group: str, size: int) -> bool:
        left = self.limit - self.taken
        return size <= left and self._groups[group] < GREED * left

    def change(self, group: str, size: int) -> None:
        """Take so much for a group, or give it back if ``size`` is negative."""
        self.taken += size
        self._groups[group] += size
        if not self._groups[group]:
            del self._groups[group]


class Reservation:
    """The bytes that one request has reserved. A request that is alone is never refused, so one very large body gets
    through."""

    def __init__(self, room: SharedLimit, group: str = "") -> None:
        self._room = room
        self._group = group
        self._size = 0

    def take(self, size: int) -> None:
        """Reserve some more. Raises a ``SharedLimitError`` when there is no room for it."""
        room = self._room
        is_alone = room.taken == self._size
        if not is_alone and self._size + size > room.free and not room.has_room(self._group, size):
            raise SharedLimitError
        room.change(self._group, size)
        self._size += size

    def give_back(self) -> None:
        """Release all of it."""
        self._room.change(self._group, -self._size)
        self._size = 0
