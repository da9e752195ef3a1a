"""``penstock demo`` as a user meets it: a real conversation, whose every figure was received in it."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from penstock.cli import demo, main
from penstock.cli.demo import Answer, call_tool, notice_of
from penstock.cli.demo_folder import make
from penstock.cli.mcp_client import McpClient
from penstock.errors import UpstreamError
from tests.kit.mcp_servers import legacy, told


def text_result(*texts: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts], **more}


def orders_in(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "data" / "orders").iterdir())
    return [order for file in files for order in json.loads(file.read_bytes())]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the demo, made once for all tests that only read it."""
    folder = tmp_path_factory.mktemp("demo") / "shop"
    make(folder)
    return folder


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
        "sample row",
        '{"action": "sql", "sql": ',
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


def test_the_aggregate_is_that_of_the_folder(shown: str, shop: Path) -> None:
    revenue: Counter[str] = Counter()
    orders: Counter[str] = Counter()
    for order in orders_in(shop):
        revenue[order["city"]] += order["price"] * order["quantity"]
        orders[order["city"]] += 1
    for city, total in revenue.most_common(3):
        row = f'{{"city":"{city}","orders":{orders[city]},"revenue":{round(total, 2)}}}'
        assert row in re.sub(r" *│\n│ ?", "", shown)


def test_the_folder_is_the_same_every_time(shop: Path, tmp_path: Path) -> None:
    number = make(tmp_path)
    files = [file for file in shop.rglob("*") if file.is_file()]
    assert len(files) == number > 2_000
    for file in files:
        assert file.read_bytes() == (tmp_path / file.relative_to(shop)).read_bytes()
    assert [order["order"] for order in orders_in(shop)] == list(range(10_000, 13_000))


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (text_result("it is locked", isError=True), "directory_tree failed: it is locked"),
        ({"error": {"code": -32602, "message": "no such tool"}}, "refuses tools/call"),
    ],
)
def test_a_result_that_cannot_be_used_is_an_error(result: object, words: str) -> None:
    with (
        McpClient(told(legacy({"tools/call": result})), timeout=30) as server,
        pytest.raises(UpstreamError, match=words),
    ):
        call_tool(server, "directory_tree", {})


def answered(text: str) -> Answer:
    return Answer(size=len(text), tokens=1, text=text)


def test_a_setting_that_keeps_results_from_being_stored_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PENSTOCK_NEVER_HOLD", "true")
    assert main(["demo"]) == 2
    assert "the result was not stored: it begins with" in capsys.readouterr().err


@pytest.mark.parametrize("text", ['{"cache_id":"r_x"}', "plain text", "[1]"])
def test_answer_without_handle_and_query_is_not_a_notice(text: str) -> None:
    with pytest.raises(UpstreamError, match="was not stored"):
        notice_of(answered(text))


def test_windows_that_are_not_the_original_are_said_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    windows = [answered('{"next_index": null}\nsome other text')]
    monkeypatch.setattr(demo, "read_windows", lambda *_: windows)
    assert main(["demo"]) == 1
    assert "do not equal what the server answered" in " ".join(capsys.readouterr().out.split())


def test_terminal_gets_no_escape_codes_of_the_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notice = '{"cache_id": "r_x", "next": {"action": "sql"}}\nbell \x07 and \x1b[2J [bold]words'
    monkeypatch.setattr(demo, "call_tool", lambda *_: answered(notice))
    monkeypatch.setattr(demo, "read_windows", lambda *_: [])
    assert main(["demo"]) == 1
    shown = capsys.readouterr().out
    assert "[2J [bold]words" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown
