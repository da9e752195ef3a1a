"""``penstock list`` shows what is held of all owners, at any width, and changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.cli import main
from penstock.cli.list_view import spell_age
from penstock.config import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.stores import open_store
from tests.kit.command_line import refused

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"id": number, "name": f"name {number} \x1b[31m"} for number in range(3_000)]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite://{tmp_path}/held.db"


def hold(url: str, *tools: str, owner: str = "ann") -> list[str]:
    raw = json.dumps({"content": [{"type": "text", "text": json.dumps(ROWS)}]}).encode()
    with open_store(url) as store:
        gate = Gate(store, Config())
        for tool in tools:
            gate.admit(Call(tool=tool, owner=owner, arguments={"q": "\x1b[2J"}), raw)
        gate.close()
        return [entry.handle for entry in store.list(owner)]


def told(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["list", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_results_of_all_owners_are_listed_the_newest_first(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    [first] = hold(url, "search")
    [second] = hold(url, "read", owner="bob")
    report = told(capsys, "--store", url)
    assert [one["handle"] for one in report["results"]] == [second, first]
    assert [one["rows"] for one in report["results"]] == [3_000, 3_000]
    assert [one["handle"] for one in told(capsys, "--store", url, "--tool", "search")["results"]] == [first]
    assert told(capsys, "--store", url, "--limit", "1")["total"] == 2
    assert told(capsys, "--store", url, "--server", "nowhere")["results"] == []


def test_looking_changes_nothing(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    hold(url, "search", "read")
    with open_store(url) as store:
        before = store.list("ann")
    told(capsys, "--store", url)
    with open_store(url) as store:
        assert store.list("ann") == before


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_a_terminal_of_any_width_shows_every_handle_whole_and_obeys_nothing(
    width: str, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    handles = hold(url, "search", "read")
    assert main(["list", "--store", url]) == 0
    shown = capsys.readouterr().out
    assert all(handle in shown for handle in handles)
    assert f"penstock show {handles[0]}" in shown
    assert "\x1b" not in shown


def test_nothing_held_says_why(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--store", url]) == 0
    assert "There is no store yet" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
    hold(url, "search")
    assert main(["list", "--store", url, "--tool", "other"]) == 0
    assert "No results match --tool other. 1 result is stored; run penstock list to see it." in capsys.readouterr().out
    assert main(["list", "--store", url, "--limit", "1", "--tool", "search"]) == 0
    assert "No results" not in capsys.readouterr().out


def test_a_wrong_number_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--limit: expected a whole number from 1, got '0'" in refused(["list", "--limit", "0"], capsys)
    assert "--sort: expected one of created, tokens" in refused(["list", "--sort", "size"], capsys)


def test_a_store_in_another_process_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot look into a memory: store" in refused(["list", "--store", "memory:"], capsys)


def test_ages_are_spelled_in_their_largest_unit() -> None:
    assert [spell_age(one) for one in (-5, 0, 90, 1_800, 7_200, 86_400, 604_800)] == [
        *("0s", "0s", "90s", "30m", "2h", "24h", "7d")
    ]
