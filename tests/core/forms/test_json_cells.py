"""Cells of tables in JSON: the same values for all rows at once and for some, in documents of any size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.json import whole
from tests.kit.forms.facts import check_cells, check_rows, main_of, names_of, reading_of, rows_of

if TYPE_CHECKING:
    from penstock.core.forms.reading import Reading

ROWS: list[dict[str, Any]] = [
    {"id": n, "user": {"name": f"u{n}"} if n % 5 else None, "tags": ["a"] * (n % 3)} for n in range(200)
]


def large(data: Any) -> Reading:
    """The reading of a document as of one whose values are too large to be kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole, "LARGEST_RETAINED", 0)
        reading = reading_of(data)
        if reading.main is not None:
            check_cells(reading)
        return reading


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        {"rows": ROWS},
        {f"{n}/x": row for n, row in enumerate(ROWS)},
        "\n".join(map(json.dumps, ROWS)),
    ],
)
def test_cells_are_the_same_whether_values_are_kept_or_not(data: Any) -> None:
    kept, read_again = reading_of(data), large(data)
    assert rows_of(kept) == rows_of(read_again)
    assert names_of(main_of(kept)) == names_of(main_of(read_again))
    assert [row["user.name"] for row in rows_of(kept)] == [(row["user"] or {}).get("name") for row in ROWS]


def test_rows_of_other_kinds_than_objects_are_read_as_well() -> None:
    for data in (
        [[n, f"x{n}"] for n in range(50)],
        list(range(50)),
        [*ROWS, 7, None],
        [*ROWS, None],
        {"a": [1] * 9, "b": [2] * 9},
    ):
        assert rows_of(large(data)) == rows_of(reading_of(data))


def test_a_field_that_is_no_object_in_some_rows_is_read() -> None:
    data = [{"id": n, "at": {"x": n}} for n in range(20)] + [{"id": 20, "at": "none"}, 5]
    assert rows_of(large(data)) == rows_of(reading_of(data))


def test_cells_of_no_columns_are_empty() -> None:
    reading = reading_of(ROWS)
    assert reading.cells is not None
    assert reading.cells.columns([]) == {}
    assert reading.cells.rows([0, 1], []) == [[], []]


def test_a_large_table_in_several_tables_is_read_whole() -> None:
    data = {"a": {"rows": ROWS}, "b": [{"x": 1, "y": 2}] * 3}
    check_rows(
        reading_of(data),
        [{"id": row["id"], "user.name": (row["user"] or {}).get("name"), "tags": row["tags"]} for row in ROWS],
    )
