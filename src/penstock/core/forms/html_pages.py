"""HTML pages: the rows of the largest table where that is most of the page, else the sections under its headings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.api import Excerpt
from penstock.core.forms.json_columns import free_name
from penstock.core.forms.json_tables import candidates, table_of
from penstock.core.forms.json_view import row_words
from penstock.core.json.path import EACH
from penstock.core.text import counted, line_text, plain

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading

MIN_SHARE: Final = 0.5  # Share of the words of a page that are in tables, if its largest table is the main one.
MAX_HEADINGS: Final = 40  # Headings that are shown, each with at most MAX_HEADING characters.
MAX_HEADING: Final = 100  # Characters of a heading that is shown.


def read(view: JsonView, figures: dict[str, Any]) -> Reading:
    """Return the tables of a page: rows of a table or sections first, then the others."""
    record_places = [one for one in candidates(view.structure) if one.is_records]
    in_tables = figures["cells"] >= MIN_SHARE * (figures["words"] + figures["cells"]) and figures["rows"]
    rows, sections, links = ((*view.document.within, name, EACH) for name in ("rows", "sections", "links"))
    first = rows if in_tables else sections
    record_places.sort(key=lambda one: (one.steps != first, one.steps != sections, one.steps == links))
    taken = {"items"}
    tables = []
    for number, one in enumerate(record_places):
        names = [step for step in one.steps if isinstance(step, str)]
        name = free_name(names[-1], names, taken) if number else "items"
        tables.append(table_of(one, name, [], exact=view.structure.exact))
    reading = view.reading("html", _words(figures), tables)
    if in_tables and tables:
        reading = replace(reading, words=f"{row_words(tables[0], 'rows')} of {reading.words}")
    outline = [f"{'  ' * (level - 1)}{line_text(name, MAX_HEADING)}" for level, name in figures["headings"]]
    if not outline:
        return reading
    title = "headings" if len(outline) <= MAX_HEADINGS else f"the first {MAX_HEADINGS} headings"
    return replace(reading, excerpts=(Excerpt(title=title, lines=tuple(outline[:MAX_HEADINGS])),))


def _words(figures: dict[str, Any]) -> str:
    named = f" titled {plain(figures['title'])}" if figures["title"] else " without a title"
    counts = (
        counted(len(figures["headings"]), "heading"),
        counted(figures["links"], "link"),
        counted(figures["tables"], "table"),
        f"{figures['words']:,} words outside tables",
    )
    return f"an HTML page{named}: {', '.join(counts)}"
