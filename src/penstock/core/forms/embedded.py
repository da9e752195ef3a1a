"""A document inside another: a string that is nearly all of a JSON result, lines in an array of strings, or JSON
that stands in a text.

``{"path": "a.csv", "content": "..."}`` has the table that its content is, and ``{"files": ["src/a.py", ...]}`` that of
a list of paths, whose lines are the items. jq sees the result as it came.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from penstock.core.forms.api import Excerpt
from penstock.core.forms.document import Kind
from penstock.core.forms.document import read as read_document
from penstock.core.forms.json_values import is_retained
from penstock.core.forms.rows import RowSpec
from penstock.core.json.buffer import count_of
from penstock.core.json.index import reader
from penstock.core.json.lookup import span_at
from penstock.core.json.path import EACH, Path, render
from penstock.core.json.scan import is_container, items
from penstock.core.json.strings import unquote_to_bytes
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.forms.api import Form
    from penstock.core.forms.document import Document, TextErrors
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading
    from penstock.core.json.buffer import Bytes

MIN_SHARE: Final = 0.9  # Share of the result's text that is in the string.
MAX_KEY: Final = 64  # Bytes before a string in which its key is looked for.
MAX_DEPTH: Final = 8  # Levels down to the string. Servers wrap a text in two or three, and each costs a look at it all.
MIN_LINES: Final = 8  # Strings of an array that are read as lines.
MIN_LINES_SHARE: Final = 0.5  # Share of the document that these strings are.
MAX_AROUND: Final = 12  # Lines around JSON in a text that may be shown.


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWithin:
    """A text, or JSON, in a string of a JSON document: the way to the string, where it lies, and the text."""

    path: Path
    start: int
    end: int
    text: Document


def read(view: JsonView) -> Reading | None:
    """Read the text in the only string that matters, or the lines in the only array, if it has a form."""
    if (within := text_in(view.document)) is not None:
        body, errors, path = within.text.body, within.text.errors, within.path
        reading = _read_text(body, errors, path)
    elif (lines := _lines_in(view)) is not None:
        body, outer = lines
        path = (*outer, EACH)
        found = _read_text(body, "surrogatepass", path, lambda form: form.reads_items)
        reading = _of_items(found, count_of(body, b"\n") + 1, outer)
    else:
        return None
    if reading is None:
        return None
    beside = [one for one in view.beside(()) if not one.startswith(f"{render(path).lstrip('.')}=")]
    facts = [*([f"other fields: {' · '.join(beside)}"] if beside else []), *reading.facts]
    return replace(reading, words=f"{reading.words}, in {render(path)}", facts=tuple(facts), shape=view.shape)


def _read_text(
    body: Bytes, errors: TextErrors, path: Path, wanted: Callable[[Form], bool] = lambda _: True
) -> Reading | None:
    from penstock.core.forms.read_text import read_text  # noqa: PLC0415  (most JSON waits for no form of a text)
    from penstock.core.forms.registry import known_forms  # noqa: PLC0415

    forms = [form for form in known_forms() if wanted(form)]
    return read_text(body, errors, count_of(body, b"\n") + (body[-1:] != b"\n"), path, forms)


def read_lines(text: str) -> Reading | None:
    """Return the reading of several texts that follow each other; None if they have no form that allows that."""
    body = text.encode("utf-8", "surrogatepass")
    return _read_text(body, "surrogatepass", (), lambda form: form.reads_items or form.reads_joined)


def _of_items(reading: Reading | None, count: int, outer: Path) -> Reading | None:
    """Return the reading of lines that are the items of an array, if each of them is a row."""
    if reading is None or reading.tables[0].count < count:
        return None
    [main, *others] = reading.tables
    return replace(reading, tables=(replace(main, path=render(outer)), *others), pages=outer)


def _lines_in(view: JsonView) -> tuple[bytes, Path] | None:
    """Find the array that most of a document is, if its items are lines, and join them."""
    main = view.tables[0] if view.tables else None
    spec = main.spec if main is not None else None
    if main is None or not isinstance(spec, RowSpec) or not spec.is_plain or not is_retained(view.document):
        return None
    first, column = main.fields[0], main.fields[0].column
    is_only = len(main.fields) == 1 and first.path is not None and not first.path.path
    is_lines = is_only and column.kinds == {str: main.count} and main.count >= MIN_LINES
    if not is_lines or column.bulk < MIN_LINES_SHARE * len(view.document.body):
        return None
    body = "\n".join(view.cells(main).columns([first.name])[first.name]).encode("utf-8", "surrogatepass")
    return (body, spec.outer) if count_of(body, b"\n") == main.count - 1 else None


def text_at(value: bytes) -> bytes:
    """Return the text of a JSON string, or of an array of them, whose lines they are."""
    return unquote_to_bytes(value) if value[:1] == b'"' else b"\n".join(map(unquote_to_bytes, items(value)))


def text_in(document: Document) -> TextWithin | None:
    """Find the only string that matters, if it is a text."""
    within = document_in(document)
    return within if within is not None and within.text.kind is Kind.TEXT else None


def document_in(document: Document) -> TextWithin | None:
    """Find the only string that matters, if it is a text, or JSON."""
    return document.once("document within", _document_in)


def with_text_around(document: Document, reading: Reading) -> Reading:
    """Return the reading of JSON that stands in a text, with the lines around it."""
    start, end = document.around or (0, len(document.raw))
    lead, tail = (part.decode("utf-8", "replace").strip("\n") for part in (document.raw[:start], document.raw[end:]))
    lines = [line for line in (*lead.split("\n"), *tail.split("\n")) if line.strip() and not line.startswith("```")]
    if not lines:
        return reading
    around = Excerpt(title=f"{counted(len(lines), 'line')} around it", lines=tuple(lines[:MAX_AROUND]))
    words = f"{reading.words}, in a text with {counted(len(lines), 'other line')}"
    return replace(reading, words=words, excerpts=(*reading.excerpts, around))


def _may_have(body: Bytes) -> bool:
    """Return True if a string may be nearly all of some JSON. Then every quote in the middle is escaped. If there is
    none, the last one before the middle opens the string."""
    start, end = int((1 - MIN_SHARE) * len(body)) + 1, int(MIN_SHARE * len(body))
    if (quote := body.find(b'"', start, end)) >= 0:
        return body[quote - 1 : quote] == b"\\"
    opening = body.rfind(b'"', 0, start)
    return body[max(0, opening - MAX_KEY) : max(0, opening)].rstrip()[-1:] in (b":", b"[")


def _document_in(document: Document) -> TextWithin | None:
    """Go down to the string that is nearly all of a document, through objects and arrays of one item."""
    least = MIN_SHARE * len(document.body)
    if document.kind is not Kind.JSON or not _may_have(document.body):
        return None
    read = reader(document.body)
    path: Path = ()
    for _ in range(MAX_DEPTH):
        container = document.container(path)
        if container.starts.widest < least or (container.kind == "array" and container.count > 1):
            return None
        number = next(one for one in range(container.count) if container.span(one, one + 1) >= least)
        path = (*path, number if container.kind == "array" else container.key(read, number))
        start, end = span_at(document.index, read, path)
        if end - start < least:
            return None
        if is_container(document.body[start : start + 1]):
            continue
        if document.body[start : start + 1] != b'"':
            return None
        inner = read_document(unquote_to_bytes(document.body[start:end]))
        is_read = inner.kind is Kind.TEXT or inner.is_json
        return TextWithin(path=path, start=start, end=end, text=inner) if is_read else None
    return None
