"""The gate works the same on every store, and another gate on the same store reads what the first one held."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from penstock.config import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.stores import Store, open_store
from tests.gate.conftest import notice
from tests.kit.answers import Answer, split
from tests.kit.stores.support import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.query.sandbox.sandbox import Sandbox

ROWS = [{"id": n, "name": f"café {n}", "group": n % 7} for n in range(3_000)]


@pytest.fixture(params=["memory", "sqlite", "redis"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two ways into the same store; a store in memory has only one."""
    if request.param == "redis":
        with (
            running() as server,
            open_store(f"unix://{server.socket}") as one,
            open_store(f"unix://{server.socket}") as two,
        ):
            yield one, two
        return
    url = "memory:" if request.param == "memory" else f"sqlite:///{tmp_path}/held.db"
    with open_store(url) as one, open_store(url) as two:
        yield one, one if request.param == "memory" else two


def test_what_one_gate_holds_another_reads(stores: tuple[Store, Store], sandbox: Sandbox) -> None:
    config = Config(max_tokens=4_000)
    one, two = (Gate(store, config, sandbox=sandbox) for store in stores)
    text = json.dumps(json.dumps({"rows": ROWS}, ensure_ascii=False, indent=1))  # JSON that is only a string
    result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
    handle = notice(json.loads(one.admit(Call(tool="t", owner="ann"), result)))["cache_id"]

    def fetch(**arguments: object) -> Answer:
        told = json.loads(two.fetch("ann", {"cache_id": handle, **arguments}))
        assert "isError" not in told, told
        return split(told)

    together: list[object] = []
    pages = fetch(action="info").head["total_pages"]
    for number in range(1, pages + 1):
        together += fetch(action="get_page", page=number).head["rows"]
    assert together == ROWS
    parts: list[str] = []
    following: int | None = 0
    while following is not None:
        where, part = fetch(action="get", start_index=following, max_length=60_000)
        parts.append(part)
        following = where["next_index"]
    assert "".join(parts) == text
    assert fetch(action="filter", jq_filter="[.rows[] | select(.group == 3)] | length").head["result"] == 429
    assert fetch(action="sql", sql="SELECT max(id) AS m FROM items").head["result"] == [{"m": 2_999}]
    assert fetch(action="search", pattern="café 2999").head["total"] == 1
    assert json.loads(two.fetch("bob", {"cache_id": handle}))["isError"] is True
    assert two.store.counts()["t"].held == 1
