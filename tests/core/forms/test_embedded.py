"""A text that is nearly all of a JSON result is read as what it is; so are lines in an array, and JSON in a text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.document import Kind, read
from penstock.core.forms.embedded import text_at, text_in
from penstock.core.forms.reading import TextSpec
from penstock.core.forms.registry import form_named
from penstock.core.json.path import render
from tests.kit.forms.facts import check_rows, main_of, reading_of
from tests.kit.strategies import clean_text

TABLE = "id,name\n" + "".join(f"{number},name {number}\n" for number in range(60))
ROWS = [{"id": number, "name": f"name {number}"} for number in range(60)]


@pytest.mark.parametrize(
    ("data", "where", "path"),
    [
        ({"content": TABLE}, ".content", ("content",)),
        ({"result": {"text": TABLE}}, ".result.text", ("result", "text")),
        ([{"type": "text", "text": TABLE}], ".[0].text", (0, "text")),
        ([TABLE], ".[0]", (0,)),
        ({"a b": [TABLE]}, '.["a b"][0]', ("a b", 0)),
    ],
)
def test_a_string_that_is_nearly_everything_has_the_table_that_it_is(
    data: Any, where: str, path: tuple[Any, ...]
) -> None:
    reading = reading_of(data)
    check_rows(reading, ROWS)
    assert reading.form == "delimited"
    assert reading.words == f"comma-separated values with a header: 60 rows of 2 columns, in {where}"
    spec = main_of(reading).spec
    assert isinstance(spec, TextSpec)
    assert spec.path == path


def test_of_a_key_that_comes_twice_the_last_counts() -> None:
    document = read(f'{{"content": {json.dumps(TABLE)}, "content": ""}}')
    assert text_in(document) is None


def test_what_stands_beside_the_string_is_told() -> None:
    reading = reading_of({"path": "a.csv", "content": TABLE, "content_lines": 61, "next": None})
    assert reading.facts == ("other fields: content_lines=61 · path=a.csv",)
    assert reading.shape == "{path: str, content: str, content_lines: int, next: null}"
    small = "a,b\n1,2\n3,4\n5,6\n"
    assert reading_of({"content": small * 9}).facts == ("the header again on 8 lines, which are no rows",)


@pytest.mark.parametrize(
    "data",
    [
        {"content": TABLE, "other": "words " * 40},  # another string that matters
        {"content": "word " * 400},  # no form
        {"content": "QUJD" * 200 + "Rk9P"},  # binary
        {"content": json.dumps(ROWS)},  # JSON
        [TABLE, TABLE],
        {"content": 10**400},  # no string
        [None, {"content": TABLE}],  # an array of several items
        [[[[[[[[[TABLE]]]]]]]]],  # deeper than it is looked for: each level costs a look at all that is below it
    ],
)
def test_other_strings_stay_what_they_are(data: Any) -> None:
    assert reading_of(data).form != "delimited"


PATHS = [f"src/{folder}/module_{number}.py" for folder in ("core", "gate") for number in range(30)]
LOG = [
    f"2026-03-01T10:{minute:02}:00Z {level} worker: job {minute}" for minute in range(40) for level in ("INFO", "ERROR")
]


@pytest.mark.parametrize(
    ("data", "form", "count", "where"),
    [
        (PATHS, "paths", 60, "."),
        ({"files": PATHS, "count": 60}, "paths", 60, ".files"),
        ({"result": {"lines": LOG, "more": None}}, "logs", 80, ".result.lines"),
        ([f"src/a.py:{line}: some {line}" for line in range(1, 60)], "grep", 59, "."),
    ],
)
def test_strings_of_an_array_that_are_lines_of_a_form_are_read_as_that(
    data: Any, form: str, count: int, where: str
) -> None:
    reading = reading_of(data)
    assert (reading.form, main_of(reading).count) == (form, count)
    assert reading.words.endswith(f", in {where}[]")
    assert render(reading.pages) == main_of(reading).path == where


@pytest.mark.parametrize(
    "data",
    [
        PATHS[:7],  # few
        [*PATHS, "two\nlines"],
        [*PATHS, 4],
        [*PATHS, ""],  # a blank line is no row
        {"files": PATHS, "text": "some words " * 400},  # most of it is something else
        [f"Name {number}, given name" for number in range(40)],  # commas are no columns
        [{"path": path} for path in PATHS],
        {path: path for path in PATHS},
        [[path, path] for path in PATHS],
    ],
)
def test_other_arrays_stay_what_they_are(data: Any) -> None:
    form = form_named(reading_of(data).form)
    assert form is None or not form.reads_items


@given(st.lists(clean_text, min_size=1))
def test_the_text_of_an_array_has_its_strings_for_lines(lines: list[str]) -> None:
    assert text_at(json.dumps(lines).encode()) == "\n".join(lines).encode()
    assert text_at(json.dumps(lines[0]).encode()) == lines[0].encode()


HEADINGS = st.lists(st.from_regex(r"[A-Z][a-z ]{0,30}", fullmatch=True), min_size=1, max_size=3)


@given(HEADINGS, st.booleans(), st.sampled_from([None, 1]), st.booleans())
def test_json_in_a_text_is_read_and_the_lines_around_it_are_told(
    lines: list[str], fenced: bool, indent: int | None, after: bool
) -> None:
    body = json.dumps(ROWS, indent=indent)
    lead = "\n".join(lines) + "\n"
    inside = f"```json\n{body}\n```" if fenced else body
    text = f"{lead}{inside}\n" + ("The end.\n" if after else "")
    document = read(text)
    assert (document.kind, document.body[:].decode()) == (Kind.JSON, body)
    assert document.around == (text.index(body), text.index(body) + len(body))
    reading = reading_of(text)
    check_rows(reading, ROWS)
    told = [line for line in (*lines, *(["The end."] if after else [])) if line.strip()]
    assert reading.excerpts[-1].lines == tuple(told)
    others = f"{len(told)} other line{'s' if len(told) != 1 else ''}"
    assert reading.words == f"60 records (2 columns), in a text with {others}"


def test_json_lines_in_a_fence_are_read() -> None:
    body = "\n".join(map(json.dumps, ROWS))
    for text in (f"Lines:\n```json\n{body}\n```\n", f"Lines:\n{body}\n"):
        document = read(text)
        assert document.kind is Kind.VALUES
        check_rows(reading_of(text), ROWS)


def test_a_fence_alone_is_no_line_around() -> None:
    assert reading_of(f"```json\n{json.dumps(ROWS)}\n```").words == "60 records (2 columns)"


@pytest.mark.parametrize(
    "text",
    [
        "Word " * 400 + '\n{"a": 1}\n',  # little of it
        'See:\n{"a": [1, 2}\n',  # no JSON
        'See:\n{"a": 1} and {"b": 2}, and so on\n',
        'See:\n["a", "b"\n',
        "No JSON\n",
    ],
)
def test_text_with_something_like_json_is_text(text: str) -> None:
    assert read(text).kind is Kind.TEXT


def test_a_number_that_is_nearly_all_of_a_result_is_no_text() -> None:
    assert text_in(read(b'{"a:": ' + b"1" * 900 + b"}")) is None
