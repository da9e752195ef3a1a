"""A series tells from when to when it goes, its extremes, and a thinned curve that keeps them: numbers as they were
sent, valid JSON within the room, never fewer points in a bigger room."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.preview import points
from penstock.core.preview import series as module
from penstock.core.preview.series import series
from tests.core.preview import hostile
from tests.core.preview.promises import WIDE, growing, must_show, shown

ROOM = Room(tokens=1_500, size=8_192)

numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**30), 10**30)


def told(data: object, room: Room = ROOM) -> dict[str, Any]:
    return dict(json.loads(must_show(series, json.dumps(data), room).text))


def headline(data: object) -> str:
    return must_show(series, json.dumps(data)).headline


def days(count: int) -> list[dict[str, Any]]:
    return [
        {
            "date": f"2026-{day // 28 + 1:02}-{day % 28 + 1:02}",
            "close": round(100 + 20 * math.sin(day / 9), 2),
            "volume": day,
        }
        for day in range(count)
    ]


@given(hostile.documents)
@settings(max_examples=40)
def test_any_json_is_shown_within_its_room_or_left_to_others(document: bytes) -> None:
    for preview in growing(series, document):
        assert len(json.loads(preview.text)["curve"]) == preview.shown.end


@given(
    st.lists(hostile.scalars, min_size=60, max_size=90),
    st.sampled_from([b'{"time": %d000, "value": %s}', b"[%d,%s]", b'{"date":"20%02d","v":1,"w":%s}', b"%d%.0s"]),
)
@settings(max_examples=40)
def test_odd_values_in_a_series_do_no_harm(values: list[bytes], form: bytes) -> None:
    odd = [form % (1_000_000 + place, value if place % 11 == 0 else b"1") for place, value in enumerate(values)]
    for preview in growing(series, b"[" + b",".join(odd) + b"]"):
        assert len(json.loads(preview.text)["curve"]) == preview.shown.end


@pytest.mark.parametrize("name", hostile.fixed)
def test_hostile_documents_are_shown_within_their_room_or_left_to_others(name: str) -> None:
    for preview in growing(series, hostile.fixed[name]):
        json.loads(preview.text)


@given(st.lists(numbers, min_size=50, max_size=150))
@settings(max_examples=40)
def test_the_curve_keeps_first_last_and_extremes(values: list[float]) -> None:
    for preview in growing(series, json.dumps(values)):
        body = json.loads(preview.text)
        figures = body["fields"]["value"]
        assert (figures["min"], figures["max"], figures["last"]) == (min(values), max(values), values[-1])
        assert all(values[at] == value for at, value in body["curve"])
        shown_at = [at for at, _ in body["curve"]]
        assert shown_at == sorted(set(shown_at))
        assert len(shown_at) + body.get("not_shown", {}).get("points", 0) == body["count"] == len(values)
        if len(shown_at) >= 4:
            told_values = [value for _, value in body["curve"]]
            assert {0, len(values) - 1} <= set(shown_at)
            assert {min(values), max(values)} <= set(told_values)


def test_records_in_the_order_of_time_are_a_series() -> None:
    data = {"symbol": "ACME", "prices": days(300)}
    preview = must_show(series, json.dumps(data), Room(tokens=500))
    body = json.loads(preview.text)
    assert (preview.style, preview.headline) == ("series", "300 points from 2026-01-01 to 2026-11-20")
    assert (body["count"], body["from"], body["to"]) == (300, "2026-01-01", "2026-11-20")
    assert body["fields"]["volume"] == {"min": 0, "max": 299, "mean": 149.5, "last": 299}
    assert body["curve_of"] == ["date", "close", "volume"]
    assert body["curve"][0] == ["2026-01-01", 100.0, 0]
    assert body["beside"] == {".symbol": "ACME"}
    assert body["not_shown"] == {"points": 300 - preview.shown.end}
    assert "sampled" not in body
    assert preview.shown.path == ("prices",)


def test_the_first_steps_show_more_and_more_fields() -> None:
    wide = [{**day, **{f"f{field}": day["volume"] for field in range(5)}} for day in days(300)]
    seen = [json.loads(preview.text) for preview in growing(series, json.dumps(wide))]
    shown_fields = len(seen[0]["fields"])
    assert 1 <= shown_fields < 7
    assert len(seen[0]["curve"]) == 1
    assert seen[0]["curve"][0][0] == "2026-11-20"
    assert seen[0]["not_shown"] == {"points": 299, "fields": 7 - shown_fields}
    assert len(seen[-1]["curve"]) == 300


def test_thinned_points_lie_at_even_distances() -> None:
    curve = told(list(range(1_000)), Room(tokens=400))["curve"]
    gaps = [later - earlier for (earlier, _), (later, _) in pairwise(curve)]
    assert max(gaps) - min(gaps) <= 1


def test_numbers_are_shown_as_they_were_sent() -> None:
    data = "[" + ",".join(["1.0", "9007199254740993", "1e999", "-1e999"] + ["2.50"] * 60) + "]"
    text = must_show(series, data).text
    assert '"min":-1e999,"max":1e999,"last":2.50' in text
    assert "[1,9007199254740993]" in text
    assert "mean" not in text
    long = "[" + ",".join(["9" * 4_301, *["1"] * 60]) + "]"
    assert json.loads(must_show(series, long).text)["fields"]["value"]["max"] == "[number of 4,301 characters]"


def test_newest_first_is_told_and_the_last_value_is_the_newest() -> None:
    body = told(days(100)[::-1])
    assert body["order"] == "descending"
    assert (body["from"], body["to"]) == ("2026-01-01", "2026-04-16")
    assert body["fields"]["volume"]["last"] == 99
    assert body["curve"][0][0] == "2026-04-16"


def test_pairs_of_time_and_value_are_a_series() -> None:
    pairs = [[1_767_225_600 + 60 * number, f"{number}.5"] for number in range(100)]
    body = told({"metric": {"job": "x"}, "values": pairs})
    assert body["fields"]["value"] == {"min": "0.5", "max": "99.5", "mean": 50.0, "last": "99.5"}
    assert body["curve_of"] == ["time", "value"]
    assert headline(pairs) == "100 points from 2026-01-01 00:00:00 to 2026-01-01 01:39:00"
    candles = [[number / 10, number, number + 1, number - 1, number, 7] for number in range(100)]
    body = told(candles)
    assert list(body["fields"]) == ["1", "2", "3", "4", "5"]
    assert body["curve_of"] == ["time", "1", "2", "3", "4"]
    assert headline(candles) == "100 points from 0.0 to 9.9"


def test_plain_numbers_are_a_series_when_there_are_many() -> None:
    assert headline(list(range(50))) == "50 numbers"
    assert shown(series, json.dumps(list(range(49)))) is None
    assert told(list(range(50)))["curve_of"] == ["index", "value"]


def test_other_fields_that_tell_little_are_named() -> None:
    data = [
        {**day, "id": number * 7, "host": "a", "state": "up" if number % 2 else "down"}
        for number, day in enumerate(days(90))
    ]
    assert told(data)["not_shown"]["fields"] == ["id", "host", "state"]
    with_gaps = [day if number % 30 else {"date": None, "close": None} for number, day in enumerate(days(90))]
    assert told(with_gaps)["fields"]["close"]["max"] == 120.0


def test_many_fields_are_shown_in_part() -> None:
    data = [{"ts": 1_767_225_600_000 + number, **{f"f{field}": number for field in range(12)}} for number in range(60)]
    body = told(data)
    assert len(body["fields"]) == 8
    assert body["curve_of"] == ["ts", "f0", "f1", "f2", "f3"]
    assert body["not_shown"]["fields"] == ["f8", "f9", "f10", "f11"]


@pytest.mark.parametrize(
    "data",
    [
        [{"date": "2026-01-01", "n": number} for number in range(60)],
        [{**day, "title": f"issue {number}"} for number, day in enumerate(days(60))],
        [{**day, "note": ["long words " * 9, "other"][number % 2]} for number, day in enumerate(days(60))],
        [{**days(60)[number // 2], "host": "ab"[number % 2]} for number in range(60)],
        [days(60)[number * 7 % 60] for number in range(60)],
        [{"date": day["date"], "title": "t"} for day in days(60)],
        [{"n": number} for number in range(60)],
        [{"time": number, "n": number} for number in range(60)],
        [{**day, "text": "x" * 3_000} for day in days(60)],
        days(19),
        [[number] for number in range(60)],
        [[] for number in range(60)],
        [[number, number] if number % 2 else [number] for number in range(60)],
        [[number, "x"] for number in range(60)],
        [["x", number] for number in range(60)],
        [[number * 7 % 60, number] for number in range(60)],
        [[number, number] for number in range(40)],
        ["x"] * 60,
        [1, "x"] * 60,
        {f"k{number}": number for number in range(60)},
    ],
)
def test_what_only_looks_like_a_series_is_left_to_others(data: object) -> None:
    assert shown(series, json.dumps(data)) is None


def test_text_is_no_series_here() -> None:
    assert shown(series, "1\n2\n3\n" * 50) is None
    assert shown(series, b"") is None


def test_lines_of_json_are_a_series() -> None:
    assert must_show(series, "\n".join(map(json.dumps, days(60)))).headline == "60 points from 2026-01-01 to 2026-03-04"


def test_a_long_series_is_read_in_part_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLED", 60)
    body = told(list(range(10_001)), WIDE)
    assert body["sampled"] == "min, max and mean are of 60 points at even distances"
    assert (body["fields"]["value"]["max"], body["not_shown"]) == (10_000, {"points": 9_941})
    monkeypatch.setattr(module, "MOST_BYTES", 1_000)
    assert len(told(days(200), WIDE)["curve"]) == 60


def test_a_late_stretch_of_other_values_does_no_harm() -> None:
    values: list[Any] = list(range(5_000))
    for at in range(2_001, 2_030):
        values[at] = [None, {"a": 1}, "x", []][at % 4]
    assert told(values)["fields"]["value"]["max"] == 4_999
    pairs: list[Any] = [[number, number] for number in range(5_000)]
    pairs[2_001:2_003] = [7, {"a": 1}]
    assert told(pairs)["fields"]["value"]["max"] == 4_999


def test_a_field_without_numbers_in_the_sample_has_no_extremes() -> None:
    found = module._Extremes.of([b"null", b'"x"'])
    assert json.loads(found.render(b"1")) == {"min": None, "max": None, "last": 1}


@pytest.mark.parametrize(
    ("value", "other", "told_as"),
    [
        (b'"2026-01-01T10:00:00Z"', b'"2026-02-01"', "2026-01-01"),
        (b'"2026-01-01T10:00:07Z"', b'"2026-01-01"', "2026-01-01 10:00:07"),
        (b"1767225600", b"null", "2026-01-01"),
        (b"-99999999999", b"1", "-99999999999"),
        (b'"Q1"', b'"Q2"', "Q1"),
        (b"7", b"8", "7"),
    ],
)
def test_times_in_the_headline_are_days_or_as_they_were_sent(value: bytes, other: bytes, told_as: str) -> None:
    assert module._when(value, other) == told_as


def test_times_are_read_from_short_values_only() -> None:
    assert points.readable(b"9" * 65) is None
    assert points.readable(b"true") is None
    assert points.number_of(b'"1.5"') == 1.5
