"""Spans, where somebody has set OpenTelemetry up: in a process of its own, as that can be done once only."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from tests.kit.scale.serving import Serving, upstream

if TYPE_CHECKING:
    from pathlib import Path

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
SET_UP = """
import sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

shown = ConsoleSpanExporter(out=sys.stderr, formatter=lambda span: span.to_json(indent=None) + "\\n")
trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(shown))
"""
SEEN = f"""
from penstock.gateway.observe.request_record import RequestRecord
from penstock.gateway.observe.traces import tracing
span = tracing()
headers = [(b"traceparent", b"00-{TRACE}-{PARENT}-01")]
call = RequestRecord(
    headers=headers, method="tools/call", tool="rows", status=200, outcome="held", seconds=1.5, began=10**18
)
call.tokens_in, call.tokens_out = 9, 4
span(call)
span(RequestRecord(headers=[], method="tools/list", status=502, began=0))
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)


def spans(said: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def test_a_request_is_a_span_in_the_clients_trace() -> None:
    call, listing = spans(run(SET_UP + SEEN).stderr)
    assert (call["name"], call["kind"]) == ("tools/call rows", "SpanKind.SERVER")
    assert (call["context"]["trace_id"], call["parent_id"]) == (f"0x{TRACE}", f"0x{PARENT}")
    assert call["attributes"] == {
        "gen_ai.tool.name": "rows",
        "http.response.status_code": 200,
        "mcp.method.name": "tools/call",
        "penstock.outcome": "held",
        "penstock.tokens_in": 9,
        "penstock.tokens_out": 4,
    }
    assert (call["start_time"], call["end_time"]) == ("2001-09-09T01:46:40.000000Z", "2001-09-09T01:46:41.500000Z")
    assert call["status"] == {"status_code": "UNSET"}
    assert (listing["name"], listing["parent_id"]) == ("tools/list", None)
    assert listing["attributes"] == {"http.response.status_code": 502, "mcp.method.name": "tools/list"}
    assert listing["status"] == {"status_code": "ERROR"}


def test_there_are_no_spans_where_nobody_has_set_it_up() -> None:
    assert run("from penstock.gateway.observe.traces import tracing\nprint(tracing())").stdout == "None\n"


def test_there_are_no_spans_where_it_is_not_installed() -> None:
    hidden = "import sys\nsys.modules['opentelemetry'] = None\n"
    code = hidden + "from penstock.gateway.observe.traces import tracing\nprint(tracing())"
    assert run(code).stdout == "None\n"


def test_a_gateway_makes_spans_of_what_it_is_asked(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SET_UP)
    env = {"PYTHONPATH": str(tmp_path)}
    with upstream() as url, Serving("--url", url, "--store", "memory:", env=env) as gateway:
        headers = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
        assert gateway.text("echo", text="a secret word", headers=headers) == "a secret word"
        assert gateway.says("tools/call echo")
        assert "secret" not in gateway.stderr
        [span] = spans(gateway.stderr)
        assert (span["context"]["trace_id"], span["attributes"]["penstock.outcome"]) == (f"0x{TRACE}", "passed")
