"""Count what became of results, and write the figures to the store now and then: a write for every small call would
cost more than the call."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from penstock.core.tokens.size_class import BYTES_PER_TOKEN, size_class
from penstock.stores import Counts, SizeKey, Sizes
from penstock.stores.sizes import DAY

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.stores import Store


class Counting:
    """Figures that are not written yet, by tool, and by day, server, tool and size class where sizes are kept."""

    def __init__(self, store: Store, *, now: Callable[[], float], keeps_sizes: bool) -> None:
        self._store = store
        self._now = now
        self._keeps_sizes = keeps_sizes
        self._lock = threading.Lock()
        self._fresh: dict[tuple[int, str, str, int], list[int]] = {}  # lists, since each small call is added to one
        self._counts: dict[str, Counts] = {}  # what a store has not taken yet
        self._sizes: dict[SizeKey, Sizes] = {}

    def call(self, tool: str) -> None:
        """Count one call whose result has a size that is not known: in the totals alone."""
        with self._lock:
            self._counts[tool] = self._counts.get(tool, Counts()).plus(Counts(calls=1))

    def passed(self, tool: str, size: int, *, calls: int = 1, server_name: str = "", up_to: int = 0) -> None:
        """Count calls whose results passed unread, with all of their bytes together. ``up_to`` is their size class; one
        call tells its own."""
        tokens = size // BYTES_PER_TOKEN
        self.add(server_name, tool, up_to or size_class(tokens), calls=calls, tokens_in=tokens, tokens_out=tokens)

    def add(
        self, server: str, tool: str, up_to: int, *, calls: int = 1, held: int = 0, tokens_in: int, tokens_out: int
    ) -> None:
        """Count results of one size class."""
        key = int(self._now() // DAY), server, tool, up_to
        with self._lock:
            known = self._fresh.get(key)
            if known is None:
                known = self._fresh[key] = [0, 0, 0, 0, 0]
            known[0] += calls
            known[1] += held
            known[2] += tokens_in
            known[3] += tokens_out
            if held and tokens_in > tokens_out:
                known[4] += tokens_in - tokens_out

    def flush(self) -> None:
        """Write the figures. What the store does not take waits for the next time: figures are a courtesy, and never a
        reason to lose an answer."""
        with self._lock:
            self._collect()
            counts, self._counts = self._counts, {}
            sizes, self._sizes = self._sizes, {}
        try:
            for tool in sorted(counts):
                one = counts[tool]
                self._store.add_counts(tool, calls=one.calls, held=one.held, tokens_saved=one.tokens_saved)
                del counts[tool]
            for day in sorted({key.day for key in sizes}):  # a store writes a day whole, or nothing of it
                self._store.add_sizes({key: one for key, one in sizes.items() if key.day == day})
                sizes = {key: one for key, one in sizes.items() if key.day != day}
        except Exception:  # noqa: BLE001  (whatever the reason is)
            with self._lock:
                self._merge(counts, sizes)

    def _collect(self) -> None:
        """Turn what was counted since the last time into figures."""
        fresh, self._fresh = self._fresh, {}
        counts: dict[str, Counts] = {}
        sizes: dict[SizeKey, Sizes] = {}
        for (day, server, tool, up_to), (calls, held, tokens_in, tokens_out, saved) in fresh.items():
            counts[tool] = counts.get(tool, Counts()).plus(Counts(calls=calls, held=held, tokens_saved=saved))
            if self._keeps_sizes:
                key = SizeKey(day, server, tool, up_to)
                sizes[key] = Sizes(calls=calls, held=held, tokens_in=tokens_in, tokens_out=tokens_out)
        self._merge(counts, sizes)

    def _merge(self, counts: dict[str, Counts], sizes: dict[SizeKey, Sizes]) -> None:
        for tool, one in counts.items():
            self._counts[tool] = self._counts.get(tool, Counts()).plus(one)
        for key, some in sizes.items():
            self._sizes[key] = self._sizes.get(key, Sizes()).plus(some)
