"""HAR files and cassettes are requests with their responses; what only looks a little like them is not."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.core.forms import recordings
from tests.kit.forms.facts import reading_of

STATUSES = (200, 200, 404, 200, 503)


def entry(n: int) -> dict[str, Any]:
    return {
        "startedDateTime": f"2026-05-01T10:00:{n % 60:02}.000Z",
        "time": n * 1.5,
        "request": {"method": "GET", "url": f"https://{'ab'[n % 2]}.example/items/{n}", "headers": [{"name": "a"}]},
        "response": {"status": STATUSES[n % 5], "content": {"size": 900 - n, "mimeType": "text/plain"}},
    }


def cassette(n: int) -> dict[str, Any]:
    return {
        "request": {"method": "post", "uri": f"http://h/{n}", "body": None, "headers": {"Accept": ["*/*"]}},
        "response": {"status": {"code": 200, "message": "OK"}, "body": {"string": f"text {n}"}},
    }


def test_a_har_file_is_requests_and_tells_what_failed_was_slow_and_large() -> None:
    reading = reading_of({"log": {"version": "1.2", "entries": [entry(n) for n in range(40)]}})
    assert (reading.form, reading.words) == ("recording", "recorded HTTP: 40 requests in .log.entries (8 columns)")
    assert reading.facts == (
        "status: 200 ×24 · 404 ×8 · 503 ×8",
        "requests by host: a.example ×20 · b.example ×20",
        "failed: 404 GET https://a.example/items/2 (row 3) · 503 GET https://a.example/items/4 (row 5)"
        " · 404 GET https://b.example/items/7 (row 8) · 13 more",
        "slowest: 58.5 GET https://b.example/items/39 (row 40)",
        "largest response: 900 GET https://a.example/items/0 (row 1)",
        'other fields: log.version="1.2"',
    )


def test_a_cassette_is_requests() -> None:
    reading = reading_of({"interactions": [cassette(n) for n in range(40)], "version": 1})
    assert reading.words.startswith("recorded HTTP: 40 requests in .interactions (")
    assert reading.facts == ("status: 200 ×40", "other fields: version=1")


def test_a_response_that_never_came_has_no_status() -> None:
    rows = [{**entry(n), "response": {"status": STATUSES[n % 5]} if n % 2 else {"error": "aborted"}} for n in range(40)]
    reading = reading_of(rows)
    assert reading.form == "recording"
    assert reading.facts[0] == "status: 200 ×12 · 404 ×4 · 503 ×4"


def _changed(**fields: Any) -> list[dict[str, Any]]:
    return [{**entry(n), **(fields if n == 7 else {})} for n in range(40)]


@pytest.mark.parametrize(
    "rows",
    [
        _changed(request={"method": "FETCH", "url": "x"}),
        _changed(request={"method": "GET"}),
        _changed(response={"status": "ok"}),
        _changed(response={"status": 9_000}),
        [{"request": {"method": "GET", "url": f"u{n}"}, "answer": n} for n in range(40)],
        [{"request": {"method": "GET", "path": f"u{n}"}, "response": {"status": 200}} for n in range(40)],
    ],
)
def test_rows_of_which_one_is_no_request_are_records(rows: list[dict[str, Any]]) -> None:
    assert reading_of(rows).form == "records"


def test_very_many_requests_are_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "MOST", 30)
    assert reading_of([entry(n) for n in range(40)]).form == "records"


def test_requests_that_are_called_so_are_counted_once() -> None:
    reading = reading_of({"requests": [cassette(n) for n in range(40)]})
    assert reading.words.startswith("recorded HTTP: 40 requests in .requests (")
