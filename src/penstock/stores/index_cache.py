"""Bytes that were read a moment ago and may be read again: the index of a large result takes longer to fetch than a
page of it, and a model that reads one page reads the next."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


class Recent:
    """Cache the bytes used last, by name, within a limit. Safe from several threads at once."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._size = 0

    def get(self, name: Hashable, fetch: Callable[[], bytes]) -> bytes:
        """Return the bytes of this name. Missing ones are fetched; two threads may both fetch them."""
        with self._lock:
            if (kept := self._kept.get(name)) is not None:
                self._kept.move_to_end(name)
                return kept
        fetched = fetch()
        with self._lock:
            self._size += len(fetched) - len(self._kept.pop(name, b""))
            self._kept[name] = fetched
            while self._size > self._max_bytes:
                self._size -= len(self._kept.popitem(last=False)[1])
        return fetched
