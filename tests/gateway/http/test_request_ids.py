"""A request under an id of ours: everything but the id and the token keeps its bytes, and comes back as it was."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from penstock.gateway.http.request_ids import RequestAlias
from penstock.protocol.commands import ToClient
from penstock.protocol.state import SUBSCRIPTION
from penstock.protocol.wire import jsonrpc

KEYS = st.one_of(st.integers(), st.text(max_size=20))


def aliased(message: dict[str, Any], number: int = 1) -> RequestAlias:
    body = json.dumps(message).encode()
    envelope = jsonrpc.decode(body)
    assert envelope is not None
    return RequestAlias(body, envelope, number)


def restored(alias: RequestAlias, message: dict[str, Any]) -> bytes:
    return alias.restored(ToClient(json.dumps(message).encode(), method=message.get("method", "")))


@given(KEYS, st.one_of(st.none(), KEYS), st.dictionaries(st.text(max_size=5), KEYS, max_size=3))
def test_what_is_sent_differs_in_the_id_and_the_token_only(key: Any, token: Any, arguments: dict[str, Any]) -> None:
    meta = {} if token is None else {"progressToken": token}
    params = {"name": "t", "arguments": arguments, "_meta": meta}
    alias = aliased({"jsonrpc": "2.0", "id": key, "method": "tools/call", "params": params}, 5)
    sent = json.loads(alias.sent)
    ours = {} if token is None else {"progressToken": "penstock-5"}
    assert sent == {"jsonrpc": "2.0", "id": "penstock-5", "method": "tools/call", "params": {**params, "_meta": ours}}
    answer = {"jsonrpc": "2.0", "id": "penstock-5", "result": {"x": "penstock-5"}}
    assert json.loads(restored(alias, answer)) == {**answer, "id": key}
    if token is not None:
        told = {"method": "notifications/progress", "params": {"progressToken": "penstock-5", "progress": 1}}
        assert json.loads(restored(alias, told))["params"] == {"progressToken": token, "progress": 1}


def test_a_subscription_is_named_by_the_clients_own_id() -> None:
    alias = aliased({"id": 7, "method": "subscriptions/listen"})
    told = {"method": "notifications/x", "params": {"_meta": {SUBSCRIPTION: "penstock-1"}}}
    assert json.loads(restored(alias, told))["params"]["_meta"] == {SUBSCRIPTION: 7}
    ended = {"id": "penstock-1", "result": {"_meta": {SUBSCRIPTION: "penstock-1"}}}
    assert json.loads(restored(alias, ended)) == {"id": 7, "result": {"_meta": {SUBSCRIPTION: 7}}}


def test_what_has_no_such_place_stays_as_it_is() -> None:
    alias = aliased({"id": 7, "method": "x", "params": []})
    for line in (b"no JSON", b'{"method":"m","params":"%b"}' % SUBSCRIPTION.encode()):
        assert alias.restored(ToClient(line, method="m")) == line
    odd = aliased({"id": 7, "method": "x", "params": {"_meta": 3}})
    assert json.loads(odd.sent) == {"id": "penstock-1", "method": "x", "params": {"_meta": 3}}
    progress = b'{"method":"notifications/progress","params":{"progressToken":"penstock-1"}}'
    assert odd.restored(ToClient(progress, method="notifications/progress")) == progress
