"""The style ``data`` on every way in: the gateway in its forms, FastMCP, both servers of the SDK, a plain function."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.tokens.count import count
from tests.kit.answers import head_of
from tests.kit.interaction.wire import Wire
from tests.kit.middleware_servers.data import ROWS, rows
from tests.kit.over_http.http_wire import HttpWire

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SERVERS = [sys.executable, "-m"]
PLAIN = [*SERVERS, "tests.kit.middleware_servers.plain"]
SETTINGS = ["--max-tokens", "2000", "--store", "memory:", "--notice", "data"]
IN_FILE = {"max_tokens": 2_000, "store": "memory:", "notice": "data"}  # the same settings, of a client's file
RUN = [sys.executable, "-m", "penstock", "run"]
WAYS = {
    "run": [*RUN, *SETTINGS, "--", *PLAIN],
    "run --url": [*RUN, *SETTINGS, "--url"],
    "run --config": [*RUN, *SETTINGS, "--config"],
    "run --config alone": [*RUN, "--config"],
    "serve": [*SETTINGS, "--", *PLAIN],
    "serve --url": [*SETTINGS, "--url"],
    "serve --config": [*SETTINGS, "--config"],
    "serve --config alone": ["--config"],
    "fastmcp": [*SERVERS, "tests.kit.middleware_servers.with_fastmcp"],
    "sdk": [*SERVERS, "tests.kit.middleware_servers.with_sdk"],
    "lowlevel": [*SERVERS, "tests.kit.middleware_servers.with_lowlevel"],
    "decorator": [*SERVERS, "tests.kit.middleware_servers.with_decorator"],
}
BUDGET = 2_000
FETCH = "fetch_cached_response"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The URL of the same server over HTTP."""
    with subprocess.Popen([*PLAIN, "whole", "http"], stdout=subprocess.PIPE, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.kill()


@pytest.fixture(scope="module", params=WAYS)
def wire(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire | HttpWire]:
    way, command = request.param, list(WAYS[request.param])
    if command[-1] == "--url":
        command.append(request.getfixturevalue("url"))
    if command[-1] == "--config":
        file = tmp_path_factory.mktemp("client") / "mcp.json"
        server = {"command": PLAIN[0], "args": PLAIN[1:], "cwd": str(ROOT)}
        settings = {"penstock": IN_FILE} if "alone" in way else {}
        file.write_text(json.dumps({"mcpServers": {"data": server}, **settings}))
        command.append(str(file))
    style = {**os.environ, "KIT_STYLE": "data"}
    kind = HttpWire if way.startswith("serve") else Wire
    with kind(command, cwd=ROOT, env=style) as wire:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        wire.request("initialize", hello)
        wire.notify("notifications/initialized")
        yield wire


def test_a_large_result_its_pages_and_its_filters_have_the_style(wire: Wire) -> None:
    def called(tool: str, **arguments: Any) -> Any:
        reply = wire.call(tool, arguments)
        assert sum(count(text).upper for text in reply.texts) <= BUDGET
        return head_of(reply.result)

    response = called("list_rows", number=ROWS)
    assert (response["success"], response["cached"]) == (True, True)
    handle = response["data"]["cache_id"]
    info = called(FETCH, cache_id=handle, action="info")
    pages = info["data"]["metadata"]["total_pages"]
    first = called(FETCH, cache_id=handle, action="get_page", page=1, page_size_kb=50)["data"]
    last = called(FETCH, cache_id=handle, action="get_page", page=pages, page_size_kb=50)["data"]
    assert first["items"] == rows(len(first["items"]))
    assert last["_pagination"]["end_index"] == ROWS
    assert called(FETCH, cache_id=handle, action="filter", jq_filter="length")["data"] == {
        "cached": False,
        "result": ROWS,
    }
    names = called(FETCH, cache_id=handle, action="filter", jq_filter=".[].note")
    assert (
        called(FETCH, cache_id=names["data"]["cache_id"], action="filter", jq_filter="length")["data"]["result"] == ROWS
    )


def test_an_error_of_the_tool_has_the_style(wire: Wire) -> None:
    reply = wire.call(FETCH, {"cache_id": "r_unknown", "action": "get"})
    assert reply.result["isError"] is True
    told = head_of(reply.result)
    assert (told["success"], told["data"]) == (False, {"cached": False})
