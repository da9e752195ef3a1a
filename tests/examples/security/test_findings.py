"""One finding: its fingerprint, and the masking of what an engine has seen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from security_server.finding import Finding, Raw, findings_of, id_digits
from security_server.seen import Seen

if TYPE_CHECKING:
    from pathlib import Path


def raw(file: Path, line: int, **given: Any) -> Raw:
    settings = {"rule": "B105", "title": "t", "message": "m", "severity": "LOW", **given}
    return Raw(file=str(file), line=line, **settings)


def found(folder: Path, text: str, *lines: int, engine: str = "bandit") -> list[Finding]:
    file = folder / "a.py"
    file.write_text(text)
    return findings_of(engine, [raw(file, line) for line in lines], folder)


def test_a_fingerprint_stays_when_lines_move_blanks_change_or_the_secret_is_replaced(tmp_path: Path) -> None:
    (one,) = found(tmp_path, 'password = "hunter2"\n', 1)
    (moved,) = found(tmp_path, '\n\n# a comment\nif True:\n    password  =  "correct horse: battery"\n', 5)
    assert moved.fingerprint == one.fingerprint
    assert (one.line, moved.line) == (1, 5)


def test_fingerprints_of_different_findings_differ(tmp_path: Path) -> None:
    twice = found(tmp_path, 'password = "a"\npassword = "b"\ntoken = "c"\n', 1, 2, 3)
    (other_engine,) = found(tmp_path, 'password = "a"\n', 1, engine="ruff")
    (other_file,) = findings_of("bandit", [raw(tmp_path / "sub.py", 1)], tmp_path)
    other_rule, _ = findings_of("bandit", [raw(tmp_path / "a.py", 1, rule=rule) for rule in ("A", "B")], tmp_path)
    marks = [one.fingerprint for one in (*twice, other_engine, other_file, other_rule)]
    assert len(set(marks)) == len(marks)
    assert all(len(mark) == 12 and int(mark, 16) >= 0 for mark in marks)


def test_a_file_that_is_gone_or_shorter_than_said_still_has_its_finding(tmp_path: Path) -> None:
    (gone,) = findings_of("bandit", [raw(tmp_path / "gone.py", 3)], tmp_path)
    (short,) = found(tmp_path, "x\n", 99)
    assert gone.file == "gone.py"
    assert short.line == 99


def test_what_an_engine_does_not_know_is_left_out_and_a_message_is_one_printable_line(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x\n")
    (one,) = findings_of("ruff", [raw(file, 1, message="a\x1b[2Jb\n\u202ec" + "d" * 1_000)], tmp_path)
    told = one.details(8)
    assert "cwe" not in told
    assert "confidence" not in told
    assert told["message"].startswith("a [2Jb  cd")
    assert told["message"].isprintable()
    assert len(told["message"]) == 300
    assert list(one.summary(8)) == list(told)[:5] == ["id", "severity", "rule", "file", "line"]


def test_an_id_has_as_many_digits_as_tell_the_findings_of_a_scan_apart(tmp_path: Path) -> None:
    one, two = found(tmp_path, "x\nx\n", 1, 2)
    near = replace(two, fingerprint=one.fingerprint[:9] + two.fingerprint[9:])
    assert one.fingerprint[9] != near.fingerprint[9]
    assert id_digits([]) == id_digits([one, one]) == 8
    assert id_digits([one, near]) == 10
    assert near.summary(10)["id"] == near.fingerprint[:10]
    assert id_digits([one, replace(one, fingerprint=one.fingerprint[:11] + "x")]) == 12


def test_the_first_time_of_a_finding_is_kept_by_folder_and_outlives_the_server(tmp_path: Path) -> None:
    file = tmp_path / "data" / "seen.db"
    assert Seen(file).first(tmp_path, ["a", "b"], 1_780_000_000) == dict.fromkeys("ab", "2026-05-28T20:26:40Z")
    later = Seen(file).first(tmp_path, ["b", "c"], 1_790_000_000)
    assert later == {"b": "2026-05-28T20:26:40Z", "c": "2026-09-21T14:13:20Z"}
    assert Seen(file).first(tmp_path / "other", ["b"], 1_790_000_000) == {"b": "2026-09-21T14:13:20Z"}
    memory = Seen()
    assert memory.first(tmp_path, ["b"], 0) == memory.first(tmp_path, ["b"], 9) == {"b": "1970-01-01T00:00:00Z"}
