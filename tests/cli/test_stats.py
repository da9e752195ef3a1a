"""``penstock stats`` as a user meets it; looking changes nothing."""

from __future__ import annotations

import json
import sqlite3
import time
from typing import TYPE_CHECKING, Any

import pytest

from penstock.cli import main
from penstock.cli.stats import date_of
from penstock.config import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.gate.owners import Owners
from penstock.stores import SizeKey, Sizes, open_store
from penstock.stores.sizes import day_of
from tests.kit.command_line import refused

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "the moon is made of cheese"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "held.db"


def told(capsys: pytest.CaptureFixture[str], place: Path, *words: str) -> Any:
    assert main(["stats", "--json", "--store", f"sqlite://{place}", *words]) == 0
    return json.loads(capsys.readouterr().out)


def fill(place: Path) -> None:
    """Two tools as the gate counts them: one whose result fits, one whose result is held."""
    with open_store(f"sqlite://{place}") as store:
        gate = Gate(store, Config(store=f"sqlite://{place}"))
        text = json.dumps([{"row": n, "text": SECRET} for n in range(3_000)])
        gate.admit(Call(tool="large"), json.dumps({"content": [{"type": "text", "text": text}]}).encode())
        gate.admit(Call(tool="small"), b'{"content":[{"type":"text","text":"hello"}]}')
        gate.admit(Call(tool="small"), b'{"content":[]}')
        gate.close()


def test_calls_held_results_and_saved_tokens_are_told_by_tool(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(place)
    report = told(capsys, place)
    assert [one["tool"] for one in report["tools"]] == ["large", "small"]
    large, small = report["tools"]
    assert (large["calls"], large["held"]) == (1, 1)
    assert large["tokens_saved"] > 10_000
    assert small == {"tool": "small", "calls": 2, "held": 0, "held_percent": 0.0, "tokens_saved": 0}
    saved = large["tokens_saved"]
    assert report["total"] == {"calls": 3, "held": 1, "held_percent": 33.3, "tokens_saved": saved}
    assert report["held_now"]["results"] == 1
    assert report["held_now"]["bytes"] > 0
    assert report["store"] == str(place)
    assert "note" not in report


def test_the_table_for_people_has_the_same_figures(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(place)
    assert main(["stats", "--store", f"sqlite://{place}"]) == 0
    shown = capsys.readouterr().out
    assert "tokens saved" in shown
    assert "stored now: 1 result in" in shown
    assert shown.index("large") < shown.index("1 tool without stored results") < shown.index("all tools")


def test_saved_tokens_are_shown_as_money_if_a_price_is_set(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(place)
    saved = told(capsys, place)["total"]["tokens_saved"]
    report = told(capsys, place, "--price", "12.5")
    assert (report["price_per_million_tokens"], report["money_saved"]) == (12.5, round(saved * 12.5e-6, 2))
    monkeypatch.setenv("PENSTOCK_PRICE", "3")
    assert main(["stats", "--store", f"sqlite://{place}"]) == 0
    assert f"saved: {saved:,} tokens, {saved * 3e-6:,.2f} at 3 per million" in capsys.readouterr().out
    assert "--price: expected" in refused(["stats", "--price", "much"], capsys)


def test_no_text_of_a_result_is_in_the_counters(place: Path) -> None:
    fill(place)
    with sqlite3.connect(place) as db:
        rows = db.execute("SELECT * FROM counts ORDER BY tool").fetchall()
    db.close()
    assert [row[0] for row in rows] == ["large", "small"]
    assert all(isinstance(number, int) for row in rows for number in row[1:])


def test_the_store_of_the_configuration_is_used(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(place)
    config = tmp_path / "penstock.toml"
    config.write_text(f'store = "sqlite://{place}"\n')
    assert main(["stats", "--json", "--config", str(config)]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["calls"] == 3


@pytest.mark.parametrize("empty", [True, False])
def test_a_store_that_is_not_there_is_not_made(
    empty: bool, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if empty:
        place.touch()
    before = sorted(tmp_path.iterdir())
    report = told(capsys, place)
    assert report["tools"] == []
    assert report["total"] == {"calls": 0, "held": 0, "held_percent": 0.0, "tokens_saved": 0}
    assert "there is no store yet" in report["note"]
    assert main(["stats", "--store", f"sqlite://{place}"]) == 0
    assert "Nothing to show: there is no store yet" in capsys.readouterr().out
    assert sorted(tmp_path.iterdir()) == before
    assert not empty or place.stat().st_size == 0


def test_a_store_without_counts_says_so_kindly(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(f"sqlite://{place}") as store:
        store.stats()
    assert told(capsys, place)["note"] == "no call has been counted yet"


def test_a_store_in_memory_cannot_be_seen_from_outside(capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot look into a memory: store" in refused(["stats", "--store", "memory:"], capsys)


@pytest.mark.parametrize(
    ("text", "words"),
    [("a letter to my aunt, long enough to be read", "is not a SQLite database"), (None, "cannot be opened")],
)
def test_a_store_that_cannot_be_read_is_one_clear_line(
    text: str | None, words: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is None:
        place.mkdir()
    else:
        place.write_text(text)
    assert words in refused(["stats", "--store", f"sqlite://{place}"], capsys)


def test_a_path_that_leads_through_a_file_is_one_clear_line(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place.write_text("x")
    assert main(["stats", "--store", f"sqlite://{place}/held.db"]) == 2
    assert "Not a directory" in capsys.readouterr().err


def test_names_of_tools_are_shown_without_what_a_terminal_would_obey(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_store(f"sqlite://{place}") as store:
        store.add_counts("[bold]x\x1b[2J", calls=1, held=1)
    assert main(["stats", "--store", f"sqlite://{place}"]) == 0
    shown = capsys.readouterr().out
    assert "[bold]x�[2J" in shown
    assert "\x1b" not in shown


def test_days_servers_and_tools_are_told_with_percent(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    today = day_of(time.time())
    with open_store(f"sqlite://{place}") as store:
        store.add_sizes(
            {
                SizeKey(today, "files", "read", 50_000): Sizes(calls=1, held=1, tokens_in=40_000, tokens_out=2_000),
                SizeKey(today - 1, "files", "read", 250): Sizes(calls=9, tokens_in=900, tokens_out=900),
                SizeKey(today - 1, "web", "fetch", 250): Sizes(calls=1, tokens_in=100, tokens_out=100),
                SizeKey(today - 9, "web", "fetch", 250): Sizes(calls=70, tokens_in=100, tokens_out=100),
            }
        )
    report = told(capsys, place, "--since", "7d")
    assert [(one["day"], one["calls"]) for one in report["days"]] == [(date_of(today), 1), (date_of(today - 1), 10)]
    assert [(one["server"], one["saved_percent"]) for one in report["servers"]] == [("files", 92.9), ("web", 0.0)]
    assert [(one["server"], one["tool"], one["passed"]) for one in report["tools"]] == [
        ("files", "read", 9),
        ("web", "fetch", 1),
    ]
    assert report["total"]["calls"] == 11
    assert (report["since"], report["until"]) == (date_of(today - 6), date_of(today))
    assert told(capsys, place, "--since", "1d")["total"]["calls"] == 1
    assert told(capsys, place, "--since", "25h")["total"]["calls"] == 11
    assert main(["stats", "--since", "30d", "--store", f"sqlite://{place}"]) == 0
    shown = capsys.readouterr().out
    assert shown.index("day") < shown.index("server") < shown.index("files read")
    assert " 81 " in shown


def test_days_without_calls_say_why(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(f"sqlite://{place}") as store:
        store.stats()
    assert "no call was counted in these days" in told(capsys, place, "--since", "7d")["note"]


@pytest.mark.parametrize("age", ["7", "d", "-1d", "1w", "0d", "91d", "\u0663d"])
def test_an_age_that_is_none_is_one_clear_line(age: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--since" in refused(["stats", f"--since={age}"], capsys)


def test_results_that_only_their_run_can_open_are_counted_apart(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(place)
    raw = json.dumps({"content": [{"type": "text", "text": "word " * 40_000}]}).encode()
    with open_store(f"sqlite://{place}") as store:
        gate = Gate(store, Config(owner="run"))
        gate.admit(Call(tool="t", owner=Owners("run").local(["server"]).name), raw)
        gate.close()
    report = told(capsys, place)
    assert (report["held_now"]["results"], report["held_for_single_runs"]["results"]) == (1, 1)
    assert main(["stats", "--store", f"sqlite://{place}"]) == 0
    assert "stored for single runs: 1 result" in " ".join(capsys.readouterr().out.split())
