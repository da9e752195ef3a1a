"""What stands in for a held result, in the form of any method: as much of the notice as there is room for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.protocol.payloads import open_error, open_result
from penstock.protocol.stand_in import StandIn, read_stand_in
from tests.kit.protocol.playbook import Playbook, answer, modern, text

if TYPE_CHECKING:
    from penstock.query.sandbox import Sandbox

from tests.kit.protocol.scenes import PROSE, TEXTS, URI, Scene, message, notice_of


@pytest.mark.parametrize("client", ["vscode", "codex", "opencode", "claude-code"])
def test_every_form_keeps_the_limits_of_every_client(sandbox: Sandbox, client: str) -> None:
    scene = Scene(sandbox, Config(), client)
    for words in TEXTS.values():
        scene.resource({"uri": URI, "text": words * 2}, ttlMs=10**9, cacheScope="public", resultType="complete")
        scene.prompt(message(words * 2), description="Explains a thing, at some length")
        scene.task(result=text(words * 2))


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


def test_an_answer_that_stands_in_for_nothing_is_none() -> None:
    for raw in (b"", b"[]", b"{}", b'{"content":[]}', b'{"content":[5]}', b'{"content":[{"type":"text","text":"x"}]}'):
        assert read_stand_in(raw) is None
    spoofed = text('{"type":"buffered_response"')
    assert read_stand_in(json.dumps(spoofed).encode()) is None
    half = text('{"type":"buffered_response","x":"\ud83d"}')
    assert read_stand_in(json.dumps(half).encode()) is None


def test_a_form_that_comes_back_unchanged_is_the_one_that_came() -> None:
    for method, result in (
        ("tasks/get", {"taskId": "1", "statusMessage": PROSE}),
        ("tasks/get", {"taskId": "1", "error": {"code": 1, "message": PROSE}, "long": PROSE}),
    ):
        opened = open_result(method, json.dumps(result).encode())
        assert opened is not None
        assert json.loads(opened.close(opened.inner)) == result
    raw = json.dumps({"code": 1, "message": PROSE}).encode()
    opened = open_error(raw)
    assert opened.close(opened.inner) is raw


def stand_in(**more: Any) -> bytes:
    told = {"type": "buffered_response", "cache_id": "r_1", "message": "much", **more}
    blocks = [json.dumps(told, separators=(",", ":")), "the preview", "[+1 more blocks, not shown; held as r_2]"]
    content = [{"type": "text", "text": words} for words in blocks]
    return json.dumps({"content": content}, separators=(",", ":")).encode()


def test_where_a_form_takes_more_room_the_notice_says_less() -> None:
    """Suggestions go first, one by one, then the shape, then the figures; what it names stays readable."""
    full = {
        "metadata": {"token_limit": 10**6},
        "shape": "[str]",
        "shown": {"path": "."},
        "next": [{"tool": "n"}],
        "suggestions": [{"why": "w"}, {"why": "v"}],
    }
    found = read_stand_in(stand_in(**full))
    assert found is not None
    seen: list[StandIn] = []

    def form(answer: StandIn) -> bytes:
        seen.append(answer)
        return b"x" * 10**6

    assert found.within(form) == b"x" * 10**6
    least = {"type", "cache_id", "message"}
    said = [set(one.told) - least for one in seen]
    assert said == [
        {"metadata", "shape", "shown", "next", "suggestions"},
        {"metadata", "shape", "shown", "next", "suggestions"},
        {"metadata", "shape", "shown", "next"},
        {"metadata", "shape", "shown", "next"},
        {"metadata", "shown", "next"},
        {"shown", "next"},
        set(),
        set(),
    ]
    assert [one.is_short for one in seen] == [False] * 3 + [True] * 5
    assert seen[1].told["suggestions"] == [{"why": "w"}]
    assert all(one.told["cache_id"] == "r_1" and b"r_2" in one.blocks[-1] for one in seen)
    assert [one.is_least for one in seen] == [False] * 6 + [True] * 2
    assert all(len(one.blocks) == 3 for one in seen[:-1])


def test_a_form_is_given_as_much_of_the_notice_as_there_is_room_for() -> None:
    found = read_stand_in(stand_in(shown={}, suggestions=[{"why": "w" * 200}]))
    assert found is not None
    room = found.size - len(found.notice)
    assert json.loads(found.within(lambda answer: answer.notice)) == found.told
    assert b"suggestions" not in found.within(lambda answer: answer.notice + b" " * (room + 1))
    assert b"suggestions" in found.within(lambda answer: answer.notice + b" " * room)


def test_a_text_that_only_begins_like_a_notice_hurts_nobody() -> None:
    found = read_stand_in(stand_in(suggestions={"a": 1}, metadata=5, message=[]))
    assert found is not None
    assert b"r_1" in found.within(lambda answer: answer.notice + b" " * 10**6)


def test_where_nothing_can_be_shown_the_notice_does_not_say_that_something_is() -> None:
    for word, raw in (("held", stand_in()), ("not kept", stand_in().replace(b'\\"cache_id\\":\\"r_1\\",', b""))):
        found = read_stand_in(raw)
        assert found is not None
        told = found.within(lambda answer: b"".join(answer.blocks) + b" " * 10**6)
        assert word in str(told[:200])
        assert b"the preview" not in told
        assert b"held as r_2" in told
