"""A real server's large file is changed in one line and written back, and the model writes next to nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.interaction.conversation import FETCH, converse, gateway, opening
from tests.kit.interaction.held import notice_of
from tests.kit.interaction.wire import Wire

from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scripts.real_parts import Parts

SIZE = 300_000
MOST_TOKENS = 300  # that the model writes, for all three calls


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines: list[str] = []
    while sum(map(len, lines)) < SIZE:
        number = len(lines) + 1
        lines.append(f'{number:05d} INFO ledger entry="{number * 7919 % 100_003}" path=C:\\data\\ü{number % 97}.csv\n')
    (tmp_path / "ledger.log").write_text("".join(lines), "utf-8", newline="")
    return tmp_path


@pytest.fixture
def wire(parts: Parts, folder: Path) -> Iterator[Wire]:
    with Wire(gateway(parts.filesystem(folder))) as wire:
        converse(wire, opening())
        wire.request("tools/list")
        yield wire


def test_one_line_of_a_file_of_300_kb_is_changed_without_reading_or_writing_it(wire: Wire, folder: Path) -> None:
    file = folder / "ledger.log"
    before = file.read_bytes()
    assert len(before) >= SIZE
    written: list[dict[str, Any]] = []

    def call(tool: str, **arguments: Any) -> list[str]:
        written.append({"name": tool, "arguments": arguments})
        reply = wire.call(tool, arguments)
        assert not reply.result.get("isError"), reply.texts
        return reply.texts

    handle = json.loads(call("read_text_file", path=str(file))[0])["cache_id"]
    pair = {"find": "02000 INFO ledger", "with": "02000 WARN ledger"}
    head, diff = call(FETCH, action="edit", cache_id=handle, replace=[pair])
    call("write_file", path=str(file), content=f"held:{json.loads(head)['cache_id']}")
    assert file.read_bytes() == before.replace(b"02000 INFO ledger", b"02000 WARN ledger") != before
    assert diff.startswith("@@ line 2,000 @@\n-02000 INFO")
    assert sum(count(json.dumps(one)).tokens for one in written) < MOST_TOKENS
    assert count(before.decode()).tokens > 100_000


def test_a_file_is_not_touched_when_the_handle_is_unknown(wire: Wire, folder: Path) -> None:
    reply = wire.call("write_file", {"path": str(folder / "new.txt"), "content": f"held:r_{'x' * 22}"})
    assert reply.result["isError"] is True
    assert not (folder / "new.txt").exists()


def test_a_memory_server_gets_the_entities_of_a_graph_it_gave(parts: Parts, folder: Path) -> None:
    """JSON at a path, where the schema wants an array."""
    env = {"MEMORY_FILE_PATH": str(folder / "graph.jsonl")}
    with Wire(gateway(parts.memory, "--max-tokens", "1000"), env=env) as wire:
        converse(wire, opening())
        wire.request("tools/list")
        entities = [{"name": f"n{n}", "entityType": "t", "observations": [f"fact {n}"]} for n in range(300)]
        assert not wire.call("create_entities", {"entities": entities}).result.get("isError")
        handle = notice_of(wire.call("read_graph", {}))["cache_id"]
        names = wire.call(FETCH, {"action": "filter", "cache_id": handle, "jq_filter": "[.entities[].name]"})
        filtered = json.loads(names.texts[0])["cache_id"]
        told = wire.call("open_nodes", {"names": f"held:{filtered}"})
        assert not told.result.get("isError"), told.texts
        gone = wire.call("delete_entities", {"entityNames": f"held:{filtered}"})
        assert not gone.result.get("isError"), gone.texts
        assert json.loads(wire.call("read_graph", {}).texts[0])["entities"] == []


def test_a_filter_of_a_real_tool_leaves_out_what_is_not_needed(parts: Parts, folder: Path) -> None:
    rules = folder / "penstock.toml"
    rules.write_text('[rules.read_graph]\nfilter = ".entities | map({name, observations})"\n')
    env = {"MEMORY_FILE_PATH": str(folder / "graph.jsonl")}
    with Wire(gateway(parts.memory, "--config", str(rules)), env=env) as wire:
        converse(wire, opening())
        entity = {"name": "n", "entityType": "t", "observations": ["fact"]}
        assert not wire.call("create_entities", {"entities": [entity]}).result.get("isError")
        left, note = wire.call("read_graph", {}).texts
        assert json.loads(left) == [{"name": "n", "observations": ["fact"]}]
        whole = wire.call(FETCH, {"action": "filter", "cache_id": note.rpartition(" ")[2], "jq_filter": ".entities"})
        assert json.loads(whole.texts[0])["result"] == [entity]
