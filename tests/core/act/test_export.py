"""ExportRows, values and texts as files: read back, they are what was written; and no cell is a formula."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.act.export import MIME, ExportRows, JsonValue, PlainText, export, rows_of
from penstock.errors import CallerError

CELLS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(st.characters(exclude_categories=["Cs"])))
TABLES = st.lists(st.fixed_dictionaries({"id": st.integers(), "a b": CELLS, "=c": CELLS}), min_size=1, max_size=8)


def rows(found: list[dict[str, Any]]) -> ExportRows:
    return ExportRows(columns=tuple(found[0]), rows=[json.dumps(row).encode() for row in found])


def value(data: Any) -> JsonValue:
    return JsonValue(raw=json.dumps(data).encode())


def as_cell(data: Any) -> str:
    if data is None:
        return ""
    return data if isinstance(data, str) else json.dumps(data)


def unescaped(cell: str, original: str) -> str:
    return cell[1:] if cell == f"'{original}" else cell


@given(TABLES)
@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_a_table_is_read_back_as_it_was_written(form: str, delimiter: str, table: list[dict[str, Any]]) -> None:
    made = export(replace(rows(table), columns=("id", "a b", "=c")), form)
    head, *lines = csv.reader(io.StringIO(made.data.decode(), newline=""), delimiter=delimiter)
    names = ["id", "a b", "=c"]
    assert head == ["id", "a b", "'=c"]
    assert made.rows == len(table)
    expected = [[as_cell(row[name]) for name in names] for row in table]
    found = [list(map(unescaped, *pair)) for pair in zip(lines, expected, strict=True)]
    assert found == expected


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_no_cell_of_a_csv_begins_as_a_formula(texts: list[str]) -> None:
    made = export(rows([{"text": one} for one in texts]), "csv")
    _, *lines = csv.reader(io.StringIO(made.data.decode(), newline=""))
    for line in lines:
        cell = line[0] if line else ""
        is_number = re.fullmatch(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?", cell)
        assert is_number or not cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
        assert not cell.startswith(("\t", "\r", "\n"))
    assert made.escaped == sum(line != [text] for line, text in zip(lines, texts, strict=True) if line)


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "-"])
def test_a_formula_is_written_as_text_and_counted(text: str) -> None:
    made = export(rows([{"a": text}]), "csv")
    _, line = csv.reader(io.StringIO(made.data.decode(), newline=""))
    assert line == [f"'{text}"]
    assert made.escaped == 1


@pytest.mark.parametrize("text", ["-5", "+5", "-5.25", "+.5", "-1e9", "5", "a=1", "a@b.c", "'=1", ""])
def test_numbers_and_other_texts_stay_as_they_are(text: str) -> None:
    made = export(rows([{"a": text, "b": 1}]), "csv")
    _, line = csv.reader(io.StringIO(made.data.decode(), newline=""))
    assert (line, made.escaped) == ([text, "1"], 0)


def test_numbers_keep_their_digits_and_nested_values_are_json() -> None:
    raw = b'[{"a":9007199254740993,"b":1.0,"c":1e400,"d":{"x": [1, null]},"e":-0.10}]'
    assert export(JsonValue(raw=raw), "csv").data == (
        b'a,b,c,d,e\r\n9007199254740993,1.0,1e400,"{""x"":[1,null]}",-0.10\r\n'
    )
    assert export(JsonValue(raw=raw), "json").data == raw
    assert export(JsonValue(raw=raw), "jsonl").data == scan_free(raw)


def scan_free(raw: bytes) -> bytes:
    return raw.replace(b" ", b"")[1:-1] + b"\n"


def test_rows_that_lack_a_column_have_an_empty_cell() -> None:
    content = value([{"a": 1}, {"b": None, "a": "x|y\nz\\"}, {"c": [1]}])
    assert export(content, "csv").data == b'a,b,c\r\n1,,\r\n"x|y\nz\\",,\r\n,,[1]\r\n'
    told = export(content, "md")
    assert told.data.decode() == (
        "| a | b | c |\n| --- | --- | --- |\n| 1 |  |  |\n| x\\|y<br>z\\\\ |  |  |\n|  |  | [1] |\n"
    )
    assert told.rows == 3


@pytest.mark.parametrize(
    ("data", "columns", "made"),
    [
        ([[1, "a"], [2]], ("value1", "value2"), [{"value1": 1, "value2": "a"}, {"value1": 2}]),
        ([1, "a", None], ("value",), [{"value": 1}, {"value": "a"}, {"value": None}]),
        ([1, {"a": 1}], ("value",), [{"value": 1}, {"value": {"a": 1}}]),
        ([[1], {"a": 1}], ("value",), [{"value": [1]}, {"value": {"a": 1}}]),
        ({"a": 1, "b": [2]}, ("a", "b"), [{"a": 1, "b": [2]}]),
        (5, ("value",), [{"value": 5}]),
        ([], ("value",), []),
    ],
)
def test_any_value_has_rows(data: Any, columns: tuple[str, ...], made: list[Any]) -> None:
    found = rows_of(value(data))
    assert (found.columns, [json.loads(row) for row in found.rows]) == (columns, made)


def test_a_text_stays_as_it_is_and_is_no_table() -> None:
    text = PlainText(raw="# title\nwörds\n".encode())
    assert export(text, "txt").data == export(text, "md").data == text.raw
    assert json.loads(export(text, "json").data) == "# title\nwörds\n"
    for form in ("csv", "tsv", "jsonl"):
        with pytest.raises(CallerError, match="a text without a table"):
            export(text, form)


def test_as_text_a_string_is_its_text_a_column_its_values_and_a_table_lines_with_tabs() -> None:
    assert export(value('a "b"\n'), "txt").data == b'a "b"\n'
    assert export(value({"a": 1}), "txt").data == b'{"a": 1}'
    assert export(rows([{"a": "=x"}, {"a": 2}, {"a": None}]), "txt").data == b"=x\n2\n\n"
    assert export(rows([{"a": "x", "b": 2}]), "txt").data == b"a\tb\r\nx\t2\r\n"


def test_rows_are_an_array_or_lines_of_json() -> None:
    table = rows([{"a": 1}, {"a": 2}])
    assert json.loads(export(table, "json").data) == [{"a": 1}, {"a": 2}]
    assert export(table, "jsonl").data == b'{"a":1}\n{"a":2}\n'
    assert export(value({"a": 1}), "json").rows is None
    assert export(value([1, 2]), "json").rows == 2
    assert set(MIME) == {"csv", "tsv", "jsonl", "json", "md", "txt"}
