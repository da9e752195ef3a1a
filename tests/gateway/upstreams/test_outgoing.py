"""The headers of a request say what its body says, in the spelling that the protocol's own packages read."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import decode_header_value, mcp_param_headers, x_mcp_header_map

from penstock.config import Config
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.upstreams.outgoing import OutgoingMessage, field_value, written
from penstock.protocol.commands import ToUpstream
from penstock.protocol.exchange import Exchange
from tests.kit.gateway import MODERN

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def opened() -> Exchange:
    return Exchange(ConfigRules(Config()), now=time.monotonic)


def line(method: str, key: Any = 1, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": key, "method": method, "params": params}).encode() + b"\n"


def headers_of(exchange: Exchange, sent: bytes) -> dict[str, str]:
    return dict(letter(exchange, sent).headers)


def letter(exchange: Exchange, sent: bytes) -> OutgoingMessage:
    (command,) = exchange.client_sent(sent)
    assert isinstance(command, ToUpstream)
    return written(command, exchange)


@given(TEXT | st.sampled_from(["=?base64?x?=", " a", "a ", "\x7f", "tab\there", ""]))
def test_every_text_is_read_back_from_its_header(text: str) -> None:
    value = field_value(text)
    assert value.isascii()
    assert value.isprintable()
    assert decode_header_value(value) == text


def test_half_an_emoji_does_no_harm() -> None:
    assert field_value("\ud83d").startswith("=?base64?")


marks = st.sampled_from(["A", "b-c", "D", "no token", ""])
leaves = st.fixed_dictionaries({"type": st.just("string")}, optional={"x-mcp-header": marks})
schemas = st.recursive(
    leaves,
    lambda inner: st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("pqr"), inner, max_size=3)}),
    max_leaves=6,
)
scalars = st.none() | st.booleans() | st.integers() | TEXT
arguments = st.recursive(scalars, lambda inner: st.dictionaries(st.sampled_from("pqr"), inner, max_size=3))


@given(schemas, st.dictionaries(st.sampled_from("pqr"), arguments, max_size=3))
def test_arguments_are_said_in_headers_as_the_official_client_says_them(schema: Any, given: dict[str, Any]) -> None:
    exchange = opened()
    exchange.client_sent(line("tools/list", _meta=MODERN))
    listed = {"tools": [{"name": "t", "inputSchema": schema}], "resultType": "complete"}
    exchange.upstream_sent(json.dumps({"jsonrpc": "2.0", "id": 1, "result": listed}).encode())
    told = headers_of(exchange, line("tools/call", 2, name="t", arguments=given, _meta=MODERN))
    allowed = {path: token for path, token in x_mcp_header_map(schema).items() if token in ("A", "b-c", "D")}
    meant = mcp_param_headers(allowed, given)
    ours = {name.lower(): value for name, value in told.items() if name.lower().startswith("mcp-param-")}
    assert ours.keys() == {name.lower() for name in meant}
    if len(set(allowed.values())) == len(allowed):
        assert ours == {name.lower(): value for name, value in meant.items()}


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("tools/call", {"name": "a"}, "a"),
        ("tools/call", {"name": 7}, None),
        ("tools/call", {"name": "a", "arguments": [1]}, "a"),
        ("prompts/get", {"name": "b"}, "b"),
        ("resources/read", {"uri": "x:y"}, "x:y"),
        ("tools/list", {"name": "a"}, None),
    ],
)
def test_a_request_names_what_it_is_about(method: str, params: dict[str, Any], name: str | None) -> None:
    told = headers_of(opened(), line(method, **params, _meta=MODERN))
    assert told.get("mcp-name") == name
    assert (told["mcp-method"], told["mcp-protocol-version"]) == (method, "2026-07-28")


def test_what_is_no_request_of_the_modern_era_has_no_such_headers() -> None:
    assert headers_of(opened(), line("tools/call", name="a")) == {}
    assert headers_of(opened(), b'{"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n') == {}
    assert headers_of(opened(), b'{"jsonrpc":"2.0","id":1,"result":{}}\n') == {}
    assert headers_of(opened(), b"no JSON\n") == {}


def test_a_letter_knows_whether_it_ends_and_what_it_takes_back() -> None:
    exchange = opened()
    endless = line("subscriptions/listen", "s", _meta=MODERN)
    assert not letter(exchange, endless).ends
    cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}\n'
    assert letter(exchange, cancel).cancels == b'"s"'
    assert letter(exchange, cancel).is_notification
    assert written(ToUpstream(b"[]\n"), exchange).asks == ()
