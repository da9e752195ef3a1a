"""Sample rows: the columns that name and describe a row, one or two rows unlike the others, one line for each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms import json_values
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.notice.sample_rows import columns_to_show, header_text, row_text, rows_to_show

if TYPE_CHECKING:
    from penstock.core.forms.reading import Reading


def reading_of(data: Any) -> Reading:
    return read_form(read(data if isinstance(data, str) else json.dumps(data)))


def columns(data: Any) -> list[str]:
    main = reading_of(data).main
    assert main is not None
    return [column.field.name for column in columns_to_show(main)]


def rows(data: Any, most: int = 2) -> list[int]:
    reading = reading_of(data)
    assert reading.main is not None
    assert reading.cells is not None
    return rows_to_show(reading.main, reading.cells, most)


@given(st.lists(st.none() | st.integers() | st.text() | st.lists(st.integers()) | st.booleans(), min_size=1))
def test_row_is_one_printable_line_with_a_cell_for_each_column(cells: list[Any]) -> None:
    line = row_text(cells)
    assert line.isprintable()
    assert line.count("|") == len(cells) - 1


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        ([1, "a", None, True], "1|a||true"),
        ([["a", "b"], [1] * 7, [[1]], {"a": 1}], "[a, b]|[7 items]|[1 items]|{1 fields}"),
        (["x" * 100, "y"], f"{'x' * 52}…[+48]|y"),
    ],
)
def test_cells_of_every_kind(cells: list[Any], line: str) -> None:
    assert row_text(cells) == line


def test_label_id_state_and_amount_are_shown_and_links_codes_and_constants_are_not() -> None:
    data = [
        {
            "url": f"https://example.org/{n}",
            "id": n * 3,
            "sha": f"{n:040x}",
            "title": f"title {n}",
            "state": "ab"[n % 2],
            "size": n * n,
            "kind": "same",
            "created": f"2026-01-{n % 28 + 1:02}",
        }
        for n in range(40)
    ]
    assert columns(data) == ["title", "id", "state", "size", "created"]


def test_key_of_an_object_in_a_row_is_left_out_next_to_the_key_of_the_row() -> None:
    rows = [
        {"id": f"t{n}", "user": {"id": 70 + n, "login": f"u{n % 3}"}, "at": {"port": n % 2, "id": n % 4}}
        for n in range(20)
    ]
    names = columns(rows)
    assert "user.id" not in names
    assert {"id", "user.login", "at.port", "at.id"} <= set(names)
    assert "data.id" in columns([{"data": row} for row in rows])


def test_wide_columns_come_later() -> None:
    data = [{"body": "many words " * 9 + str(n), "note": f"n {n}", "id": n * 2} for n in range(40)]
    assert columns(data) == ["id", "note", "body"]


def test_column_that_repeats_another_is_left_out() -> None:
    data = [{"path": f"src/{n}.py", "full_path": f"/home/ann/src/{n}.py", "size": n * n} for n in range(40)]
    assert columns(data) == ["path", "size"]


def test_table_of_nested_cells_still_has_columns() -> None:
    assert columns([{"a": {"b": {}}, "c": [{"d": n}, {"d": 2}]} for n in range(40)]) == []


def test_listing_shows_no_part_of_the_path() -> None:
    listing = "\n".join(f"-rw-r--r-- 1 ann ann {n * 10} Jan  1 10:00 dir{n % 3}/file{n}.py" for n in range(60))
    assert "folder" not in columns(listing)
    assert "extension" not in columns(listing)


def test_short_table_is_shown_whole() -> None:
    assert rows([{"id": n, "size": n * n} for n in range(10)]) == list(range(10))


def test_rows_with_the_greatest_amount_and_a_rare_value_are_shown() -> None:
    data: list[dict[str, Any]] = [{"id": n, "size": 100 - (n - 20) ** 2} for n in range(40)]
    assert rows(data) == [20, 0]
    data[33]["escalated_to"] = "legal"
    assert rows(data) == [20, 33]
    assert rows(data, 3) == [20, 33, 0]


def test_latest_row_is_shown() -> None:
    data = [{"title": f"t {n}", "created_at": f"2026-01-{1 + n * 5 % 28:02}T08:00:00Z"} for n in range(28)]
    assert data[rows(data)[0]]["created_at"] == "2026-01-28T08:00:00Z"


def test_first_rows_are_shown_if_none_is_special() -> None:
    assert rows([{"title": f"t {n}", "state": "ab"[n % 2]} for n in range(40)], 5) == [0, 1, 2, 3, 4]


def test_row_with_the_greatest_amount_in_a_text_is_shown() -> None:
    data = [{"id": f"r {n}", "price": f"{100 - abs(n - 25)}.50"} for n in range(40)]
    assert rows(data) == [25, 0]


def test_row_with_the_greatest_price_is_shown() -> None:
    data = [{"id": f"r {n}", "price": f"${9_000 if n == 33 else n * 7:,}.99"} for n in range(60)]
    assert rows(data) == [33, 0]


def test_sample_has_no_greatest_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "MAX_EXACT", 100)
    assert rows([{"id": n, "size": 100 - (n - 20) ** 2} for n in range(40)]) == [0, 1]


def test_names_in_the_header_are_harmless() -> None:
    main = reading_of([{"a|b": f"x {n}", "c\nd": n * 2} for n in range(40)]).main
    assert main is not None
    assert header_text(list(main.fields)) == '"a\\u007cb"|"c\\nd"'
