"""Several upstreams behind one connection: each line goes where it belongs, and every request is answered once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.protocol.router import Back, Router, To

CLIENT = -1


class Scene:
    """Two upstreams that answer as a table says, and a client that hears the rest."""

    def __init__(self, *tools: list[str], pages: bool = False) -> None:
        self.router = Router([chr(ord("a") + at) for at in range(len(tools))])
        self.tools = tools
        self.pages = pages
        self.heard: list[dict[str, Any]] = []
        self.asked: list[tuple[int, dict[str, Any]]] = []

    def say(self, **message: Any) -> list[dict[str, Any]]:
        """What the client hears after this, with all upstreams answering at once."""
        self.heard = []
        self._carry_out(self.router.client_sent(line(message)))
        return self.heard

    def tell(self, upstream: int, **message: Any) -> list[dict[str, Any]]:
        self.heard = []
        self._carry_out(self.router.upstream_sent(upstream, line(message)))
        return self.heard

    def _carry_out(self, sent: list[Any]) -> None:
        for one in sent:
            if isinstance(one, Back):
                self.heard.append(json.loads(one.line))
                continue
            assert isinstance(one, To)
            message = json.loads(one.line)
            self.asked.append((one.upstream, message))
            if "id" in message and "method" in message and (result := self._answer(one.upstream, message)):
                self._carry_out(self.router.upstream_sent(one.upstream, line({"id": message["id"], **result})))

    def _answer(self, upstream: int, message: dict[str, Any]) -> dict[str, Any] | None:
        params = message.get("params", {})
        match message["method"]:
            case "initialize":
                told = {"protocolVersion": f"2025-0{upstream + 3}", "capabilities": {"tools": {str(upstream): True}}}
                return {"result": {**told, "serverInfo": {"name": f"s{upstream}"}, "instructions": f"use {upstream}"}}
            case "tools/list":
                names = self.tools[upstream]
                if self.pages and len(names) > 1 and "cursor" not in params:
                    return {"result": {"tools": [{"name": names[0]}], "nextCursor": "more"}}
                shown = names[1:] if "cursor" in params else names
                return {"result": {"tools": [{"name": name} for name in shown]}}
            case "prompts/list":
                return {"error": {"code": -32601, "message": "no prompts"}}
            case "resources/list":
                return {"result": {"resources": [{"uri": f"res://{upstream}/x"}]}}
            case "resources/templates/list":
                return {"result": {"resourceTemplates": [{"uriTemplate": f"tmpl://{upstream}/{{id}}"}]}}
            case "tools/call" | "resources/read" | "completion/complete" | "tasks/get":
                if params.get("name") == "silent":
                    return None
                task = {"task": {"taskId": f"t{upstream}"}} if params.get("name") == "long" else {}
                return {"result": {"by": upstream, "name": params.get("name"), **task}}
        return {"result": {}}


def line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def test_greetings_are_put_together_in_the_oldest_version() -> None:
    [told] = Scene([], []).say(id=1, method="initialize", params={})
    assert told["id"] == 1
    assert told["result"]["capabilities"] == {"tools": {"0": True, "1": True}}
    assert told["result"]["protocolVersion"] == "2025-03"
    assert told["result"]["instructions"] == "use 0\n\nuse 1"
    assert told["result"]["serverInfo"]["name"] == "s0+s1"


def test_clients_of_the_modern_era_are_asked_to_speak_as_the_legacy_one() -> None:
    [told] = Scene([], []).say(id=1, method="server/discover", params={})
    assert told["error"]["code"] == -32601


def test_only_names_that_two_have_get_their_upstream_s_name() -> None:
    scene = Scene(["same", "one"], ["same", "two"])
    [told] = scene.say(id=1, method="tools/list")
    assert [tool["name"] for tool in told["result"]["tools"]] == ["a_same", "one", "b_same", "two"]
    for name, upstream, own in [("a_same", 0, "same"), ("b_same", 1, "same"), ("two", 1, "two")]:
        [called] = scene.say(id=name, method="tools/call", params={"name": name, "arguments": {"n": 1}})
        assert (called["id"], called["result"]) == (name, {"by": upstream, "name": own})
    assert scene.asked[-1][1]["params"]["arguments"] == {"n": 1}


def test_all_pages_of_all_lists_are_one_list() -> None:
    [told] = Scene(["x", "y", "z"], ["v"], pages=True).say(id=1, method="tools/list", params={"_meta": {"k": 1}})
    assert [tool["name"] for tool in told["result"]["tools"]] == ["x", "y", "z", "v"]
    assert "nextCursor" not in told["result"]


def test_a_call_before_any_list_finds_its_way() -> None:
    scene = Scene(["one"], ["two"])
    [told] = scene.say(id=7, method="tools/call", params={"name": "two", "_meta": {"progressToken": 1, "v": "w"}})
    assert (told["id"], told["result"]["by"]) == (7, 1)
    assert {message["method"] for _, message in scene.asked} == {"tools/list", "tools/call"}
    assert scene.asked[0][1]["params"] == {"_meta": {"v": "w"}}


def test_two_calls_before_any_list_ask_for_it_once() -> None:
    router = Router(["a", "b"])
    first = router.client_sent(line({"id": 1, "method": "tools/call", "params": {"name": "one"}}))
    assert [type(one) for one in first] == [To, To]
    assert router.client_sent(line({"id": 2, "method": "tools/call", "params": {"name": "one"}})) == []
    key = json.loads(first[0].line)["id"]
    assert router.upstream_sent(0, line({"id": key, "result": {"tools": [{"name": "one"}]}})) == []
    sent = router.upstream_sent(1, line({"id": key, "result": {"tools": []}}))
    assert [json.loads(one.line)["id"] for one in sent] == [1, 2]


def test_a_name_that_nobody_has_is_an_error() -> None:
    [told] = Scene(["one"], []).say(id=1, method="tools/call", params={"name": "other"})
    assert told["error"] == {"code": -32602, "message": "Unknown tool: other"}
    [told] = Scene(["one"], []).say(id=1, method="prompts/get", params={"name": "other"})
    assert told["error"]["message"] == "Unknown prompt: other"


@pytest.mark.parametrize(
    ("method", "params", "upstream"),
    [
        ("resources/read", {"uri": "res://1/x"}, 1),
        ("resources/read", {"uri": "tmpl://1/77"}, 1),
        ("resources/read", {"uri": "res://0/unlisted"}, 0),
        ("completion/complete", {"ref": {"uri": "tmpl://1/{id}"}}, 1),
    ],
)
def test_a_resource_is_read_where_it_was_listed(method: str, params: dict[str, Any], upstream: int) -> None:
    [told] = Scene([], []).say(id=1, method=method, params=params)
    assert told["result"]["by"] == upstream


def test_a_task_is_asked_for_where_it_was_made() -> None:
    scene = Scene(["one"], ["long"])
    scene.say(id=1, method="tools/call", params={"name": "long"})
    [told] = scene.say(id=2, method="tasks/get", params={"taskId": "t1"})
    assert told["result"]["by"] == 1
    [told] = scene.say(id=3, method="tasks/get", params={"taskId": "unknown"})
    assert told["error"]["code"] == -32601


def test_questions_of_two_upstreams_with_one_id_are_answered_each() -> None:
    scene = Scene([], [])
    [first] = scene.tell(0, id=5, method="sampling/createMessage", params={"of": "a"})
    [second] = scene.tell(1, id=5, method="sampling/createMessage", params={"of": "b"})
    assert first["id"] != second["id"]
    scene.asked = []
    assert scene.say(id=second["id"], result={"words": 2}) == []
    scene.say(id=first["id"], result={"words": 1})
    assert [(at, one["id"], one["result"]) for at, one in scene.asked] == [(1, 5, {"words": 2}), (0, 5, {"words": 1})]
    assert scene.say(id="unknown", result={}) == []


def test_notifications_go_to_all_and_cancels_to_whom_they_concern() -> None:
    scene = Scene(["silent"], ["two"])
    scene.say(method="notifications/initialized")
    assert [at for at, _ in scene.asked] == [0, 1]
    scene.say(id=1, method="tools/call", params={"name": "silent"})
    scene.asked = []
    scene.say(method="notifications/cancelled", params={"requestId": 1})
    scene.say(method="notifications/cancelled", params={"requestId": 99})
    assert [at for at, _ in scene.asked] == [0]


def test_what_an_upstream_tells_unasked_passes_and_a_changed_list_is_asked_for_again() -> None:
    scene = Scene(["one"], ["two"])
    scene.say(id=1, method="tools/list")
    [told] = scene.tell(1, method="notifications/tools/list_changed")
    assert told["method"] == "notifications/tools/list_changed"
    scene.tools[1].append("three")
    [called] = scene.say(id=2, method="tools/call", params={"name": "three"})
    assert called["result"]["by"] == 1


def test_ping_is_answered_here_and_a_log_level_is_for_all() -> None:
    scene = Scene([], [])
    assert scene.say(id=1, method="ping") == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    assert scene.asked == []
    assert scene.say(id=2, method="logging/setLevel", params={"level": "info"})[0]["result"] == {}
    assert len(scene.asked) == 2


def test_when_one_upstream_ends_the_others_go_on() -> None:
    scene = Scene(["silent"], ["two"])
    scene.say(id=1, method="tools/call", params={"name": "silent"})
    [told] = [json.loads(one.line) for one in scene.router.upstream_ended(0, "exited with code 3")]
    assert told == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32603, "message": "the server 'a' exited with code 3"},
    }
    [listed] = scene.say(id=2, method="tools/list")
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["two"]
    [told] = scene.say(id=3, method="resources/read", params={"uri": "res://1/x"})
    assert told["result"]["by"] == 1


def test_who_waits_for_all_does_not_wait_for_one_that_has_ended() -> None:
    router = Router(["a", "b"])
    router.client_sent(line({"id": 1, "method": "tools/list"}))
    assert router.upstream_sent(0, line({"id": 1, "result": {"tools": [{"name": "x"}]}})) == []
    [told] = router.upstream_ended(1, "was killed")
    assert [tool["name"] for tool in json.loads(told.line)["result"]["tools"]] == ["x"]


def test_without_any_upstream_every_request_is_an_error() -> None:
    router = Router(["a"])
    router.upstream_ended(0, "could not be started")
    [told] = router.client_sent(line({"id": 1, "method": "initialize"}))
    assert "error" in json.loads(told.line)
    [told] = router.client_sent(line({"id": 2, "method": "tools/call", "params": {"name": "x"}}))
    assert "error" in json.loads(told.line)


def test_a_call_to_one_that_has_ended_says_so() -> None:
    scene = Scene(["one"], ["two"])
    scene.say(id=1, method="tools/list")
    scene.router.upstream_ended(1, "was killed")
    [told] = scene.say(id=2, method="tools/call", params={"name": "two"})
    assert told["error"]["message"] == "the server 'b' has ended"


def test_what_is_no_message_hurts_nobody() -> None:
    router = Router(["a"])
    assert router.client_sent(b"garbage\n") == []
    assert router.upstream_sent(0, b"garbage\n") == [Back(b"garbage\n")]
    assert router.upstream_sent(0, line({"result": {}})) == []
