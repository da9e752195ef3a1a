"""``penstock show`` shows a held result as a table, a tree or text, asks it as the model can, and changes nothing."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from penstock.cli import main
from penstock.cli.show import ShownPage
from penstock.cli.show_view import show
from penstock.config import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.stores import open_store
from tests.kit.answers import head_of
from tests.kit.command_line import refused

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"id": number, "city": ("Turin", "Lyon")[number % 2], "note": "\x1b[31mred"} for number in range(3_000)]
LOG = "\n".join(f"2026-11-01 12:00:{n % 60:02d} {'ERROR' if n % 50 == 0 else 'INFO'} took {n} ms" for n in range(5_000))
TREE = {"config": {"a": {"b": [1, 2, 3]}, "on": True, "none": None}, "big": ["words " * 9 for _ in range(4_000)]}


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Handles by name, and the store."""
    url = f"sqlite://{tmp_path_factory.mktemp('show')}/held.db"
    names = {}
    with open_store(url) as store:
        gate = Gate(store, Config())
        for name, value in (("rows", json.dumps(ROWS)), ("log", LOG), ("tree", json.dumps(TREE))):
            raw = json.dumps({"content": [{"type": "text", "text": value}]}).encode()
            answer = json.loads(gate.admit(Call(tool=name, owner="ann"), raw))
            names[name] = head_of(answer)["cache_id"]
        gate.close()
    return {**names, "store": url}


def told(held: dict[str, str], name: str, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["show", held[name], "--json", "--store", held["store"], *words]) == 0
    return json.loads(capsys.readouterr().out)


def printed(held: dict[str, str], name: str, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["show", held[name], "--store", held["store"], *words]) == 0
    return capsys.readouterr().out


def test_records_are_a_table_by_pages(held: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    first = told(held, "rows", capsys, "--rows", "7")
    assert (first["kind"], first["columns"], first["total"]) == ("table", ["id", "city", "note"], 3_000)
    third = told(held, "rows", capsys, "--rows", "7", "--page", "3")
    assert [row[0] for row in third["rows"]] == list(range(14, 21))
    last = told(held, "rows", capsys, "--rows", "1000", "--page", "3")
    assert last["rows"][-1][:2] == [2_999, "Lyon"]
    assert told(held, "rows", capsys, "--page", "900")["rows"] == []
    shown = printed(held, "rows", capsys, "--rows", "2")
    assert "rows 1 to 2 of 3,000" in shown
    assert "next: --page 2" in shown
    assert "�[31mred" in shown
    assert "\x1b" not in shown


def test_a_log_is_a_table_and_its_lines_are_text(held: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "level" in told(held, "log", capsys)["columns"]
    text = told(held, "log", capsys, "--text", "--rows", "2", "--page", "2")
    assert (text["kind"], text["rows"], text["total"]) == ("text", LOG.splitlines()[2:4], 5_000)
    assert "4 2026-11-01 12:00:03 INFO took 3 ms" in printed(held, "log", capsys, "--text", "--rows", "4")
    assert told(held, "log", capsys, "--table", "lines", "--rows", "1")["rows"][0][-1] == LOG.splitlines()[0]


def test_an_object_is_a_tree_that_is_opened_by_paths(held: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    top = told(held, "tree", capsys)
    assert (top["kind"], [part["key"] for part in top["rows"]]) == ("tree", ["config", "big"])
    shown = printed(held, "tree", capsys, "--tree", ".config")
    assert [line.strip() for line in shown.splitlines()[4:7]] == ["a  {1 field}", "on  true", "none  null"]
    assert "[4,000 items]" in printed(held, "tree", capsys)


def test_queries_are_asked_as_the_model_asks_them(held: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    sql = "SELECT city, count(*) AS n FROM items GROUP BY 1 ORDER BY 1"
    found = told(held, "rows", capsys, "--sql", sql)
    assert (found["columns"], found["rows"]) == (["city", "n"], [["Lyon", 1_500], ["Turin", 1_500]])
    assert told(held, "rows", capsys, "--jq", ".[:2][].id")["rows"] == [0, 1]
    assert told(held, "rows", capsys, "--jq", ".[].id", "--page", "2", "--rows", "3")["rows"] == [3, 4, 5]
    assert '"city": "Turin"' in printed(held, "rows", capsys, "--jq", ".[0]")
    assert "1,500" not in printed(held, "rows", capsys, "--sql", sql)  # as SQL says it


def test_search_pages_through_all_places(held: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[int] = []
    for page in (1, 2, 3, 4):
        found = told(held, "log", capsys, "--search", "error", "--ignore-case", "--rows", "30", "--page", str(page))
        lines += [place["line"] for place in found["rows"]]
        assert found["total"] == 100
    assert lines == list(range(1, 5_001, 50))
    shown = printed(held, "log", capsys, "--search", r"took 49\d\d ms", "--regex", "--rows", "99")
    assert "places 1 to 99, of 100 matches" in shown
    assert "next: --page 2" in shown
    assert told(held, "rows", capsys, "--search", "Turin", "--rows", "1")["rows"][0]["path"] == ".[0].city"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--sql", "SELECT nope FROM items"], "no such column: nope"),
        (["--sql", "DELETE FROM items"], "SQL can only read here"),
        (["--jq", ".["], "jq: syntax error"),
        (["--search", "(", "--regex"], "missing"),
        (["--table", "nope"], "there is no table 'nope'; tables: items"),
        (["--tree", ".nope"], "nope"),
        (["--page", "0"], "--page: expected a whole number from 1, got '0'"),
        (["--sql", "SELECT 1", "--table", "items"], "--table and --sql cannot be combined"),
        (["--regex"], "--regex and --ignore-case need --search"),
        (["--rows", "5000"], "--rows: expected a whole number from 1 to 1,000"),
    ],
)
def test_errors_are_those_of_the_model_in_one_line(
    words: list[str], line: str, held: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert line in refused(["show", held["rows"], "--store", held["store"], *words], capsys)


def test_what_is_not_there_is_one_clear_line(
    held: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no result with handle 'r_nope' is stored" in refused(["show", "r_nope", "--store", held["store"]], capsys)
    assert "'nope' is not a handle" in refused(["show", "nope", "--store", held["store"]], capsys)
    nowhere = f"sqlite://{tmp_path}/none.db"
    assert "there is no store at" in refused(["show", held["rows"], "--store", nowhere], capsys)
    assert list(tmp_path.iterdir()) == []


def test_the_beginning_of_a_handle_is_enough_if_only_one_begins_so(
    held: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = told({**held, "part": held["rows"][:9]}, "part", capsys)
    assert shown["handle"] == held["rows"]
    assert "'r_' begins 3 handles; give more" in refused(["show", "r_", "--store", held["store"]], capsys)


def test_an_empty_page_says_why(held: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "Page 999 is past the end: 3,000 rows are 150 pages of 20." in printed(held, "rows", capsys, "--page", "999")
    shown = printed(held, "log", capsys, "--search", "zzzz")
    assert 'No match for "zzzz" (case-sensitive; try --ignore-case).' in shown
    assert "places" not in shown
    assert 'No match for "zzzz".' in printed(held, "log", capsys, "--search", "zzzz", "--ignore-case")


def test_looking_changes_nothing(held: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(held["store"]) as store:
        before = store.list("ann")
    for words in ([], ["--text"], ["--sql", "SELECT 1"], ["--jq", "length"], ["--search", "Turin"]):
        told(held, "rows", capsys, *words)
    with open_store(held["store"]) as store:
        assert store.list("ann") == before


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_page_fits_any_width_and_says_which_columns_do_not(width: int) -> None:
    columns = tuple(f"column_{number}" for number in range(30))
    page = ShownPage(kind="rows", columns=columns, rows=[[None, True, 1.5, "x" * 500, {"a": [1]}, *range(25)]], total=1)
    members = {"handle": "r_x", "tool": "t", "arguments": "{}", "what": "w", "bytes": 1, "tokens": 1, "tables": []}
    out = io.StringIO()
    show(members, page, size=20, console=Console(file=out, width=width))
    assert max(map(len, out.getvalue().splitlines())) <= width
    assert "the terminal is too narrow" in " ".join(out.getvalue().split())
