"""What the API answers is what is held, and looking at it changes nothing."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import StoreError
from penstock.stores import open_store
from tests.kit import ui_store
from tests.kit.answers import head_of
from tests.kit.stores.support import START, Clock, running
from tests.ui.conftest import Browser, browser_of, come_in

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.stores import Store


def test_the_overview_adds_up(browser: Browser) -> None:
    told = browser.get("overview?days=30")
    total = told["total"]
    assert total["calls"] == total["held"] + total["passed"] == sum(one["calls"] for one in told["tools"])
    assert total["tokens_saved"] == sum(one["tokens_saved"] for one in told["tools"])
    assert told["today"] == {name: value for name, value in told["days"][-1].items() if name != "day"}
    assert len(told["days"]) == 30
    assert {one["name"] for one in told["servers"]} == {"plant", "tracker", "files"}
    assert told["has_days"] is True
    assert told["held_now"]["results"] == 5
    assert told["largest"][0]["tokens"] == max(one["tokens"] for one in told["largest"])
    assert told["frequent"][0]["tool"] == "read_file"


def test_results_are_filtered_sorted_and_come_by_windows(browser: Browser, handles: dict[str, str]) -> None:
    everything = browser.get("results")
    assert (everything["total"], everything["matching"], len(everything["results"])) == (5, 5, 5)
    by_rows = browser.get("results?sort=rows")["results"]
    assert [one["rows"] for one in by_rows] == sorted((one["rows"] for one in by_rows), reverse=True)
    tools = [one["tool"] for one in browser.get("results?sort=tool&ascending=1")["results"]]
    assert tools == sorted(tools)
    [one] = browser.get("results?filter=DAM+issues")["results"]
    assert (one["handle"], one["reads"], one["server"], one["owner"]) == (
        handles["issues"],
        7,
        "tracker",
        "local:5e5e5e5e",
    )
    assert browser.get("results?filter=nothing-has-this")["matching"] == 0
    assert [one["tool"] for one in browser.get("results?sort=tool&ascending=1&start=1&count=2")["results"]] == tools[
        1:3
    ]


def test_a_result_has_what_the_model_read_and_its_tables(browser: Browser, handles: dict[str, str]) -> None:
    told = browser.get(f"results/{handles['issues']}")
    notice = head_of(told["answer"]["blocks"][0]["text"])
    assert notice["cache_id"] == handles["issues"]
    assert told["answer"]["tokens"] < told["tokens"] / 50
    assert told["tables"][0] == {"name": "items", "path": ".", "rows": 1_240}
    assert told["has_tree"] is True
    assert browser.get(f"results/{handles['log']}")["has_tree"] is False


def test_windows_of_rows_are_the_rows(browser: Browser, handles: dict[str, str]) -> None:
    rows = browser.get(f"results/{handles['rows']}/rows?start=1990&count=50")
    assert (rows["total"], rows["numbers"][0], len(rows["rows"])) == (2_000, 1_991, 10)
    assert rows["rows"][0][rows["columns"].index("id")] == 1_991
    down = browser.get(f"results/{handles['rows']}/rows?sort=id&descending=1&count=3")
    assert down["numbers"] == [2_000, 1_999, 1_998]
    whole = browser.get(f"results/{handles['issues']}/rows/7")
    assert json.loads(whole["json"]) == ui_store.issues(1_240)[6]


def test_lines_branches_profiles_and_coverage(browser: Browser, handles: dict[str, str]) -> None:
    lines = browser.get(f"results/{handles['log']}/lines?start=10&count=2")
    assert lines["lines"] == ui_store.log(4_000).splitlines()[10:12]
    branch = browser.get(f"results/{handles['issues']}/tree?path=.[3].user")
    assert branch["parts"][0]["key"] == "login"
    [table, *_] = browser.get(f"results/{handles['issues']}/profile")["tables"]
    assert [one["name"] for one in table["columns"]][:3] == ["number", "title", "state"]
    told = browser.get(f"results/{handles['issues']}/coverage")
    assert [one["words"].split()[0] for one in told["calls"]] == [
        "get_page",
        "sql",
        "sql",
        "get_page",
        "search",
        "get_page",
        "get_page",
    ]
    assert [one["failed"] for one in told["calls"]].index(True) == 2


def test_a_search_has_its_matches_marked(browser: Browser, handles: dict[str, str]) -> None:
    found = browser.get(f"results/{handles['log']}/search?pattern=error&ignore_case=1")
    assert found["total"] == ui_store.log(4_000).count("ERROR")
    for place in found["places"]:
        [[first, last]] = place["marks"]
        assert place["text"][first:last] == "ERROR"


def test_sql_and_jq_have_the_answers_and_errors_of_the_model(browser: Browser, handles: dict[str, str]) -> None:
    handle = handles["issues"]
    sql = "SELECT state, count(*) AS n FROM items GROUP BY state ORDER BY n DESC"
    found = browser.post(f"results/{handle}/sql", sql=sql)
    assert found["rows"]["columns"] == ["state", "n"]
    assert found["answer"]["is_error"] is False
    shown = head_of(found["answer"]["blocks"][0]["text"])["result"]
    assert [list(row.values()) for row in shown] == found["rows"]["rows"]
    wrong = browser.post(f"results/{handle}/sql", sql="SELECT author FROM items")
    assert wrong["rows"] is None
    assert wrong["answer"]["is_error"] is True
    assert "no such column: author" in wrong["answer"]["blocks"][0]["text"]
    filtered = browser.post(f"results/{handle}/jq", program="[.[].comments] | add")
    assert json.loads(filtered["value"]) == sum(one["comments"] for one in ui_store.issues(1_240))
    broken = browser.post(f"results/{handle}/jq", program=".[")
    assert broken["value"] is None
    assert broken["answer"]["is_error"] is True
    assert browser.post(f"results/{handle}/answer", action="search", pattern="sluice")["answer"]["is_error"] is False


def test_downloads_are_good_once_and_never_shown_by_the_browser(browser: Browser, handles: dict[str, str]) -> None:
    def fetched(**wanted: Any) -> tuple[bytes, str]:
        ticket = browser.post(f"results/{handles['issues']}/downloads", **wanted)["ticket"]
        found = browser.ask("GET", f"/download/{ticket}", x_penstock=None)
        assert found.status == 200
        assert found.headers["content-disposition"].startswith("attachment; ")
        assert browser.ask("GET", f"/download/{ticket}").status == 404
        return found.body, found.headers["content-disposition"]

    body, name = fetched(format="jsonl")
    assert (len(body.splitlines()), name) == (1_240, 'attachment; filename="search-issues.jsonl"')
    body, _ = fetched(format="csv", sort="comments", descending=True)
    assert body.count(b"\n") == 1_241
    assert json.loads(fetched(format="original")[0]) == ui_store.issues(1_240)
    assert json.loads(fetched(format="json", sql="SELECT count(*) AS n FROM items")[0]) == [{"n": 1_240}]


@pytest.mark.parametrize(
    ("path", "status", "what"),
    [
        ("nothing", 404, "there is nothing at GET /api/nothing"),
        ("results/r_none", 404, "there is no held result 'r_none'"),
        ("results/r_none/rows", 400, "there is no held result 'r_none'"),
        ("results/{issues}/nothing", 404, "a result has no 'nothing'"),
        ("results/{issues}/rows?table=absent", 400, "there is no table 'absent'"),
        ("results/{issues}/rows?sort=absent", 400, "SQL: no such column: absent"),
        ("results/{issues}/rows?start=-1", 400, "start is '-1'"),
        ("results/{issues}/rows?count=5000", 400, "count is '5000'"),
        ("results/{issues}/rows/0x", 400, "there is no row '0x'"),
        ("results/{issues}/rows/99999", 400, "there is no row 99,999"),
        ("results/{issues}/tree?path=.absent", 400, "there is no 'absent' in ."),
        ("results/{issues}/search", 400, "pattern is missing"),
        ("results/{issues}/search?pattern=(&regex=1", 400, "the regular expression cannot be read"),
        ("results/{log}/tree", 400, "a text has no parts"),
        ("results?sort=absent", 400, "there is no column 'absent'"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    browser: Browser, handles: dict[str, str], path: str, status: int, what: str
) -> None:
    found = browser.ask("GET", f"/api/{path.format(**handles)}")
    assert found.status == status
    assert found.json["error"]["what"].startswith(what)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"sql": 3}', b'{"sql": " "}', b"x" * 300_000])
def test_bodies_that_are_no_query_are_refused(browser: Browser, handles: dict[str, str], body: bytes) -> None:
    found = browser.ask("POST", f"/api/results/{handles['issues']}/sql", body)
    assert found.status == (413 if len(body) > 9_999 else 400)
    assert browser.ask("POST", f"/api/results/{handles['issues']}/nothing", b"{}").status == 404
    wanted = b'{"format": "exe"}'
    assert browser.ask("POST", f"/api/results/{handles['issues']}/downloads", wanted).status == 400


def test_hostile_bytes_come_as_text_in_json(browser: Browser, handles: dict[str, str]) -> None:
    rows = browser.get(f"results/{handles['hostile']}/rows?count=1")
    assert ui_store.HOSTILE in rows["columns"]
    assert ui_store.HOSTILE in rows["rows"][0]
    found = browser.ask("GET", f"/api/results/{handles['hostile']}/rows?count=1")
    assert found.headers["content-type"] == "application/json"
    assert found.headers["cache-control"] == "no-store"


def test_looking_at_everything_changes_nothing(browser: Browser, store: Store, handles: dict[str, str]) -> None:
    def entries() -> list[Any]:
        return [held.entry for handle in handles.values() if (held := store.look(handle)) is not None]

    before = entries()
    for handle in handles.values():
        for part in ("", "/profile", "/coverage", "/rows", "/lines", "/search?pattern=a", "/rows?sort=id"):
            browser.ask("GET", f"/api/results/{handle}{part}")
        browser.post(f"results/{handle}/jq", program=".")
        browser.post(f"results/{handle}/sql", sql="SELECT * FROM items")
    assert entries() == before
    assert len(before) == 5


def test_results_are_deleted_one_by_one_or_all(tmp_path: Path, sandbox: Sandbox) -> None:
    with open_store(f"sqlite://{tmp_path}/held.db", now=Clock()) as store:
        handles = ui_store.fill(store, Clock())
        browser = come_in(browser_of(store, sandbox))
        assert browser.ask("DELETE", f"/api/results/{handles['log']}").json == {"removed": 1}
        assert browser.ask("DELETE", f"/api/results/{handles['log']}").json == {"removed": 0}
        assert browser.get("results")["total"] == 4
        assert browser.ask("DELETE", "/api/results").json == {"removed": 4}
        told = browser.get("overview")
        assert told["held_now"]["results"] == 0
        assert told["total"]["tokens_saved"] > 0


def test_settings_tell_the_rule_of_each_tool_and_sizes_by_class(browser: Browser) -> None:
    told = browser.get("settings")
    assert told["max_tokens"] == 8_000
    [limit] = [one for one in told["settings"] if one["name"] == "max_tokens"]
    assert limit["value"] == "8000"
    assert {one["tool"] for one in told["tools"]} >= {"search_issues", "read_file"}
    assert 8_000 in told["sizes"]["stops"]
    held = sum(one["held"] for one in told["sizes"]["classes"])
    assert held == sum(one["held"] for one in browser.get("overview?days=90")["days"])


def test_a_stream_tells_when_the_store_changes(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.ui.app.LOOKS", 0.01)
    monkeypatch.setattr("penstock.ui.app.ALIVE", 0.01)
    with open_store(f"sqlite://{tmp_path}/held.db", now=Clock()) as store:
        store.add_counts("tool", calls=1)
        browser = come_in(browser_of(store, sandbox))
        sent = asyncio.run(_stream(browser, browser.cookie, store))
    assert sent[0]["status"] == 200
    text = b"".join(one.get("body", b"") for one in sent[1:])
    assert b": alive" in text
    assert text.count(b"event: changed\ndata: {}\n\n") >= 1


async def _stream(browser: Browser, cookie: str, store: Store) -> list[dict[str, Any]]:
    """What a page hears while a tool is counted, until it has heard of it."""
    sent: list[dict[str, Any]] = []
    heard, alive = asyncio.Event(), asyncio.Event()
    first = [{"type": "http.request"}]

    async def receive() -> dict[str, Any]:
        if first:
            return first.pop()
        await heard.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if b"alive" in message.get("body", b""):
            alive.set()
        if b"changed" in message.get("body", b""):
            heard.set()

    headers = [(b"host", b"127.0.0.1:8807"), (b"x-penstock", b"ui"), (b"cookie", cookie.encode())]
    scope = {"type": "http", "method": "GET", "path": "/api/events", "headers": headers}
    task = asyncio.create_task(browser.app(scope, receive, send))
    await alive.wait()
    await asyncio.to_thread(store.add_counts, "tool", calls=1)
    await task
    return sent


def test_a_store_that_fails_is_said_and_a_mistake_of_ours_is_no_traceback(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Any) -> None:
        raise StoreError("the disk is gone", do="bring it back")

    monkeypatch.setattr("penstock.stores.sqlite.SqliteStore.counts", broken)
    found = browser.ask("GET", "/api/overview")
    assert (found.status, found.json["error"]) == (503, {"what": "the disk is gone", "do": "bring it back"})
    monkeypatch.setattr("penstock.stores.sqlite.SqliteStore.counts", lambda _: 1 / 0)
    found = browser.ask("GET", "/api/overview")
    assert (found.status, found.json["error"]["what"]) == (500, "a mistake in Penstock")
    assert "ZeroDivisionError" in caplog.text


def test_the_page_shows_a_redis_store_too(sandbox: Sandbox) -> None:
    with running() as server, open_store(server.url, now=Clock()) as store:
        handles = ui_store.fill(store, Clock())
        browser = come_in(browser_of(store, sandbox))
        told = browser.get("overview")
        assert told["held_now"]["results"] == 5
        assert told["has_days"] is True
        assert [one["words"].split()[0] for one in browser.get(f"results/{handles['log']}/coverage")["calls"]] == [
            "search",
            "get",
        ]
        assert browser.get(f"results/{handles['rows']}/rows?start=1500&count=1")["numbers"] == [1_501]
        assert browser.ask("DELETE", "/api/results").json == {"removed": 5}


def test_an_empty_store_has_an_overview(tmp_path: Path, sandbox: Sandbox) -> None:
    with open_store(f"sqlite://{tmp_path}/held.db", now=Clock(now=START)) as store:
        browser = come_in(browser_of(store, sandbox))
        told = browser.get("overview")
        assert (told["total"]["calls"], told["has_days"], told["largest"]) == (0, False, [])
        listed = browser.get("results")
        assert (listed["total"], listed["matching"], listed["results"]) == (0, 0, [])
        assert browser.get("settings")["tools"] == []
