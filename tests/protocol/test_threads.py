"""Readers, workers and the clock drive one exchange at the same time, without a lock: still one request, one answer."""

from __future__ import annotations

import json
import sys
import threading
from collections import Counter
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest

from penstock.protocol.commands import Admit, Command, Fetch, ToClient, ToUpstream
from penstock.protocol.exchange import Exchange
from tests.kit.protocol.playbook import OURS, PlainRules, answer, call, cancel, error, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

REQUESTS = 300
WORKERS = 3
SOME_TIME = 60.0  # seconds that nothing here ever takes


@pytest.fixture(autouse=True)
def _threads_that_change_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class Driver:
    """Carries out commands as the gateway does: what is with the gate on workers, everything else at once."""

    def __init__(self) -> None:
        self.time = 0.0
        self.exchange = Exchange(PlainRules(patience=5.0), now=lambda: self.time)
        self.heard: SimpleQueue[bytes] = SimpleQueue()
        self.asked: SimpleQueue[bytes | None] = SimpleQueue()
        self.jobs: SimpleQueue[Admit | Fetch | None] = SimpleQueue()

    def carry_out(self, commands: Sequence[Command]) -> None:
        for command in commands:
            if isinstance(command, ToClient):
                self.heard.put(command.line)
            elif isinstance(command, ToUpstream):
                self.asked.put(command.line)
            elif isinstance(command, Admit | Fetch):
                self.jobs.put(command)

    def client(self) -> None:
        for number in range(REQUESTS):
            self.carry_out(self.exchange.client_sent(call(number, OURS if number % 7 == 0 else "t")))
            if number % 11 == 0:
                self.carry_out(self.exchange.client_sent(cancel(number)))

    def upstream(self) -> None:
        """Answer everything twice, some of it at length, some with an error, some not at all."""
        while (line := self.asked.get()) is not None:
            asked: dict[str, Any] = json.loads(line)
            number = asked.get("id")
            if not isinstance(number, int) or number % 5 == 0:
                continue
            told = error(number, 1, "x") if number % 3 == 0 else answer(number, text("x" * (number % 2 * 500)))
            for _ in range(2):
                self.carry_out(self.exchange.upstream_sent(told))

    def work(self) -> None:
        while (job := self.jobs.get()) is not None:
            if isinstance(job, Admit):
                self.carry_out(self.exchange.admitted(job, bytes(job.view.inner)))
            else:
                self.carry_out(self.exchange.fetched(job, b'{"content":[]}'))

    def clock(self) -> None:
        for _ in range(200):
            self.time += 1.0
            self.carry_out(self.exchange.overdue())


def run(*jobs: Callable[[], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=job, daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    return threads


def join(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        thread.join(SOME_TIME)
        assert not thread.is_alive()


@pytest.mark.parametrize("times_out", [False, True])
def test_every_request_is_answered_once_however_the_threads_run(times_out: bool) -> None:
    driver = Driver()
    workers = run(*[driver.work] * WORKERS)
    upstream = run(driver.upstream)
    join(run(driver.client, *([driver.clock] if times_out else [])))
    ends = run(lambda: driver.carry_out(driver.exchange.upstream_ended("ended")))
    late = run(lambda: driver.carry_out(driver.exchange.client_sent(call("late", "t"))))
    join([*ends, *late])
    driver.asked.put(None)
    join(upstream)
    for _ in workers:
        driver.jobs.put(None)
    join(workers)
    answered = Counter(json.loads(driver.heard.get())["id"] for _ in range(driver.heard.qsize()))
    cancelled = {number for number in range(REQUESTS) if number % 11 == 0}
    assert max(answered.values()) == 1
    assert {*range(REQUESTS), "late"} - cancelled <= answered.keys()
    assert not driver.exchange._state.open
