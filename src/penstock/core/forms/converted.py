"""Texts in other languages, which a parser that is handed in turns into JSON: YAML, XML, HTML, TOML, Python literals.

Servers that return them: k8s-mcp and other Kubernetes servers (YAML), appium-mcp (XML), the reference fetch server
(HTML), the reference filesystem server (TOML), and Python servers that return ``str`` of a list (mcp-server-sqlite).

``raw`` stays what came, for windows and search. ``body`` is the JSON: tables, paths, pages, jq and SQL are those of any
JSON. A text that is refused by its parser, or that has none, is plain text. A long one is converted when the first
question is asked: until then it is known by what can be counted in it. Which language a text looks like is told by some
lines; only a parser knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock.core.forms import html_pages, prose
from penstock.core.forms.document import BOM, Document, Kind, read_parts
from penstock.core.forms.embedded import document_in
from penstock.core.forms.reading import Reading
from penstock.core.json.buffer import count_of
from penstock.core.json.path import render
from penstock.core.json.splice import Splice, splice
from penstock.core.text import counted, plain, size_text, split_words, tally

if TYPE_CHECKING:
    from penstock.core.forms.api import Sample
    from penstock.core.forms.json_view import JsonView


MIN_CONVERTED: Final = 1_024  # Bytes of a text. A smaller one can be read as it is.
MAX_AT_ONCE: Final = 2_097_152  # Bytes of a text that is converted when it is admitted, in at most 150 ms a megabyte.
MAX_ELEMENTS: Final = 12  # Names of elements that a fact lists with their counts.
TITLES: Final[dict[str, str]] = {
    "yaml": "YAML",
    "xml": "XML",
    "html": "HTML",
    "toml": "TOML",
    "python": "a Python literal",
}
MAX_LEAD: Final = 65_536  # Bytes in which TOML has its first table.
MAX_HEAD: Final = 4_096  # Bytes in which markup begins.
MAX_TAIL: Final = 256  # Bytes in which it ends.
MIN_KEYS: Final = 0.3  # Share of the lines of YAML that have a key. The others may be texts over many lines.
MIN_INDENTED: Final = 0.1  # Share of them that are indented. Flat ``Key: value`` lines are other forms.
MAX_AROUND: Final = 2_048  # Bytes before and after a page in which other lines may be.
MIN_PAIRS: Final = 0.5  # Share of the lines of TOML that are tables or pairs. The others may be long values.

# What may stand before the first element: a declaration, comments, a document type without declarations of its own.
_MARKUP = re.compile(
    rb"\s*(?:<\?[^>]*\?>\s*|<!--(?:[^-]|-(?!->))*-->\s*)*(?:<!doctype\s+([\w:.-]+)|<([A-Za-z_][\w:.-]*)[\s/>])",
    re.IGNORECASE,
)
_OF_PAGES: Final = frozenset(
    split_words("html head body div p table ul ol section article main nav header h1 h2 h3 span center")
)
_CLOSING: Final = {b"[": b"]", b"{": b"}", b"(": b")"}
# What Python writes behind a bracket, a comma or a colon, and JSON does not.
_PYTHON = re.compile(rb"[\[{(,:]\s*+(?:'|b['\"]|\(|None\b|True\b|False\b|[A-Za-z_][\w.]*\()")
_MARK: Final = r"(?:---|\.\.\.)(?:\s|$)|%(?:YAML|TAG)\s|#|$"
_KEY: Final = r"""(?:[\w$./][^\s:#"'{}\[\],]*|"[^"]*"|'[^']*'):(?:\s|$)"""
_HEADER = re.compile(rb"(?:^|\n)\[\[?[A-Za-z_\"'][\w.\"' -]*+\]\]?[ \t]*+(?:#[^\n]*+)?\r?\n")
_TABLE = re.compile(r"\[\[?[\w.\" '-]+\]\]?\s*(?:#.*)?")
_PAIR = re.compile(r"""\s*[\w.\"'-]+\s*=\s*(?:([\"'\[{]|true\b|false\b)|[-+0-9])?""")
_MARKED = re.compile(_MARK)
_KEYED = re.compile(rf"\s*(?:- +)*(?:{_KEY})")
_TOP = re.compile(rf"{_MARK}|(?:- *)+(?:\S|$)|-$|{_KEY}|[\w$./][^:#]*:(?:\s|$)|[\]}}]")

Language = Literal["yaml", "xml", "html", "toml", "python"]


def language_of(document: Document) -> Language | None:
    """Return the language that a text seems to be written in."""
    raw = document.raw
    if document.errors != "strict" or b"\x00" in raw[:MAX_HEAD]:
        return None
    head = raw[:MAX_HEAD].removeprefix(BOM)
    if head.lstrip()[:1] == b"<":
        return _markup(head) if raw[-MAX_TAIL:].rstrip()[-1:] == b">" else None
    bare, tail = head.lstrip(), raw[-MAX_TAIL:].rstrip()
    if tail[-1:] == _CLOSING.get(bare[:1]) and _PYTHON.search(bare):  # as a list, dict or tuple
        return "python"
    if _looks_like_yaml(document):
        return "yaml"
    may_be_toml = raw[:1] == b"[" or b"\n[" in raw[:MAX_LEAD]  # told in a tenth of the time of the pattern
    has_tables = may_be_toml and _HEADER.search(raw[:MAX_LEAD]) is not None
    return "toml" if has_tables and _looks_like_toml(_sample(document)) else None


def markup_in(document: Document) -> tuple[Language, tuple[int, int]] | None:
    """Return where a page or a file of XML, whole and declared as such, begins and ends between a few other lines."""
    raw = document.raw
    lead, tail = raw[:MAX_AROUND], raw[-MAX_AROUND:]
    start = re.search(rb"(?:^|\n)(?=<(?:\?xml\s|!doctype\s+html|html[\s>]))", lead, re.IGNORECASE)
    end = len(tail) if tail[-1:] == b">" else tail.rfind(b">\n") + 1
    if start is None or not end or document.errors != "strict" or b"\x00" in raw[:MAX_HEAD]:
        return None
    first, last = start.end(), len(raw) - len(tail) + end
    language = _markup(raw[first : first + MAX_HEAD])
    if language is None or (language == "html" and raw[last - 7 : last].lower() != b"</html>"):
        return None
    return language, (first, last)


def _markup(head: bytes) -> Language | None:
    match = _MARKUP.match(head)
    if match is None:
        return None
    name = (match[1] or match[2]).decode().lower()
    return "html" if name in _OF_PAGES else "xml"


def _looks_like_yaml(document: Document) -> bool:
    """Return True if all lines that are not indented may stand in YAML, and enough lines have keys, some of them inside
    of others. Snapshots of pages are written in YAML too, but have a form of their own."""
    first = document.raw[:MAX_HEAD].split(b"\n", 1)[0].decode("utf-8", "replace")
    if not _TOP.match(first):
        return False
    sample = _sample(document)
    lines = [line for line in sample.lines if not _MARKED.match(line)]
    if not lines or not all(line[0] in " \t" or _TOP.match(line) for line in lines):
        return False
    keyed = [line for line in lines if _KEYED.match(line)]
    indented = [line for line in keyed if line[0] == " "]
    enough = len(keyed) >= MIN_KEYS * len(lines) and len(indented) >= MIN_INDENTED * len(lines)
    return enough and not _is_snapshot(sample)


def _is_snapshot(sample: Sample) -> bool:
    from penstock.core.forms.registry import form_named  # noqa: PLC0415  (JSON waits for no form of a text)

    form = form_named("snapshot")
    return form is not None and form.recognise(sample) is not None


def _sample(document: Document) -> Sample:
    from penstock.core.forms.read_text import sample_of  # noqa: PLC0415  (JSON waits for no form of a text)

    return sample_of(document.body, document.errors, count_of(document.body, b"\n"))


def _looks_like_toml(sample: Sample) -> bool:
    """Return True if there are tables and pairs, and all values begin as in TOML, some of them as never in INI."""
    lines = [line for line in sample.lines if line.strip() and not line.lstrip().startswith("#")]
    tables = sum(_TABLE.fullmatch(line) is not None for line in lines)
    pairs = [match for line in lines if (match := _PAIR.match(line)) is not None]
    if not tables or tables + len(pairs) < MIN_PAIRS * len(lines):
        return False
    return any(match[1] for match in pairs) and all(match[0].rstrip()[-1] != "=" for match in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A text as JSON, and what its parser knows of it beside."""

    language: str
    body: bytes
    figures: dict[str, Any]


Convert = Callable[[Language, bytes], Conversion | None]


def converted(document: Document, convert: Convert | None, *, at_once: int = MAX_AT_ONCE) -> Document:
    """Return the document with its JSON, if it is a text that can be converted; else the document itself."""
    if len(document.raw) < MIN_CONVERTED:
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
    conversion = convert(language, text[:])
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
    if within is None or not MIN_CONVERTED <= len(within.text.raw) <= MAX_AT_ONCE:
        return document
    is_json = within.text.kind is Kind.JSON
    language = "json" if is_json else language_of(within.text) if convert is not None else None
    if language == "json":
        conversion: Conversion | None = Conversion(language=language, body=within.text.body[:], figures={})
    else:
        conversion = convert(language, within.text.raw[:]) if convert is not None and language is not None else None
    if conversion is None:
        return document
    body = splice(document.body[:], [Splice(within.start, within.end, conversion.body)])
    made = read_parts(body, Kind.JSON)
    if made is None:
        return document
    return replace(document, body=body, language=language, figures=conversion.figures, within=within.path, _made=made)


def read_later(document: Document) -> Reading:
    """Return the reading of a long text that is not converted yet."""
    title = TITLES[document.language or "yaml"]
    size = f"{counted(prose.lines(document), 'line')}, {size_text(len(document.raw))}"
    words = f"text that looks like {title}: {size}; its tables are made at the first question"
    return Reading(form=document.language or "text", words=words, shape="…")


def described(view: JsonView, reading: Reading) -> Reading:
    """Return the reading of the JSON that a text became, in words that say what it came from, and where it stood."""
    reading = _in_words_of(view, reading)
    within = view.document.within
    return replace(reading, words=f"{reading.words}, from the text in {render(within)}") if within else reading


def _in_words_of(view: JsonView, reading: Reading) -> Reading:
    """Return the reading in the words of the language."""
    figures, language = view.document.figures, view.document.language
    if language is None or language == "json":
        return reading
    if language == "html":
        return html_pages.read(view, figures)
    title, facts = TITLES[language], reading.facts
    if language == "xml":
        title += f", root {plain(figures['root'])}"
        elements = [(plain(name), number) for name, number in figures["elements"]]
        counts = tally(elements, MAX_ELEMENTS, more=figures["names"] - len(elements))
        facts = (f"{counted(figures['total'], 'element')}: {counts}", *facts)
    elif language == "yaml":
        documents = figures.get("documents", 1)
        title = "a Unity file" if figures.get("unity") else title
        title += f" of {counted(documents, 'document')}" if documents > 1 else ""
    return replace(reading, form=language, words=f"{title}: {reading.words}", facts=facts)
