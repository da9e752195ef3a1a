"""Figures for Prometheus, in a registry of their own: what other packages of the process count is none of ours."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from penstock.errors import PenstockError
from penstock.gateway.observe.request_record import CALL

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.gateway.http.intake import Intake
    from penstock.gateway.observe.request_record import RequestRecord
    from penstock.stores import Stats

TOOLS: Final = 100  # names that get figures of their own: each is some twenty series, and clients make them up
OTHER: Final = "other"
_CREATED: Final = re.compile(rb"(?:# (?:HELP|TYPE) )?penstock_\w+_created\b")
BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


def without_created(text: bytes) -> bytes:
    """Drop the series that say when each other one began: they are as many, and Prometheus does not need them. The
    client library has only a switch for the whole process, which is not ours to turn."""
    return b"".join(line for line in text.splitlines(keepends=True) if not _CREATED.match(line))


class Metrics:
    """Counts requests, and shows the figures."""

    def __init__(self, intake: Intake) -> None:
        self._registry = CollectorRegistry()
        self._by_tool: dict[str, tuple[Counter, Counter, Histogram]] = {}
        self._children: dict[tuple[Counter | str, ...], Counter] = {}
        own = self._registry
        self._requests = Counter("penstock_requests", "Requests by HTTP status.", ["status"], registry=own)
        self._calls = Counter(
            "penstock_calls",
            "Calls of tools: passed, held, not_kept (too large, and the store failed) or failed.",
            ["tool", "outcome"],
            registry=own,
        )
        self._tokens_in = Counter("penstock_tokens_in", "Tokens of the upstream's results.", ["tool"], registry=own)
        self._tokens_out = Counter("penstock_tokens_out", "Tokens of what clients got.", ["tool"], registry=own)
        self._seconds = Histogram(
            "penstock_call_seconds", "Time to answer a call.", ["tool"], registry=own, buckets=BUCKETS
        )
        for name, words, read in (
            ("penstock_requests_open", "Requests that are being answered.", lambda: intake.requests),
            ("penstock_streams_open", "Streams on which clients listen.", lambda: intake.streams),
            ("penstock_request_bytes", "Bytes of requests that are being answered.", lambda: intake.bytes),
            ("penstock_draining", "1 when the gateway is about to end.", lambda: intake.draining),
        ):
            Gauge(name, words, registry=own).set_function(read)
        self._store_up = Gauge("penstock_store_up", "1 if the store answered when it was last asked.", registry=own)
        self._store_up.set(math.nan)  # not known yet
        self._store_bytes = Gauge("penstock_store_bytes", "Packed bytes that are held.", registry=own)
        self._store_results = Gauge("penstock_store_results", "Results that are held.", registry=own)

    def count(self, account: RequestRecord) -> None:
        """Add one request to the figures."""
        self._child(self._requests, str(account.status or 499)).inc()  # no status: the client hung up before
        if account.method != CALL:
            return
        tool = self._label(account)
        self._child(self._calls, tool, account.outcome).inc()
        tokens_in, tokens_out, seconds = self._of(tool)
        tokens_in.inc(account.tokens_in)
        tokens_out.inc(account.tokens_out)
        seconds.observe(account.seconds)

    async def rendered(self, stats: Callable[[], Awaitable[Stats]]) -> bytes:
        """Write all figures for Prometheus. Those of the store are as old as its last answer: a store that is busy is
        not down, and says so itself when it is."""
        try:
            held = await stats()
        except TimeoutError:
            pass
        except PenstockError:
            self._store_up.set(0)
        else:
            self._store_up.set(1)
            self._store_bytes.set(held.stored)
            self._store_results.set(held.items)
        return without_created(generate_latest(self._registry))

    def _child(self, counter: Counter, *labels: str) -> Counter:
        """Return the counter with these labels. To look it up costs more than to count, and there are few of them."""
        child = self._children.get((counter, *labels))
        if child is None:
            child = self._children[counter, *labels] = counter.labels(*labels)
        return child

    def _of(self, tool: str) -> tuple[Counter, Counter, Histogram]:
        """Return a tool's own figures; to look each of them up costs more than to count."""
        figures = self._by_tool.get(tool)
        if figures is None:
            figures = self._tokens_in.labels(tool), self._tokens_out.labels(tool), self._seconds.labels(tool)
            self._by_tool[tool] = figures
        return figures

    def _label(self, account: RequestRecord) -> str:
        """Return the label for a tool: its name once it has answered as a tool does, since clients can make up
        names."""
        tool = account.tool
        if tool in self._by_tool or (tool and account.outcome != "failed" and len(self._by_tool) < TOOLS):
            return tool
        return OTHER
