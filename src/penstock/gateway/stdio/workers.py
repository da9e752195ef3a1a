"""Threads that work beside the relay. The first is started at once, so that there always is one. The others are started
when they are first needed, if the system has the memory for them.

What they have in hand is bounded in bytes: beyond it ``submit`` waits, the relay stops reading, and the upstream
feels it in its pipe. One job is always let in, however large, and so is every one that brings no bytes.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

THREADS: Final = 4  # jq, SQL and compression release the interpreter's lock; more would only wait for it
MOST_BYTES: Final = 67_108_864  # handling a result takes some times its size


class Workers:
    """Runs jobs in some threads. A job that fails is its submitter's business: it must not raise."""

    def __init__(self, threads: int = THREADS, most_bytes: int = MOST_BYTES) -> None:
        self._most_threads = threads
        self._most_bytes = most_bytes
        self._threads = 0
        self._jobs: SimpleQueue[tuple[Callable[[], None], int]] = SimpleQueue()
        self._changed = threading.Condition()
        self._bytes = 0
        self._active = 0
        self._start_thread()

    def submit(self, job: Callable[[], None], size: int = 0) -> None:
        """Run the job as soon as there is a thread, and room for its bytes."""
        with self._changed:
            self._changed.wait_for(lambda: 0 in (size, self._bytes) or self._bytes + size <= self._most_bytes)
            self._bytes += size
            self._active += 1
            if self._active > self._threads < self._most_threads:
                with suppress(RuntimeError):  # The threads that there are do the work.
                    self._start_thread()
        self._jobs.put((job, size))

    def idle(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to do."""
        with self._changed:
            return self._changed.wait_for(lambda: self._active == 0, timeout)

    def _start_thread(self) -> None:
        threading.Thread(target=self._work, name=f"penstock-worker-{self._threads + 1}", daemon=True).start()
        self._threads += 1

    def _work(self) -> None:
        while True:
            job, size = self._jobs.get()
            try:
                job()
            finally:
                with self._changed:
                    self._bytes -= size
                    self._active -= 1
                    self._changed.notify_all()
