"""Results are read a few at a time, and Python's collector is off while any large one is."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING

import pytest

from penstock.gate.admitting import SMALL, Admitting, collector_waits

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Whatever a test does, the collector is on again."""
    gc.enable()
    yield
    gc.enable()


def test_the_collector_waits_while_a_large_result_is_admitted() -> None:
    with collector_waits(SMALL):
        assert gc.isenabled()
    with collector_waits(SMALL + 1):
        assert not gc.isenabled()
        with collector_waits(SMALL + 1):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with collector_waits(SMALL + 1):
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_room_and_collector_are_given_back_when_reading_fails() -> None:
    admitting = Admitting(most=SMALL * 2)
    for _ in range(3):
        with pytest.raises(ValueError, match="no"), collector_waits(SMALL * 2), admitting.reading(SMALL * 2):
            raise ValueError("no")
    assert gc.isenabled()


def test_a_result_larger_than_all_room_is_read_alone() -> None:
    admitting = Admitting(most=SMALL * 2)
    for _ in range(2):
        with admitting.reading(SMALL * 100):
            pass


def test_a_result_waits_for_room_and_a_small_one_does_not() -> None:
    admitting = Admitting(most=SMALL * 4)
    order: list[str] = []
    began, done = threading.Event(), threading.Event()

    def read_another() -> None:
        began.set()
        with admitting.reading(SMALL * 3):
            order.append("second")
        done.set()

    thread = threading.Thread(target=read_another)
    with admitting.reading(SMALL * 3):
        thread.start()
        began.wait()
        with admitting.reading(SMALL):
            order.append("small")
        order.append("first")
    assert done.wait(60)
    thread.join()
    assert order == ["small", "first", "second"]
    assert gc.isenabled()


def test_results_that_fit_are_read_at_the_same_time() -> None:
    admitting = Admitting(most=SMALL * 4)
    both = threading.Barrier(2)

    def read_one() -> None:
        with admitting.reading(SMALL * 2):
            both.wait(60)

    threads = [threading.Thread(target=read_one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not both.broken
    assert gc.isenabled()
