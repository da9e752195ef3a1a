"""Threads beside the relay: what they have in hand is bounded in bytes, and nothing is ever refused."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from penstock.gateway.stdio.workers import Workers
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


class Held:
    """Jobs that begin, and end when they are let go."""

    def __init__(self) -> None:
        self.begun = 0
        self.go = threading.Event()
        self._lock = threading.Lock()

    def job(self) -> None:
        with self._lock:
            self.begun += 1
        assert self.go.wait(PATIENCE)


def beside(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_every_job_runs_once() -> None:
    workers, done = Workers(), []
    for number in range(200):
        workers.submit(lambda number=number: done.append(number), number)  # type: ignore[misc]
    assert workers.idle(PATIENCE)
    assert sorted(done) == list(range(200))


def test_jobs_run_beside_each_other_up_to_the_number_of_threads() -> None:
    workers, held = Workers(threads=3), Held()
    for _ in range(5):
        workers.submit(held.job)
    assert until(lambda: held.begun == 3)
    held.go.set()
    assert workers.idle(PATIENCE)
    assert held.begun == 5


def test_a_job_beyond_the_bound_waits_until_there_is_room_for_its_bytes() -> None:
    workers, held = Workers(threads=4, most_bytes=100), Held()
    workers.submit(held.job, 60)
    workers.submit(held.job, 40)
    late: list[str] = []
    submitting = beside(lambda: workers.submit(lambda: late.append("ran"), 1))
    assert until(lambda: held.begun == 2)
    assert submitting.is_alive()
    assert not late
    held.go.set()
    submitting.join(PATIENCE)
    assert workers.idle(PATIENCE)
    assert late == ["ran"]


def test_one_job_is_let_in_however_large_it_is() -> None:
    workers, held = Workers(most_bytes=100), Held()
    workers.submit(held.job, 1_000_000)
    assert until(lambda: held.begun == 1)
    held.go.set()
    assert workers.idle(PATIENCE)


def test_a_job_without_bytes_never_waits_for_room() -> None:
    """What was held can be read while a result beyond the bound is at work."""
    workers, held = Workers(threads=2, most_bytes=100), Held()
    workers.submit(held.job, 1_000_000)
    read = threading.Event()
    workers.submit(read.set)
    assert read.wait(PATIENCE)
    held.go.set()
    assert workers.idle(PATIENCE)


def test_idle_says_when_there_is_still_something_to_do() -> None:
    workers, held = Workers(), Held()
    assert workers.idle(0)
    workers.submit(held.job)
    assert not workers.idle(0)
    held.go.set()
    assert workers.idle(PATIENCE)


@given(sizes=st.lists(st.integers(0, 150), max_size=30), threads=st.integers(1, 4))
def test_the_bytes_in_hand_never_pass_the_bound_unless_one_job_does(sizes: list[int], threads: int) -> None:
    workers, lock = Workers(threads=threads, most_bytes=100), threading.Lock()
    now: list[int] = []
    most: list[int] = [0]

    def job(size: int) -> Callable[[], None]:
        def run() -> None:
            with lock:
                now.append(size)
                most.append(sum(now) if len([one for one in now if one]) > 1 else 0)
            with lock:
                now.remove(size)

        return run

    for size in sizes:
        workers.submit(job(size), size)
    assert workers.idle(PATIENCE)
    assert max(most) <= 100


def test_jobs_wait_for_the_threads_that_exist_if_no_other_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, done = Workers(), []

    def no_memory(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_memory)
    for number in range(20):
        workers.submit(lambda number=number: done.append(number))  # type: ignore[misc]
    assert workers.idle(PATIENCE)
    assert done == list(range(20))
