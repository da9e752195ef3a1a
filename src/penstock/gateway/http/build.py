"""Put the parts of an HTTP gateway together, and run it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.gateway.carry import Carrier
from penstock.gateway.carry_async import AsyncCarrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.http.app import App
from penstock.gateway.http.callers import Callers
from penstock.gateway.http.intake import Intake
from penstock.gateway.http.process_pool import ProcessPool
from penstock.gateway.http.server import serve
from penstock.gateway.log import LEVELS, Log
from penstock.gateway.observe.logs import RequestLog, take_over
from penstock.gateway.observe.metrics import Metrics
from penstock.gateway.observe.request_record import RecordedApp
from penstock.gateway.observe.traces import tracing
from penstock.gateway.upstreams.process import start
from penstock.web.guard import AccessGuard

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence

    from penstock.config.model import Config
    from penstock.gateway.http.app import Upstream
    from penstock.gateway.http.intake import RequestLimits
    from penstock.gateway.http.process_pool import PoolLimits
    from penstock.gateway.observe.request_record import Asgi, RequestRecord
    from penstock.gateway.upstreams.process import Child
    from penstock.stores import Store

    StoreOf = Callable[[], Store]


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
    log = Log(config.log_level)
    take_over(log)
    rules = ConfigRules(config)
    server = (upstream,) if isinstance(upstream, str) else upstream
    inner = Carrier(rules, log, server, over_http=True)
    carrier = AsyncCarrier(inner)
    intake = Intake(limits)
    behind: Upstream
    if isinstance(upstream, str):
        from penstock.gateway.http.reverse_proxy import ReverseProxy  # noqa: PLC0415  (aiohttp takes 10 MB)

        behind = ReverseProxy(upstream, carrier, strips_authorization=bool(token))
    else:
        behind = ProcessPool(begin or partial(start, upstream), carrier, process_limits)
    metrics = Metrics(intake)
    readers: list[Callable[[RequestRecord], None]] = [metrics.count]
    if LEVELS[config.log_level] <= LEVELS["info"]:
        readers.append(RequestLog(log).write)
    if span := tracing():
        readers.append(span)
    app = App(
        behind,
        intake,
        guard=AccessGuard(hosts=hosts, token=token),
        path=path,
        callers=Callers(proxies),
        metrics=lambda: metrics.rendered(carrier.stats),
        ended=carrier.close,
        failed=carrier.failed,
        page=None if page is None else page(inner.store),
    )
    return serve(RecordedApp(app, path, readers), intake, listening, log)
