"""Notebooks are told by their cells and outputs."""

from __future__ import annotations

import json
from typing import Any

from penstock.core.forms import notebooks
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form


def book(cells: int, **fields: Any) -> dict[str, Any]:
    made = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "metadata": {},
            "source": [f"x = {n}\n", "print(x)"],
            "outputs": [],
            **fields,
        }
        for n in range(cells)
    ]
    return {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def test_a_notebook_tells_its_cells_outputs_and_first_lines() -> None:
    made = book(8)
    made["cells"][2]["outputs"] = [{"output_type": "stream", "text": ["hello\n"]}] * 2
    made["cells"][3] |= {"cell_type": "markdown", "source": "# Title\n\ntext"}
    found = read_form(read(json.dumps(made)))
    assert (found.form, found.words.split(" (")[0]) == ("notebook", "a notebook: 8 cells in .cells")
    assert found.facts[:3] == (
        "lines of source: 17",
        "2 outputs: stream ×2",
        "most bytes of outputs, as JSON: cell 3 89",
    )
    assert found.excerpts[0].title == "the first lines of all cells"
    assert found.excerpts[0].lines[2:4] == ("3 code: x = 2", "4 markdown: # Title")


def test_of_many_cells_the_first_ones_are_shown() -> None:
    found = read_form(read(json.dumps(book(40))))
    assert found.excerpts[0].title == "the first lines of the first 30 cells"
    assert found.facts[0] == "lines of source: 80"
    assert "outputs" not in found.facts[1]


def test_what_only_looks_like_a_notebook_is_records(monkeypatch: Any) -> None:
    other = book(8)
    del other["nbformat"]
    assert read_form(read(json.dumps(other))).form == "records"
    assert read_form(read(json.dumps(book(8, source=5)))).form == "records"
    monkeypatch.setattr(notebooks, "MOST", 10)
    assert read_form(read(json.dumps(book(8)))).form == "records"
