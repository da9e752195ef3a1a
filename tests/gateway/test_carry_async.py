"""The gate beside the event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.config import Config
from penstock.gateway.carry import Carrier
from penstock.gateway.carry_async import AsyncCarrier
from penstock.gateway.config_rules import ConfigRules
from penstock.stores import Counts, open_store
from tests.kit.over_http.upstreams import Listed

if TYPE_CHECKING:
    from pathlib import Path


def carrier_of(lines: list[str], store: str = "memory:") -> AsyncCarrier:
    config, log = Config(store=store), Listed(lines)
    rules = ConfigRules(lambda: config)
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
    made.passed["search"] += 3
    made.close()
    opened = open_store(store)
    assert opened.counts()["search"] == Counts(calls=3)
    opened.close()
