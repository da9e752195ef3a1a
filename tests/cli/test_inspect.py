"""``penstock inspect`` as a user meets it: a real process, real files, and one clear line for every mistake."""

from __future__ import annotations

import base64
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from penstock.cli import main
from tests.kit.command_line import refused

ROWS = [
    {"id": n, "name": f"name {n}", "status": ["open", "closed"][n % 2], "text": "some words " * 9} for n in range(2_000)
]

SUM = re.compile(r"([\d.]+) = ([\d.]+)\+([\d.]+)\+([\d.]+)(?:\+([\d.]+))?")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"rows": ROWS, "total": 2_000}))
    return path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["inspect", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_report_for_machines_has_all_figures(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = told(capsys, str(rows))
    assert report["kind"] == "json"
    assert report["bytes"] == rows.stat().st_size
    assert set(report["tokens"]) == {"claude", "claude-4.6", "o200k", "cl100k"}
    assert (report["items"], report["main"], report["depth"], report["verdict"]) == (2_000, ".rows", 3, "hold")
    assert report["shape"] == "{rows: [{id: int, name: str, status: str, text: str}], total: int}"
    assert (report["form"], report["what"]) == ("records", "2,000 records in .rows (4 columns)")
    assert report["tables"] == [{"name": "items", "rows": 2_000, "path": ".rows", "columns": list(ROWS[0])}]
    assert report["heaviest"][0] == {"column": "text", "characters": sum(len(str(row["text"])) for row in ROWS)}
    assert "status: open ×1,000 · closed ×1,000" in report["preview"].splitlines()
    assert 1 <= len(report["suggestions"]) <= 3


def test_the_report_for_people_shows_figures_bars_preview_and_suggestions(
    rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(rows)]) == 0
    shown = capsys.readouterr().out
    for part in ("tokens claude", "columns with the most text", "█", "status: open ×1,000", "Held", "·"):
        assert part in shown


@pytest.mark.parametrize(
    ("data", "verdict", "words"),
    [
        ("[1,2,3]", "pass", "Passes untouched"),
        (json.dumps(ROWS[:60], indent=20), "compact", "Compacted"),
        ("word " * 50_000, "hold", "1 line of text"),
        (base64.b64encode(os.urandom(90_000)).decode(), "hold", "base64"),
    ],
)
def test_every_verdict_can_be_seen(
    data: str, verdict: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data"
    path.write_text(data)
    size = ["--max-tokens", "6000"]
    assert told(capsys, str(path), *size)["verdict"] == verdict
    assert main(["inspect", str(path), *size]) == 0
    assert words in capsys.readouterr().out


def test_settings_rules_and_standard_input_are_used(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "penstock.toml"
    config.write_text('[rules."big_*"]\nmax_tokens = 900000\n')
    assert told(capsys, str(rows), "--config", str(config), "--tool", "big_one")["verdict"] == "pass"
    assert told(capsys, str(rows), "--config", str(config))["verdict"] == "hold"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": [1]}')))
    report = told(capsys, "-")
    assert (report["file"], report["items"]) == ("-", 1)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.json", "there is no such file"),
        (".", "is a directory"),
        ("binary", "is packed, and damaged"),
        ("a\0b", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_inspected_is_one_clear_line_and_exit_code_2(
    name: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binary").write_bytes(b"\x1f\x8b\x08\x00" + bytes(range(256)))
    assert words in refused(["inspect", name], capsys)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["inspekt"], "did you mean inspect?"),
        (["zzz"], "commands: "),
        (["inspect", "x", "--max-tokens", "few"], "--max-tokens"),
        (["inspect", "x", "--config", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_a_wrong_word_is_one_clear_line(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert line in error
    assert "Traceback" not in error


def test_yaml_is_yaml_and_has_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pods.yaml"
    documents = (f"---\nkind: Pod\nmetadata:\n  name: p{n}\nspec: {{replicas: {n}}}\n" for n in range(2_000))
    file.write_text("".join(documents))
    assert main(["inspect", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["kind"], told["form"], told["items"]) == ("yaml", "yaml", 2_000)


def test_unknown_options_fail_loudly(capsys: pytest.CaptureFixture[str]) -> None:
    assert "unknown option --max-token; did you mean --max-tokens?" in refused(
        ["inspect", "x", "--max-token", "5"], capsys
    )


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "inspect" in capsys.readouterr().out
    assert main([]) == 0
    assert "usage" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("penstock ")


def test_a_reader_that_stops_reading_is_no_error(rows: Path) -> None:
    command = f"{sys.executable} -m penstock inspect --json {rows} --max-tokens 250 --preview-tokens 250 | head -c 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> bytes:
        raise KeyboardInterrupt

    stream = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdin", stream)
    monkeypatch.setattr(stream.buffer, "read", interrupted, raising=False)
    assert main(["inspect", "-"]) == 130


def test_a_large_file_shows_its_progress_to_a_person_and_to_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    path.write_bytes(b"some words in a line\n" * 2_600_000)
    command = [sys.executable, "-m", "penstock", "inspect", str(path)]
    quiet = subprocess.run(command, capture_output=True, check=True)
    assert b"reading" not in quiet.stderr
    ours, theirs = pty.openpty()
    watched = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4_096)
        except OSError:  # the other end of a terminal closes with an error, not with an end of file
            break
        seen += part
    os.close(ours)
    assert watched.wait() == 0
    assert b"reading" in seen


def test_orders_to_a_terminal_in_the_data_are_not_carried_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Regression: a line of the file could set the title and the colours of the user's terminal."""
    evil = "\x1b]0;pwned\x07\x1b[31m\x9b31m \u202e words of a line"
    for name, data in (
        ("lines.txt", "\n".join([evil] * 3_000)),
        ("rows.json", json.dumps([{f"a{evil}": evil, "b": n} for n in range(3_000)])),
        ("table.csv", "\n".join([f"a{evil},b", *(f"{evil},{n}" for n in range(3_000))])),
    ):
        path = tmp_path / name
        path.write_text(data)
        assert main(["inspect", str(path)]) == 0
        out = capsys.readouterr().out
        assert "Held" in out
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out)


def test_why_prints_the_best_column_first_and_sums_that_are_true(
    rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(rows), "--why"]) == 0
    shown = capsys.readouterr().out
    assert "items: 2,000 rows" in shown
    lines = [line for line in shown.splitlines() if SUM.search(line)]
    assert {line.split()[0] for line in lines} == set(ROWS[0])
    assert lines[0].split()[:2] == ["status", "state"]
    sums = [SUM.findall(line) for line in lines]
    for total, *summands in (one for found in sums for one in found):
        assert float(total) == pytest.approx(sum(map(float, filter(None, summands))))
    totals = [float(found[0][0]) for found in sums]
    assert totals == sorted(totals)
    assert "Held" not in shown


@pytest.mark.parametrize("limit", ["6000", "900000"], ids=["held", "passes"])
def test_why_as_json_has_all_columns_of_all_tables(
    limit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "two.json"
    rooms = [{"room": f"room {n}", "price": n * 7 % 50, "same": "x", "at": {"floor": n % 9}} for n in range(300)]
    path.write_text(json.dumps({"orders": ROWS, "rooms": rooms}))
    report = told(capsys, str(path), "--why", "--max-tokens", limit)
    tables = {one["name"]: one["columns"] for one in report["tables"]}
    assert len(tables) == 2
    assert {name: {one["column"] for one in why} for name, why in report["why"].items()} == {
        name: set(columns) for name, columns in tables.items()
    }
    for columns in report["why"].values():
        totals = [one["fact"]["total"] for one in columns]
        assert totals == sorted(totals)
        scores = [score for one in columns for score in (one["fact"], one["row"]) if score is not None]
        assert all(score.pop("total") == pytest.approx(sum(score.values())) for score in scores)
    found = {one["column"]: one for columns in report["why"].values() for one in columns}
    assert (found["status"]["role"], found["same"]["role"], found["same"]["row"]) == ("state", "constant", None)
    assert found["at.floor"]["fact"]["depth"] > found["price"]["fact"]["depth"] == 0


def test_why_shows_a_dash_for_a_column_that_is_never_in_sample_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "same.json"
    path.write_text(json.dumps([{"id": n, "same": "x"} for n in range(50)]))
    assert main(["inspect", str(path), "--why"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("same")]
    assert line.split()[1] == "constant"
    assert line.split()[-1] == "-"


def test_why_reads_yaml_that_passes_as_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pods.yaml"
    path.write_text("".join(f"- name: p{n}\n  status: {['up', 'down'][n % 2]}\n  cpu: {n}\n" for n in range(60)))
    report = told(capsys, str(path), "--why")
    assert report["verdict"] == "pass"
    [columns] = report["why"].values()
    assert columns[0]["column"] == "status"


def test_why_of_a_document_without_a_table_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "words.txt"
    path.write_text("no table in here")
    assert told(capsys, str(path), "--why")["why"] == {}
    assert main(["inspect", str(path), "--why"]) == 0
    assert "".join(capsys.readouterr().out.splitlines()).startswith("No table: ")
    assert "why" not in told(capsys, str(path))
