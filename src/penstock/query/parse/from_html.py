"""HTML as JSON, by lexbor (the parser of selectolax), which reads pages as browsers do. What jq sees of a page:

- ``title``, and ``sections`` in their order: each with the ``level`` (1 to 6) and the text of its ``heading``, and the
  ``text`` below it without markup. What stands before the first heading has the level 0.
- ``rows``: those of the largest table, as objects; ``other_tables``: those of all others, each with its ``rows``.
  A table is one of two or more rows and columns with no table in it; a cell over several rows stands in each of them.
- ``links``: ``text`` and ``href`` of each.

Scripts, styles, drawings and comments are left out. Cells are numbers as the texts of XML are.
"""

from __future__ import annotations

from importlib import import_module
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.text import split_words
from penstock.query.parse.refusal import Refusal
from penstock.query.parse.scalars import as_scalars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_SPAN: Final = 100  # rows or columns that one cell may stand in; more is a mistake, or an attack
MOST_COLUMNS: Final = 200  # of a table
INVISIBLE: Final = ("script", "style", "template", "noscript", "svg", "iframe", "object", "select")
HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
BLOCKS: Final = frozenset(
    split_words(
        "address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 "
        "h5 h6 header hr li main nav ol p pre section summary table tbody td th thead tr ul"
    )
)
_CELLS: Final = frozenset(("td", "th"))


def _imported() -> Any:
    try:
        return import_module("selectolax.lexbor").LexborHTMLParser
    except ImportError:
        return None


_PARSER: Final = _imported()


def is_available() -> bool:
    return _PARSER is not None


def convert(text: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the page as JSON, and its figures."""
    page = _PARSER(text.decode("utf-8", "replace"))
    body = page.body
    if body is None:
        raise Refusal("no page")
    title = page.css_first("title")
    name = _words(title.text()) if title is not None else None
    small = text.lower()
    if tags := [tag for tag in INVISIBLE if b"<" + tag.encode() in small]:  # each is looked for in the whole page
        page.strip_tags(tags, recursive=True)
    links = [{"text": _words(one.text()), "href": one.attributes["href"]} for one in page.css("a[href]")]
    tables_with_words = list(_tables(page, has_spans=b"rowspan" in small or b"colspan" in small))
    tables = sorted((rows for rows, _ in tables_with_words), key=len, reverse=True)
    sections = _sections(page, body)
    made: dict[str, Any] = {"title": name, "sections": sections}
    if tables:
        made["rows"] = tables[0]
    if len(tables) > 1:
        made["other_tables"] = [{"rows": rows} for rows in tables[1:]]
    made["links"] = links
    figures = {
        "title": name,
        "headings": [(one["level"], one["heading"]) for one in sections if one["level"]],
        "links": len(links),
        "tables": len(tables),
        "rows": len(tables[0]) if tables else 0,
        "words": sum(len(one["text"].split()) for one in sections),
        "cells": sum(words for _, words in tables_with_words),
    }
    return msgspec.json.encode(made), figures


def _words(text: str) -> str:
    return text if text.isalnum() else " ".join(text.split())


def _each_words(texts: list[str]) -> list[str]:
    """Return the words of each text. Most texts have nothing else, which one look at all of them tells."""
    line = "\0".join(texts)  # no text of a page has this character
    is_tidy = " ".join(line.split()) == line and " \0" not in line and "\0 " not in line
    return texts if is_tidy else [_words(text) for text in texts]


def _tables(page: Any, *, has_spans: bool) -> Iterator[tuple[list[dict[str, Any]], int]]:
    """Return the rows of each table of data, and the words in them; the table is taken out of the page."""
    for table in page.css("table"):
        if len(table.css("table")) > 1:
            continue
        grid = list((_grid if has_spans else _plain_grid)(table.css("tr")))
        width = max((len(cells) for _, cells in grid), default=0)
        if len(grid) < 2 or not 2 <= width <= MOST_COLUMNS:
            continue
        first, cells = grid[0]
        is_head = first and any(cells)
        names = _names(cells if is_head else [], width)
        rows = [cells for _, cells in grid[1 if is_head else 0 :]]
        columns = list(zip_longest(*rows, fillvalue=""))
        columns += [("",) * len(rows)] * (width - len(columns))
        typed = [_typed(column) for column in columns]
        words = sum(len("\n".join(column).split()) for column in columns)
        yield [dict(zip(names, cells, strict=True)) for cells in zip(*typed, strict=True)], words
        table.decompose()


def _plain_grid(rows: Iterable[Any]) -> Iterator[tuple[bool, list[str]]]:
    """Return the cells of each row, and whether all of them are headings, where no cell stands in several places."""
    for row in rows:
        cells = [(cell.tag, cell.text()) for cell in row.iter()]
        kinds = {tag for tag, _ in cells}
        if not kinds <= _CELLS:  # a script, or what only looks like a row
            cells = [one for one in cells if one[0] in _CELLS]
            kinds &= _CELLS
        if cells:
            yield kinds == {"th"}, _each_words([text for _, text in cells[: MOST_COLUMNS + 1]])


def _grid(rows: Iterable[Any]) -> Iterator[tuple[bool, list[str]]]:
    """Return the rows of a table whose cells span rows or columns: each row with what stands in its columns."""
    below: dict[int, tuple[str, int]] = {}  # what stands in a column of the rows to come, and of how many
    for row in rows:
        cells: list[str] = []
        heads: list[bool] = []
        now, below = below, {}
        for cell in row.iter():
            if cell.tag not in ("td", "th"):
                continue
            heads.append(cell.tag == "th")
            text = _words(cell.text())
            _carry(cells, now, below)
            attributes = cell.attributes
            down = _span(attributes.get("rowspan"))
            for at in range(_span(attributes.get("colspan"))):
                if down > 1:
                    below[len(cells)] = ("" if at else text, down - 1)
                cells.append("" if at else text)
        _carry(cells, now, below)
        if heads:
            yield all(heads), cells[: MOST_COLUMNS + 1]


def _carry(cells: list[str], now: dict[int, tuple[str, int]], below: dict[int, tuple[str, int]]) -> None:
    """Put the cells of rows above in their places."""
    while len(cells) in now:
        text, left = now[len(cells)]
        if left > 1:
            below[len(cells)] = (text, left - 1)
        cells.append(text)


def _span(text: str | None) -> int:
    return min(int(text), MOST_SPAN) if text and text.isdecimal() and 1 <= len(text) <= 4 and int(text) else 1


def _names(heads: list[str], width: int) -> list[str]:
    """Return a name for each column that no other has."""
    names: list[str] = []
    for at in range(width):
        wanted = name = (heads[at] if at < len(heads) else "") or f"column_{at + 1}"
        number = 2
        while name in names:
            name, number = f"{wanted}_{number}", number + 1
        names.append(name)
    return names


def _typed(texts: Sequence[str]) -> list[Any]:
    filled = [text for text in texts if text]
    numbers = as_scalars(filled) if filled else None
    if numbers is None:
        return [text or None for text in texts]
    queue = iter(numbers)
    return [next(queue) if text else None for text in texts]


def _sections(page: Any, body: Any) -> list[dict[str, Any]]:
    """Return the text of the page, cut at its headings."""
    headings = {}
    for one in page.css(",".join(HEADINGS)):
        headings[one.mem_id] = _words(one.text())
        for inner in list(one.iter(include_text=True)):
            inner.decompose()
    parts_by_heading: list[tuple[int, str | None, list[str]]] = [(0, None, [])]
    for node in body.traverse(include_text=True):
        tag = node.tag
        if tag == "-text":
            before = node.prev
            if before is not None and before.tag in BLOCKS:
                parts_by_heading[-1][2].append("\n")
            parts_by_heading[-1][2].append(node.text_content or "")
        elif node.mem_id in headings and tag in HEADINGS:
            parts_by_heading.append((HEADINGS.index(tag) + 1, headings[node.mem_id], []))
        elif tag in BLOCKS:
            parts_by_heading[-1][2].append("\n")
    sections = [{"level": level, "heading": name, "text": _lines(parts)} for level, name, parts in parts_by_heading]
    return [one for one in sections if one["level"] or one["text"]]


def _lines(parts: list[str]) -> str:
    lines = map(_words, "".join(part if part == "\n" else part.replace("\n", " ") for part in parts).split("\n"))
    return "\n".join(line for line in lines if line)
