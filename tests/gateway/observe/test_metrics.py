"""The figures, as Prometheus would read them."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from penstock.errors import StoreError
from penstock.gateway.http.intake import Intake
from penstock.gateway.observe.metrics import OTHER, TOOLS, Metrics
from penstock.gateway.observe.request_record import RequestRecord
from penstock.stores import Stats

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


NAMES = ("tool", "outcome", "status", "le")


async def some() -> Stats:
    return Stats(items=3, stored=4_096)


def figures(metrics: Metrics, stats: Callable[[], Awaitable[Stats]] = some) -> dict[str, float]:
    """All samples by their name and labels."""
    shown = asyncio.run(metrics.rendered(stats)).decode()
    return {
        ":".join((sample.name, *(sample.labels[name] for name in NAMES if name in sample.labels))): sample.value
        for family in text_string_to_metric_families(shown)
        for sample in family.samples
    }


def called(tool: str = "rows", outcome: str = "passed", status: int = 200) -> RequestRecord:
    made = RequestRecord(headers=[], method="tools/call", tool=tool, status=status, outcome=outcome, seconds=0.02)
    made.tokens_in, made.tokens_out = 900, 100
    return made


def test_calls_tokens_and_times_are_counted_by_tool() -> None:
    metrics = Metrics(Intake())
    for account in (called(), called(outcome="held"), called("other_tool"), called(outcome="failed")):
        metrics.count(account)
    found = figures(metrics)
    assert found["penstock_calls_total:rows:passed"] == 1
    assert found["penstock_calls_total:rows:held"] == 1
    assert found["penstock_calls_total:rows:failed"] == 1
    assert found["penstock_calls_total:other_tool:passed"] == 1
    assert found["penstock_tokens_in_total:rows"] == 2_700
    assert found["penstock_tokens_out_total:rows"] == 300
    assert found["penstock_call_seconds_count:rows"] == 3
    assert found["penstock_call_seconds_bucket:rows:0.01"] == 0
    assert found["penstock_call_seconds_bucket:rows:0.025"] == 3
    assert found["penstock_requests_total:200"] == 4


def test_requests_that_are_no_calls_are_counted_by_status_alone() -> None:
    metrics = Metrics(Intake())
    metrics.count(RequestRecord(headers=[], method="tools/list", status=200))
    metrics.count(RequestRecord(headers=[], method="GET", status=503))
    metrics.count(RequestRecord(headers=[], method="POST"))
    found = figures(metrics)
    assert {name: found[name] for name in found if name.startswith("penstock_requests_total")} == {
        "penstock_requests_total:200": 1,
        "penstock_requests_total:503": 1,
        "penstock_requests_total:499": 1,
    }
    assert not [name for name in found if name.startswith("penstock_calls")]


def test_names_that_clients_make_up_get_no_figures_of_their_own() -> None:
    metrics = Metrics(Intake())
    for number in range(1_000):
        metrics.count(called(f"invented{number}", outcome="failed", status=404))
    metrics.count(called(""))
    found = figures(metrics)
    assert found[f"penstock_calls_total:{OTHER}:failed"] == 1_000
    assert found[f"penstock_calls_total:{OTHER}:passed"] == 1
    assert not [name for name in found if "invented" in name]


def test_only_so_many_tools_get_figures_of_their_own() -> None:
    metrics = Metrics(Intake())
    for number in range(TOOLS + 50):
        metrics.count(called(f"tool{number}"))
    metrics.count(called("tool0"))
    found = figures(metrics)
    assert len([name for name in found if name.startswith("penstock_tokens_in_total")]) == TOOLS + 1
    assert found[f"penstock_calls_total:{OTHER}:passed"] == 50
    assert found["penstock_calls_total:tool0:passed"] == 2


def test_what_is_under_way_is_shown_as_it_is_now() -> None:
    intake = Intake()
    metrics = Metrics(intake)
    with intake.admitted(), intake.admitted(stream=True), intake.holding(500):
        found = figures(metrics)
    assert (found["penstock_requests_open"], found["penstock_streams_open"]) == (1, 1)
    assert found["penstock_request_bytes"] == 500
    assert found["penstock_draining"] == 0
    intake.draining = True
    found = figures(metrics)
    assert (found["penstock_requests_open"], found["penstock_draining"]) == (0, 1)


def test_a_store_that_is_busy_is_not_shown_as_down() -> None:
    """Regression: while queries took all threads, the store was said to be down."""

    async def is_late() -> Stats:
        raise TimeoutError

    metrics = Metrics(Intake())
    assert math.isnan(figures(metrics, is_late)["penstock_store_up"])
    assert figures(metrics)["penstock_store_up"] == 1
    assert figures(metrics, is_late)["penstock_store_up"] == 1


def test_a_store_that_fails_is_shown_as_down_and_takes_no_other_figure_with_it() -> None:
    async def fails() -> Stats:
        raise StoreError("down")

    metrics = Metrics(Intake())
    metrics.count(called())
    assert figures(metrics)["penstock_store_up"] == 1
    found = figures(metrics, fails)
    assert found["penstock_store_up"] == 0
    assert found["penstock_store_bytes"] == 4_096
    assert found["penstock_calls_total:rows:passed"] == 1
    found = figures(metrics)
    assert (found["penstock_store_up"], found["penstock_store_results"]) == (1, 3)


def test_two_gateways_in_a_process_do_not_share_figures_nor_use_the_common_registry() -> None:
    one, two = Metrics(Intake()), Metrics(Intake())
    one.count(called())
    assert "penstock_calls_total:rows:passed" not in figures(two)
    assert not [family.name for family in REGISTRY.collect() if family.name.startswith("penstock")]


def test_no_series_says_when_another_began() -> None:
    metrics = Metrics(Intake())
    metrics.count(called("a_created"))
    shown = asyncio.run(metrics.rendered(some)).decode()
    assert not [line for line in shown.splitlines() if "_created" in line.partition("{")[0]]
    assert 'tool="a_created"' in shown
    assert figures(metrics)["penstock_call_seconds_count:a_created"] == 1
