"""Texts in other languages are read as the JSON that a parser, which is handed in, makes of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.converted import MAX_AT_ONCE, Conversion, converted, language_of
from penstock.core.forms.document import Kind, read
from penstock.core.forms.recognise import read_form

if TYPE_CHECKING:
    from penstock.core.forms.converted import Convert
    from penstock.core.forms.reading import Reading

MANIFEST = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    app: x\nspec:\n  containers:\n  - name: c\n"
MARKUP = "<report><item id='1'>text</item></report>"


def convert_to(value: Any, **told: Any) -> Convert:
    return lambda language, _: Conversion(language=language, body=json.dumps(value).encode(), figures=told)


def reading(text: str, convert: Convert) -> Reading:
    long = text.rjust(1_100) if text.startswith("<") else text + "#" * 1_100
    return read_form(converted(read(long), convert))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (MANIFEST, "yaml"),
        (f"---\n{MANIFEST}---\n{MANIFEST}", "yaml"),
        ("# a comment\n\n- a: 1\n  b: 2\n- a: 3\n  b: 4\n", "yaml"),
        ("%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &1\nObject:\n  m_Name: x\n", "yaml"),
        (MARKUP, "xml"),
        (f"\ufeff<?xml version='1.0'?>\n<!-- x -->\n{MARKUP}\n", "xml"),
        ("<!DOCTYPE svg PUBLIC 'x'><svg></svg>", "xml"),
        ("<!doctype HTML><p>x</p>", "html"),
        ("<div class='x'><p>x</p></div>", "html"),
        ("[{'id': 1, 'name': \"it's\"}]", "python"),
        ("  [(1, None), (2, 'x')]\n", "python"),
        ("([1, 2], True)", "python"),
        ("[datetime.date(2026, 1, 2)]", "python"),
        ("[1, 2", None),
        ("[(1, 2)", None),
        ("[section]\n'x'\n[other]\n", None),
        ("[section]\nsome words\nmore words here\nand so on\na = 1\n", None),
        ("A sentence: with a colon.\nAnd another one.\n", None),
        ("Name: x\nVersion: 1\nStatus: ok\n", None),
        ("# Title\n\n- one\n- two\n", None),
        ("# Title\n\nSome text: here\n  and: there\nbut this line is prose\n", None),
        ('- button "Save" [ref=e1]\n- link "Home" [ref=e2]:\n  - /url: /\n' * 20, None),
        ("<not closed", None),
        ("<3 hearts and more>", None),
        ("a,b\n1,2\n", None),
        ("# only a comment\n", None),
        ("key: \x00\n  inner: 1\n", None),
        ("", None),
    ],
)
def test_a_language_is_taken_for_what_all_lines_may_be_written_in(text: str, language: str | None) -> None:
    assert language_of(read(text)) == language


def test_bytes_that_are_no_text_are_no_language() -> None:
    assert language_of(read(b"<a>\xff</a>" + MARKUP.encode())) is None


def test_a_converted_text_keeps_its_bytes_and_has_the_tables_of_its_json() -> None:
    rows = [{"kind": "Pod", "metadata": {"name": str(n)}} for n in range(9)]
    document = converted(read(MANIFEST * 20), convert_to(rows, documents=9))
    found = read_form(document)
    assert (document.raw, document.kind) == (MANIFEST.encode() * 20, Kind.JSON)
    assert (found.form, found.words) == ("yaml", "YAML of 9 documents: 9 records (2 columns)")
    assert found.shape == "[{kind: str, metadata: {name: str}}]"


WHOLE_PAGE = f"<!DOCTYPE html>\n<html><body><p>{'z' * 1_100}</p></body></html>"
XML = f"<?xml version='1.0'?>\n{MARKUP.replace('text', 'z' * 1_100)}"
FIGURES = {"root": "report", "elements": [], "names": 0, "total": 0, "cells": 0, "words": 1, "rows": 0}
FIGURES |= {"headings": [], "title": "", "links": 0, "tables": 0}


@pytest.mark.parametrize("markup", [WHOLE_PAGE, XML])
@pytest.mark.parametrize(("before", "behind"), [("Contents of /a:\n", ""), ("", "\nwarning: x"), ("a\nb\n", "\nc\n")])
def test_markup_between_a_few_other_lines_is_converted(markup: str, before: str, behind: str) -> None:
    text = before + markup + behind
    parts: list[bytes] = []

    def convert(language: str, part: bytes) -> Conversion:
        parts.append(part)
        return Conversion(language=language, body=b'{"sections":[{"a":1},{"a":2}]}', figures=FIGURES)

    document = converted(read(text), convert)
    assert document.around is not None
    assert text.encode()[slice(*document.around)] == parts[0] == markup.encode()
    others = len([line for line in (before + behind).split("\n") if line])
    assert f"in a text with {others} other line" in read_form(document).words


@pytest.mark.parametrize(
    "text",
    [
        f"A title\n{XML[22:]}\n",  # nothing says that it is XML
        f"A title\n{XML.replace('?>', '')}\n",
        f"A title\n{WHOLE_PAGE[:-7]}<p>\n",  # not to its end
        f"A title\n{WHOLE_PAGE} and more",
        f"A title\n{WHOLE_PAGE}".replace("z", "\x00", 1),
        f"{'A title ' * 400}\n{WHOLE_PAGE}",
        f"A title\n{WHOLE_PAGE}\n{'more ' * 600}",
    ],
)
def test_other_texts_around_markup_stay_texts(text: str) -> None:
    assert converted(read(text), convert_to([1])).kind is Kind.TEXT


def test_a_python_literal_says_so() -> None:
    found = read_form(converted(read(repr([{"id": n} for n in range(200)])), convert_to([{"id": 1}, {"id": 2}])))
    assert (found.form, found.words) == ("python", "a Python literal: 2 records")


def test_a_text_in_a_string_is_converted_in_its_place() -> None:
    data = {"path": "pods.yaml", "content": MANIFEST * 20, "size": 9}
    rows = [{"kind": "Pod", "metadata": {"name": str(n)}} for n in range(9)]
    document = converted(read(json.dumps(data)), convert_to(rows))
    found = read_form(document)
    assert document.raw == json.dumps(data).encode()
    assert json.loads(document.body[:]) == data | {"content": rows}
    assert document.within == ("content",)
    assert found.form == "yaml"
    assert found.words == "YAML: 9 records in .content (2 columns), from the text in .content"
    assert found.shape == "{path: str, content: [{kind: str, metadata: {name: str}}], size: int}"


@pytest.mark.parametrize("convert", [None, lambda *_: None], ids=["without parsers", "with parsers"])
def test_json_in_a_string_stands_in_its_place(convert: Convert | None) -> None:
    rows = [{"id": n, "state": "open" if n % 3 else "closed", "note": 'a "b"'} for n in range(60)]
    data = {"status": "ok", "result": json.dumps(rows)}
    document = converted(read(json.dumps(data)), convert)
    found = read_form(document)
    assert document.raw == json.dumps(data).encode()
    assert json.loads(document.body[:]) == data | {"result": rows}
    assert found.words == "60 records in .result (3 columns), from the text in .result"
    assert found.shape == "{status: str, result: [{id: int, state: str, note: str}]}"
    small = read(json.dumps({"result": json.dumps(rows[:3])}))
    assert converted(small, convert) is small


def test_the_sections_of_a_page_in_a_string_are_its_main_table() -> None:
    sections = [{"level": 1, "heading": f"h{n}", "text": "words"} for n in range(5)]
    links = [{"text": f"t{n}", "href": "/"} for n in range(9)]
    told = {"title": "T", "headings": [], "links": 9, "tables": 0, "words": 5, "cells": 0, "rows": 0}
    page = {"title": "T", "sections": sections, "links": links}
    document = converted(read(json.dumps({"html": MARKUP.join(["<p>", "</p>"] * 30)})), convert_to(page, **told))
    found = read_form(document)
    assert [(table.name, table.path) for table in found.tables] == [
        ("items", ".html.sections"),
        ("links", ".html.links"),
    ]
    assert found.words.endswith("5 words outside tables, from the text in .html")


def test_a_string_that_is_not_converted_stays_a_string() -> None:
    text = MANIFEST * 20
    document = read(json.dumps({"content": text}))
    assert converted(document, lambda *_: None) is document
    broken: Convert = lambda language, _: Conversion(language=language, body=b"[", figures={})  # noqa: E731
    assert converted(document, broken) is document
    long = "# a comment\n" * (MAX_AT_ONCE // 12) + MANIFEST * 20
    for other in ("a,b\n" * 600, long, "[1]\n" * 600):
        document = read(json.dumps({"content": other}))
        assert converted(document, convert_to([])) is document
    fenced = read("```json\n" + json.dumps({"content": text}, indent=1) + "\n```\n")
    assert converted(fenced, convert_to([])) is fenced


def test_what_is_not_converted_stays_text() -> None:
    document = read(MANIFEST * 20)
    assert converted(document, None) is document
    assert converted(document, lambda *_: None) is document
    broken: Convert = lambda language, _: Conversion(language=language, body=b"[", figures={})  # noqa: E731
    assert converted(document, broken) is document
    for other in (read(MANIFEST), read("prose " * 400), read(json.dumps([{"a": 1}] * 400))):
        assert converted(other, broken) is other


def test_a_single_document_and_a_file_of_unity_are_named() -> None:
    rows = [{"_id": n, "_type": "Mesh"} for n in range(9)]
    assert reading(MANIFEST, convert_to({"items": rows}, documents=1)).words.startswith("YAML: 9 records in .items")
    assert reading(MANIFEST, convert_to(rows, documents=9, unity=True)).words.startswith("a Unity file of 9 documents")


def test_xml_tells_its_elements_by_name() -> None:
    told = {"root": "report", "elements": [["item", 9], ["report", 1]], "names": 2, "total": 10}
    found = reading(MARKUP, convert_to({"report": {"item": [{"id": n} for n in range(9)]}}, **told))
    assert found.form == "xml"
    assert found.words.startswith("XML, root report: 9 ")
    assert found.facts[0] == "10 elements: item ×9 · report ×1"


PAGE = {"title": "T", "links": 1, "tables": 1, "rows": 9, "words": 4, "cells": 18, "headings": [[1, "A"], [2, "B"]]}
SECTIONS = [{"level": n + 1, "heading": "AB"[n], "text": "some words"} for n in range(2)]
ROWS = [{"id": n, "name": f"n{n}"} for n in range(9)]
LINKS = [{"text": "go", "href": "/"}]


def test_a_tree_in_another_language_is_a_tree() -> None:
    def node(depth: int) -> dict[str, Any]:
        return {"name": f"n{depth}", "nodes": [node(depth - 1), node(depth - 1)] if depth else []}

    found = reading(MANIFEST, convert_to(node(4)))
    assert found.form == "yaml"
    assert "31 nodes, 1 root, 5 levels deep" in found.words


def test_a_page_that_is_mostly_a_table_has_its_rows_first() -> None:
    made = {"title": "T", "sections": SECTIONS, "rows": ROWS, "links": LINKS}
    found = reading("<html></html>", convert_to(made, **PAGE))
    assert found.words == (
        "9 rows in .rows (2 columns) of an HTML page titled T: 2 headings, 1 link, 1 table, 4 words outside tables"
    )
    assert [(table.name, table.path) for table in found.tables] == [
        ("items", ".rows"),
        ("sections", ".sections"),
        ("links", ".links"),
    ]
    assert found.excerpts[0].lines == ("A", "  B")


def test_a_page_of_text_has_its_sections_first() -> None:
    made = {"title": None, "sections": SECTIONS, "rows": ROWS, "links": LINKS}
    many = [[1, str(n)] for n in range(50)]
    found = reading("<html></html>", convert_to(made, **{**PAGE, "title": None, "words": 900, "headings": many}))
    assert found.words.startswith("an HTML page without a title: 50 headings")
    assert [table.path for table in found.tables] == [".sections", ".rows", ".links"]
    assert (found.excerpts[0].title, len(found.excerpts[0].lines)) == ("the first 40 headings", 40)


def test_a_page_without_anything_is_still_a_page() -> None:
    told = {**PAGE, "tables": 0, "rows": 0, "cells": 0, "headings": [], "links": 0, "words": 0}
    found = reading("<html></html>", convert_to({"title": "T", "sections": [], "links": []}, **told))
    assert (found.tables, found.excerpts) == ((), ())


@pytest.mark.parametrize(
    ("text", "known"),
    [(f"---\n{MANIFEST}---\n{MANIFEST}{'# x' * 400}", "text that looks like YAML"), (MARKUP.rjust(1_100), "XML")],
)
def test_a_long_text_is_converted_later_and_says_so(text: str, known: str) -> None:
    document = converted(read(text), convert_to([]), at_once=10)
    found = read_form(document)
    assert document.kind is Kind.TEXT
    assert known in found.words
    assert found.words.endswith("its tables are made at the first question")
    assert (found.shape, found.tables) == ("…", ())
