"""HTML becomes the JSON that the docstring of ``from_html`` promises."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.query.parse.from_html import convert


def value(text: str) -> Any:
    return json.loads(convert(text.encode())[0])


def test_a_page_is_its_title_sections_and_links_without_markup() -> None:
    page = (
        "<!doctype html><title>A &amp; B</title><script>x < y</script><style>p{}</style>before<h1>One <i>x</i></h1>"
        "<p>text <b>bold</b>er<br>next</p>tail<h3>Deep</h3><div>more <a href='/q?a=1&amp;b=2'>go  on</a></div>"
    )
    assert value(page) == {
        "title": "A & B",
        "sections": [
            {"level": 0, "heading": None, "text": "before"},
            {"level": 1, "heading": "One x", "text": "text bolder\nnext\ntail"},
            {"level": 3, "heading": "Deep", "text": "more go on"},
        ],
        "links": [{"text": "go on", "href": "/q?a=1&b=2"}],
    }


def test_the_largest_table_gives_rows_and_spans_are_filled() -> None:
    page = (
        "<table><tr><th>id<th>name<th>name<tr><td rowspan=2>1<td>x<td>y<tr><td colspan=2>z"
        "<tr><td>2<td><td>w</table><table><tr><td>a<td>b<tr><td>c<td>d</table>"
        "<table><tr><td>layout only</td></tr></table>"
    )
    found, told = convert(page.encode())
    made = json.loads(found)
    assert made["rows"] == [
        {"id": 1, "name": "x", "name_2": "y"},
        {"id": 1, "name": "z", "name_2": None},
        {"id": 2, "name": None, "name_2": "w"},
    ]
    assert made["other_tables"] == [{"rows": [{"column_1": "a", "column_2": "b"}, {"column_1": "c", "column_2": "d"}]}]
    assert made["sections"] == [{"level": 0, "heading": None, "text": "layout only"}]
    assert (told["tables"], told["rows"]) == (2, 3)


def test_a_table_around_another_is_layout() -> None:
    page = "<table><tr><td>menu<td><table><tr><th>a<th>b<tr><td>1<td>2</table></table>"
    assert value(page)["rows"] == [{"a": 1, "b": 2}]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"<table>" * 20_000,
        b"<b>" * 50_000,
        b"<p>\x00",
        b"\xff\xfe<p>",
        b"<td colspan=99999999999999 rowspan=9999>" * 1_000,
        b"<table><tr>" + b"<td colspan=9999 rowspan=9999>x" * 300,
        b"<a href='" + b"x" * 1_000_000,
        b"<!--" + b"<p>" * 1_000,
        b"&amp" * 10_000,
        b"<h1>" * 5_000,
    ],
    ids=range(11),
)
def test_hostile_pages_give_small_json_and_no_error(text: bytes) -> None:
    body, told = convert(text)
    assert json.loads(body)["title"] is None
    assert len(body) < 1_000 + 20 * len(text)
    assert told["rows"] <= 1_000
