"""Whatever is said of a log equals what its entries say, counted in another way."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest

from penstock.core.forms import log_facts
from penstock.core.forms.text import logs
from penstock.core.text import tally
from tests.kit.forms.log_entries import WAYS, entries, iso
from tests.kit.forms.reading import read_as

if TYPE_CHECKING:
    from tests.kit.forms.reading import Read


def read(lines: list[str]) -> Read:
    found = read_as(logs.FORM, "\n".join(lines))
    assert found is not None
    return found


def fact(found: Read, start: str) -> str:
    """What a fact says after its beginning; nothing if there is no such fact."""
    return next((text.removeprefix(start) for text in found.words.facts if text.startswith(start)), "")


def excerpt(found: Read, title: str) -> list[tuple[int, str]]:
    one = next(one for one in found.words.excerpts if one.title == title)
    return list(zip(one.numbers, one.lines, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_levels_span_and_silence_are_those_of_the_entries(seed: int) -> None:
    some = entries(5_000 if seed == 0 else 300, seed)
    lines = [WAYS["spark"].line(entry) for entry in some]
    found = read(lines)
    errors = [entry for entry in some if entry.level == "ERROR"]
    span = f"{iso(some[0].at)} to {iso(some[-1].at)[11 if some[0].at.date() == some[-1].at.date() else 0 :]}"
    assert found.words.what == f"a log: {len(some):,} entries, {span}, {len(errors):,} ERROR"
    whole = [entry.at.replace(microsecond=0) for entry in some]
    gaps = [(after - before).seconds for before, after in pairwise(whole)]
    assert fact(found, "longest gap: ") == f"{max(gaps)} s, before line {gaps.index(max(gaps)) + 2:,}"


def test_the_worst_levels_come_first() -> None:
    levels = ["INFO", "ERROR", "FATAL", "WARN", "SEVERE", "INFO", "ERROR"]
    found = read([f"{iso(e.at)} {levels[e.number % 7]} {e.source}: {e.message}" for e in entries(70)])
    assert found.words.what.endswith(", 10 FATAL, 10 SEVERE, 20 ERROR")


def test_no_errors_are_said_to_be_none() -> None:
    found = read([f"{iso(e.at)} INFO {e.message}" for e in entries(40)])
    assert found.words.what.endswith(", none of level ERROR or worse")


@pytest.mark.parametrize(("way", "without"), [("syslog", "year"), ("logback", "date")])
def test_a_log_without_a_year_or_a_date_says_so(way: str, without: str) -> None:
    found = read([WAYS[way].line(entry) for entry in entries(9_000)])
    times = found.column("time")
    assert f", {min(times)} to {max(times).removeprefix('03-24 ')} (without a {without})" in found.words.what
    assert not fact(found, "longest gap")


def test_a_yearless_log_of_two_days_names_both() -> None:
    some = [*entries(40), *(entries(40, seed=2))]
    lines = [f"{e.at + timedelta(days=n // 40):%b %d %H:%M:%S} h p[1]: {e.message}" for n, e in enumerate(some)]
    assert ", 03-24 09:58:01 to 03-25 " in read(lines).words.what


def test_times_out_of_order_are_counted_and_have_no_silence() -> None:
    some = entries(9_000, ordered=False)
    found = read([f"{iso(e.at)}.{e.at:%f} {e.level} {e.message}" for e in some])
    backwards = sum(after.at < before.at for before, after in pairwise(some))
    assert fact(found, "entries out of time order: ") == f"{backwards:,}"
    assert not fact(found, "longest gap: ")
    least, greatest = min(e.at for e in some), max(e.at for e in some)
    assert f", {iso(least)}.{least:%f} to {greatest:%H:%M:%S.%f}, " in found.words.what


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (timedelta(seconds=6, microseconds=250_000), "6.25 s"),
        (timedelta(minutes=3, seconds=20), "3 min 20 s"),
        (timedelta(hours=2), "2 h"),
        (timedelta(days=1, minutes=1), "1 day 1 min"),
        (timedelta(days=40, hours=3, minutes=2, seconds=1, microseconds=5), "40 days 3 h 2 min 1.000005 s"),
    ],
)
def test_the_longest_silence_is_told_with_the_line_after_it(gap: timedelta, words: str) -> None:
    start = datetime(2026, 1, 5)
    times = [start + timedelta(seconds=n) + (gap - timedelta(seconds=1) if n >= 30 else timedelta()) for n in range(60)]
    found = read([f"{iso(at)}.{at:%f} INFO all is well" for at in times])
    assert fact(found, "longest gap: ") == f"{words}, before line 31"
    assert [number for number, _ in excerpt(found, "after the longest gap")] == [31]


def test_entries_of_one_moment_have_no_silence() -> None:
    found = read(["2026-01-05 10:00:00 INFO all is well"] * 30)
    assert not any("silence" in text for text in found.words.facts)


@pytest.mark.parametrize("odd", ["2026-02-30 10:00:00", "2026-03-24 23:59:60", "2026-03-24 09:58:50Z"])
def test_times_that_do_not_compare_have_no_silence(odd: str) -> None:
    lines = [f"{iso(e.at)} INFO {e.message}" for e in entries(5_000)]
    lines[10] = f"{odd} INFO all is well"
    found = read(lines)
    assert not any("silence" in text or "before that" in text for text in found.words.facts)
    assert found.tables["items"].count == 5_000


def test_a_log_with_stack_traces_counts_entries_and_lines() -> None:
    lines: list[str] = []
    for e in entries(300):
        lines.append(WAYS["log4j"].line(e))
        if e.number % 10 == 0:
            lines += ["java.lang.IllegalStateException: no", *["\tat a.b.C.run(C.java:7)"] * (e.number // 10)]
        elif e.number % 10 == 5:
            lines += ["  a second line", "", "  a fourth line"]
    found = read(lines)
    assert found.words.what.startswith(f"a log: 300 entries on {len(lines):,} lines, ")
    assert sum(size is not None for size in found.column("lines")) == 60
    assert max(filter(None, found.column("lines"))) == 31


def without_numbers(text: str) -> str:
    """A message without its values, in the slow and plain way."""
    text = re.sub(r"\"[^\"]*\"|'[^']*'", "#", text)
    text = re.sub(r"(?<!\w)/\S+", "#", text)
    return re.sub(r"[0-9]+(\.[0-9]+)*", "#", text)


def test_the_commonest_messages_are_counted_without_their_numbers() -> None:
    some = entries(3_000)
    found = read([f"{iso(e.at)} {e.level} {e.source}: {e.message}" for e in some])
    truth = Counter(without_numbers(e.message) for e in some if e.level == "ERROR")
    assert fact(found, "top error messages (numbers as #): ") == tally(truth.most_common())


@pytest.mark.parametrize(
    ("message", "template"),
    [
        ("took 12 ms, then 1.5 s", "took # ms, then # s"),
        ("from 10.0.0.7:443 at 2026-01-01 10:00:00", "from # at # #"),
        ("id 550e8400-e29b-41d4-a716-446655440000 lost", "id # lost"),
        ("at 0x7ffe12ab, block blk_123", "at #, block blk_#"),
        ("cannot open '/a b/c.txt' or \"d e\"", "cannot open # or #"),
        ("no /var/log/x.log and/or y", "no # and/or y"),
        ("deadbeef cafe1 facade", "deadbeef # facade"),
    ],
)
def test_values_are_left_out_of_messages(message: str, template: str) -> None:
    found = read([f"{iso(e.at)} ERROR {message}" for e in entries(20)])
    assert fact(found, "top error messages (numbers as #): ") == tally([(template, 20)])


def test_messages_that_all_differ_are_not_called_common() -> None:
    words = ["".join(Random(n).choices("abcdefghij", k=9)) for n in range(40)]
    found = read([f"{iso(e.at)} ERROR {words[e.number]}" for e in entries(40)])
    assert not any("commonest" in text for text in found.words.facts)


def test_too_many_different_messages_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["".join(Random(n % 300).choices("abcdefghij", k=9)) for n in range(9_000)]
    lines = [f"{iso(e.at)} ERROR {words[e.number]}" for e in entries(9_000)]
    assert fact(read(lines), "top error messages (numbers as #)")
    monkeypatch.setattr(log_facts, "MAX_TEMPLATES", 200)
    assert not fact(read(lines), "top error messages (numbers as #)")
    monkeypatch.undo()
    monkeypatch.setattr(log_facts, "MAX_REWRITTEN", 100)
    assert fact(read(lines), "top error messages (numbers as #)")
    assert not fact(read(lines[:900]), "top error messages (numbers as #)")


def test_dates_that_do_not_exist_have_no_span() -> None:
    assert read(["2026-02-30 10:00:00 INFO all is well"] * 40).words.what == (
        "a log: 40 entries, none of level ERROR or worse"
    )


def test_a_log_of_requests_without_statuses_is_read_too() -> None:
    found = read([f'[{e.at:%d/%b/%Y %H:%M:%S}] "GET /a HTTP/1.1" done' for e in entries(40)])
    assert found.column("rest") == ["done"] * 40
