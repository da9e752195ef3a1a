"""``penstock doctor`` as a user meets it: real servers, and one clear line for each that cannot be used."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from rich.console import Console

from penstock.cli import main
from penstock.cli.doctor_check import examine
from penstock.cli.doctor_view import show_report
from penstock.cli.mcp_client import McpClient
from penstock.config import Config, RuleEntry
from penstock.core.tokens.count import count
from penstock.protocol.tools import definition
from penstock.stores import open_store
from tests.kit.command_line import refused
from tests.kit.http_mcp_server import http_server
from tests.kit.mcp_servers import legacy, script, told, tool
from tests.kit.tool_sets import api_tools

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.cli.doctor_check import Report
    from penstock.stores import Store

LISTS = legacy(
    {
        "tools/list": [
            {"tools": [tool("small"), tool("shaped", outputSchema={"type": "object"})], "nextCursor": "2"},
            {"tools": [tool("big_one")]},
        ],
        "resources/list": {"resources": [{"uri": "a:b", "name": "one"}]},
        "prompts/list": {"prompts": [{"name": "p"}, {"name": "q"}]},
    }
)


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite://{tmp_path}/held.db"


def examined(command: list[str], config: Config | None = None, *, times: tuple[float, float] = (0.0, 0.1)) -> Report:
    clock = iter(times)
    with open_store("memory:") as place, McpClient(command, timeout=30) as server:
        return examine(server, place, config or Config(), lambda: next(clock))


def printed(report: Report) -> str:
    out = io.StringIO()
    show_report({**report, "run": "penstock run -- x"}, Console(file=out, width=160))
    return out.getvalue()


def test_the_report_for_machines_has_every_tool_and_calls_none(
    store: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    config = tmp_path / "penstock.toml"
    config.write_text('[rules."big_*"]\nmax_tokens = 900\n')
    command = told(LISTS)
    assert main(["doctor", "--json", "--store", store, "--config", str(config), "--", *command]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["usable"] is True
    assert report["server"]["name"] == "told"
    assert report["server"]["era"] == "legacy"
    assert [one["name"] for one in report["tools"]] == ["small", "shaped", "big_one"]
    assert [one["output_schema"] for one in report["tools"]] == [None, "strip", None]
    assert [one["max_tokens"] for one in report["tools"]] == [20_000, 20_000, 900]
    assert [one["rule"] for one in report["tools"]] == [None, None, "big_*"]
    assert report["totals"]["tokens"] == sum(one["tokens"] for one in report["tools"]) > 0
    assert (report["totals"]["resources"], report["totals"]["prompts"]) == (1, 2)
    added = count(definition("fetch_cached_response")).tokens
    assert report["added"] == {"name": "fetch_cached_response", "tokens": added}
    assert report["store"] == {"place": str(tmp_path / "held.db"), "usable": True, "error": None}
    assert report["problems"] == []
    assert report["command"] == command


def test_the_report_for_people_says_what_penstock_would_do(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    words = ["doctor", "--store", store, "--output-schema", "wrap", "--ttl", "forever", "--", *told(LISTS)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    for part in (
        "told 7",
        "shaped",
        "wrapped",
        "up to 20,000 tokens",
        "No problems found",
        "stored forever",
        "held.db, works",
    ):
        assert part in shown
    assert shown.splitlines()[-1].startswith(
        f"penstock run --ttl forever --store {store} --output-schema wrap {sys.executable} "
    )


def test_what_stands_after_the_dashes_is_the_servers_own(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = """
words = sys.argv[1:]
for line in sys.stdin:
    m = json.loads(line)
    if "id" in m:
        info = {"name": json.dumps(words), "version": ""}
        print(json.dumps({"id": m["id"], "result": {"serverInfo": info, "capabilities": {}}}), flush=True)
"""
    own = ["--json", "-x", "--", "--timeout", "", "a b", "--store"]
    assert main(["doctor", "--json", "--store", store, "--", *script(code), *own]) == 0
    report = json.loads(capsys.readouterr().out)
    assert json.loads(report["server"]["name"]) == own
    assert report["tools"] == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["no-such-command-anywhere"], "there is no such program"),
        (script("sys.stderr.write('bad key\\n'); sys.exit(3)"), "exited with code 3"),
        (script("time.sleep(600)"), "did not answer initialize within 0.5 s"),
        (script("while True: print('la')"), "lines to stdout that are not JSON-RPC: 'la'"),
        (told({"initialize": "hello"}), "is not what it should be"),
    ],
    ids=["missing", "exits", "hangs", "babbles", "nonsense"],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_server_that_cannot_be_used_is_one_clear_line_and_exit_code_1(
    command: list[str], words: str, as_json: bool, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    patience = "0.5" if "sleep" in command[-1] or "while" in command[-1] else "30"
    flags = ["--json"] if as_json else []
    assert main(["doctor", *flags, "--timeout", patience, "--store", store, "--", *command]) == 1
    captured = capsys.readouterr()
    first, *rest = captured.err.splitlines()
    assert first.startswith("penstock: ")
    assert words in first
    assert rest == (["  its stderr: bad key"] if "bad key" in command[-1] else [])
    if as_json:
        report = json.loads(captured.out)
        assert report["usable"] is False
        assert words in report["error"]
    else:
        assert captured.out == ""


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["doctor"], "no server is given; give its command"),
        (["doctor", "--"], "no server is given; give its command"),
        (["doctor", "--", ""], "no server is given; give its command"),
        (["doctor", "--max-tokens", "few", "--", "x"], "--max-tokens"),
        (["doctor", "--store", "sqlite://host/x", "--", "x"], "three slashes"),
    ],
)
def test_bad_use_is_one_clear_line_and_exit_code_2(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("words", [["--timeout", "0"], ["--timeout", "inf"], ["--timeout", "soon"], ["--jsn"]])
def test_options_that_make_no_sense_fail_loudly(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert words[0] in refused(["doctor", *words, "--", "x"], capsys)


def test_a_store_that_cannot_be_used_is_a_problem_and_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "held.db"
    file.write_text("a letter to my aunt, which is no database at all")
    assert main(["doctor", "--store", f"sqlite://{file}", "--", *told(LISTS)]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "does not work" in shown
    assert "is not a SQLite database" in shown
    assert file.read_text().startswith("a letter")


def test_trying_the_store_changes_no_figure(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--store", store, "--", *told(LISTS)]) == 0
    capsys.readouterr()
    assert main(["stats", "--json", "--store", store]) == 0
    assert json.loads(capsys.readouterr().out)["tools"] == []


def test_the_password_of_a_store_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    url = "redis://me:hunter2@127.0.0.1:1/0?timeout=1"
    assert main(["doctor", "--store", url, "--", *told(LISTS)]) == 1
    captured = capsys.readouterr()
    assert "127.0.0.1:1" in captured.out
    assert "--store URL" in captured.out
    assert "hunter2" not in captured.out + captured.err


def test_a_quick_quiet_server_has_no_problems() -> None:
    report = examined(told(LISTS))
    assert report["problems"] == []
    assert report["totals"]["counted_as"] == "claude"


def test_every_problem_of_a_server_is_told() -> None:
    tools = [
        tool("fetch_cached_response"),
        tool("long_" + "n" * 70),
        tool("wordy", description="w" * 2_049),
        tool("twice"),
        tool("twice"),
        {"name": "bare", "description": 7},
        {"title": "nobody"},
        [],
    ]
    answers = legacy({"tools/list": {"tools": tools}}, resources={})
    command = told(answers, noise="Server running on stdio\n", lingers=True)
    problems = "\n".join(examined(command, times=(1.0, 13.5))["problems"])
    for part in (
        "12.5 s",
        "it printed 1 line to stdout that is not JSON-RPC: 'Server running on stdio'",
        "does not end when its stdin is closed",
        "it announces resources, but does not know resources/list",
        'no name: {"title": "nobody"}',
        "no name: []",
        "bare: has no input schema",
        "fetch_cached_response: is also the name of Penstock's own tool",
        "75 characters",
        "wordy: its description has 2,049 characters",
        "twice: is listed twice",
    ):
        assert part in problems


def test_problems_are_shown_without_what_a_terminal_would_obey() -> None:
    report = examined(told(legacy({"tools/list": {"tools": [tool("[red]x\x1b[2J")]}}), noise="\x1b[2Jhello\n"))
    shown = printed(report)
    assert "Worth knowing" in shown
    assert "[red]x�[2J" in shown
    assert "\x1b" not in shown


def test_a_rule_says_when_a_result_is_held() -> None:
    rules = (
        RuleEntry(pattern="small", settings=(("always_hold", True),)),
        RuleEntry(pattern="shaped", settings=(("never_hold", True),)),
    )
    shown = printed(examined(told(LISTS), Config(rules=rules)))
    assert "never: always stored (rule small)" in shown
    assert "always (rule shaped)" in shown
    assert "1, stripped from the list" in shown


@pytest.mark.parametrize("refused", ["tools", "resources", "prompts"])
def test_a_server_is_not_refused_because_one_of_its_lists_fails(refused: str) -> None:
    lists: dict[str, Any] = {f"{what}/list": {what: []} for what in ("tools", "resources", "prompts")}
    lists[f"{refused}/list"] = {"error": {"code": -32603, "message": "connect ECONNREFUSED 127.0.0.1:5432"}}
    report = examined(told(legacy(lists)))
    assert report["problems"] == [
        f"the server refuses {refused}/list: connect ECONNREFUSED 127.0.0.1:5432 (-32603); its {refused} could not be "
        "listed"
    ]


def test_definitions_above_ten_thousand_tokens_are_a_warning() -> None:
    tools = [tool(f"tool_{number}", description="some words about it, " * 90) for number in range(30)]
    report = examined(told(legacy({"tools/list": {"tools": tools}})))
    assert report["totals"]["tokens"] > 10_000
    assert f"cost {report['totals']['tokens']:,} tokens in every conversation" in printed(report)
    few = examined(told(legacy({"tools/list": {"tools": tools[:2]}})))
    assert few["problems"] == []


def test_the_first_lines_of_a_dead_server_are_shown_too(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = (
        "print('no kubeconfig', file=sys.stderr)\nfor n in range(99): print('usage', n, file=sys.stderr)\nsys.exit(1)"
    )
    assert main(["doctor", "--store", store, *script(code)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[1] == "  its stderr: no kubeconfig"
    assert lines[-1] == "  its stderr: usage 98"
    assert "more lines" in lines[9]


LARGE = """
for line in sys.stdin:
    m = json.loads(line)
    text = json.dumps([{"id": number, "city": "Turin"} for number in range(4_000)])
    answers = {
        "initialize": {"serverInfo": {"name": "rows", "version": "1"}, "capabilities": {"tools": {}}},
        "tools/list": {"tools": [{"name": "rows", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": text}]},
    }
    if "id" in m:
        print(json.dumps({"id": m["id"], "result": answers[m["method"]]}), flush=True)
"""


def test_a_call_shows_what_the_model_would_read_and_what_that_costs(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server = script(LARGE)
    assert main(["doctor", "--store", store, "--call", "rows", '{"n": 1}', *server]) == 0
    shown = capsys.readouterr().out
    assert 'rows {"n": 1}' in shown
    assert "stored in full, and answered with a preview: about" in shown
    assert "buffered_response" in shown
    assert '"cache_id"' in shown
    assert main(["doctor", "--json", "--store", store, "--call", "rows", "{}", *server]) == 0
    call = json.loads(capsys.readouterr().out)["call"]
    assert (call["outcome"], call["is_error"]) == ("held", False)
    assert call["tokens_before"] > 20_000 > 2_000 > call["tokens_after"]
    assert "4,000" in call["answer"][0]
    with open_store(store) as kept:  # a trial call leaves nothing behind
        assert kept.stats().items == 0
        assert kept.sizes() == {}


def test_a_call_that_passes_is_shown_as_it_is(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = {
        "content": [{"type": "text", "text": "hello \x1b[31m"}, {"type": "image", "data": "AA=="}],
        "isError": True,
    }
    server = told(legacy({"tools/list": {"tools": [tool("hi")]}, "tools/call": answer}))
    assert main(["doctor", "--store", store, "--call", "hi", "{}", *server]) == 0
    shown = capsys.readouterr().out
    assert "passes unchanged" in shown
    assert "the server marked it as an error" in shown
    assert "hello �[31m" in shown
    assert "[image, " in shown


def test_a_call_that_is_refused_is_a_problem_with_the_nearest_names(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refusing = {"error": {"code": -32602, "message": "no such tool"}}
    server = told(legacy({"tools/list": {"tools": [tool("read_file")]}, "tools/call": refusing}))
    assert main(["doctor", "--json", "--store", store, "--call", "readfile", "{}", *server]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == ["the server refuses tools/call: no such tool (-32602); tools: read_file"]
    assert "call" not in report


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["--call", "t", "{", "x"],
            "--call takes a tool and its arguments; '{' is not a JSON object; for example --call t",
        ),
        (["--call", "orders", "python", "s.py"], "'python' is not a JSON object; for example --call orders '{}'"),
        (["--url", "http://127.0.0.1:1/mcp", "x"], "more than one of a command, a URL and a client's file is given"),
        (["--header", "A: b", "x"], "--header is for a server over HTTP"),
        (["--url", "nowhere"], "--url"),
    ],
)
def test_wrong_servers_and_calls_are_one_clear_line(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert line in refused(["doctor", *words], capsys)


def test_a_server_over_http_is_looked_at_and_its_header_is_not_shown(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hello = {**LISTS, "tools/call": {"content": [{"type": "text", "text": "hello"}]}}
    lists = {**hello, "tools/list": {"tools": [tool("small")]}}
    with http_server(lists) as (url, heard):
        words = ["--url", url, "--header", "X-Key: s3cret-value", "--call", "small", "{}"]
        assert main(["doctor", "--json", "--store", store, *words]) == 0
    shown = capsys.readouterr().out
    report = json.loads(shown)
    assert (report["server"]["name"], report["server"]["version"]) == ("told", "7")
    assert report["call"]["answer"] == ["hello"]
    assert report["problems"] == []
    assert report["run"].endswith(f"--url {url} --header 'X-Key: ...'")
    assert "s3cret-value" not in shown
    assert {one["x-key"] for one in heard} == {"s3cret-value"}


def test_each_server_of_a_client_is_looked_at(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = told(LISTS)
    dead, *dying = script("print(os.environ['WHY'], file=sys.stderr); sys.exit(1)")
    servers = {
        "good": {"command": program, "args": arguments},
        "dead": {"command": dead, "args": dying, "env": {"WHY": "no token"}},
    }
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}))
    assert main(["doctor", "--store", store, "--config", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "works" in shown
    assert "does not work" in shown
    assert "no token" in shown
    assert main(["doctor", "--json", "--store", store, "--config", str(file)]) == 1
    good, bad = json.loads(capsys.readouterr().out)["servers"]
    assert (good["configured_as"], good["usable"], good["totals"]["tools"]) == ("good", True, 3)
    assert (bad["configured_as"], bad["usable"], bad["stderr"]) == ("dead", False, ["no token"])
    assert "--call needs one server" in refused(["doctor", "--config", str(file), "--call", "t", "{}"], capsys)


def test_a_modern_server_without_lists_can_be_examined() -> None:
    info = {"serverInfo": {"name": "new", "version": "1"}, "capabilities": {}}
    shown = printed(examined(told({"server/discover": info})))
    assert "MCP 2026-07-28 (no handshake)" in shown


def test_the_store_is_closed_and_the_server_ended_on_an_interrupt(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[McpClient] = []

    def interrupted(server: McpClient, place: Store, config: Config, *, call: None) -> Any:
        started.append(server)
        raise KeyboardInterrupt

    monkeypatch.setattr("penstock.cli.doctor_check.examine", interrupted)
    assert main(["doctor", "--store", store, "--", sys.executable, "-c", "input()"]) == 130
    assert not psutil.pid_exists(started[0].process.pid)


def test_what_brief_definitions_would_save_is_said(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = told(legacy({"tools/list": {"tools": api_tools()}}))
    assert main(["doctor", "--store", store, "--json", "--", *command]) == 0
    report = json.loads(capsys.readouterr().out)
    totals = report["totals"]
    assert totals["brief_tokens"] <= 0.4 * totals["tokens"]
    (problem,) = [one for one in report["problems"] if "definitions of its tools cost" in one]
    assert f"--tools brief lists them in {totals['brief_tokens']:,}" in problem
    assert main(["doctor", "--store", store, "--tools", "brief", "--", *command]) == 0
    assert f"they are listed in {totals['brief_tokens']:,} tokens" in capsys.readouterr().out
