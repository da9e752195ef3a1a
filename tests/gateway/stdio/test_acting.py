"""``more`` before a real process: cancelled, timed out, and with a server that ends in the middle."""

from __future__ import annotations

import json
import os
from typing import Any

from tests.kit.answers import head_of
from tests.kit.gateway import Running, code
from tests.kit.waiting import until

ACT = "act_on_cached_response"
TOOL = {
    "name": "list",
    "inputSchema": {"type": "object", "properties": {"cursor": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}
SERVER = f"""
import json, os, sys
how = sys.argv[1]
for line in sys.stdin:
    asked = json.loads(line)
    print(line, end="", file=sys.stderr, flush=True)
    method, params = asked.get("method"), asked.get("params") or {{}}
    if "id" not in asked:
        continue
    cursor = int(params.get("arguments", {{}}).get("cursor", 0))
    if cursor == 6 and how == "ends":
        os._exit(3)
    if cursor == 6 and how == "hangs":
        continue
    page = {{"rows": [{{"id": n}} for n in range(cursor, cursor + 2)], "next_cursor": str(cursor + 2)}}
    told = {{"content": [{{"type": "text", "text": json.dumps(page)}}]}}
    if method == "initialize":
        told = {{"protocolVersion": "2025-11-25", "capabilities": {{}}, "serverInfo": {{"name": "s", "version": "1"}}}}
    if method == "tools/list":
        told = {{"tools": [{TOOL!r}]}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": told}}), flush=True)
"""


def opened(how: str, **settings: str) -> Running:
    env = {**os.environ, **settings}
    gateway = Running([*code(SERVER), how], "--act", "more", "--max-tokens", "1000", env=env)
    gateway.open()
    gateway.request("tools/list")
    return gateway


def receipt_of(answer: Any) -> Any:
    return head_of(answer["result"])["receipt"]


def test_a_server_that_ends_midway_leaves_what_was_fetched() -> None:
    with opened("ends") as gateway:
        receipt = receipt_of(gateway.answer(gateway.ask_tool(ACT, action="more", tool="list")))
        assert (receipt["rows"], receipt["complete"]) == (6, False)
        assert "exited with code 3" in receipt["stopped"]


def test_a_client_that_cancels_gets_no_answer_and_the_server_is_told() -> None:
    with opened("hangs") as gateway:
        key = gateway.ask_tool(ACT, action="more", tool="list")
        assert gateway.says('"cursor":"6"') or gateway.says('"cursor": "6"')
        gateway.cancel(key)
        assert gateway.says("notifications/cancelled")
        told = [json.loads(line) for line in gateway.stderr.splitlines() if line.startswith("{")]
        ours = next(one["id"] for one in told if one.get("params", {}).get("arguments", {}).get("cursor") == "6")
        assert told[-1]["params"]["requestId"] == ours
        assert gateway.text("list", cursor="2")  # it goes on
    assert key not in [one.get("id") for one in gateway.messages()]


def test_a_page_that_hangs_is_given_up_after_the_time_for_all() -> None:
    with opened("hangs", PENSTOCK_MORE_TIMEOUT="1s") as gateway:
        receipt = receipt_of(gateway.answer(gateway.ask_tool(ACT, action="more", tool="list")))
        assert (receipt["rows"], receipt["complete"]) == (6, False)
        assert "has not answered list" in receipt["stopped"]
        assert until(lambda: "notifications/cancelled" in gateway.stderr)
