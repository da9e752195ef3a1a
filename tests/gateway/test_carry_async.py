"""The gate beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from penstock.config import Config
from penstock.gateway.carry import Carrier
from penstock.gateway.carry_async import AsyncCarrier
from penstock.gateway.config_rules import ConfigRules
from penstock.stores import Counts, open_store
from tests.kit.over_http.upstreams import Listed

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.stores import Stats


def carrier_of(lines: list[str], store: str = "memory:") -> AsyncCarrier:
    config, log = Config(store=store), Listed(lines)
    rules = ConfigRules(config)
    return AsyncCarrier(Carrier(rules, log))


def test_what_the_store_holds_can_be_asked() -> None:
    made = carrier_of([])
    assert asyncio.run(made.stats()).items == 0
    made.close()


def test_what_a_server_says_is_handed_on_as_it_is() -> None:
    lines: list[str] = []
    made = carrier_of(lines)
    made.log.write("files: hello")
    made.log.note("warning", "beware")
    assert lines == ["files: hello", "penstock: warning: beware"]
    made.close()


def test_calls_that_passed_unread_are_counted_in_the_store_at_the_end(tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/held.db"
    made = carrier_of([], store)
    for _ in range(3):
        made.passed.add("files", "search", 300)
    made.close()
    opened = open_store(store)
    assert opened.counts()["search"] == Counts(calls=3)
    opened.close()


def test_all_who_ask_for_figures_at_once_share_one_look_at_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    made = carrier_of([])
    let_go, looks = threading.Event(), []
    figures = made._carrier.stats()

    def stats() -> Stats:
        looks.append(1)
        assert let_go.wait(60)
        return figures

    monkeypatch.setattr(made._carrier, "stats", stats)
    monkeypatch.setattr("penstock.gateway.carry_async.STATS_SECONDS", 0.01)

    async def scenario() -> None:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await made.stats()
        let_go.set()
        monkeypatch.setattr("penstock.gateway.carry_async.STATS_SECONDS", 60)
        assert await made.stats() is figures
        assert len(looks) <= 2

    asyncio.run(scenario())
    made.close()
