"""Resources through a real gate: passed, compacted and held, in their own form, within the budget, nothing lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.answer.notice import FIGURES, MARK
from tests.kit.answers import text_of
from tests.kit.protocol.playbook import answer, request

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox

from tests.kit.protocol.scenes import BLOB, BUDGETS, PROSE, RECORDS, TEXTS, URI, Scene, notice_of


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("max_tokens", BUDGETS)
def test_a_resource_of_one_text_is_held_within_every_budget(sandbox: Sandbox, name: str, max_tokens: int) -> None:
    scene = Scene(sandbox, Config(max_tokens=max_tokens, preview_tokens=min(max_tokens, 2_000)))
    heard = scene.resource({"uri": URI, "mimeType": "text/plain", "text": TEXTS[name]})
    assert scene.is_all_there(heard["contents"][0]["text"], TEXTS[name])


def test_a_held_resource_is_one_content_with_its_own_uri(scene: Scene) -> None:
    heard = scene.resource({"uri": URI, "text": PROSE})
    assert [one["uri"] for one in heard["contents"]] == [URI]
    assert "The quick brown fox" in text_of(heard)
    assert heard.keys() == {"contents", "_meta"}
    assert heard["_meta"].keys() == {MARK, FIGURES}
    assert heard["_meta"][MARK] == scene.gate.gate.mark


def test_a_long_name_of_a_resource_takes_no_room_from_its_notice(scene: Scene) -> None:
    for length in (30, 150, 250):
        uri = f"file:///{'u' * length}"
        heard = scene.resource({"uri": uri, "text": PROSE})["contents"][0]
        assert heard["uri"] == (uri if length == 30 else "penstock:held")
        assert notice_of(heard["text"]).keys() >= {"next", "shape"}
        assert notice_of(heard["text"])["uri"].startswith("file:///uuu")


def test_every_call_in_the_notice_of_a_resource_runs_and_is_one_to_our_tool(scene: Scene) -> None:
    for contents in (
        [{"uri": URI, "text": json.dumps(RECORDS)}],
        [{"uri": URI, "text": PROSE}, {"uri": URI, "text": "b"}],
    ):
        notice = notice_of(scene.resource(*contents)["contents"][0]["text"])
        calls = [*notice["next"], *notice.get("suggestions", ())]
        assert calls
        for one in calls:
            assert one["tool"] == scene.config.tool_name
            scene.gate.fetch(**one["arguments"])


def test_a_resource_that_fits_passes_in_its_own_bytes(scene: Scene) -> None:
    for contents in (
        [{"uri": URI, "text": "word " * 1_000}],
        [{"uri": URI, "text": "word " * 500}] * 2,
        [{"x": "y" * 2_500}],
    ):
        play = scene.play
        play.asks(request(1, "resources/read", uri=URI))
        play.answers(answer(1, {"contents": contents, "unknown": [1, 2], "_meta": {"a": 1}, "ttlMs": 60_000}))


def test_a_resource_that_fits_without_its_white_space_is_passed_without_it(scene: Scene) -> None:
    pretty = json.dumps(RECORDS[:50], indent=8)
    entry = {"uri": URI, "mimeType": "application/json", "text": pretty}
    heard = scene.resource(entry, unknown=[1, 2], ttlMs=10**9, cacheScope="public", _meta={"a": 1})
    (only,) = heard["contents"]
    assert only == {**entry, "text": json.dumps(RECORDS[:50], separators=(",", ":"))}
    assert heard["unknown"] == [1, 2]
    assert (heard["ttlMs"], heard["cacheScope"]) == (10**9, "public")
    assert heard["_meta"]["a"] == 1
    assert heard["_meta"]["penstock/compacted"] is True
    assert not any("beside" in name for name in heard["_meta"])


def test_a_file_is_held_and_given_back_as_the_block_it_was(scene: Scene) -> None:
    entry = {"uri": URI, "mimeType": "application/zip", "blob": BLOB}
    heard = scene.resource(entry)
    notice, stub = heard["contents"]
    assert "application/zip" in stub["text"]
    assert stub["uri"] == "penstock:held"
    (call,) = notice_of(notice["text"])["next"]
    assert call["arguments"]["cache_id"] in stub["text"]
    assert scene.gate.fetch(**call["arguments"])["content"][-1] == {"type": "resource", "resource": entry}


def test_several_contents_are_held_together_with_all_that_they_say(scene: Scene) -> None:
    contents = [{"uri": f"file:///{number}", "text": PROSE, "_meta": {"n": number}} for number in range(3)]
    contents.append({"uri": "file:///b", "mimeType": "image/png", "blob": BLOB})
    heard = scene.resource(*contents, unknown="x")
    notice = notice_of(heard["contents"][0]["text"])
    assert heard["contents"][0]["uri"] == "file:///0"
    assert json.loads(scene.gate.windows(notice["cache_id"])) == {"contents": contents, "unknown": "x"}


@pytest.mark.parametrize("max_tokens", BUDGETS)
@pytest.mark.parametrize(
    "contents",
    [
        [{"uri": "file:///" + "u" * 90_000, "text": "short"}],
        [{"uri": URI, "text": PROSE, "_meta": {"long": PROSE}}],
        [{"uri": URI, "text": PROSE, "annotations": {"a": 1}}],
        [{"uri": 5, "text": PROSE}],
        [{"text": PROSE}],
        [PROSE],
        [{"uri": URI, "other": PROSE}],
    ],
)
def test_odd_contents_are_held_too(sandbox: Sandbox, contents: list[Any], max_tokens: int) -> None:
    scene = Scene(sandbox, Config(max_tokens=max_tokens, preview_tokens=min(max_tokens, 2_000)))
    scene.resource(*contents)


@pytest.mark.parametrize(
    "result", [PROSE, [PROSE], {"contents": PROSE}, {"contents": {"a": PROSE}}, {"nothing": PROSE}]
)
def test_what_is_no_resource_at_all_is_held_as_it_is(scene: Scene, result: Any) -> None:
    heard = scene.ask("resources/read", result, uri=URI)
    assert heard["contents"][0]["uri"] == "penstock:held"
    assert json.loads(scene.gate.windows(notice_of(heard["contents"][0]["text"])["cache_id"])) == result


def test_a_long_member_beside_the_contents_is_held_by_itself(scene: Scene) -> None:
    heard = scene.resource({"uri": URI, "text": "short"}, unknown=PROSE, small=1)
    assert "unknown" not in heard
    stub = heard["contents"][-1]["text"]
    handle = stub.partition("held as ")[2].rstrip("]")
    assert json.loads(scene.gate.windows(handle)) == {"_meta": {"penstock/beside": {"unknown": PROSE, "small": 1}}}


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, {}),
        ({"ttlMs": 1_000}, {"ttlMs": 1_000, "cacheScope": "private"}),
        ({"ttlMs": 10**9, "cacheScope": "public"}, {"ttlMs": 1_800_000, "cacheScope": "private"}),
        ({"cacheScope": "public"}, {"cacheScope": "private"}),
        ({"ttlMs": None, "cacheScope": "private"}, {"ttlMs": 0, "cacheScope": "private"}),
        ({"ttlMs": -5, "small": 1}, {"ttlMs": 0, "cacheScope": "private", "small": 1}),
    ],
)
def test_nobody_else_is_given_a_stand_in_nor_for_longer_than_its_handle(
    scene: Scene, members: dict[str, Any], expected: dict[str, Any]
) -> None:
    heard = scene.resource({"uri": URI, "text": PROSE}, resultType="complete", _meta={"a": 1}, **members)
    assert heard.pop("contents")
    assert heard["_meta"].pop(FIGURES)
    assert heard == {**expected, "resultType": "complete", "_meta": {"a": 1, MARK: scene.gate.gate.mark}}


def test_what_is_held_for_ever_stays_fresh_for_as_long_as_the_server_says(sandbox: Sandbox) -> None:
    scene = Scene(sandbox, Config(max_tokens=3_000, ttl=None))
    assert scene.resource({"uri": URI, "text": PROSE}, ttlMs=10**12)["ttlMs"] == 10**12
