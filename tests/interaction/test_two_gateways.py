"""A gateway in front of a gateway: nothing is held twice, and both read what they hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.kit.answers import head_of
from tests.kit.interaction import data
from tests.kit.interaction.conversation import FETCH, ask, converse, gateway, opening
from tests.kit.interaction.held import fetch, notice_of, windows
from tests.kit.interaction.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scripts.real_parts import Parts

OTHER = f"{FETCH}_2"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data.large_folder(tmp_path_factory.mktemp("two") / "folder")


@pytest.fixture
def wire(parts: Parts, folder: Path) -> Iterator[Wire]:
    with Wire(gateway(gateway(parts.filesystem(folder)))) as started:
        converse(started, opening())
        yield started


def test_both_tools_are_listed_under_names_of_their_own(wire: Wire) -> None:
    tools = converse(wire, [ask("tools/list")]).replies[0][1].result["tools"]
    assert [tool["name"] for tool in tools[-2:]] == [FETCH, OTHER]
    assert len({tool["name"] for tool in tools}) == len(tools)


@pytest.mark.parametrize("listed", [True, False])
def test_a_large_result_is_held_once_and_read_to_its_end(wire: Wire, folder: Path, listed: bool) -> None:
    """Whether the client asked for the list before it called, or not, as real clients do."""
    if listed:
        wire.request("tools/list")
    text = (folder / "records.json").read_text("utf-8")
    reply = wire.call("read_text_file", {"path": str(folder / "records.json")})
    notice = notice_of(reply)
    assert notice["tool"] == "read_text_file"
    assert reply.line.count(b"buffered_response") == 1
    (call,) = notice["next"]
    first = head_of(fetch(wire, call["tool"], **call["arguments"]).result)["items"]
    assert first == json.loads(text)[: len(first)]
    assert windows(wire, notice["cache_id"]) == text


def test_the_outer_gateway_keeps_a_smaller_budget_of_its_own(parts: Parts, folder: Path) -> None:
    """What the inner one lets pass the outer one holds, and each tool reads what its own gateway holds."""
    command = gateway(gateway(parts.filesystem(folder)), "--max-tokens", "1000")
    arguments = {"path": str(folder / "app.log"), "head": 60}
    with Wire(parts.filesystem(folder)) as direct, Wire(command) as wire:
        for one in (direct, wire):
            converse(one, opening())
        wire.request("tools/list")
        reply = wire.call("read_text_file", arguments)
        notice = notice_of(reply)
        assert {call["tool"] for call in notice["next"]} == {OTHER}
        assert windows(wire, notice["cache_id"], OTHER) == direct.call("read_text_file", arguments).texts[0]
