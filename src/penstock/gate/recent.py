"""Keep the bytes of the results that came last: a call that comes again is compared without unpacking them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from penstock.core.changes.since import AT_ONCE

if TYPE_CHECKING:
    from penstock.core.json.long_bytes import Bytes

MOST: Final = 2 * AT_ONCE  # bytes of all of them: two of the largest that are compared at once


class RecentBytes:
    """The bytes of the last results, by owner and handle. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._size = 0

    def remember(self, owner: str, handle: str, raw: Bytes) -> None:
        """Keep a result, and let go of the oldest ones when they are too much. A large one is not kept."""
        if not isinstance(raw, bytes) or len(raw) > AT_ONCE:
            return
        with self._lock:
            self._forget(owner, handle)
            self._kept[owner, handle] = raw
            self._size += len(raw)
            while self._size > MOST:
                self._size -= len(self._kept.popitem(last=False)[1])

    def get(self, owner: str, handle: str) -> bytes | None:
        """Return a result, if it is kept."""
        with self._lock:
            return self._kept.get((owner, handle))

    def forget(self, owner: str, handle: str) -> None:
        """Let go of a result that is dropped, or that a newer one of the same call follows."""
        with self._lock:
            self._forget(owner, handle)

    def _forget(self, owner: str, handle: str) -> None:
        self._size -= len(self._kept.pop((owner, handle), b""))
