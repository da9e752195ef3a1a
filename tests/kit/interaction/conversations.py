"""One scripted conversation per server: everything it offers, small, right and wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.kit.interaction.conversation import ABLE, Step, ask, call, hear, opening

if TYPE_CHECKING:
    from pathlib import Path

LISTS = [ask("tools/list"), ask("resources/list"), ask("resources/templates/list"), ask("prompts/list")]
WRONG = [
    ask("no/such/method"),
    call("no_such_tool", None, a=1),
    Step(method="tools/call", params={}),
    Step(method="ping"),
    ask("resources/read", uri="demo://nowhere"),
    ask("prompts/get", name="no-such-prompt"),
]
ANSWERS: dict[str, dict[str, Any]] = {
    "roots/list": {"roots": [{"uri": "file:///srv/one", "name": "one"}, {"uri": "file:///srv/two"}]},
    "sampling/createMessage": {
        "role": "assistant",
        "content": {"type": "text", "text": "sampled"},
        "model": "none",
        "stopReason": "endTurn",
    },
    "elicitation/create": {"action": "accept", "content": {"name": "Ann", "check": True, "integer": 7}},
}


def with_everything() -> list[Step]:
    document = "demo://resource/static/document/features.md"
    return [
        *opening(**ABLE),
        hear("notifications/message"),  # its word that the roots, which it asks for after a while, have arrived
        *LISTS,
        call("echo", message='ünïcödé 茶 \u2028 "quotes" \\ and a\nnew line'),
        call("get-sum", a=1, b=2.5),
        call("get-sum", a="one", b=2),
        call("get-env"),
        call("get-tiny-image"),
        call("get-annotated-message", messageType="error", includeImage=True),
        call("get-structured-content", location="Chicago"),
        call("get-resource-links", count=4),
        call("get-resource-reference", resourceType="Text", resourceId=3),
        call("gzip-file-as-resource", name="small.gz", data="data:text/plain;base64,aGVsbG8=", outputType="resource"),
        call("trigger-long-running-operation", {"progressToken": "p/1"}, duration=0.05, steps=5),
        call("trigger-long-running-operation", {"progressToken": 7}, duration=0.01, steps=2),
        call("get-roots-list"),
        call("trigger-sampling-request", prompt="say something", maxTokens=5),
        call("trigger-elicitation-request"),
        call("trigger-url-elicitation", url="https://example.org/a", elicitationId="e1"),
        ask("resources/read", uri=document),
        ask("resources/read", uri="demo://resource/dynamic/text/5"),
        ask("resources/read", uri="demo://resource/session/small.gz"),
        ask("prompts/get", name="simple-prompt"),
        ask("prompts/get", name="args-prompt", arguments={"city": "Tromsø", "state": "Troms"}),
        ask("prompts/get", name="resource-prompt", arguments={"resourceType": "Text", "resourceId": "2"}),
        ask("prompts/get", name="args-prompt", arguments={}),
        ask(
            "completion/complete",
            ref={"type": "ref/prompt", "name": "completable-prompt"},
            argument={"name": "department", "value": "S"},
        ),
        ask("logging/setLevel", level="debug"),
        ask("resources/subscribe", uri=document),
        call("toggle-subscriber-updates"),
        call("toggle-subscriber-updates"),
        ask("resources/unsubscribe", uri=document),
        ask("logging/setLevel", level="error"),
        ask("resources/subscribe", uri=document),
        ask("logging/setLevel", level="of no kind"),
        ask("tasks/list"),
        *WRONG,
    ]


def with_filesystem(folder: Path) -> list[Step]:
    guide = str(folder / "docs" / "guide.md")
    return [
        *opening(),
        *LISTS,
        call("list_allowed_directories"),
        call("list_directory", path=str(folder)),
        call("list_directory_with_sizes", path=str(folder / "src"), sortBy="size"),
        call("directory_tree", path=str(folder)),
        call("search_files", path=str(folder), pattern="**/*.json"),
        call("read_text_file", path=guide),
        call("read_text_file", path=guide, head=2),
        call("read_file", path=str(folder / "src" / "main.py"), tail=1),
        call("read_multiple_files", paths=[guide, str(folder / "nowhere.txt")]),
        call("read_media_file", path=str(folder / "pixel.png")),
        call("write_file", path=str(folder / "new.txt"), content="written\n"),
        call("create_directory", path=str(folder / "made")),
        call("edit_file", path=guide, edits=[{"oldText": "One line.", "newText": "Another."}], dryRun=True),
        call("read_text_file", path=str(folder / "nowhere.txt")),
        call("read_text_file", path=str(folder.parent.parent)),
        call("read_text_file", path=7),
        *WRONG,
    ]


def with_memory() -> list[Step]:
    entity = {"name": "Ann", "entityType": "person", "observations": ["likes 茶"]}
    relation = {"from": "Ann", "to": "node1", "relationType": "knows"}
    return [
        *opening(),
        *LISTS,
        ask("resources/subscribe", uri="memory://knowledge-graph"),
        call("create_entities", entities=[entity]),
        call("create_relations", relations=[relation]),
        call("add_observations", observations=[{"entityName": "Ann", "contents": ["new"]}]),
        call("search_nodes", query="Ann"),
        call("open_nodes", names=["Ann", "node1"]),
        call("read_graph"),
        ask("resources/read", uri="memory://knowledge-graph"),
        call("delete_observations", deletions=[{"entityName": "Ann", "observations": ["new"]}]),
        call("delete_relations", relations=[relation]),
        call("delete_entities", entityNames=["Ann"]),
        call("add_observations", observations=[{"entityName": "nobody", "contents": ["x"]}]),
        call("create_entities", entities="wrong"),
        *WRONG,
    ]


def git_requests(repository: Path) -> list[Step]:
    """The same in both eras, which is why there is no opening."""
    where = {"repo_path": str(repository)}
    return [
        *LISTS,
        call("git_status", **where),
        call("git_log", max_count=3, **where),
        call("git_show", revision="HEAD", **where),
        call("git_diff", target="HEAD~1", context_lines=1, **where),
        call("git_diff_unstaged", **where),
        call("git_diff_staged", **where),
        call("git_branch", branch_type="local", **where),
        call("git_add", files=["src/file1.txt"], **where),
        call("git_log", start_timestamp="2026-09-21", **where),
        call("git_show", revision="nope", **where),
        call("git_status", repo_path=str(repository.parent)),
        call("git_log", max_count="many", **where),
        *WRONG,
    ]
