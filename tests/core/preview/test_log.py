"""The preview of a log counts its levels truly, shows its ends verbatim, and every error it shows with its line."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.preview import jsonlog, lines, tally
from penstock.core.preview.lines import LONGEST_LINE
from penstock.core.preview.log import log
from tests.core.preview.promises import WIDE, growing, hidden, must_show, shown
from tests.strategies import any_text, json_bytes

levels = st.sampled_from(["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "FATAL", "CRITICAL"])
messages = st.sampled_from(
    ["started", "job 12 failed", "took 0x1f ms", "x " * 300, "", "a\x00b", "שלום", "Traceback:\n  at f\nValueError: no"]
) | any_text.map(lambda text: re.sub(r"[\x00-\x1f]", "", " ".join(text.split())))  # with many of them it is no text


@st.composite
def logs(draw: st.DrawFn) -> str:
    entries = draw(st.lists(st.tuples(levels, messages), min_size=4, max_size=30)) * draw(st.sampled_from([1, 8]))
    end = draw(st.sampled_from(["", "\n"]))
    return "\n".join(f"2026-01-01T00:00:{n % 60:02} {level} {said}" for n, (level, said) in enumerate(entries)) + end


def minute(number: int) -> str:
    return f"2026-01-01T{number // 60:02}:{number % 60:02}:00"


@settings(max_examples=40)
@given(logs() | any_text)
@example("2026-01-01 00:00:00 ERROR \udcff\n" * 9)
@example("2026-01-01 00:00:00 ERROR x\r\n" * 9)
@example("\n" * 50)
def test_every_preview_fits_counts_and_grows(data: str) -> None:
    for preview in growing(log, data):
        total = preview.shown.total
        assert preview.shown.end + hidden(preview.text, "line") == total
        assert total == data.count("\n") + (not data.endswith("\n"))


@given(logs())
def test_levels_are_counted_truly(data: str) -> None:
    heading = must_show(log, data, WIDE).text.split("\n")[0]
    counted = {name: int(number.replace(",", "")) for name, number in re.findall(r"([A-Z]+) ([\d,]+)", heading)}
    for name in ("TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "FATAL", "CRITICAL"):
        assert counted.get(name, 0) == len(re.findall(rf"(?m)^2026-01-01T00:00:.. {name} ", data))


@given(logs())
@example("2026-01-01T00:00:00 TRACE started\n" * 3 + "2026-01-01T00:00:03 TRACE \ud8000")
def test_the_lines_shown_are_those_of_the_log(data: str) -> None:
    found = must_show(log, data)
    whole = re.sub(r"[\ud800-\udfff]", "\ufffd", data).split("\n")
    for line in found.text.split("\n")[1:]:
        numbered = re.match(r"(\d+): (.*)", line)
        if line.startswith("…"):
            continue
        said = re.split(r"… \[\+| \(×", numbered[2] if numbered else line)[0]
        known = [whole[int(numbered[1]) - 1]] if numbered else whole
        assert any(one.rstrip("\r").startswith(said) for one in known)


def test_a_log_shows_its_counts_its_ends_and_its_errors() -> None:
    entries = [f"{minute(n)} INFO request {n} served" for n in range(1_000)]
    entries[400] = f"{minute(400)} ERROR pool: connection 17 to 10.0.0.8 refused"
    entries[500] = f"{minute(500)} ERROR pool: connection 18 to 10.0.0.9 refused"
    entries[600] = f"{minute(600)} FATAL out of memory"
    entries[700] = f"{minute(700)} WARN slow"
    found = must_show(log, "\n".join(entries) + "\n", Room(tokens=400))
    said = found.text.split("\n")
    assert said[0] == f"1,000 lines, {minute(0)} to {minute(999)}; FATAL 1, ERROR 2, WARN 1, INFO 996"
    assert said[1] == entries[0]
    assert said[-1] == entries[-1]
    assert f"401: {entries[400]} (×2, last 501)" in said
    assert f"601: {entries[600]}" in said
    assert f"… {1_000 - found.shown.end} lines not shown; errors between, by line: …" in said
    assert (found.headline, found.style) == ("1,000 lines of log, 3 errors", "log")


def test_an_error_comes_with_what_was_raised() -> None:
    trace = (
        "Traceback (most recent call last):\n  File 'a.py', line 1\nKeyError: 'a'\n\nDuring handling, another:\n"
        "  File 'b.py', line 2\nValueError: b\n  in c\nRuntimeError: c"
    )
    entries = [f"{minute(n)} INFO fine {n}" for n in range(200)]
    entries[90] = f"{minute(90)} ERROR task died\n{trace}"
    entries[100] = f"{minute(100)} ERROR other\njava.io.IOException: gone\n\tat a.b(C.java:1)\nCaused by: x.YError: z"
    said = must_show(log, "\n".join(entries), Room(tokens=500)).text
    assert "94: KeyError: 'a'" in said
    assert "100: RuntimeError: c" in said
    assert "ValueError" not in said
    assert "Caused by: x.YError: z" in said
    assert "no level 12" in said


def test_kinds_of_errors_without_room_are_counted() -> None:
    entries = [f"{minute(n)} ERROR {chr(97 + n % 26)}{chr(97 + n // 26)} broke" for n in range(300)]
    found = must_show(log, "\n".join(entries), Room(tokens=500))
    assert re.search(r"(?m)^… \d+ more kinds of error, \d+ lines …$", found.text)


def test_without_errors_the_warnings_are_shown() -> None:
    entries = [f"{minute(n)} {'WARN disk' if n == 50 else 'INFO fine'} {n}" for n in range(100)]
    said = must_show(log, "\n".join(entries), Room(tokens=400)).text
    assert "warnings between, by line: …\n51: " in said


def test_long_lines_are_cut_and_colours_left_out() -> None:
    entries = [f"\x1b[2m{minute(n)}\x1b[0m \x1b[31mERROR\x1b[0m {'word ' * 200}" for n in range(9)]
    said = must_show(log, "\n".join(entries), WIDE).text.split("\n")
    assert "; ERROR 9" in said[0]
    assert "\x1b" not in said[1]
    assert re.search(r" word… \[\+[\d,]+ bytes\]$", said[1])
    assert len(said[1]) < LONGEST_LINE + 30


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("2026-01-01 10:00:0{n},123 - app - ERROR - it broke", "ERROR 9"),
        ("ERROR:root:it broke {n}", "ERROR 9"),
        ("[2026-01-01 10:00:0{n}] [error] it broke", "ERROR 9"),
        ("2026-01-01 10:00:0{n}.123 | WARNING  | app:main:12 - hm", "WARNING 9"),
        ("time=2026-01-01T10:00:0{n}Z level=warn msg=hm", "WARN 9"),
        ('ts=2026-01-01T10:00:0{n}Z severity="critical" msg=hm', "CRITICAL 9"),
        ("2026/01/01 10:00:0{n} [crit] 7#7: *1 hm", "CRIT 9"),
        ("[Thu Jan 01 10:00:0{n}.1 2026] [core:error] [pid 7] hm", "no levels, 9 lines about errors"),
        ("Jan  1 10:00:0{n} host sshd[7]: Accepted key", "no levels, 0 lines about errors"),
        ("<34>Jan  1 10:00:0{n} host su: hm", "CRIT 9"),
        ("I0101 10:00:0{n}.123456 7 main.go:42] hm", "INFO 9"),
        ("E0101 10:00:0{n}.123456 7 main.go:42] hm", "ERROR 9"),
        ("01-01 10:00:0{n}.123  1234  1235 E Tag: hm", "ERROR 9"),
        ("W/Tag( 12{n}): hm", "WARNING 9"),
        ("[I 10:00:0{n}.123 App] hm", "INFO 9"),
        ('10.0.0.1 - - [01/Jan/2026:10:00:0{n} +0000] "GET /{n} HTTP/1.1" 503 12', "5xx 9"),
        ("2026-01-01T10:00:0{n}Z error it broke", "ERROR 9"),
        ("error: it broke {n}", "ERROR 9"),
        ("web_1  | 2026-01-01 10:00:0{n} INFO hm", "INFO 9"),
        ("[    0.00000{n}] usb: hm", "no levels, 0 lines about errors"),
        ("2026-01-01T10:00:0{n}.1234567Z ##[error]Process failed", "ERROR 9"),
    ],
)
def test_levels_are_found_in_the_layouts_of_common_loggers(line: str, counts: str) -> None:
    said = must_show(log, "".join(line.replace("{n}", str(n)) + "\n" for n in range(9))).text
    assert said.split("\n")[0].endswith(f"; {counts}"), said


def test_a_log_without_levels_shows_the_lines_about_errors() -> None:
    entries = [f"{minute(n)} step {n}" for n in range(100)]
    entries[40] = f"{minute(40)} build failed\nException in thread main\nRuntimeError: no"
    found = must_show(log, "\n".join(entries), Room(tokens=400))
    assert "; no levels, 2 lines about errors\n" in found.text
    assert "\n41: " in found.text


def test_a_log_of_mostly_traces_is_a_log() -> None:
    entry = f"{minute(1)} ERROR broke\n" + "".join(f"\tat a.B.c(D.java:{n})\n" for n in range(6))
    assert must_show(log, entry * 40).headline == "280 lines of log, 40 errors"


def test_a_very_long_log_is_sampled_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST_READ", 900)
    monkeypatch.setattr(lines.stretches, "__defaults__", (10, 20))
    entries = [f"{minute(n)} {'ERROR' if n % 4 == 0 else 'INFO'} {n}" for n in range(1_000)]
    found = must_show(log, "\n".join(entries), Room(tokens=400))
    assert found.text.split("\n")[0].endswith("; about ERROR 250, INFO 750")
    assert found.headline == "1,000 lines of log, about 250 errors"
    growing(log, "\n".join(entries))


def test_a_kind_of_which_not_all_were_compared_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "MOST_ALIKE", 20)
    entries = [f"{minute(n)} {'ERROR' if n > 50 else 'INFO'} it" for n in range(100)]
    assert "ERROR it (×20+, last 71)" in must_show(log, "\n".join(entries), Room(tokens=300)).text


@pytest.mark.parametrize(
    "data",
    [
        "just some prose\nwith a few lines\nthat tell of an ERROR\nand nothing else\nat all\n",
        "2026-01-01 00:00:00 INFO one\n",
        "".join(f"2026-01-01T00:00:00Z,{n},ERROR,x\n" for n in range(20)),
        "".join(f"app.log:{n}:2026-01-01 00:00:00 ERROR x\n" for n in range(20)),
        "".join(f"def f{n}():\n    return ERROR\n" for n in range(20)),
        "",
        "\n\n\n\n",
    ],
)
def test_what_is_no_log_is_left_to_others(data: str) -> None:
    assert shown(log, data) is None


# Records in JSON


def records(count: int, **more: Any) -> list[dict[str, Any]]:
    names = ["info", "debug", "error", "warn"]
    return [
        {"level": names[n % 4], "msg": f"did {n}", "time": f"2026-01-01T00:00:{n % 60:02}Z", **more}
        for n in range(count)
    ]


@settings(max_examples=40)
@given(json_bytes() | json_bytes(st.integers(0, 60).map(records)))
def test_every_preview_of_records_is_json_that_fits_counts_and_grows(data: bytes) -> None:
    for preview in growing(log, data):
        told = json.loads(preview.text)
        parts = [*told.get("head", []), *told.get("errors", []), *told.get("tail", [])]
        assert len(parts) == preview.shown.end
        assert preview.shown.end + told.get("not_shown", 0) == preview.shown.total == told["records"]


def test_records_show_their_counts_their_ends_and_their_errors() -> None:
    entries = records(400, big=2**70)
    for number, entry in enumerate(entries):
        entry["level"] = "ERROR" if number in (100, 200) else "info"
    for data in (
        json.dumps(entries),
        "\n".join(map(json.dumps, entries)),
        json.dumps({"total": 9, "entries": entries}),
    ):
        found = must_show(log, data, Room(tokens=600))
        told = json.loads(found.text)
        assert told["records"] == 400
        assert told["time"] == [entries[0]["time"], entries[-1]["time"]]
        assert told["levels"] == {"ERROR": 2, "INFO": 398}
        assert told["head"] == entries[: len(told["head"])]
        assert told["tail"] == entries[-len(told["tail"]) :]
        assert told["errors"] == [{"index": 100, "times": 2, "last": 200, "record": entries[100]}]
        assert (found.style, found.headline) == ("log", "400 records of log, 2 errors")
        assert told.get("beside") == ({".total": 9} if found.shown.path else None)


def test_numbers_stand_for_levels_and_other_values_for_none() -> None:
    entries = records(60)
    for number, entry in enumerate(entries):
        entry["level"] = [10, 20, 30, 40, 50, 60][number % 6]
    entries[7]["level"] = entries[8]["level"] = "a level that is much longer than the names of levels are"
    entries[9]["level"] = None
    told = json.loads(must_show(log, json.dumps(entries), Room(tokens=400)).text)
    assert told["levels"] == {"FATAL": 10, "ERROR": 10, "WARN": 9, "INFO": 9, "DEBUG": 9, "TRACE": 10, "no level": 3}


def test_kinds_of_errors_in_records_without_room_are_counted() -> None:
    entries = [
        {**entry, "level": "error", "msg": chr(97 + n % 26) * (n // 26 + 1)} for n, entry in enumerate(records(300))
    ]
    told = json.loads(must_show(log, json.dumps(entries), Room(tokens=500)).text)
    assert re.fullmatch(r"\d+ more kinds of error, \d+ records", told["more"])


def test_large_records_are_shortened_inside() -> None:
    entries = records(30, stack="at f\n" * 200, **{f"k{n}": n for n in range(40)})
    found = must_show(log, json.dumps(entries), WIDE)
    first = json.loads(found.text)["head"][0]
    assert first["msg"] == "did 0"
    assert "…[+" in first["stack"]
    assert first["…"] == "+20 fields"
    wide = json.dumps([*records(30), "x" * 2_000, ["y" * 2_000], {}])
    assert growing(log, wide)[-1].shown.end == 33


def test_very_many_records_are_sampled_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonlog, "MOST_READ", 400)
    found = must_show(log, json.dumps(records(2_000)))
    told = json.loads(found.text)
    assert told["about"] == {"ERROR": 500, "WARN": 500, "INFO": 500, "DEBUG": 500}
    assert found.headline == "2,000 records of log, about 500 errors"


@pytest.mark.parametrize(
    "data",
    [
        '[{"level": "info", "msg": "a"}, {"level": "info", "msg": "b"}]',
        '[{"level": "boss", "msg": "a", "time": "2026-01-01"}, {"level": "end", "msg": "b", "time": "2026-01-01"}]',
        '[{"level": "info", "msg": 5, "time": 1e999}, {"level": "info", "msg": 6, "time": 1e999}]',
        '[{"level": "info", "msg": "a", "time": 1700000000}]',
        '{"level": "info", "msg": "a", "time": 1700000000}',
        '{"a": {"b": {"c": 1}}}',
        "[1, 2, 3]",
    ],
)
def test_records_that_are_no_log_are_left_to_others(data: str) -> None:
    assert shown(log, data) is None


def test_binary_data_is_no_log() -> None:
    assert shown(log, b"\x00\x01\x02" * 300) is None
