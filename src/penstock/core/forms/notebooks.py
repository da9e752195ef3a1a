"""Notebooks (``.ipynb``): their cells are the table; what each begins with, and how its outputs came, are told."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.records import words_of
from penstock.core.forms.text_form import Excerpt
from penstock.core.json.long_bytes import gathered
from penstock.core.text import counted, line_text, tally

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading

MOST: Final = 16_777_216  # bytes of a notebook that is looked at cell by cell
MOST_CELLS: Final = 30  # cells whose first lines are shown
LONG_LINE: Final = 100  # characters of them


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str]
    outputs: list[dict[str, Any]] = []


class _Notebook(msgspec.Struct):
    cells: list[_Cell]
    nbformat: int


def read(view: JsonView) -> Reading | None:
    """Read a notebook of format 4 whose main table is its cells."""
    main = view.tables[0] if view.tables else None
    if main is None or main.path != ".cells" or "nbformat" not in view.structure.root.fields:
        return None
    if len(view.document.body) > MOST:
        return None
    try:
        book = msgspec.json.decode(gathered(view.document.body), type=_Notebook)
    except msgspec.MsgspecError:
        return None
    facts = [f"lines of source: {sum(_source(one).count(chr(10)) + 1 for one in book.cells if _source(one)):,}"]
    outputs = [output for one in book.cells for output in one.outputs]
    if outputs:
        kinds = Counter(str(output.get("output_type")) for output in outputs)
        sizes = [(-len(msgspec.json.encode(one.outputs)), at) for at, one in enumerate(book.cells, 1) if one.outputs]
        facts.append(f"{counted(len(outputs), 'output')}: {tally(kinds.most_common())}")
        largest = " · ".join(f"cell {at} {-size:,}" for size, at in sorted(sizes)[:3])
        facts.append(f"most bytes of outputs, as JSON: {largest}")
    begin = [
        f"{at} {line_text(one.cell_type, 20)}: {line_text(_source(one).lstrip().split(chr(10))[0], LONG_LINE)}"
        for at, one in enumerate(book.cells[:MOST_CELLS], 1)
    ]
    reading = view.reading("notebook", f"a notebook: {words_of(main, 'cells')}", view.tables, facts)
    title = f"the first lines of {'all cells' if len(book.cells) <= MOST_CELLS else f'the first {MOST_CELLS} cells'}"
    return replace(reading, excerpts=(Excerpt(title=title, lines=tuple(begin)),))


def _source(cell: _Cell) -> str:
    return cell.source if isinstance(cell.source, str) else "".join(cell.source)
