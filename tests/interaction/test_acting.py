"""A real server's large file is changed in one line and written back, and the model writes next to nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.answers import head_of, split
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

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        written.append({"name": tool, "arguments": arguments})
        reply = wire.call(tool, arguments)
        assert not reply.result.get("isError"), reply.texts
        return reply.result

    handle = head_of(call("read_text_file", path=str(file)))["cache_id"]
    pair = {"find": "02000 INFO ledger", "with": "02000 WARN ledger"}
    head, diff = split(call(FETCH, action="edit", cache_id=handle, replace=[pair]))
    call("write_file", path=str(file), content=f"held:{head['cache_id']}")
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
        filtered = head_of(names.result)["cache_id"]
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
        assert head_of(whole.result)["result"] == [entity]


def test_a_log_that_a_real_server_reads_again_says_what_was_added(wire: Wire, folder: Path) -> None:
    file = folder / "ledger.log"
    lines = file.read_text("utf-8").count("\n")
    first = notice_of(wire.call("read_text_file", {"path": str(file)}))
    assert "changes" not in first
    with file.open("a", encoding="utf-8") as log:
        log.write("99998 INFO ledger balanced\n99999 WARN ledger late\n")
    later = notice_of(wire.call("read_text_file", {"path": str(file)}))
    words = f"+2 lines at the end, {lines:,} unchanged"
    assert later["changes"].endswith(f" s ago: {words}")
    told = head_of(wire.call(FETCH, {"action": "changes", "cache_id": later["cache_id"]}).result)
    assert (told["since"], told["changes"]) == (first["cache_id"], words)
    assert told["result"] == [
        {"op": "added", "line": lines + 1, "now": ["99998 INFO ledger balanced", "99999 WARN ledger late"]}
    ]
    again = notice_of(wire.call("read_text_file", {"path": str(file)}))
    assert again["changes"].endswith(": unchanged")


def test_a_graph_that_grew_says_which_entities_are_new(parts: Parts, folder: Path) -> None:
    env = {"MEMORY_FILE_PATH": str(folder / "graph.jsonl")}
    with Wire(gateway(parts.memory, "--max-tokens", "1000"), env=env) as wire:
        converse(wire, opening())
        entities = [{"name": f"n{n}", "entityType": "t", "observations": [f"fact {n}"]} for n in range(300)]
        wire.call("create_entities", {"entities": entities})
        wire.call("read_graph", {})
        wire.call("add_observations", {"observations": [{"entityName": "n7", "contents": ["another"]}]})
        wire.call("create_entities", {"entities": [{"name": "new", "entityType": "t", "observations": []}]})
        later = notice_of(wire.call("read_graph", {}))
        assert later["changes"].endswith(": +1 ~1 rows, 299 unchanged, matched by .name")
        told = head_of(wire.call(FETCH, {"action": "changes", "cache_id": later["cache_id"]}).result)
        assert [(one["op"], one["row"]) for one in told["result"]] == [("changed", 8), ("added", 301)]
        assert told["result"][0]["values"] == [{"path": ".observations[1]", "now": "another"}]


def test_the_reference_server_gets_back_what_it_gave_and_its_parts_are_edited_and_told(parts: Parts) -> None:
    message = "".join(f"line {n} of a long message\n" for n in range(3_000))
    with Wire(gateway(parts.everything, "--max-tokens", "1000")) as wire:
        converse(wire, opening())
        wire.request("tools/list")
        handle = notice_of(wire.call("echo", {"message": message}))["cache_id"]
        twice = notice_of(wire.call("echo", {"message": f"held:{handle}"}))
        assert twice["metadata"]["total_bytes"] == len("Echo: Echo: ") + len(message)
        assert "changes" not in twice  # other arguments: another call
        again = notice_of(wire.call("echo", {"message": message}))
        assert again["changes"] == f"since {handle}, {again['changes'].split()[2]} s ago: unchanged"
        pair = {"find": "line 77 of", "with": "LINE 77 of"}
        edited = head_of(wire.call(FETCH, {"action": "edit", "cache_id": handle, "replace": [pair]}).result)
        told = head_of(wire.call(FETCH, {"action": "changes", "cache_id": edited["cache_id"], "since": handle}).result)
        assert told["changes"] == "+1 -1 lines, 2,999 unchanged"
        wire.call(FETCH, {"action": "get", "cache_id": handle, "start_line": 1, "lines": 20})
        read = head_of(wire.call(FETCH, {"action": "info", "cache_id": handle}).result)["read"]
        assert read == "lines 1-20 of 3,000 by get and get_page; 2,980 unseen"
