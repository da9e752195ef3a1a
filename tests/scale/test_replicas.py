"""Three replicas on one Redis, and clients that do not care which of them answers."""

from __future__ import annotations

import asyncio
import signal
from contextlib import ExitStack

from tests.kit.processes import nothing_is_left_behind
from tests.kit.scale.load import Load
from tests.kit.scale.serving import Serving, upstream
from tests.kit.stores.support import running

left_nothing = nothing_is_left_behind
CLIENTS = 64
ROUNDS = 3
ROWS = 1_200  # some 27,000 tokens


def test_nothing_acknowledged_is_lost_when_one_replica_is_killed_and_one_restarted() -> None:
    with ExitStack() as stack:
        url = stack.enter_context(upstream())
        store = stack.enter_context(running()).url
        options = ("--url", url, "--store", store)
        killed, restarted, third = (stack.enter_context(Serving(*options)) for _ in range(3))
        load = Load([killed.url, restarted.url, third.url], clients=CLIENTS, rounds=ROUNDS, rows=ROWS)
        done_before_the_kill: dict[str, int] = {}

        def kill() -> None:
            killed.kill()
            done_before_the_kill.update(load.figures.answered)

        def restart() -> None:
            restarted.signal(signal.SIGTERM)
            assert restarted.wait() == 0
            stack.enter_context(Serving(*options, port=restarted.port))

        figures = asyncio.run(load.run((0.3, kill), (0.6, restart)))
        print(figures)
        asyncio.run(load.verify())
        assert figures.wrong == []
        assert len({one.handle for one in figures.held}) == len(figures.held) == CLIENTS * ROUNDS
        assert figures.repeated > 0
        assert figures.answered[killed.url] <= done_before_the_kill[killed.url] + CLIENTS
        for survivor in (restarted, third):
            assert figures.answered[survivor.url] > done_before_the_kill.get(survivor.url, 0)
