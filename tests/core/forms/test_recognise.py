"""Any data is read as one form without error, and whatever is said of its tables is what plain Python finds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.forms.document import read
from penstock.core.forms.json_cells import JsonCells
from penstock.core.forms.reading import TableSpec, TextSpec
from penstock.core.forms.recognise import read_form
from penstock.core.forms.rows import RowSpec
from penstock.core.json import whole
from tests.kit.forms.facts import check_cells, check_field, check_rows, flat, names_of, reading_of
from tests.kit.strategies import any_text, clean_text, containers, json_bytes, records, small_containers

if TYPE_CHECKING:
    from penstock.core.forms.document import Document
    from penstock.core.forms.reading import Reading

TICKETS = [{"id": number, "state": "open" if number % 3 else "done"} for number in range(40)]
numbers = st.integers() | st.floats(-1e12, 1e12)


def check_tables(document: Document, reading: Reading) -> None:
    """All tables have as many rows as they say, the facts of the main one are those of its cells, and what a store
    keeps of them is enough to find the same rows again."""
    lower = [table.name.lower() for table in reading.tables]
    assert len(set(lower)) == len(lower)
    for table in reading.tables:
        kept = msgspec.msgpack.decode(msgspec.msgpack.encode(table.kept), type=TableSpec)
        assert kept == table.kept
        assert len({name.lower() for name in names_of(table)}) == len(table.fields)
        if isinstance(kept.rows, RowSpec):
            cells = JsonCells(document, kept.rows).columns(names_of(table))
            assert {len(column) for column in cells.values()} == {table.count}
            if table is reading.main:
                for field in table.fields:
                    check_field(field, cells[field.name])
    if reading.main is not None:
        check_cells(reading)


@given(json_bytes(containers | records))
def test_every_table_of_any_json_has_the_rows_and_facts_it_says(data: bytes) -> None:
    document = read(data)
    check_tables(document, read_form(document))


@example({"0": False, "1": 0})
@given(containers | records)
def test_a_document_whose_values_are_not_kept_has_the_same_facts(value: Any) -> None:
    body = json.dumps(value)
    kept = reading_of(body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole, "LARGEST_RETAINED", 0)
        document = read(body)
        reading = read_form(document)
        check_tables(document, reading)
    assert (reading.form, reading.words, reading.shape, reading.facts) == (
        kept.form,
        kept.words,
        kept.shape,
        kept.facts,
    )


@given(st.lists(small_containers, min_size=2, max_size=6), st.sampled_from(["\n", "\r\n", " ", ""]))
def test_every_table_of_json_values_has_the_rows_and_facts_it_says(values: list[Any], between: str) -> None:
    document = read(between.join(map(json.dumps, values)))
    check_tables(document, read_form(document))


@given(st.binary(max_size=300) | any_text | st.lists(clean_text).map("\n".join))
def test_any_data_has_a_form_and_words(data: bytes | str) -> None:
    reading = reading_of(data)
    assert reading.form
    assert reading.words
    assert reading.shape


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "id": st.integers(),
                "name": clean_text,
                "ok": st.booleans() | st.none(),
                "score": st.none() | numbers,
                "user": st.fixed_dictionaries({"login": clean_text, "org": st.fixed_dictionaries({"size": numbers})}),
            },
            optional={"note": clean_text, "rank": numbers | clean_text},
        ),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from(["array", "lines", "concatenated", "wrapped", "heading", "fence"]),
)
def test_records_have_the_same_facts_however_they_come(rows: list[dict[str, Any]], way: str) -> None:
    reading = reading_of(written(rows, way))
    check_rows(reading, [dict(flat(row)) for row in rows])
    assert reading.form == "records"
    assert reading.pages == (("tickets",) if way == "wrapped" else ())


def written(rows: list[dict[str, Any]], way: str) -> str:
    match way:
        case "lines":
            return "\n".join(map(json.dumps, rows)) if len(rows) > 1 else json.dumps(rows)
        case "concatenated":
            return "".join(json.dumps(row, indent=1) for row in rows) if len(rows) > 1 else json.dumps(rows)
        case "wrapped":
            return json.dumps({"total": len(rows), "tickets": rows})
        case "heading":
            return f"### Result\n{json.dumps(rows)}\n"
        case "fence":
            return f"### Result\n\n```json\n{json.dumps(rows, indent=2)}\n```\n"
    return json.dumps(rows)


@pytest.mark.parametrize(
    ("data", "form", "words"),
    [
        (TICKETS, "records", "40 records (2 columns)"),
        ({"tickets": TICKETS}, "records", "40 tickets in .tickets (2 columns)"),
        ({"results": TICKETS[:1]}, "records", "1 record in .results (2 columns)"),
        ({f"T-{row['id']}": row for row in TICKETS}, "records", "40 records by key (3 columns)"),
        ([[1, 2], [3, 4], [5, 7]], "rows", "3 rows (2 columns)"),
        ([3, 1, 2], "values", "3 values"),
        (["a", "b"], "values", "2 values"),
        ({"a": 1}, "object", "an object with 1 field, 1 level deep"),
        ([], "object", "an array of 0 items, 1 level deep"),
        ("a line\nand another", "text", "2 lines of text, 18 bytes"),
        ("", "text", "0 lines of text, 0 bytes"),
        (b"\x00" * 40, "binary", "application/octet-stream, 40 bytes"),
    ],
)
def test_words_say_what_the_data_is(data: Any, form: str, words: str) -> None:
    reading = reading_of(data)
    assert (reading.form, reading.words) == (form, words)


def test_a_table_of_a_text_is_kept_with_the_form_that_reads_it() -> None:
    reading = reading_of("id,name\n1,a\n2,b\n3,c\n")
    assert reading.main is not None
    kept = msgspec.json.decode(msgspec.json.encode(reading.main.kept), type=TableSpec)
    assert isinstance(kept.rows, TextSpec)
    assert (kept.rows.form, kept.rows.path, kept.count) == ("delimited", (), 3)


def test_what_is_found_out_about_a_table_is_asked_once() -> None:
    table = reading_of(TICKETS).tables[0]
    found = [table.once("counts", lambda one: [one.count]) for _ in range(2)]
    assert found[0] == [40]
    assert found[0] is found[1]
    assert table.field("no such column") is None
