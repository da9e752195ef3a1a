"""Every time stamp becomes the ISO text of the moment that it was written from, or none at all."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

import pytest

from penstock.core.forms.log_times import END, MAX_STAMP, STAMPS, finder
from penstock.core.profile import Column

if TYPE_CHECKING:
    from collections.abc import Callable


def clock(at: datetime) -> str:
    return f"{at:%H:%M:%S}"


def whole(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S}"


def ms(at: datetime) -> str:
    return f"{at.microsecond // 1000:03}"


WAYS: dict[str, list[tuple[Callable[[datetime], str], Callable[[datetime], str]]]] = {
    "iso": [
        (whole, whole),
        (lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}", lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}"),
        (lambda at: f"{whole(at)},{ms(at)}", lambda at: f"{whole(at)},{ms(at)}"),
        (lambda at: f"{whole(at)}.{at:%f} UTC", lambda at: f"{whole(at)}.{at:%f}Z"),
        (lambda at: f"{whole(at)} +0530", lambda at: f"{whole(at)} +0530"),
        (lambda at: f"{at:%Y-%m-%dT%H:%M:%S}.{at:%f}0-08:00", lambda at: f"{at:%Y-%m-%dT%H:%M:%S}.{at:%f}0-08:00"),
    ],
    "slashes": [(lambda at: f"{at:%Y/%m/%d %H:%M:%S}", whole)],
    "short": [(lambda at: f"{at:%y/%m/%d} {clock(at)}", whole)],
    "ctime": [
        (lambda at: f"{at:%a %b %d %H:%M:%S %Y}", whole),
        (lambda at: f"{at:%b} {at.day:2} {clock(at)}.{at:%f} {at:%Y}", lambda at: f"{whole(at)}.{at:%f}"),
    ],
    "named": [
        (lambda at: f"{at:%d/%b/%Y}:{clock(at)} -0700", lambda at: f"{whole(at)} -0700"),
        (lambda at: f"{at:%d-%b-%Y} {clock(at)}.{ms(at)}", lambda at: f"{whole(at)}.{ms(at)}"),
        (lambda at: f"{at:%d %b %Y} {clock(at)} GMT", lambda at: f"{whole(at)}Z"),
    ],
    "epoch": [
        (lambda at: f"{int(at.replace(tzinfo=UTC).timestamp())}", lambda at: f"{whole(at)}Z"),
        (lambda at: f"{int(at.replace(tzinfo=UTC).timestamp())}.{at:%f}", lambda at: f"{whole(at)}.{at:%f}Z"),
        (lambda at: f"{int(at.replace(tzinfo=UTC).timestamp())}{ms(at)}", lambda at: f"{whole(at)}.{ms(at)}Z"),
    ],
    "syslog": [(lambda at: f"{at:%b} {at.day:2} {clock(at)}", lambda at: f"{at:%m-%d %H:%M:%S}")],
    "month-day": [(lambda at: f"{at:%m-%d %H:%M:%S}.{ms(at)}", lambda at: f"{at:%m-%d %H:%M:%S}.{ms(at)}")],
    "two numbers": [(lambda at: f"{at:%m.%d %H:%M:%S}", lambda at: f"{at:%m.%d %H:%M:%S}")],
    "klog": [(lambda at: f"{at:%m%d %H:%M:%S.%f}", lambda at: f"{at:%m-%d %H:%M:%S.%f}")],
    "clock": [(lambda at: f"{clock(at)},{ms(at)}", lambda at: f"{clock(at)},{ms(at)}")],
}


def moments(count: int = 40) -> list[datetime]:
    random = Random(7)
    first = datetime(2002, 1, 1)
    return [
        first + timedelta(seconds=random.randrange(30 * 365 * 86_400), microseconds=random.randrange(10**6))
        for _ in range(count)
    ]


def times_of(name: str, texts: list[str]) -> list[str | None]:
    """The times that a stamp writes of texts, each as a line has it."""
    matches = [re.fullmatch(STAMPS[name].pattern + END + ".*\n", f"{text} x\n") for text in texts]
    assert all(matches)
    groups = [match.groups("") for match in matches if match]
    return STAMPS[name].write(*zip(*groups, strict=True))


def test_every_stamp_is_tested() -> None:
    assert WAYS.keys() == STAMPS.keys()


@pytest.mark.parametrize(("name", "way"), [(name, way) for name, ways in WAYS.items() for way in range(len(ways))])
def test_a_stamp_becomes_the_time_that_it_was_written_from(name: str, way: int) -> None:
    write, truth = WAYS[name][way]
    assert times_of(name, [write(at) for at in moments()]) == [truth(at) for at in moments()]


@pytest.mark.parametrize(("name", "way"), [(name, way) for name, ways in WAYS.items() for way in range(len(ways))])
def test_a_stamp_is_found_where_it_stands(name: str, way: int) -> None:
    for at in moments(8):
        text = WAYS[name][way][0](at)
        before = "E" if name == "klog" else ""
        match = finder(name).search(f"{before}{text} and a message")
        assert match is not None
        assert match[0] == text
        assert len(text) <= MAX_STAMP


@pytest.mark.parametrize("name", [name for name, stamp in STAMPS.items() if stamp.is_dated])
def test_dated_times_are_times_for_the_profile(name: str) -> None:
    for write, _ in WAYS[name]:
        column = Column()
        cells = times_of(name, [write(at) for at in moments()])
        column.learn(cells)
        assert column.is_time


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("iso", "2026-02-30 10:00:00"),
        ("slashes", "2026/02/31 10:00:00"),
        ("ctime", "Feb 30 10:00:00 2026"),
    ],
)
def test_a_date_that_no_calendar_has_is_no_time(name: str, text: str) -> None:
    write = WAYS[name][0][0]
    good = write(datetime(2026, 3, 4, 5, 6, 7))
    assert times_of(name, [good, text, good]) == ["2026-03-04 05:06:07", None, "2026-03-04 05:06:07"]


@pytest.mark.parametrize(
    "text",
    [
        "1989-12-31 10:00:00",
        "2100-01-01 10:00:00",
        "2026-13-01 10:00:00",
        "2026-01-32 10:00:00",
        "2026-01-01 24:00:00",
        "2026-01-01 10:60:00",
        "2026-01-01 10:00:61",
        "2026-01-01 10:00:00,2019-03-04",  # two cells of a table
        "2026-01-01 10:00:00,12",
        "2026-01-01 10:00:00.1234567890",
        "2026-01-01 10:00:00abc",
        "x2026-01-01 10:00:00",
        "file:2026-01-01 10:00:00",
        "'2026-01-01 10:00:00'",
        "(2026-01-01 10:00:00)",
        "99999999999",
    ],
)
def test_what_is_no_stamp_of_our_times_is_not_found(text: str) -> None:
    assert [name for name, one in STAMPS.items() if one.rank < 2 and finder(name).search(f"{text}\n")] == []


def test_two_digits_of_a_year_mean_1990_to_2089() -> None:
    assert times_of("short", ["89/12/31 23:59:59", "90/01/01 00:00:00"]) == [
        "2089-12-31 23:59:59",
        "1990-01-01 00:00:00",
    ]


def test_only_some_seconds_since_1970_have_decimals() -> None:
    assert times_of("epoch", ["1700000000", "1700000000.5"]) == ["2023-11-14 22:13:20Z", "2023-11-14 22:13:20.5Z"]


def test_only_some_times_are_in_utc() -> None:
    texts = ["2026-01-01 10:00:00 UTC", "2026-01-01 10:00:00+01:00"]
    assert times_of("iso", texts) == ["2026-01-01 10:00:00Z", "2026-01-01 10:00:00+01:00"]
