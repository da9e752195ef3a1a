"""Whatever a server sends as a result: no answer leaves above its budget, and every word of it can be read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.config import Config
from penstock.core.answer.result import parse
from penstock.core.answer.stand_in import cost
from penstock.core.budget import MEDIA_TOKENS
from penstock.core.fit import Call
from penstock.core.tokens.count import count
from penstock.gate import Gate
from penstock.gateway.config_rules import ConfigRules
from penstock.protocol.payloads import AROUND
from penstock.protocol.wire import jsonrpc
from penstock.query.sandbox.sandbox import Sandbox
from penstock.stores import open_store
from tests.kit.answers import split
from tests.kit.odd_results import as_read, results, words_in
from tests.kit.protocol.gates import RealGate
from tests.kit.protocol.playbook import Playbook, request

if TYPE_CHECKING:
    from collections.abc import Iterator

METHODS = ["tools/call", "tasks/result", "resources/read", "prompts/get", "tasks/get"]
budgets = st.sampled_from([250, 600, 2_500])


def assert_fits(answer: bytes, tokens: int) -> None:
    """An answer with no more bytes than tokens allowed passes unread."""
    text, media = as_read(answer)
    if len(answer) > tokens:
        assert count(text).tokens + media * MEDIA_TOKENS <= tokens


def readable(gate: Gate, owner: str, answer: bytes) -> str:
    """All that a client has of a result: the answer, and each held part by ``info`` and ``get``."""
    found = [answer.decode()]
    for handle in dict.fromkeys(re.findall(r"r_[\w-]{22}", found[0])):
        found.append(gate.fetch(owner, {"cache_id": handle, "action": "info"}).decode())
        at: int | None = 0
        while at is not None:
            told = json.loads(gate.fetch(owner, {"cache_id": handle, "action": "get", "start_index": at}))
            where, text = split(told)
            found.append(text)
            at = where["next_index"]
    return "".join(found)


@settings(deadline=None)
@given(results(), budgets, st.booleans(), st.booleans())
def test_any_result_fits_its_budget_and_no_word_of_it_is_lost(
    result: bytes, tokens: int, always_hold: bool, structured: bool
) -> None:
    tokens *= 2 if structured else 1
    with open_store("memory:") as store:
        gate = Gate(store, Config(max_tokens=tokens, always_hold=always_hold))
        answer = gate.admit(Call(tool="t", owner="o", structured=structured), result)
        assert_fits(answer, tokens)
        assert len(answer) <= tokens or cost(parse(answer), "claude") <= tokens
        assert words_in(result) - words_in(readable(gate, "o", answer)) == set()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as made:
        yield made


@settings(deadline=None)
@given(results(), st.sampled_from(METHODS), budgets, st.booleans())
def test_any_result_that_comes_through_an_exchange_fits_its_budget(
    sandbox: Sandbox, result: bytes, method: str, tokens: int, always_hold: bool
) -> None:
    config = Config(max_tokens=tokens, always_hold=always_hold)
    gate = RealGate(config, sandbox)
    play = Playbook(ConfigRules(config), gate)
    play.asks(request(1, method, name="t", uri="a:b", taskId="1"))
    play.upstream(b'{"jsonrpc":"2.0","id":1,"result":' + result + b"}\n")
    line = play.to_client.popleft()
    heard = jsonrpc.bytes_at(line, "result") or b""
    kept = AROUND if method == "tasks/get" else 0  # bytes of a task next to its result, which stay in its stand-in
    assert_fits(heard, tokens + kept)
    if method in ("tools/call", "tasks/result"):
        assert words_in(result) - words_in(readable(gate.gate, "ann", line)) == set()
