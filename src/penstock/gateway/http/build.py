"""Put the parts of an HTTP gateway together, and run it."""

from __future__ import annotations

import socket
from functools import partial
from typing import TYPE_CHECKING

from penstock.gateway.carry import Carrier
from penstock.gateway.carry_async import AsyncCarrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.http.app import App
from penstock.gateway.http.callers import Callers
from penstock.gateway.http.guard import Guard
from penstock.gateway.http.process_pool import ProcessPool
from penstock.gateway.http.reverse_proxy import ReverseProxy
from penstock.gateway.http.server import BACKLOG, serve
from penstock.gateway.log import LEVELS, Log
from penstock.gateway.observe.logs import RequestLog, take_over
from penstock.gateway.observe.metrics import Metrics
from penstock.gateway.observe.request_record import RecordedApp
from penstock.gateway.observe.traces import tracing
from penstock.gateway.upstreams.process import start

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.config.model import Config
    from penstock.gateway.http.app import Upstream
    from penstock.gateway.http.guard import RequestLimits
    from penstock.gateway.http.process_pool import PoolLimits
    from penstock.gateway.observe.request_record import Asgi, RequestRecord
    from penstock.gateway.upstreams.process import Child
    from penstock.stores import Store

    StoreOf = Callable[[], Store]


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that takes connections. It is made for TCP by name: else asyncio would let the system hold back
    small packets, forty milliseconds of each answer."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except BaseException:
        made.close()
        raise
    return made


def run(
    upstream: str | Sequence[str],
    config: Config,
    listening: socket.socket,
    *,
    path: str,
    token: str,
    hosts: frozenset[str],
    proxies: Sequence[str] = (),
    limits: RequestLimits,
    process_limits: PoolLimits,
    begin: Callable[[], Child] | None = None,
    page: Callable[[StoreOf], Asgi] | None = None,
) -> int:
    """Stand in front of a URL or a command until a signal comes. ``begin`` starts what stands for the command; ``page``
    makes the application that is mounted at ``/ui``, of what gives the gateway's own store."""
    log = Log()
    log.limit(config.log_level)
    take_over(log)
    rules = ConfigRules(lambda: config)
    server = (upstream,) if isinstance(upstream, str) else upstream
    inner = Carrier(rules, log, server, over_http=True)
    carrier = AsyncCarrier(inner)
    guard = Guard(hosts=hosts, token=token, limits=limits)
    behind: Upstream
    if isinstance(upstream, str):
        behind = ReverseProxy(upstream, carrier, strips_authorization=guard.strips_authorization())
    else:
        behind = ProcessPool(begin or partial(start, upstream), carrier, process_limits)
    metrics = Metrics(guard)
    readers: list[Callable[[RequestRecord], None]] = [metrics.count]
    if LEVELS[config.log_level] <= LEVELS["info"]:
        readers.append(RequestLog(log).write)
    if span := tracing():
        readers.append(span)
    app = App(
        behind,
        guard,
        path=path,
        callers=Callers(proxies),
        metrics=lambda: metrics.rendered(carrier.stats),
        ended=carrier.close,
        failed=carrier.failed,
        page=None if page is None else page(inner.store),
    )
    return serve(RecordedApp(app, path, readers), guard, listening, log)
