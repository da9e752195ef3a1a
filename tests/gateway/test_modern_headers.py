"""The marks of a request of the modern era, and the headers that repeat what stands in it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.gateway.modern_headers import fault
from penstock.protocol.wire import jsonrpc
from penstock.web.asgi import Request
from tests.kit.over_http.hosting import call, told

SCHEMA: dict[str, Any] = {
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "n": {"type": "integer", "x-mcp-header": "N"},
        "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "in": {"properties": {"deep": {"x-mcp-header": "Deep"}}},
        "odd": True,
        "odder": {"x-mcp-header": 3},
    }
}
CALLED = told(call("t", modern=True))


def judged(headers: dict[str, str], schema: dict[str, Any] | None = SCHEMA, **arguments: Any) -> int:
    message = jsonrpc.decode(json.dumps(call("t", modern=True, **arguments)).encode())
    assert message is not None
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    found = fault(Request({"method": "POST", "path": "/mcp", "headers": raw}, None), message, schema)  # type: ignore[arg-type]
    return found[0] if found else 0


@pytest.mark.parametrize(
    ("headers", "arguments"),
    [
        ({}, {}),
        ({}, {"region": None}),
        ({"mcp-param-region": "west"}, {"region": "west"}),
        ({"mcp-param-region": "=?base64?bMOpb24=?="}, {"region": "léon"}),
        ({"mcp-param-n": "42"}, {"n": 42}),
        ({"mcp-param-n": "42.00"}, {"n": 42}),
        ({"mcp-param-n": "42"}, {"n": 42.0}),
        ({"mcp-param-dry": "true"}, {"dry": True}),
        ({"mcp-param-dry": "false"}, {"dry": False}),
        ({"mcp-param-deep": "x"}, {"in": {"deep": "x"}}),
        ({"mcp-param-unknown": "x"}, {}),
    ],
)
def test_headers_that_repeat_the_arguments_are_taken(headers: dict[str, str], arguments: dict[str, Any]) -> None:
    assert judged({**CALLED, **headers}, **arguments) == 0


@pytest.mark.parametrize(
    ("headers", "arguments"),
    [
        ({}, {"region": "west"}),
        ({"mcp-param-region": "west"}, {}),
        ({"mcp-param-region": "east"}, {"region": "west"}),
        ({"mcp-param-region": "=?base64?d2VzdA?="}, {"region": "west"}),
        ({"mcp-param-n": "43"}, {"n": 42}),
        ({"mcp-param-dry": "True"}, {"dry": True}),
        ({"mcp-param-deep": "x"}, {"in": "deep"}),
    ],
)
def test_headers_that_contradict_the_arguments_are_refused(headers: dict[str, str], arguments: dict[str, Any]) -> None:
    assert judged({**CALLED, **headers}, **arguments) == -32020
    assert judged({**CALLED, **headers}, None, **arguments) == 0  # nobody knows what they mean
