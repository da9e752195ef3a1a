"""Resources, prompts, tasks and errors through a real gate: passed, compacted and held, each in the form of its method,
within its budget, and with nothing lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.protocol.results import open_error, open_result
from penstock.protocol.stand_in import StandIn, read_stand_in
from tests.protocol.gates import ConfigRules, RealGate, fits
from tests.protocol.playbook import Playbook, answer, error, modern, notification, request, text

if TYPE_CHECKING:
    from penstock.query.sandbox import Sandbox

RECORDS = [{"id": number, "name": f"name {number}", "tags": ["a", "b"]} for number in range(2_000)]
PROSE = 'The quick brown fox — "jumps" over 茶, and back.\n' * 1_500
TEXTS = {
    "records": json.dumps(RECORDS),
    "prose": PROSE,
    "one line": "x" * 60_000,
    "rare": "日本語のテキスト。" * 4_000,
    "halves": "cut in the middle \ud83d" * 3_000,
}
URI = "file:///home/user/project/src/main.py"
BUDGETS = [250, 400, 1_000, 2_000, 20_000]
BLOB = "QUJD" * 30_000


class Scene:
    """A playbook with a real gate behind it."""

    def __init__(self, sandbox: Sandbox, config: Config, client: str = "") -> None:
        self.config = config
        self.gate = RealGate(config, sandbox)
        self.play = Playbook(ConfigRules(config=config), self.gate)
        self.client = client
        self.play.asks(request("i", "initialize", clientInfo={"name": client}))
        self.play.answers(answer("i", {"capabilities": {"tools": {}}}))

    def ask(self, method: str, result: Any, **params: Any) -> Any:
        """What the client hears when the upstream answers a request of this method so."""
        self.play.asks(request(1, method, **params))
        self.play.upstream(answer(1, result))
        heard = self.play.heard()
        assert set(heard) == {"jsonrpc", "id", "result"}, heard
        valid(method, heard["result"])
        fits(
            heard["result"]["result"] if "result" in heard["result"] else heard["result"],
            self.config,
            method,
            self.client,
        )
        return heard["result"]

    def is_all_there(self, first: str, whole: str) -> bool:
        """Whether a text passed whole, or is held whole; the many windows of a small budget are not all read."""
        if first == whole:
            return True
        handle = notice_of(first)["cache_id"]
        if self.config.max_tokens >= 1_000:
            return self.gate.windows(handle) == whole
        where, part = self.gate.fetch(action="get", cache_id=handle)["content"]
        return json.loads(where["text"])["total_length"] == len(whole) and whole.startswith(part["text"])

    def resource(self, *contents: dict[str, Any], **members: Any) -> Any:
        return self.ask("resources/read", {"contents": list(contents), **members}, uri=URI)

    def prompt(self, *messages: dict[str, Any], **members: Any) -> Any:
        return self.ask("prompts/get", {"messages": list(messages), **members}, name="p")

    def task(self, **members: Any) -> Any:
        return self.ask("tasks/get", {"taskId": "1", "status": "completed", **members}, taskId="1")


def valid(method: str, result: Any) -> None:
    """The answer is one that a client of this method takes."""
    match method:
        case "tools/call":
            assert result["content"]
            assert all(isinstance(block["type"], str) for block in result["content"])
        case "resources/read":
            assert result["contents"]
            for one in result["contents"]:
                assert one["uri"].partition(":")[2]
                assert isinstance(one.get("text", one.get("blob")), str)
        case "prompts/get":
            assert result["messages"]
            for one in result["messages"]:
                assert one["role"] in ("user", "assistant")
                assert isinstance(one["content"], dict | list)
        case "tasks/get":
            assert isinstance(result["taskId"], str)
            assert isinstance(result["status"], str)
            if "result" in result:
                valid("tools/call", result["result"])
            if "error" in result:
                valid("error", result["error"])
        case "error":
            assert isinstance(result["code"], int)
            assert isinstance(result["message"], str)


def notice_of(first: str) -> Any:
    told = json.loads(first)
    assert told["type"] == "buffered_response"
    assert len(first.splitlines()) == 1
    return told


def message(words: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": words}}


@pytest.fixture
def scene(sandbox: Sandbox) -> Scene:
    return Scene(sandbox, Config(max_tokens=3_000))


# Resources


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("max_tokens", BUDGETS)
def test_a_resource_of_one_text_is_held_within_every_budget(sandbox: Sandbox, name: str, max_tokens: int) -> None:
    scene = Scene(sandbox, Config(max_tokens=max_tokens, preview_tokens=min(max_tokens, 2_000)))
    heard = scene.resource({"uri": URI, "mimeType": "text/plain", "text": TEXTS[name]})
    assert scene.is_all_there(heard["contents"][0]["text"], TEXTS[name])


def test_a_notice_names_its_resource_and_a_preview_is_not_taken_for_it(scene: Scene) -> None:
    heard = scene.resource({"uri": URI, "text": PROSE})
    assert [one["uri"] for one in heard["contents"]] == [URI, "penstock:preview"]
    assert "The quick brown fox" in heard["contents"][1]["text"]
    assert heard.keys() == {"contents"}


def test_a_long_name_of_a_resource_takes_no_room_from_its_notice(scene: Scene) -> None:
    for length in (30, 150, 250):
        uri = f"file:///{'u' * length}"
        heard = scene.resource({"uri": uri, "text": PROSE})["contents"][0]
        assert heard["uri"] == (uri if length == 30 else "penstock:held")
        assert notice_of(heard["text"]).keys() >= {"next", "metadata"}
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
    notice, *_, stub = heard["contents"]
    assert "application/zip" in stub["text"]
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
    assert heard == {**expected, "resultType": "complete", "_meta": {"a": 1}}


def test_what_is_held_for_ever_stays_fresh_for_as_long_as_the_server_says(sandbox: Sandbox) -> None:
    scene = Scene(sandbox, Config(max_tokens=3_000, ttl=None))
    assert scene.resource({"uri": URI, "text": PROSE}, ttlMs=10**12)["ttlMs"] == 10**12


# Prompts


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


# Tasks and errors


@pytest.mark.parametrize("max_tokens", BUDGETS)
def test_the_result_of_a_task_is_held_and_the_task_stays_one(sandbox: Sandbox, max_tokens: int) -> None:
    scene = Scene(sandbox, Config(max_tokens=max_tokens, preview_tokens=min(max_tokens, 2_000)))
    heard = scene.task(createdAt="2026-11-15T00:00:00Z", ttl=60_000, result=text(json.dumps(RECORDS), isError=False))
    assert (heard["taskId"], heard["status"], heard["ttl"]) == ("1", "completed", 60_000)
    assert heard["result"]["isError"] is False
    assert scene.is_all_there(heard["result"]["content"][0]["text"], json.dumps(RECORDS))


def test_what_is_long_beside_the_result_of_a_task_is_held_by_itself(scene: Scene) -> None:
    heard = scene.task(statusMessage=PROSE, unknown=1, result=text("short", _meta={"a": 1}))
    assert heard.keys() == {"taskId", "status", "unknown", "result"}
    stub = heard["result"]["content"][-1]["text"]
    handle = stub.partition("held as ")[2].rstrip("]")
    assert json.loads(scene.gate.windows(handle))["_meta"]["penstock/beside"] == {"statusMessage": PROSE}


def test_the_result_of_a_task_that_fits_without_white_space_is_passed_without_it(scene: Scene) -> None:
    for long in ({}, {"statusMessage": "s" * 400}):
        pretty = text(json.dumps(RECORDS[:50], indent=8), _meta={"a": 1})
        heard = scene.task(**long, result=pretty)
        assert heard.items() >= {"taskId": "1", "status": "completed", **long}.items()
        assert json.loads(heard["result"]["content"][0]["text"]) == RECORDS[:50]
        assert set(heard["result"]["_meta"]) == {"a", "penstock/compacted", "penstock/original_bytes"}


@pytest.mark.parametrize("result", [PROSE, [PROSE], {"a": PROSE}])
def test_a_result_of_a_task_that_is_none_is_held_all_the_same(scene: Scene, result: Any) -> None:
    for long in ({}, {"statusMessage": PROSE}):
        heard = scene.task(**long, result=result)
        notice = notice_of(heard["result"]["content"][0]["text"])
        assert json.loads(scene.gate.windows(notice["cache_id"])) == result


def test_a_task_that_tells_too_much_of_itself_tells_where_it_can_be_read(scene: Scene) -> None:
    heard = scene.ask("tasks/get", {"taskId": "1", "status": "working", "statusMessage": PROSE, "n": 1}, taskId="1")
    assert (heard["taskId"], heard["status"], heard["n"]) == ("1", "working", 1)
    handle = notice_of(heard["statusMessage"])["cache_id"]
    assert json.loads(scene.gate.windows(handle)) == {"statusMessage": PROSE}


def test_a_task_that_failed_with_a_long_error_stays_failed(scene: Scene) -> None:
    failed = {"code": -32_001, "message": f"it broke: {PROSE}", "data": PROSE}
    heard = scene.task(status="failed", error=failed)
    assert heard["error"]["code"] == -32_001
    assert json.loads(scene.gate.windows(heard["error"]["data"]["cache_id"])) == failed


def test_a_task_told_of_unasked_is_held_too(scene: Scene) -> None:
    scene.play.upstream(notification("notifications/tasks", taskId="1", status="completed", result=text(PROSE)))
    heard = scene.play.heard()
    assert heard["method"] == "notifications/tasks"
    valid("tasks/get", heard["params"])
    handle = notice_of(heard["params"]["result"]["content"][0]["text"])["cache_id"]
    assert scene.gate.windows(handle) == PROSE


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("max_tokens", BUDGETS)
def test_an_error_is_held_within_every_budget(sandbox: Sandbox, name: str, max_tokens: int) -> None:
    scene = Scene(sandbox, Config(max_tokens=max_tokens, preview_tokens=min(max_tokens, 2_000)))
    scene.play.asks(request(1, "tools/call", name="t"))
    scene.play.upstream(error(1, -32_001, TEXTS[name], data={"trace": [TEXTS[name]]}))
    heard = scene.play.heard()["error"]
    valid("error", heard)
    fits(heard, scene.config, "t")
    assert heard["code"] == -32_001
    whole = {"code": -32_001, "message": TEXTS[name], "data": {"trace": [TEXTS[name]]}}
    if max_tokens >= 1_000:
        assert json.loads(scene.gate.windows(heard["data"]["cache_id"])) == whole


# All of them


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
