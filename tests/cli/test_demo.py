"""``penstock demo`` as a user meets it: a real conversation, whose every figure was received in it."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from penstock.cli import demo_folder, main
from penstock.cli.demo_conversation import Answer, WholeText, call_tool, notice_of
from penstock.cli.demo_folder import make
from penstock.cli.demo_view import View, laid_out
from penstock.cli.mcp_client import McpClient
from penstock.errors import UpstreamError
from tests.kit.mcp_servers import legacy, told

if TYPE_CHECKING:
    from penstock.cli.demo_folder import DemoFolder


def text_result(*texts: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts], **more}


def orders_in(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "data" / "orders").iterdir())
    return [order for file in files for order in json.loads(file.read_bytes())]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, DemoFolder]:
    """The folder of the demo, made once for all tests that only read it."""
    folder = tmp_path_factory.mktemp("demo") / "shop"
    return folder, make(folder)


@pytest.fixture
def linked_shop(shop: tuple[Path, DemoFolder], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the demo that folder instead of letting it draw and write 2,000 files again."""
    folder, made = shop

    def link(place: Path) -> DemoFolder:
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


def test_the_aggregate_is_that_of_the_folder(shown: str, shop: tuple[Path, DemoFolder]) -> None:
    folder, _ = shop
    revenue: Counter[str] = Counter()
    orders: Counter[str] = Counter()
    for order in orders_in(folder):
        revenue[order["city"]] += order["price"] * order["quantity"]
        orders[order["city"]] += 1
    for city, total in revenue.most_common(3):
        assert f'{{"city": "{city}", "orders": {orders[city]}, "revenue": {round(total, 2)}}}' in shown


def test_the_folder_is_the_same_every_time(shop: tuple[Path, DemoFolder], tmp_path: Path) -> None:
    one, made = shop
    assert made == make(tmp_path / "two")
    files = [file for file in one.rglob("*") if file.is_file()]
    assert len(files) == made.files > 2_000
    assert sum(file.stat().st_size for file in files) == made.size
    for file in files:
        assert file.read_bytes() == (tmp_path / "two" / file.relative_to(one)).read_bytes()
    assert [order["order"] for order in orders_in(one)] == list(range(10_000, 13_000))


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


def test_a_setting_that_keeps_results_from_being_stored_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], linked_shop: None
) -> None:
    monkeypatch.setenv("PENSTOCK_NEVER_HOLD", "true")
    assert main(["demo"]) == 2
    assert "the result was not stored: it begins with" in capsys.readouterr().err


def test_a_notice_is_known_by_its_handle_and_its_query() -> None:
    line = '{"type":"buffered_response","cache_id":"r_x","next":{"action":"sql"}}'
    notice = notice_of(Answer(size=1, tokens=1, text=line))
    assert (notice.cache_id, notice.next) == ("r_x", {"action": "sql"})
    with pytest.raises(UpstreamError, match="was not stored"):
        notice_of(Answer(size=1, tokens=1, text='{"cache_id":"r_x"}'))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"a": 1, "b": [1, 2]}', ["a: 1", "b: [1, 2]"]),
        ("[1, 2, 3, 4, 5, 6]", ["1", "2", "3", "4", "… +2 items"]),
        ('"x"', ['"x"']),
        ("one\ntwo", ["one", "two"]),
        ("\n".join("abcdefghijklmn"), [*"abcdefghijkl", "… +2 lines"]),
        (json.dumps({"long": ["w" * 60] * 2}), ["long:", *[f'  "{"w" * 60}"'] * 2]),
    ],
)
def test_an_answer_is_laid_out_for_the_eye(text: str, lines: list[str]) -> None:
    assert laid_out(text) == lines


def test_a_terminal_gets_colours_and_no_escape_codes_of_the_server() -> None:
    out = io.StringIO()
    view = View()
    view.console = Console(file=out, force_terminal=True, color_system="standard", width=100)
    answer = Answer(size=9, tokens=3, text="bell \x07 and \x1b[2J")
    view.nothing_lost(WholeText(text="x", windows=1, tokens=3), answer)
    view.query("[bold]words", {"cache_id": "r_x", "page": 2}, answer)
    shown = out.getvalue()
    assert "\x1b[1;31mdo not equal" in shown
    assert "\x1b[2J" not in shown
    assert "\x07" not in shown
    assert "[bold]words" in shown
    assert "r_x" not in shown
