"""Tasks and errors through a real gate: held in their own form, within the budget, and with nothing lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.answer.notice import FIGURES
from tests.kit.answers import head_of
from tests.kit.protocol.gates import fits
from tests.kit.protocol.playbook import error, notification, request, text

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox

from tests.kit.protocol.scenes import BUDGETS, PROSE, RECORDS, TEXTS, Scene, notice_of, valid


@pytest.mark.parametrize("max_tokens", BUDGETS)
def test_the_result_of_a_task_is_held_and_the_task_stays_one(sandbox: Sandbox, max_tokens: int) -> None:
    scene = Scene(sandbox, Config(max_tokens=max_tokens, preview_tokens=min(max_tokens, 2_000)))
    heard = scene.task(createdAt="2026-11-15T00:00:00Z", ttl=60_000, result=text(json.dumps(RECORDS), isError=False))
    assert (heard["taskId"], heard["status"], heard["ttl"]) == ("1", "completed", 60_000)
    assert heard["result"]["isError"] is False
    assert scene.is_all_there(heard["result"]["content"][0]["text"], json.dumps(RECORDS))


def test_what_is_long_beside_the_result_of_a_task_is_held_by_itself(scene: Scene) -> None:
    heard = scene.task(statusMessage=PROSE, unknown=1, result=text("short", _meta={"a": 1}))
    assert heard.keys() == {"taskId", "status", "unknown", "result"}
    stub = heard["result"]["content"][-1]["text"]
    handle = stub.partition("held as ")[2].rstrip("]")
    assert json.loads(scene.gate.windows(handle))["_meta"]["penstock/beside"] == {"statusMessage": PROSE}


def test_the_result_of_a_task_that_fits_without_white_space_is_passed_without_it(scene: Scene) -> None:
    for long in ({}, {"statusMessage": "s" * 400}):
        pretty = text(json.dumps(RECORDS[:50], indent=8), _meta={"a": 1})
        heard = scene.task(**long, result=pretty)
        assert heard.items() >= {"taskId": "1", "status": "completed", **long}.items()
        assert head_of(heard["result"]) == RECORDS[:50]
        assert set(heard["result"]["_meta"]) == {"a", "penstock/compacted", "penstock/original_bytes"}


@pytest.mark.parametrize("result", [PROSE, [PROSE], {"a": PROSE}])
def test_a_result_of_a_task_that_is_none_is_held_all_the_same(scene: Scene, result: Any) -> None:
    for long in ({}, {"statusMessage": PROSE}):
        heard = scene.task(**long, result=result)
        notice = notice_of(heard["result"]["content"][0]["text"])
        assert json.loads(scene.gate.windows(notice["cache_id"])) == result


def test_a_task_that_tells_too_much_of_itself_tells_where_it_can_be_read(scene: Scene) -> None:
    heard = scene.ask("tasks/get", {"taskId": "1", "status": "working", "statusMessage": PROSE, "n": 1}, taskId="1")
    assert (heard["taskId"], heard["status"], heard["n"]) == ("1", "working", 1)
    handle = notice_of(heard["statusMessage"])["cache_id"]
    assert json.loads(scene.gate.windows(handle)) == {"statusMessage": PROSE}


def test_a_task_that_failed_with_a_long_error_stays_failed(scene: Scene) -> None:
    failed = {"code": -32_001, "message": f"it broke: {PROSE}", "data": PROSE}
    heard = scene.task(status="failed", error=failed)
    assert heard["error"]["code"] == -32_001
    assert json.loads(scene.gate.windows(heard["error"]["data"]["cache_id"])) == failed


def test_a_task_told_of_unasked_is_held_too(scene: Scene) -> None:
    scene.play.upstream(notification("notifications/tasks", taskId="1", status="completed", result=text(PROSE)))
    heard = scene.play.heard()
    assert heard["method"] == "notifications/tasks"
    valid("tasks/get", heard["params"])
    handle = notice_of(heard["params"]["result"]["content"][0]["text"])["cache_id"]
    assert scene.gate.windows(handle) == PROSE


def test_an_error_begins_with_the_words_of_the_server(scene: Scene) -> None:
    scene.play.asks(request(1, "tools/call", name="t"))
    scene.play.upstream(error(1, -32_001, f"it broke: {PROSE}"))
    heard = scene.play.heard()["error"]
    assert heard["message"].startswith(f"it broke: {PROSE}"[:300])
    assert json.loads(scene.gate.windows(heard["data"]["cache_id"]))["message"] == f"it broke: {PROSE}"


def test_an_error_and_a_status_tell_of_no_facts_that_do_not_follow(scene: Scene) -> None:
    scene.play.asks(request(1, "tools/call", name="t"))
    rows = [{"id": n, "status": "open"} for n in range(20_000)]
    scene.play.upstream(error(1, -32_001, "it broke", data=rows))
    heard = scene.play.heard()["error"]
    status = scene.ask("tasks/get", {"taskId": "1", "status": "working", "statusMessage": PROSE}, taskId="1")
    assert FIGURES not in json.dumps([heard, status])
    for notice in (heard["data"], notice_of(status["statusMessage"])):
        assert "shown" not in notice
        assert "Below" not in json.dumps(notice)
        assert "Nothing of it is shown." in notice.get("message", heard["message"])


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("max_tokens", BUDGETS)
def test_an_error_is_held_within_every_budget(sandbox: Sandbox, name: str, max_tokens: int) -> None:
    scene = Scene(sandbox, Config(max_tokens=max_tokens, preview_tokens=min(max_tokens, 2_000)))
    scene.play.asks(request(1, "tools/call", name="t"))
    scene.play.upstream(error(1, -32_001, TEXTS[name], data={"trace": [TEXTS[name]]}))
    heard = scene.play.heard()["error"]
    valid("error", heard)
    fits(heard, scene.config, "t")
    assert heard["code"] == -32_001
    whole = {"code": -32_001, "message": TEXTS[name], "data": {"trace": [TEXTS[name]]}}
    if max_tokens >= 1_000:
        assert json.loads(scene.gate.windows(heard["data"]["cache_id"])) == whole
