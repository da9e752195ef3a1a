"""The recipe for the editor: ``penstock run -- BRIDGE``, tried with a stand-in of the bridge, as real processes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.examples import unity_bridge
from tests.kit.gateway import FETCH, Running, python

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parents[3] / "docs/how-to/example-unity.md"
CREATE = {
    "action": "create",
    "name": "Ünï  \u2028 box",
    "position": [0.10, 1e3, -0.0],
    "components_to_add": ["Rigidbody"],
}


class Bridge(Running):
    """A gateway in front of the bridge."""

    def __init__(self, log: Path) -> None:
        super().__init__(python(Path(unity_bridge.__file__), str(log)), "--max-tokens", "20000")
        self.log = log

    def told(self, tool: str, /, **arguments: Any) -> Any:
        """The first text of an answer, as JSON."""
        return json.loads(self.text(tool, **arguments).partition("\n")[0])

    def logged(self, sign: str) -> list[bytes]:
        """The lines that the bridge read (>) or wrote (<)."""
        return [line[2:] for line in self.log.read_bytes().splitlines(keepends=True) if line.startswith(sign.encode())]


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[Bridge]:
    with Bridge(tmp_path / "bridge.log") as bridge:
        bridge.open()
        yield bridge


def test_a_call_that_creates_passes_untouched_in_both_directions(bridge: Bridge) -> None:
    params = json.dumps({"name": "manage_gameobject", "arguments": CREATE}, ensure_ascii=False, indent=None)
    bridge.expect(71)
    bridge.send(f'{{"jsonrpc": "2.0", "id": 71, "method": "tools/call", "params": {params}}}\n'.encode())
    assert bridge.answer(71)["result"]["structuredContent"]["data"]["name"] == CREATE["name"]
    assert params.encode() in bridge.logged(">")[-1]
    assert json.loads(bridge.logged("<")[-1])["result"] == bridge.answer(71)["result"]
    result = bridge.logged("<")[-1].partition(b'"result": ')[2].rstrip(b"}\n")
    assert any(result in line for line in bridge.lines)


def test_what_is_changed_is_changed_in_the_editor_and_seen_in_the_next_hierarchy(bridge: Bridge) -> None:
    told = bridge.told("manage_gameobject", action="modify", target="Crate (7)", name="Treasure", set_active=False)
    assert (told["success"], told["data"]["name"]) == (True, "Treasure")
    few = bridge.told("manage_scene", action="get_hierarchy", page_size=10)
    assert [one["name"] for one in few["data"]["items"] if not one["activeSelf"]] == ["Treasure"]


def test_a_refusal_of_the_editor_passes_too(bridge: Bridge) -> None:
    told = bridge.told("manage_gameobject", action="modify", target="Nobody")
    assert told == {
        "success": False,
        "message": "Unknown action or target: manage_gameobject modify",
        "error": "unknown",
    }


def test_a_large_hierarchy_is_held_and_filtered(bridge: Bridge) -> None:
    notice = bridge.told("manage_scene", action="get_hierarchy", page_size=4_000)
    assert notice["type"] == "buffered_response"
    spheres = '[.data.items[] | select(.componentTypes | index("SphereCollider"))] | length'
    told = bridge.told(FETCH, cache_id=notice["cache_id"], action="filter", jq_filter=spheres)
    assert told["result"] == sum("SphereCollider" in one["componentTypes"] for one in unity_bridge.ITEMS)


def test_a_long_console_is_held_and_counted(bridge: Bridge) -> None:
    notice = bridge.told("read_console", action="get", count=3_000)
    sql = "SELECT type, count(*) AS n FROM items GROUP BY type ORDER BY type"
    told = bridge.told(FETCH, cache_id=notice["cache_id"], action="sql", sql=sql)
    assert told["result"] == [{"type": "Error", "n": 60}, {"type": "Log", "n": 2_940}]


def test_the_tools_of_the_bridge_keep_what_they_say_of_themselves(bridge: Bridge) -> None:
    tools = bridge.request("tools/list")["tools"]
    assert [one["name"] for one in tools] == [*unity_bridge.TOOLS, FETCH]
    assert [one["annotations"]["destructiveHint"] for one in tools[:3]] == [True] * 3


def test_the_configuration_in_the_documentation_runs_penstock_in_front_of_a_command() -> None:
    shown = re.search(r"```json\n(\{\n  \"mcpServers\".*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert shown is not None
    entry = json.loads(shown[1])["mcpServers"]["unity"]
    assert (entry["command"], entry["args"][:2]) == ("penstock", ["run", "--"])
