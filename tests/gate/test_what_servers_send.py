"""Results as common servers send them: SQL sees their records, ranges are true, and what is offered can be followed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.protocol.tools import definition
from tests.gate.conftest import notice
from tests.kit.answers import split
from tests.kit.schemas import validator

if TYPE_CHECKING:
    from tests.gate.conftest import Desk

CITIES = ("Turin", "Rome", "Oslo")
RECORDS = [{"id": n, "city": CITIES[n % 3], "note": "word " * 6} for n in range(600)]
CSV = "id,city,age\n" + "".join(f"{n},{CITIES[n % 3]},{n % 90}\n" for n in range(2_000))
TABLE = {"columns": ["id", "city"], "rows": [[n, CITIES[n % 3]] for n in range(3_000)], "rowCount": 3_000}
LOG = "".join(
    f"2026-11-{n % 28 + 1:02}T12:00:00 {'INFO' if n % 50 else 'ERROR'} took {n % 300} ms\n" for n in range(3_000)
)
YAML = "items:\n" + "".join(f"  - id: {n}\n    city: {CITIES[n % 3]}\n" for n in range(900))
SENT: dict[str, tuple[Any, int]] = {
    "JSON in a fence": (f"Script returned:\n```json\n{json.dumps(RECORDS)}\n```\n", 600),
    "JSON below a heading": (f"### Result\n{json.dumps(RECORDS, indent=2)}\n### Ran code\n", 600),
    "comma-separated": (CSV, 2_000),
    "columns and rows": (TABLE, 3_000),
    "YAML": (YAML, 900),
}


@pytest.mark.parametrize("name", SENT)
def test_sql_sees_the_records_and_their_columns(desk: Desk, name: str) -> None:
    data, number = SENT[name]
    answer = desk.fetch("sql", desk.hold(data), sql="select city, count(*) as n from items group by 1 order by 1")
    assert answer["result"] == [{"city": city, "n": number // 3 + (at < number % 3)} for city, at in _ordered()]


def _ordered() -> list[tuple[str, int]]:
    return sorted((city, at) for at, city in enumerate(CITIES))


@pytest.mark.parametrize("data", [LOG, CSV, RECORDS, {"path": "/var/app.log", "content": LOG}])
def test_rows_that_are_shown_are_named_each_and_every_offer_fits_a_page(desk: Desk, data: Any) -> None:
    answer = notice(desk.admit(data))
    assert set(answer["shown"]) <= {"path", "rows", "lines", "of"}
    for call in (*answer["next"], *answer.get("suggestions", ())):
        assert call.get("tokens", call.get("at_most_tokens")) <= answer["metadata"]["token_limit"]


@pytest.mark.parametrize("data", [LOG, TABLE, YAML, RECORDS, {"path": "/var/app.log", "content": LOG}])
def test_offered_calls_of_the_reading_tool_are_valid_under_its_closed_schema(desk: Desk, data: Any) -> None:
    closed = validator(
        {**json.loads(definition("fetch_cached_response"))["inputSchema"], "additionalProperties": False}
    )
    answer = notice(desk.admit(data))
    offered = [
        call for call in (*answer["next"], *answer.get("suggestions", ())) if call["tool"] == "fetch_cached_response"
    ]
    assert offered
    for call in offered:
        closed.validate(call["arguments"])


def test_the_errors_of_an_unsorted_log_are_counted_and_its_times_are_the_first_and_the_last(desk: Desk) -> None:
    answer = notice(desk.admit(LOG))
    assert "2026-11-01T12:00:00 to 2026-11-28T12:00:00, 60 ERROR" in answer["message"]


def test_a_text_in_an_object_is_read_as_that_text(desk: Desk) -> None:
    answer = notice(desk.admit({"path": "/var/app.log", "content": LOG}))
    assert answer["next"][0]["arguments"]["path"] == ".content"
    where, text = split(desk.gate.fetch("ann", answer["next"][0]["arguments"]))
    assert where["path"] == ".content"
    assert text
    assert LOG.startswith(text)
