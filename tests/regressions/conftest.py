"""One gateway for all tests here, before a server that gives the answers on which others fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit.gateway import Running, python
from tests.kit.processes import nothing_is_left_behind
from tests.kit.regressions import results as answers
from tests.kit.regressions.results import block, result

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["nothing_is_left_behind"]

TOLD = Path(__file__).parents[1] / "kit/regressions/server_from_file.py"


def _all() -> dict[str, Any]:
    rows = answers.rows()
    records = json.dumps(rows, ensure_ascii=False)
    sampled = {"id": "s-1", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}}
    elicited = {"id": 1, "method": "elicitation/create", "params": {"message": "sure?"}}
    log = {"method": "notifications/message", "params": {"level": "info", "data": "working"}}
    progress = {"method": "notifications/progress", "params": {"progressToken": "p/1", "progress": 1, "total": 2}}
    listed = answers.tools()
    return {
        "initialize": result(
            protocolVersion="2025-11-25",
            capabilities={"tools": {}, "resources": {}, "prompts": {}, "logging": {}},
            serverInfo={"name": "told", "version": "1"},
        ),
        "tools/list": result(tools=listed[:2], nextCursor="page 2"),
        "tools/list page 2": result(tools=listed[2:]),
        "ping": result(),
        "tools/call both": result(content=[block(records)], structuredContent={"rows": rows}),
        "tools/call structured": result(content=[block("see structuredContent")], structuredContent={"rows": rows}),
        "tools/call blocks": result(content=[block(f"{number} " + "word " * 300) for number in range(200)]),
        "tools/call fails": result(content=[block("Traceback\n" + answers.text())], isError=True),
        "tools/call fails briefly": result(content=[block("no such town")], isError=True),
        "tools/call records": result(content=[block(records)]),
        "tools/call text": result(content=[block(answers.text())]),
        "tools/call picture": result(
            content=[{"type": "image", "data": answers.picture(1_200_000), "mimeType": "image/png"}]
        ),
        "tools/call icon": result(content=[{"type": "image", "data": answers.picture(900), "mimeType": "image/png"}]),
        "tools/call error": [{"answer": {"error": {"code": -32602, "message": "bad town", "data": {"town": 7}}}}],
        "tools/call huge": result(content=[block("x y z " * 4_000_000)]),
        "tools/call small": result(content=[block("small")]),
        "tools/call steps": [
            {"say": log},
            {"say": progress},
            {"say": sampled},
            {"hear": True},
            {"say": elicited},
            {"hear": True},
            {"answer": {"result": {"content": [block("$heard")]}}},
        ],
        "tools/call waits": [{"hear": True}, {"answer": {"result": {"content": [block("$heard")]}}}],
        "resources/read": result(contents=[{"uri": "file:///a", "mimeType": "application/json", "text": records}]),
        "prompts/get": result(
            description="d", messages=[{"role": "user", "content": block("Consider:\n" + answers.text())}]
        ),
    }


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    file = tmp_path_factory.mktemp("told") / "answers.json"
    file.write_text(json.dumps(_all(), ensure_ascii=False), "utf-8")
    with Running(python(TOLD, str(file)), "--notice", "full") as started:
        started.open(sampling={}, elicitation={})
        yield started
