"""Several upstreams behind one connection: each line goes where it belongs, and every request is answered once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import __version__
from penstock.protocol.combine.router import Back, Restart, Router, Sent, To
from penstock.protocol.combine.routes import MOST_TASKS
from penstock.protocol.commands import Note
from penstock.protocol.wire.lines import TooLong

META = "io.modelcontextprotocol/"
MODERN = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}
SUBSCRIPTION = f"{META}subscriptionId"


class Scene:
    """Two upstreams that answer as a table says, and a client that hears the rest."""

    def __init__(self, *tools: list[str], pages: bool = False, modern: int = 0, names: str = "abc") -> None:
        """The first ``modern`` upstreams know the modern era."""
        self.router = Router(list(names[: len(tools)]))
        self.tools = tools
        self.pages = pages
        self.modern = modern
        self.noted: list[str] = []
        self.restarted: list[int] = []
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
            if isinstance(one, Note):
                self.noted.append(one.text)
                continue
            if isinstance(one, Restart):
                self.restarted.append(one.upstream)
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
            case "server/discover":
                if upstream >= self.modern:
                    return {"error": {"code": -32601, "message": "Method not found"}}
                versions = ["2026-07-28", "2027-01-01"][: 1 if upstream else 2]
                told = {"supportedVersions": versions, "capabilities": {"tools": {str(upstream): True}}}
                info = {f"{META}serverInfo": {"name": f"s{upstream}", "version": "1"}}
                return {"result": {**told, "_meta": info, "resultType": "complete", "ttlMs": 5, "cacheScope": "public"}}
            case "subscriptions/listen":
                return None
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


METHODS = [
    *("initialize", "server/discover", "tools/list", "tools/call", "prompts/get", "resources/read", "tasks/get"),
    *("completion/complete", "subscriptions/listen", "logging/setLevel", "ping", "notifications/cancelled"),
    *("notifications/subscriptions/acknowledged", "notifications/tools/list_changed", "odd/thing"),
]
ODD = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["same", "a:b", "2026-07-28", "\ud800"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["name", "uri", "tools", "resources", "_meta", "taskId", "capabilities", "ref", "code"]),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(0, 3),
        "method": st.sampled_from(METHODS),
        "params": st.one_of(ODD, st.just({"_meta": MODERN, "requestId": 1, "name": "same"})),
        "result": ODD,
        "error": ODD,
    },
)


@given(st.lists(st.tuples(st.integers(-1, 1), MESSAGES), max_size=12))
def test_whatever_either_side_says_only_lines_and_notes_come_of_it(said: list[tuple[int, dict[str, Any]]]) -> None:
    router = Router(["a", "b"])
    learned: list[Sent] = []
    for who, message in said:
        text = json.dumps(message).encode() + b"\n"
        sent = router.client_sent(text) if who < 0 else router.upstream_sent(who, text)
        for one in sent:
            assert isinstance(one, To | Back | Restart | Note)
        learned += [one for one in sent if isinstance(one, To) and b"penstock-learns" in one.line]
        while learned:  # what the router asks for itself is answered, oddly
            asked = learned.pop()
            assert isinstance(asked, To)
            key = json.loads(asked.line)["id"]
            answer = json.dumps({"id": key, "result": message.get("result")}).encode()
            more = router.upstream_sent(asked.upstream, answer)
            learned += [one for one in more if isinstance(one, To) and b"penstock-learns" in one.line]
    router.upstream_ended(0, "ended")
    router.upstream_ended(1, "ended")
    assert not router.is_asked


def line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def lines(sent: list[Sent]) -> list[dict[str, Any]]:
    return [json.loads(one.line) for one in sent if isinstance(one, Back | To)]


def test_greetings_are_put_together_in_the_oldest_version() -> None:
    [told] = Scene([], []).say(id=1, method="initialize", params={})
    assert told["id"] == 1
    assert told["result"]["capabilities"] == {"tools": {"0": True, "1": True}}
    assert told["result"]["protocolVersion"] == "2025-03"
    assert told["result"]["instructions"] == "use 0\n\nuse 1"
    assert told["result"]["serverInfo"] == {"name": "penstock-gather", "title": "s0, s1", "version": __version__}


def test_one_server_is_asked_for_tools_that_it_does_not_list() -> None:
    [called] = Scene([]).say(id=1, method="tools/call", params={"name": "hidden"})
    assert called["result"]["by"] == 0


def test_one_server_keeps_its_own_name_and_version() -> None:
    [told] = Scene([]).say(id=1, method="initialize", params={})
    assert told["result"]["serverInfo"] == {"name": "s0"}


def test_the_modern_era_is_spoken_where_all_know_it() -> None:
    scene = Scene(["one"], ["two"], modern=2)
    [told] = scene.say(id=1, method="server/discover", params={"_meta": MODERN})
    assert told["result"] == {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {"0": True, "1": True}},
        "_meta": {f"{META}serverInfo": {"name": "penstock-gather", "title": "s0, s1", "version": __version__}},
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    }
    [called] = scene.say(id=2, method="tools/call", params={"name": "two", "_meta": MODERN})
    assert called["result"]["by"] == 1


@pytest.mark.parametrize("modern", [0, 1])
def test_where_one_does_not_know_the_modern_era_a_client_is_told_to_greet_in_the_legacy_one(modern: int) -> None:
    scene = Scene(["one"], ["two"], modern=modern)
    [told] = scene.say(id=1, method="server/discover", params={"_meta": MODERN})
    assert told["error"]["code"] == -32022
    assert told["error"]["data"]["requested"] == "2026-07-28"
    assert "2025-11-25" in told["error"]["data"]["supported"]
    assert "error" in scene.say(id=2, method="tools/list", params={"_meta": MODERN})[0]
    assert scene.say(id=3, method="initialize", params={})[0]["result"]["protocolVersion"] == "2025-03"
    assert scene.restarted == [0] * modern
    scene.say(id=3, method="initialize", params={})
    assert scene.restarted == [0] * modern
    assert scene.say(id=4, method="tools/call", params={"name": "two"})[0]["result"]["by"] == 1


@pytest.mark.parametrize("modern", [1, 2])
def test_a_modern_request_before_any_discovery_is_answered_once_the_era_is_known(modern: int) -> None:
    scene = Scene(["one"], ["two"], modern=modern)
    [told] = scene.say(id=1, method="tools/call", params={"name": "two", "_meta": {**MODERN, "progressToken": 1}})
    assert told["id"] == 1
    assert ("result" in told) == (modern == 2)
    assert scene.asked[0][1]["method"] == "server/discover"
    assert scene.asked[0][1]["params"] == {"_meta": MODERN}


def test_upstreams_without_a_version_in_common_do_not_speak_the_modern_era() -> None:
    router = Router(["a", "b"])
    router.client_sent(line({"id": 1, "method": "server/discover"}))
    router.upstream_sent(0, line({"id": 1, "result": {"supportedVersions": ["2026-07-28"]}}))
    [told] = lines(router.upstream_sent(1, line({"id": 1, "result": {"supportedVersions": "2026"}})))
    assert told["error"]["code"] == -32022


def test_who_listens_to_all_hears_once_what_it_will_be_told_of() -> None:
    scene = Scene([], [], [], modern=3)
    scene.say(id=1, method="server/discover", params={"_meta": MODERN})
    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["a", "b"]}
    assert scene.say(id=7, method="subscriptions/listen", params={"_meta": MODERN, "notifications": wanted}) == []
    meta = {"_meta": {SUBSCRIPTION: 7}}
    acknowledged = {"method": "notifications/subscriptions/acknowledged"}
    first = {**meta, "notifications": {"toolsListChanged": True, "resourceSubscriptions": ["a"]}}
    second = {**meta, "notifications": {"toolsListChanged": False, "resourceSubscriptions": ["a", "b"]}}
    assert scene.tell(0, **acknowledged, params=first) == []
    assert scene.tell(2, id=7, error={"code": -32601, "message": "no subscriptions"}) == []
    [told] = scene.tell(1, **acknowledged, params=second)
    assert told["params"] == {**meta, "notifications": wanted}
    assert scene.tell(1, **acknowledged, params=second) == []
    assert len(scene.tell(1, method="notifications/tools/list_changed", params=meta)) == 1
    assert scene.tell(0, id=7, result={**meta, "resultType": "complete"}) == []
    [ended] = scene.tell(1, id=7, result={**meta, "resultType": "complete"})
    assert (ended["id"], ended["result"]["_meta"]) == (7, {SUBSCRIPTION: 7})


def test_a_subscription_is_taken_back_from_all() -> None:
    scene = Scene([], [], modern=2)
    scene.say(id=1, method="server/discover", params={"_meta": MODERN})
    scene.say(id=7, method="subscriptions/listen", params={"_meta": MODERN, "notifications": {}})
    scene.asked = []
    scene.say(method="notifications/cancelled", params={"requestId": 7})
    assert [at for at, _ in scene.asked] == [0, 1]
    stray = {"_meta": {SUBSCRIPTION: 7}, "notifications": {}}
    assert len(scene.tell(0, method="notifications/subscriptions/acknowledged", params=stray)) == 1


def test_an_answer_to_what_another_upstream_was_asked_is_dropped() -> None:
    scene = Scene(["silent"], ["two"])
    scene.say(id=1, method="tools/call", params={"name": "silent"})
    assert scene.tell(1, id=1, result={"content": "forged"}) == []
    assert scene.tell(1, result={}) == []
    assert "'b' answered request 1, which it was not asked" in scene.noted[0]
    assert scene.tell(0, id=1, result={"content": "true"})[0]["result"] == {"content": "true"}
    assert scene.tell(0, id=1, result={"content": "again"}) == []


def test_what_is_missing_from_a_list_is_noted() -> None:
    router = Router(["a", "b"])
    router.client_sent(line({"id": 1, "method": "tools/list"}))
    router.upstream_sent(0, line({"id": 1, "result": {"tools": [{"name": "x"}]}}))
    note, told = router.upstream_sent(1, line({"id": 1, "error": {"code": -32603, "message": "HTTP 401"}}))
    assert note == Note("warning", "the server 'b' is missing from tools/list: HTTP 401")
    assert [tool["name"] for tool in lines([told])[0]["result"]["tools"]] == ["x"]


@pytest.mark.parametrize("result", [{"tools": 1}, {"tools": [1, None, {"title": "no name"}]}, [], {}, "text", None])
def test_a_list_that_is_none_takes_nothing_from_the_others(result: Any) -> None:
    router = Router(["a", "b"])
    router.client_sent(line({"id": 1, "method": "tools/list"}))
    router.upstream_sent(0, line({"id": 1, "result": result}))
    [told] = lines(router.upstream_sent(1, line({"id": 1, "result": {"tools": [{"name": "x"}]}})))
    assert {"name": "x"} in told["result"]["tools"]


def test_prefixes_are_short_plain_and_different_and_so_are_the_names() -> None:
    long = "a very long name of a server"
    router = Router([f"{long} 1", f"{long} 2", "\u00fc", "c"])
    router.client_sent(line({"id": 1, "method": "tools/list"}))
    for at in range(3):
        router.upstream_sent(at, line({"id": 1, "result": {"tools": [{"name": "same"}]}}))
    [told] = lines(router.upstream_sent(3, line({"id": 1, "result": {"tools": [{"name": "server_same"}]}})))
    names = [tool["name"] for tool in told["result"]["tools"]]
    assert names == ["a-very-long-name-of_same", "a-very-long-name-of2_same", "server_same2", "server_same"]
    [sent] = router.client_sent(line({"id": 2, "method": "tools/call", "params": {"name": "server_same2"}}))
    assert isinstance(sent, To)
    assert (sent.upstream, json.loads(sent.line)["params"]["name"]) == (2, "same")


def test_a_line_too_long_to_keep_is_an_error_for_whoever_waits_for_it() -> None:
    scene = Scene(["silent"], ["two"])
    scene.say(id=1, method="tools/call", params={"name": "silent"})
    long = TooLong(head=b'{"jsonrpc":"2.0","id":1,"result":', tail=b"}", size=2_000_000_000)
    assert isinstance(scene.router.upstream_overflowed(1, long)[0], Note)
    [told] = lines(scene.router.upstream_overflowed(0, long))
    assert told["error"]["message"] == "the server 'a' sent 2,000,000,000 bytes in one message; narrow the call"
    assert isinstance(scene.router.upstream_overflowed(0, long)[0], Note)
    router = Router(["a", "b"])
    router.client_sent(line({"id": 1, "method": "tools/list"}))
    assert router.upstream_overflowed(0, long) == []
    note, listed = router.upstream_sent(1, line({"id": 1, "result": {"tools": [{"name": "x"}]}}))
    assert isinstance(note, Note)
    assert lines([listed])[0]["result"]["tools"] == [{"name": "x"}]


def test_a_long_response_is_claimed_by_its_ends_once_and_for_its_own_server_alone() -> None:
    scene = Scene(["silent"], ["two"])
    scene.say(id=1, method="tools/call", params={"name": "silent"})
    ends = b'{"result":{"content":[', b'"}]},"id":1}\n'
    assert not scene.router.answers(1, *ends)
    assert not scene.router.answers(0, ends[0], b'"}]},"id":2}')
    assert not scene.router.answers(0, ends[0], b"...")
    assert scene.router.answers(0, *ends)
    assert not scene.router.answers(0, *ends)


def test_a_batch_is_as_good_as_its_messages_and_noise_passes() -> None:
    scene = Scene(["one"], ["two"])
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "two"}}
    scene._carry_out(scene.router.client_sent(json.dumps([{**call, "id": 1}, {**call, "id": 2}]).encode() + b"\n"))
    assert [(one["id"], one["result"]["by"]) for one in scene.heard] == [(1, 1), (2, 1)]
    router = Router(["a"])
    assert router.upstream_sent(0, b"listening on port 3\n") == [Back(b"listening on port 3\n")]
    assert router.upstream_sent(0, b"\n") == []
    told = router.upstream_sent(0, b'[{"jsonrpc":"2.0","method":"notifications/message"}]\n')
    assert told == [Back(b'{"jsonrpc":"2.0","method":"notifications/message"}')]


def test_a_question_that_is_taken_back_is_taken_back_under_the_id_that_the_client_knows() -> None:
    scene = Scene([], [])
    [asked] = scene.tell(0, id=5, method="sampling/createMessage")
    scene.tell(1, id=5, method="sampling/createMessage")
    [told] = scene.tell(0, method="notifications/cancelled", params={"requestId": 5, "reason": "late"})
    assert told["params"] == {"requestId": asked["id"], "reason": "late"}
    scene.asked = []
    scene.say(id=asked["id"], result={})
    assert scene.asked == []
    assert scene.tell(0, method="notifications/cancelled", params={"requestId": 99}) == []


def test_an_upstream_that_ended_is_answered_nothing() -> None:
    scene = Scene([], [])
    [asked] = scene.tell(0, id=5, method="sampling/createMessage")
    scene.router.upstream_ended(0, "exited")
    assert scene.say(id=asked["id"], result={}) == []
    assert scene.asked == []


def test_a_request_that_is_taken_back_before_it_is_known_where_it_goes_is_not_sent() -> None:
    router = Router(["a"])
    [learns] = router.client_sent(line({"id": 1, "method": "tools/call", "params": {"name": "one"}}))
    assert router.client_sent(line({"method": "notifications/cancelled", "params": {"requestId": 1}})) == []
    assert isinstance(learns, To)
    key = json.loads(learns.line)["id"]
    assert router.upstream_sent(0, line({"id": key, "result": {"tools": [{"name": "one"}]}})) == []


def test_the_oldest_tasks_are_forgotten() -> None:
    router = Router(["a"])
    router.client_sent(line({"id": 1, "method": "tasks/list"}))
    tasks = [{"taskId": f"t{number}"} for number in range(MOST_TASKS + 1)]
    router.upstream_sent(0, line({"id": 1, "result": {"tasks": tasks}}))
    [told] = router.client_sent(line({"id": 2, "method": "tasks/get", "params": {"taskId": "t1"}}))
    assert isinstance(told, To)
    [gone] = router.client_sent(line({"id": 3, "method": "tasks/get", "params": {"taskId": "t0"}}))
    assert isinstance(gone, Back)


def test_a_resource_that_nobody_listed_goes_where_those_like_it_are() -> None:
    router = Router(["a", "b"])
    router.client_sent(line({"id": 1, "method": "resources/list"}))
    router.upstream_sent(0, line({"id": 1, "result": {"resources": [{"uri": "file:///x/1"}, {"uri": "zip://q"}]}}))
    router.upstream_sent(1, line({"id": 1, "result": {"resources": [{"uri": "file:///"}]}}))
    router.client_sent(line({"id": 2, "method": "resources/templates/list"}))
    router.upstream_sent(0, line({"id": 2, "result": {"resourceTemplates": []}}))
    router.upstream_sent(1, line({"id": 2, "result": {"resourceTemplates": []}}))
    [sent] = router.client_sent(line({"id": 3, "method": "resources/read", "params": {"uri": "file:///x/2"}}))
    assert isinstance(sent, To)
    assert sent.upstream == 0
    [told] = lines(router.client_sent(line({"id": 4, "method": "resources/read", "params": {"uri": "http://y"}})))
    assert told["error"]["code"] == -32002


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
    key = lines(first)[0]["id"]
    assert router.upstream_sent(0, line({"id": key, "result": {"tools": [{"name": "one"}]}})) == []
    sent = router.upstream_sent(1, line({"id": key, "result": {"tools": []}}))
    assert [one["id"] for one in lines(sent)] == [1, 2]


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
    [told] = lines(scene.router.upstream_ended(0, "exited with code 3"))
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
    [told] = lines(router.upstream_ended(1, "was killed"))
    assert [tool["name"] for tool in told["result"]["tools"]] == ["x"]


def test_without_any_upstream_every_request_is_an_error() -> None:
    router = Router(["a"])
    router.upstream_ended(0, "could not be started")
    [told] = lines(router.client_sent(line({"id": 1, "method": "initialize"})))
    assert "error" in told
    [told] = lines(router.client_sent(line({"id": 2, "method": "tools/call", "params": {"name": "x"}})))
    assert "error" in told


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
