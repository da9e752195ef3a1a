"""Rows by their numbers are the rows that SQL has, wherever they lie and in whatever order."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.core.forms.rows import RowSpec
from penstock.errors import CallerError
from penstock.gate.looking import windows
from penstock.gate.looking.downloads import written_rows
from penstock.gate.looking.windows import RowOrder, RowWindows

if TYPE_CHECKING:
    from penstock.gate.looking import Looking
    from tests.gate.conftest import Desk

ROWS = [
    {
        "id": n,
        "name": f"name {n % 50}",
        "user": {"login": f"u{n}"},
        "gone": None if n % 2 else n,
        "tags": ["a", n, *(["b"] if n % 5 == 2 else [])],
    }
    for n in range(700)
]
CSV = "id,name,price\n" + "".join(f"{n},name {n},{n * 7 % 100}\n" for n in range(2_000))
LOG = "".join(
    f"2026-01-01T00:00:{n % 60:02d}Z {'ERROR' if n % 9 == 0 else 'INFO'} unit{n % 4}: did {n}\n" for n in range(2_000)
)
MAP = {f"key{n}": {"a": n, "b": f"text {n}"} for n in range(900)}
NESTED = {
    "groups": [
        {"name": f"g{n}", "parts": [{"p": n * 10 + m, "text": "word " * 6} for m in range(10)]} for n in range(60)
    ]
}
LINES = "".join(f"{json.dumps({'n': n, 'word': 'w' * (n % 30)})}\n" for n in range(1_500))


@pytest.fixture
def rows(looking: Looking) -> RowWindows:
    return RowWindows(looking.workers)


@pytest.mark.parametrize(
    "value", [ROWS, CSV, LOG, MAP, NESTED, LINES], ids=["rows", "csv", "log", "map", "nested", "jsonl"]
)
def test_windows_put_together_are_the_rows_of_sql(desk: Desk, looking: Looking, rows: RowWindows, value: Any) -> None:
    opened = looking.open(desk.hold(value))
    for name, _, count in rows.tables(opened):
        first = rows.window(opened, name, 0, 100)
        assert count in (None, first.total)
        found = [row for at in range(0, first.total, 90) for row in rows.window(opened, name, at, 90).rows]
        sql = rows._sql(opened, f'SELECT * FROM "{name}"')
        assert len(found) == sql.count == first.total
        expected = [json.loads(one) for one in sql.rows]
        for row, other in zip(found, expected, strict=True):
            assert dict(zip(first.columns, row, strict=True)) == other
        assert rows.window(opened, name, first.total, 10).rows == ()


@pytest.mark.parametrize("value", [ROWS, CSV], ids=["plain", "of a worker"])
def test_an_order_is_that_of_a_column_and_absent_values_come_last(
    desk: Desk, looking: Looking, rows: RowWindows, value: Any
) -> None:
    opened = looking.open(desk.hold(value))
    column = "gone" if value is ROWS else "price"
    down = RowOrder(column=column, descending=True)
    window = rows.window(opened, "items", 0, 1_000, down)
    cells = [row[window.columns.index(column)] for row in window.rows]
    filled = [cell for cell in cells if cell is not None]
    assert filled == sorted(filled, reverse=True)
    assert cells[: len(filled)] == filled
    assert len(set(window.numbers)) == len(window.rows) == min(window.total, 1_000)
    part = rows.window(opened, "items", 40, 7, down)
    assert (part.rows, part.numbers) == (window.rows[40:47], window.numbers[40:47])


def test_a_row_comes_whole(desk: Desk, looking: Looking, rows: RowWindows) -> None:
    opened = looking.open(desk.hold(ROWS))
    assert rows.value(opened, "items", 8) == ROWS[7]
    table = looking.open(desk.hold(CSV))
    assert rows.value(table, "items", 3) == {"id": 2, "name": "name 2", "price": 14}
    for one in (opened, table):
        with pytest.raises(CallerError, match="there is no row"):
            rows.value(one, "items", 99_999)
        with pytest.raises(CallerError, match="there is no table 'absent'; tables: items"):
            rows.window(one, "absent", 0, 1)


def test_large_rows_end_a_window_early(
    desk: Desk, looking: Looking, rows: RowWindows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "LARGE", 2_000)
    opened = looking.open(desk.hold(ROWS))
    part = rows.window(opened, "items", 5, 100)
    assert 1 <= len(part.rows) < 100
    assert part.numbers[0] == 6
    assert [row for one in rows.all_rows(opened, "items") for row in one.numbers] == list(range(1, 701))


def test_an_unknown_column_is_told_as_the_model_is_told(desk: Desk, looking: Looking, rows: RowWindows) -> None:
    opened = looking.open(desk.hold(ROWS))
    with pytest.raises(CallerError, match="no such column"):
        rows.window(opened, "items", 0, 5, RowOrder(column="nam"))


@pytest.mark.parametrize("value", [ROWS, CSV], ids=["rows", "csv"])
def test_a_table_written_out_has_all_rows_in_every_format(
    desk: Desk, looking: Looking, rows: RowWindows, value: Any
) -> None:
    opened = looking.open(desk.hold(value))
    made = {form: b"".join(written_rows(rows.all_rows(opened, "items"), form)) for form in ("csv", "jsonl", "json")}
    whole = json.loads(made["json"])
    assert [json.loads(line) for line in made["jsonl"].splitlines()] == whole
    read = list(csv.DictReader(io.StringIO(made["csv"].decode(), newline="")))
    assert len(read) == len(whole) == (700 if value is ROWS else 2_000)
    assert read[7]["name"] == whole[7]["name"] == "name 7"
    if value is ROWS:
        assert json.loads(read[3]["tags"]) == ["a", 3]
        assert read[3]["gone"] == ""
        assert "gone" not in whole[3]


def test_a_table_without_rows_is_still_written(desk: Desk, looking: Looking, rows: RowWindows) -> None:
    assert b"".join(written_rows([], "json")) == b"[]\n"
    assert b"".join(written_rows([], "jsonl")) == b""


def test_a_binary_result_has_no_tables(desk: Desk, looking: Looking, rows: RowWindows) -> None:
    opened = looking.open(desk.hold("\0\1\2" * 9_000))
    assert rows.tables(opened) == [] or opened.index.root is not None


def test_keys_without_a_column_are_shown_in_one_behind_the_others(
    desk: Desk, looking: Looking, rows: RowWindows
) -> None:
    """Of a very large document some rows only were learned, so that others may have more keys."""
    opened = looking.open(desk.hold(ROWS))
    spec = opened.tables[0].rows
    assert isinstance(spec, RowSpec)
    learned = msgspec.structs.replace(spec, columns=spec.columns[:2], is_open=True)
    window = windows._plain_rows(opened, learned, [3, 5, 6], 700)
    assert window.columns == ("id", "name", windows.REST)
    assert window.numbers == (4, 6, 7)
    assert window.rows[2][2] == {"user": {"login": "u6"}, "tags": ["a", 6], "gone": 6}


def test_too_many_rows_are_not_put_in_order(
    desk: Desk, looking: Looking, rows: RowWindows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "MOST_SORTED", 10)
    with pytest.raises(CallerError, match="700 rows are too many to be put in order"):
        rows.window(looking.open(desk.hold(ROWS)), "items", 0, 5, RowOrder(column="id"))
