"""Spans, where somebody has set OpenTelemetry up: in a process of its own, as that can be done once only."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

from tests.scale.serving import Serving, upstream

if TYPE_CHECKING:
    from pathlib import Path

TRACE = "0af7651916cd43dd8448eb211c80319c"
SET_UP = """
from opentelemetry import trace

class Span(trace.NonRecordingSpan):
    def set_status(self, status, description=None): print("status", status.name)
    def end(self, end_time=None): print("ended", end_time)

class Tracer(trace.NoOpTracer):
    def start_span(self, name, context=None, kind=None, attributes=None, **more):
        parent = trace.get_current_span(context).get_span_context()
        print(name, kind.name, f"{parent.trace_id:032x}", sorted(attributes.items()), more["start_time"])
        return Span(parent)

class Provider(trace.TracerProvider):
    def get_tracer(self, name, *rest, **more): return Tracer()

trace.set_tracer_provider(Provider())
"""
SEEN = f"""
from penstock.gateway.http.accounts import Account
from penstock.gateway.http.traces import tracing
span = tracing()
headers = [(b"traceparent", b"00-{TRACE}-b7ad6b7169203331-01")]
call = Account(headers=headers, method="tools/call", tool="rows", status=200, outcome="held", seconds=1.5, began=10)
call.tokens_in, call.tokens_out = 9, 4
span(call)
span(Account(headers=[], method="tools/list", status=502, began=0))
"""


def printed(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_request_is_a_span_in_the_clients_trace() -> None:
    first, ended, second, *rest = printed(SET_UP + SEEN)
    assert first == (
        f"tools/call rows SERVER {TRACE} [('gen_ai.tool.name', 'rows'), ('http.response.status_code', 200), "
        "('mcp.method.name', 'tools/call'), ('penstock.outcome', 'held'), ('penstock.tokens_in', 9), "
        "('penstock.tokens_out', 4)] 10"
    )
    assert ended == "ended 1500000010"
    assert second.startswith("tools/list SERVER " + "0" * 32)
    assert "penstock.outcome" not in second
    assert rest == ["status ERROR", "ended 0"]


def test_there_are_no_spans_where_nobody_has_set_it_up() -> None:
    assert printed("from penstock.gateway.http.traces import tracing\nprint(tracing())") == ["None"]


def test_there_are_no_spans_where_it_is_not_installed() -> None:
    hidden = "import sys\nsys.modules['opentelemetry'] = None\n"
    code = hidden + "from penstock.gateway.http.traces import tracing\nprint(tracing())"
    assert printed(code) == ["None"]


def test_a_gateway_makes_spans_of_what_it_is_asked(tmp_path: Path) -> None:
    to_stderr = "import sys\nfrom functools import partial\nprint = partial(print, file=sys.stderr, flush=True)\n"
    (tmp_path / "sitecustomize.py").write_text(to_stderr + SET_UP)
    env = {"PYTHONPATH": str(tmp_path)}
    with upstream() as url, Serving("--url", url, "--store", "memory:", env=env) as gateway:
        headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
        assert gateway.text("echo", text="a secret word", headers=headers) == "a secret word"
        assert gateway.says(f"tools/call echo SERVER {TRACE}")
        assert "secret" not in gateway.stderr
