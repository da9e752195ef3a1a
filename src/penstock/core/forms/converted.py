"""Texts in other languages, which a parser that is handed in turns into JSON: YAML, XML, HTML, TOML,
Python literals.

``raw`` stays what came, for windows and search. ``body`` is the JSON: tables, paths, pages, jq and SQL are those of any
JSON. A text that is refused by its parser, or that has none, is plain text. A long one is converted when the
first question is asked: until then it is known by what can be counted in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms import html_pages, prose
from penstock.core.forms.document import Document, Kind, read_parts
from penstock.core.forms.embedded import document_in
from penstock.core.forms.languages import TITLES, Language, language_of, markup_in
from penstock.core.forms.reading import Reading
from penstock.core.json.long_bytes import gathered
from penstock.core.json.path import render
from penstock.core.json.splice import Splice, splice
from penstock.core.text import counted, plain, size_text, tally

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.json.long_bytes import Bytes

LEAST: Final = 1_024  # bytes: what is held in spite of being smaller can be read as it is
AT_ONCE: Final = 2_097_152  # bytes of a text that is converted when it is admitted, in at most 150 ms for each MB
MOST_ELEMENTS: Final = 12  # names of elements told with their counts

_DOCUMENT_MARK = re.compile(rb"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A text as JSON, and what its parser knows of it beside."""

    language: str
    body: bytes
    figures: dict[str, Any]


Convert = Callable[[Language, bytes], Conversion | None]


def converted(document: Document, convert: Convert | None, *, at_once: int = AT_ONCE) -> Document:
    """Return the document with its JSON, if it is a text that can be converted; else the document itself."""
    if len(document.raw) < LEAST:
        return document
    if document.kind is not Kind.TEXT:
        return _converted_within(document, convert)
    part = _part(document, at_once) if convert is not None else None
    if convert is None or part is None:
        return document
    language, around = part
    if len(document.raw) > at_once:
        return replace(document, language=language, _made={})
    text = document.raw if around is None else document.raw[around[0] : around[1]]
    conversion = convert(language, gathered(text))
    made = read_parts(conversion.body, Kind.JSON) if conversion is not None else None
    if conversion is None or made is None:
        return document
    document = replace(document, kind=Kind.JSON, body=conversion.body, language=language, _made=made)
    return replace(document, figures=conversion.figures, around=around)


def _part(document: Document, at_once: int) -> tuple[Language, tuple[int, int] | None] | None:
    """Return the language of a text, and where that is, if other lines stand around it."""
    if (language := language_of(document)) is not None:
        return language, None
    return markup_in(document) if len(document.raw) <= at_once else None


def _converted_within(document: Document, convert: Convert | None) -> Document:
    """Return the document in which JSON stands in the place of the text that a string had, as ``{"content":
    "<html>..."}``, or of the string that had JSON in it, as ``{"result": "[{...}]"}``.

    A longer text stays a string: a first question would have to convert it before any path could be followed.
    """
    within = document_in(document) if document.body is document.raw else None
    if within is None or not LEAST <= len(within.text.raw) <= AT_ONCE:
        return document
    is_json = within.text.kind is Kind.JSON
    language = "json" if is_json else language_of(within.text) if convert is not None else None
    if language == "json":
        conversion: Conversion | None = Conversion(language=language, body=gathered(within.text.body), figures={})
    else:
        conversion = (
            convert(language, gathered(within.text.raw)) if convert is not None and language is not None else None
        )
    if conversion is None:
        return document
    body = splice(gathered(document.body), [Splice(within.start, within.end, conversion.body)])
    made = read_parts(body, Kind.JSON)
    if made is None:
        return document
    return replace(document, body=body, language=language, figures=conversion.figures, within=within.path, _made=made)


def read_later(document: Document) -> Reading:
    """Return the reading of a long text that is not converted yet."""
    title = TITLES[document.language if document.language in TITLES else "yaml"]
    marks = _document_marks(document.raw) if document.language == "yaml" else 0
    known = [counted(prose.lines(document), "line"), size_text(len(document.raw))]
    known += [f"{marks:,} lines that begin a document"] if marks else []
    words = f"text that looks like {title}: {', '.join(known)}; its tables are made at the first question"
    return Reading(form=document.language or "text", words=words, shape="…")


def _document_marks(raw: Bytes) -> int:
    """Count the lines that begin a document of YAML."""
    if isinstance(raw, bytes):
        return len(_DOCUMENT_MARK.findall(raw))
    marks, rest = 0, b""
    for _, piece in raw.pieces():
        lines, newline, rest = (rest + piece).rpartition(b"\n")
        marks += len(_DOCUMENT_MARK.findall(lines + newline))
    return marks + len(_DOCUMENT_MARK.findall(rest))


def described(view: JsonView, reading: Reading) -> Reading:
    """Return the reading of the JSON that a text became, in words that say what it came from, and where it stood."""
    reading = _in_words_of(view, reading)
    within = view.document.within
    return replace(reading, words=f"{reading.words}, from the text in {render(within)}") if within else reading


def _in_words_of(view: JsonView, reading: Reading) -> Reading:
    """Return the reading in the words of the language."""
    figures = view.document.figures
    if view.document.language == "json":
        return reading
    if view.document.language == "html":
        return html_pages.read(view, figures)
    if view.document.language == "xml":
        return _of_xml(reading, figures)
    if view.document.language == "toml":
        return replace(reading, form="toml", words=f"TOML: {reading.words}")
    if view.document.language == "python":
        return replace(reading, form="python", words=f"a Python literal: {reading.words}")
    documents = figures.get("documents", 1)
    kind = "a Unity file" if figures.get("unity") else "YAML"
    many = f" of {counted(documents, 'document')}" if documents > 1 else ""
    return replace(reading, form="yaml", words=f"{kind}{many}: {reading.words}")


def _of_xml(reading: Reading, figures: dict[str, Any]) -> Reading:
    elements = [(plain(name), number) for name, number in figures["elements"]]
    more = figures["names"] - len(elements)
    facts = [f"{counted(figures['total'], 'element')}: {tally(elements, MOST_ELEMENTS, more=more)}", *reading.facts]
    return replace(
        reading, form="xml", words=f"XML, root {plain(figures['root'])}: {reading.words}", facts=tuple(facts)
    )
