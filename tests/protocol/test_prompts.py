"""Prompts through a real gate: passed, compacted and held, in their own form, within the budget, nothing lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from tests.kit.protocol.playbook import answer, request

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox

from tests.kit.protocol.scenes import BUDGETS, PROSE, RECORDS, TEXTS, URI, Scene, message, notice_of


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("max_tokens", BUDGETS)
def test_a_prompt_of_one_message_is_held_within_every_budget(sandbox: Sandbox, name: str, max_tokens: int) -> None:
    scene = Scene(sandbox, Config(max_tokens=max_tokens, preview_tokens=min(max_tokens, 2_000)))
    heard = scene.prompt(message(TEXTS[name], "assistant"), description="Explains a thing")
    assert {one["role"] for one in heard["messages"]} == {"assistant"}
    assert scene.is_all_there(heard["messages"][0]["content"]["text"], TEXTS[name])
    if max_tokens > 1_000:
        assert heard["description"] == "Explains a thing"


@pytest.mark.parametrize(
    "messages",
    [
        [message(PROSE), message("and now?", "assistant"), message(PROSE)],
        [{"role": "user", "content": [{"type": "text", "text": PROSE}, {"type": "text", "text": "b"}]}],
        [{**message(PROSE), "_meta": {"a": 1}}],
        [{"role": "system", "content": {"type": "text", "text": PROSE}}],
        [{"role": PROSE, "content": {"type": "text", "text": "x"}}],
        [{"role": "user", "content": {"type": "text", "text": PROSE, "_meta": {"long": PROSE}}}],
        [PROSE],
        [],
    ],
)
@pytest.mark.parametrize("max_tokens", [250, 3_000])
def test_other_messages_are_held_together_with_all_that_they_say(
    sandbox: Sandbox, messages: list[Any], max_tokens: int
) -> None:
    scene = Scene(sandbox, Config(max_tokens=max_tokens, preview_tokens=250))
    description = "d" if messages else PROSE
    heard = scene.prompt(*messages, description=description)
    whole = json.dumps({"messages": messages, "description": description}, separators=(",", ":"))
    assert scene.is_all_there(heard["messages"][0]["content"]["text"], whole)


def test_a_prompt_that_fits_passes_in_its_own_bytes(scene: Scene) -> None:
    for messages in (
        [message("word " * 1_000)],
        [message("word " * 300)] * 3,
        [{"role": "user", "content": ["w " * 1_200]}],
    ):
        scene.play.asks(request(1, "prompts/get", name="p"))
        scene.play.answers(answer(1, {"description": "d", "messages": messages, "unknown": 1}))


def test_a_prompt_that_fits_without_its_white_space_is_passed_without_it(scene: Scene) -> None:
    heard = scene.prompt(message(json.dumps(RECORDS[:50], indent=8), "assistant"), description="d", unknown=1)
    assert heard["messages"] == [message(json.dumps(RECORDS[:50], separators=(",", ":")), "assistant")]
    assert (heard["description"], heard["unknown"]) == ("d", 1)
    assert set(heard["_meta"]) == {"penstock/compacted", "penstock/original_bytes"}


def test_a_long_description_is_held_by_itself(scene: Scene) -> None:
    heard = scene.prompt(message("hello"), description=PROSE)
    assert "description" not in heard
    stub = heard["messages"][-1]["content"]["text"]
    handle = stub.partition("held as ")[2].rstrip("]")
    assert json.loads(scene.gate.windows(handle)) == {"_meta": {"penstock/beside": {"description": PROSE}}}


def test_a_picture_in_a_prompt_is_held_and_given_back(scene: Scene) -> None:
    picture = {"type": "image", "mimeType": "image/png", "data": "QUJD" * 2_000_000}
    heard = scene.prompt({"role": "user", "content": picture})
    (call,) = notice_of(heard["messages"][0]["content"]["text"])["next"]
    assert scene.gate.fetch(**call["arguments"])["content"][-1] == picture


def test_a_file_in_a_prompt_is_held_as_the_text_that_it_is(scene: Scene) -> None:
    block = {"type": "resource", "resource": {"uri": URI, "mimeType": "text/plain", "text": PROSE}}
    heard = scene.prompt({"role": "user", "content": block})
    notice = notice_of(heard["messages"][0]["content"]["text"])
    assert notice["uri"] == URI
    assert scene.gate.windows(notice["cache_id"]) == PROSE
