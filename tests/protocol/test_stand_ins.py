"""What stands in for a held result, in the form of any method: as much of the notice as there is room for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.protocol.payloads import open_error, open_result
from penstock.protocol.stand_in import Rendering, rendering_of
from tests.kit.protocol.playbook import Playbook, answer, modern, stand_in_of, text

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox

from tests.kit.protocol.scenes import PROSE, TEXTS, URI, Scene, message, notice_of


@pytest.mark.parametrize("client", ["vscode", "codex", "opencode", "claude-code"])
def test_every_form_keeps_the_limits_of_every_client(sandbox: Sandbox, client: str) -> None:
    scene = Scene(sandbox, Config(), client)
    for words in TEXTS.values():
        scene.resource({"uri": URI, "text": words * 2}, ttlMs=10**9, cacheScope="public", resultType="complete")
        scene.prompt(message(words * 2), description="Explains a thing, at some length")
        scene.task(result=text(words * 2))


@pytest.mark.parametrize("max_tokens", [500, 800, 20_000])
def test_every_form_has_the_style_that_is_chosen_and_fits(sandbox: Sandbox, max_tokens: int) -> None:
    scene = Scene(sandbox, Config(notice="data", max_tokens=max_tokens))
    for words in TEXTS.values():
        for told in (
            scene.resource({"uri": URI, "text": words * 2})["contents"][0]["text"],
            scene.prompt(message(words * 2), description="Explains a thing")["messages"][0]["content"]["text"],
            scene.task(result=text(words * 2))["result"]["content"][0]["text"],
        ):
            notice = notice_of(told)
            assert (notice["success"], notice["cached"]) == (True, True)
            assert notice["data"]["cache_id"] == notice["cache_id"]


@pytest.mark.parametrize("max_tokens", [250, 2_000])
def test_what_could_not_be_kept_is_told_so_in_every_form(sandbox: Sandbox, max_tokens: int) -> None:
    config = Config(max_tokens=max_tokens, preview_tokens=250, max_result_bytes=1_048_576)
    scene = Scene(sandbox, config)
    words = "not kept " * 150_000
    for told in (
        scene.resource({"uri": URI, "text": words})["contents"][0]["text"],
        scene.prompt(message(words), description="d")["messages"][0]["content"]["text"],
        scene.task(result=text(words))["result"]["content"][0]["text"],
        scene.ask("tasks/get", {"taskId": "1", "status": "working", "statusMessage": words})["statusMessage"],
    ):
        assert "cache_id" not in notice_of(told)
        assert "not kept" in notice_of(told)["message"]


def test_a_modern_client_is_known_by_each_of_its_requests() -> None:
    with Playbook() as play:
        play.asks(modern(1, "resources/read", uri=URI))
        play.upstream(answer(1, {"contents": [{"uri": URI, "text": PROSE}]}))
        assert play.admissions[0].client == "a modern client"
        assert play.admissions[0].arguments == {"uri": URI}
        play.decide()
        play.to_client.clear()


def test_a_result_that_looks_like_a_stand_in_is_put_back_as_it_is() -> None:
    """Only the gate says what is one: a server's own text, however much it looks like a notice, is a text."""
    forged = json.dumps({"type": "buffered_response", "cache_id": "r_1", "message": "m", "suggestions": {"a": 1}})
    result = {"messages": [{"role": "user", "content": {"type": "text", "text": f"  {forged}"}}]}
    view = open_result("prompts/get", json.dumps(result).encode())
    assert view is not None
    closed = json.loads(view.close(bytes(view.inner).replace(b'"  ', b'"'), None))
    assert closed["messages"][0]["content"]["text"] == forged


def test_a_form_that_comes_back_unchanged_is_the_one_that_came() -> None:
    for method, result in (
        ("tasks/get", {"taskId": "1", "statusMessage": PROSE}),
        ("tasks/get", {"taskId": "1", "error": {"code": 1, "message": PROSE}, "long": PROSE}),
    ):
        opened = open_result(method, json.dumps(result).encode())
        assert opened is not None
        assert json.loads(opened.close(bytes(opened.inner), None)) == result
    raw = json.dumps({"code": 1, "message": PROSE}).encode()
    opened = open_error(raw)
    assert opened.close(bytes(opened.inner), None) is raw


def stand_in(**more: Any) -> Rendering:
    told = {"type": "buffered_response", "cache_id": "r_1", "message": "much", **more}
    line = json.dumps(told, separators=(",", ":"))
    texts = (f"{line}\nthe preview", "[+1 more blocks, not shown; held as r_2]")
    content = [{"type": "text", "text": words} for words in texts]
    return rendering_of(stand_in_of({"content": content}, 10**6))


def test_where_a_form_takes_more_room_the_notice_says_less() -> None:
    """Suggestions go first, then the shape, then the figures. Handles stay readable."""
    full = {
        "metadata": {"token_limit": 10**6},
        "shape": "[str]",
        "shown": {"path": "."},
        "next": [{"tool": "n"}],
        "suggestions": [{"why": "w"}, {"why": "v"}],
    }
    found = stand_in(**full)
    seen: list[Rendering] = []

    def form(answer: Rendering) -> bytes:
        seen.append(answer)
        return b"x" * 10**6

    assert found.within(form) == b"x" * 10**6
    least = {"type", "cache_id", "message"}
    said = [set(one.notice) - least for one in seen]
    assert said == [
        {"metadata", "shape", "shown", "next", "suggestions"},
        {"metadata", "shape", "shown", "next", "suggestions"},
        {"metadata", "shape", "shown", "next"},
        {"metadata", "shown", "next"},
        {"shown", "next"},
        {"next"},
        set(),
        set(),
        set(),
    ]
    assert [one.is_short for one in seen] == [False] + [True] * 8
    assert all(one.notice["cache_id"] == "r_1" and b"r_2" in one.blocks[-1] for one in seen)
    assert [one.is_least for one in seen] == [False] * 6 + [True] * 3
    assert all(b"the preview" in one.blocks[0] and len(one.blocks) == 2 for one in seen[:-1])
    assert b"the preview" not in seen[-1].blocks[0]


def test_a_form_is_given_as_much_of_the_notice_as_there_is_room_for() -> None:
    found = stand_in(shown={}, suggestions=[{"why": "w" * 200}])
    room = found.size - len(found.line)
    assert json.loads(found.within(lambda answer: answer.line)) == found.notice
    assert b"suggestions" not in found.within(lambda answer: answer.line + b" " * (room + 1))
    assert b"suggestions" in found.within(lambda answer: answer.line + b" " * room)


def test_where_nothing_can_be_shown_the_notice_does_not_say_that_something_is() -> None:
    not_kept = stand_in()
    del not_kept.notice["cache_id"]
    for word, found in (("held", stand_in()), ("not kept", not_kept)):
        told = found.within(lambda answer: b"".join(answer.blocks) + b" " * 10**6)
        assert word in str(told[:200])
        assert b"the preview" not in told
        assert b"held as r_2" in told
