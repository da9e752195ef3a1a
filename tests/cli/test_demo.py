"""``penstock demo`` as a user meets it: a real conversation, whose every figure was received in it."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from penstock.cli import demo_folder, main
from penstock.cli.demo_calls import large_calls
from penstock.cli.demo_conversation import (
    Answer,
    Offer,
    ReceivedNotice,
    WholeText,
    call_tool,
    notice_of,
    put_together,
    tools_of,
)
from penstock.cli.demo_folder import make
from penstock.cli.demo_view import View, laid_out
from penstock.cli.mcp_client import McpClient
from penstock.errors import UpstreamError
from tests.kit.mcp_servers import legacy, told, tool

if TYPE_CHECKING:
    from penstock.cli.demo_folder import Made


def text_result(*texts: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts], **more}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Made]:
    """The folder of the demo, made once for all tests that only read it."""
    folder = tmp_path_factory.mktemp("demo") / "shop"
    return folder, make(folder)


@pytest.fixture
def linked_shop(shop: tuple[Path, Made], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the demo that folder instead of letting it draw and write 2,000 files again."""
    folder, made = shop

    def link(place: Path) -> Made:
        shutil.copytree(folder, place, copy_function=os.link, dirs_exist_ok=True)
        return made

    monkeypatch.setattr(demo_folder, "make", link)


@pytest.fixture(scope="module")
def shown() -> str:
    """What a user sees who sends the output to a file; made once, because it is a whole conversation."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setenv("COLUMNS", "200")
        code = main(["demo"])
    assert (code, err.getvalue()) == (0, "")
    return out.getvalue()


def test_the_figures_of_the_readme_are_those_of_the_demo(shown: str) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    whole, stood_in = re.findall(r"^read_records .*?([\d,]+) +([\d,]+) ", shown, re.MULTILINE)[0]
    (query,) = re.findall(r"^sql .*? ([\d,]+) +[\d,]+$", shown, re.MULTILINE)
    assert set(re.findall(r"([\d,]+) tokens", readme)) == {whole}
    assert f"| {query}: one SQL query" in readme
    # The letters of a random handle are counted too, in each call of the notice: of 3,000 handles in three calls none
    # was more than 24 tokens from the mean, and this notice has some more.
    (said,) = set(re.findall(r"about ([\d,]+)[: ]", readme))
    assert abs(int(said) - int(stood_in)) <= 0.05 * int(said)


def test_the_demo_shows_every_step_of_the_conversation(shown: str) -> None:
    for part in (
        "1  Without Penstock",
        "2  With Penstock",
        "buffered_response",
        "then the preview",
        '{"action": "get_page", "page": 1}',
        '"jq_filter"',
        "GROUP BY city",
        "windows put together equal what the server answered without Penstock",
        "5  Tokens that the model reads",
    ):
        assert part in shown
    assert "\x1b" not in shown


def test_what_the_model_reads_is_a_small_part_of_what_the_server_sends(shown: str) -> None:
    rows = re.findall(
        r"^(read_records|directory_tree|search_files|filter|sql) .* ([\d,]+) +([\d,]+) +([\d,]+)", shown, re.M
    )
    assert len(rows) == 5
    for _, before, after, times in rows:
        without, with_it = int(before.replace(",", "")), int(after.replace(",", ""))
        assert without > 25_000
        assert with_it < 2_000
        assert int(times.replace(",", "")) == round(without / with_it)


def test_the_aggregate_is_that_of_the_folder(shown: str, shop: tuple[Path, Made]) -> None:
    folder, _ = shop
    revenue: Counter[str] = Counter()
    orders: Counter[str] = Counter()
    for order in json.loads((folder / "data" / "all-orders.json").read_text(encoding="utf-8")):
        revenue[order["city"]] += order["price"] * order["quantity"]
        orders[order["city"]] += 1
    for city, total in revenue.most_common(3):
        assert f'{{"city": "{city}", "orders": {orders[city]}, "revenue": {round(total, 2)}}}' in shown


def test_the_folder_is_the_same_every_time(shop: tuple[Path, Made], tmp_path: Path) -> None:
    one, made = shop
    assert made == make(tmp_path / "two")
    files = [file for file in one.rglob("*") if file.is_file()]
    assert len(files) == made.files > 2_000
    assert sum(file.stat().st_size for file in files) == made.size
    for file in files:
        assert file.read_bytes() == (tmp_path / "two" / file.relative_to(one)).read_bytes()
    every = json.loads((one / "data" / "all-orders.json").read_bytes())
    by_day = [json.loads(file.read_bytes()) for file in sorted((one / "data" / "orders").iterdir())]
    assert [order for day in by_day for order in day] == every
    assert len(every) == made.orders


@pytest.mark.parametrize(
    ("tools", "first"),
    [
        ({"read_records", "directory_tree"}, "read_records"),
        ({"read_text_file", "read_file", "search_files"}, "read_text_file"),
        ({"read_file"}, "read_file"),
        ({"directory_tree", "search_files"}, "directory_tree"),
    ],
)
def test_calls_are_chosen_by_the_tools_that_there_are(tools: set[str], first: str, tmp_path: Path) -> None:
    calls = large_calls(tools, tmp_path)
    assert calls[0].tool == first
    assert {call.tool for call in calls} <= tools
    assert len({call.words for call in calls}) == len(calls)


@pytest.mark.usefixtures("linked_shop")
@pytest.mark.parametrize("name", ["directory_tree", "search_files"])
def test_a_server_with_any_one_of_the_tools_is_enough(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    only = f"from penstock.cli import demo_server as s; s.TOOLS[:] = [t for t in s.TOOLS if t['name'] == {name!r}]"
    command = [sys.executable, "-c", f"import sys; {only}; s.main(sys.argv[1:])", "{folder}"]
    assert main(["demo", "--", *command]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "windows put together equal" in " ".join(captured.out.split())


@pytest.mark.usefixtures("linked_shop")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["no-such-command-anywhere"], "there is no such program"),
        ([sys.executable, "-c", "import sys; sys.exit('no such folder')"], "exited with code 1"),
        (told(legacy({"tools/list": {"tools": [tool("other"), 7]}})), "knows none of the server's tools"),
        (told(legacy({"tools/list": {"tools": [tool("directory_tree")]}})), "refuses tools/call"),
        (
            told(legacy({"tools/list": {"tools": [tool("directory_tree")]}, "tools/call": text_result("tiny")})),
            "was not held: it begins with 'tiny'",
        ),
    ],
    ids=["missing", "exits", "other-tools", "refuses", "small"],
)
def test_a_server_that_the_demo_cannot_use_is_one_clear_line(
    command: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--", *command]) == 1
    error = capsys.readouterr().err
    assert words in error.splitlines()[0]
    assert error.startswith("penstock: ")
    assert "Traceback" not in error


@pytest.mark.usefixtures("linked_shop")
def test_a_result_that_changed_on_the_way_is_told_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    # The server adds a blank for each time it was started: the second conversation gets another result than the first.
    code = """
import sys
from penstock.cli import demo_server as s
s.TOOLS[:] = [t for t in s.TOOLS if t["name"] == "directory_tree"]
with open(sys.argv[1] + ".starts", "a+") as file:
    file.write(" ")
    file.seek(0)
    blanks = file.read()
tree = s.ServedFolder.directory_tree
def changed(self, arguments):
    told = tree(self, arguments)
    told["content"][0]["text"] += blanks
    return told
s.ServedFolder.directory_tree = changed
s.main(sys.argv[1:])
"""
    assert main(["demo", "--", sys.executable, "-c", code, "{folder}"]) == 1
    assert "do not equal" in " ".join(capsys.readouterr().out.split())


def test_tools_are_known_by_their_names_only() -> None:
    with McpClient(told(legacy({"tools/list": {"tools": [tool("a"), {"name": 7}, []]}})), timeout=30) as server:
        server.greet()
        assert tools_of(server) == {"a"}


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (text_result("it is locked", isError=True), "directory_tree failed: it is locked"),
        ({"content": [{"type": "image"}]}, "it answered without a text"),
        ({"blocks": []}, "is not what it should be"),
        ([], "is not what it should be"),
    ],
)
def test_a_result_that_cannot_be_shown_is_an_error(result: object, words: str) -> None:
    with (
        McpClient(told(legacy({"tools/call": result})), timeout=30) as server,
        pytest.raises(UpstreamError, match=words),
    ):
        call_tool(server, "directory_tree", {})


@pytest.mark.parametrize(
    ("windows", "words"),
    [
        ([text_result('{"next_index":5}', "hello"), text_result('{"next_index":5}', "")], "ends before it"),
        ([text_result("where?", "hello")], "is not what it should be"),
    ],
)
def test_windows_that_lead_nowhere_are_an_error(windows: list[Any], words: str) -> None:
    notice = ReceivedNotice(cache_id="r_x", next=[Offer(tool="fetch", arguments={})])
    with (
        McpClient(told(legacy({"tools/call": windows})), timeout=30) as server,
        pytest.raises(UpstreamError, match=words),
    ):
        put_together(server, notice)


def test_a_notice_is_known_by_its_handle_and_its_calls() -> None:
    line = '{"type":"buffered_response","cache_id":"r_x","next":[{"tool":"f","arguments":{"page":1},"tokens":3}]}'
    notice = notice_of("t", Answer(size=1, tokens=1, texts=(line,)))
    assert (notice.cache_id, notice.next[0].tool, notice.next[0].arguments) == ("r_x", "f", {"page": 1})
    with pytest.raises(UpstreamError, match="was not held"):
        notice_of("t", Answer(size=1, tokens=1, texts=('{"cache_id":"r_x"}',)))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"a": 1, "b": [1, 2]}', ["a: 1", "b: [1, 2]"]),
        ("[1, 2, 3, 4, 5, 6]", ["1", "2", "3", "4", "… 2 more"]),
        ('"x"', ['"x"']),
        ("one\ntwo", ["one", "two"]),
        ("\n".join("abcdefghijklmn"), [*"abcdefghijkl", "… 2 lines"]),
        (json.dumps({"long": ["w" * 60] * 2}), ["long:", *[f'  "{"w" * 60}"'] * 2]),
    ],
)
def test_an_answer_is_laid_out_for_the_eye(text: str, lines: list[str]) -> None:
    assert laid_out(text) == lines


def test_a_terminal_gets_colours_and_no_orders() -> None:
    out = io.StringIO()
    view = View(Console(file=out, force_terminal=True, color_system="standard", width=100))
    answer = Answer(size=9, tokens=3, texts=("bell \x07 and \x1b[2J",))
    view.nothing_lost(WholeText(text="x", windows=1, tokens=3), answer, same=False)
    view.query("[bold]words", {"cache_id": "r_x", "page": 2}, answer)
    shown = out.getvalue()
    assert "\x1b[1;31mdo not equal" in shown
    assert "\x1b[2J" not in shown
    assert "\x07" not in shown
    assert "[bold]words" in shown
    assert "r_x" not in shown
