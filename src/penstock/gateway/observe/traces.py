"""A span for each request, where OpenTelemetry is installed and set up.

Only its API is used: ``opentelemetry-instrument penstock serve ...`` chooses where spans go, by its own variables. A
client's trace goes on to the upstream in any case, as all headers do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.gateway.observe.request_record import RequestRecord


def tracing() -> Callable[[RequestRecord], None] | None:
    """Return what makes a span of a record; None when no exporter is set up."""
    try:
        from opentelemetry import propagate, trace  # noqa: PLC0415  (an option, and slow to import)
    except ImportError:
        return None
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider | trace.NoOpTracerProvider):
        return None
    tracer = trace.get_tracer("penstock")

    def span(account: RequestRecord) -> None:
        carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in account.headers}
        made = tracer.start_span(
            f"{account.method} {account.tool}".rstrip(),
            context=propagate.extract(carrier),
            kind=trace.SpanKind.SERVER,
            attributes=_attributes(account),
            start_time=account.began,
        )
        if account.status >= 500 or account.outcome == "failed":
            made.set_status(trace.StatusCode.ERROR)
        made.end(account.began + int(account.seconds * 1e9))

    return span


def _attributes(account: RequestRecord) -> dict[str, Any]:
    attributes = {"mcp.method.name": account.method, "http.response.status_code": account.status}
    if not account.outcome:
        return attributes
    return attributes | {
        "gen_ai.tool.name": account.tool,
        "penstock.outcome": account.outcome,
        "penstock.tokens_in": account.tokens_in,
        "penstock.tokens_out": account.tokens_out,
    }
