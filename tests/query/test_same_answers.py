"""The same data gives the same answers to the same SQL, however it is written.

A new way of writing is one function in ``WRITERS``. It takes rows of scalars, and gives what a server would answer.
"""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape, quoteattr

import pytest
import yaml

from penstock.core.answer.result import parse, payload
from penstock.query.parse.serve import convert
from penstock.query.sql.query import run_sql
from tests.kit.held_results import held

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.query.sandbox.sandbox import Sandbox

Rows = list[dict[str, Any]]

CITIES: Final = ("Oslo", "Bergen", "Tromsø", "Bodø")
ROWS: Final[Rows] = [
    {
        "id": number,
        "city": CITIES[number % 4],
        "zip": f"{number * 37 % 100_000:05d}",  # a text of digits, some with a zero before them
        "price": number * 7 % 400 / 4 + 0.25,
        "active": number % 3 > 0,
        "note": None if number % 5 == 0 else f"said {number}",
    }
    for number in range(60)
]
QUESTIONS: Final = (
    "SELECT count(*) AS n, count(note) AS notes FROM items",
    "SELECT city, count(*) AS n, sum(price) AS total, max(id) AS last FROM items GROUP BY city ORDER BY city",
    "SELECT id, zip FROM items WHERE zip < '00200' ORDER BY zip",
    "SELECT typeof(id) AS id, typeof(zip) AS zip, typeof(price) AS price FROM items LIMIT 1",
    "SELECT count(*) AS n FROM items WHERE active = true",
    "SELECT count(*) AS n FROM items WHERE active = 1",
    "SELECT count(*) AS n FROM items WHERE active = 'true'",
    "SELECT count(*) AS n FROM items WHERE NOT active",
    "SELECT sum(active) AS n FROM items",
    "SELECT active, count(*) AS n FROM items GROUP BY active ORDER BY n",
    "SELECT id, active, note FROM items WHERE note IS NULL ORDER BY price DESC LIMIT 4",
    "SELECT rowid AS number, id FROM items WHERE id > 56",
)


def as_json(rows: Rows) -> str:
    return json.dumps(rows)


def as_json_below_a_key(rows: Rows) -> str:
    return json.dumps({"total": len(rows), "results": rows})


def as_json_lines(rows: Rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def as_csv(rows: Rows) -> str:
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows(map(_cells, rows))
    return made.getvalue()


def as_markdown(rows: Rows) -> str:
    lines = [list(rows[0]), ["---"] * len(rows[0]), *map(_cells, rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_columnar(rows: Rows) -> str:
    return json.dumps({"columns": list(rows[0]), "rows": [list(row.values()) for row in rows]})


def as_grid(rows: Rows) -> str:
    return json.dumps({"values": [list(rows[0]), *(list(row.values()) for row in rows)]})


def as_blocks(rows: Rows) -> str:
    """A result of MCP with a block for each row."""
    blocks = [{"type": "text", "text": json.dumps(row)} for row in rows]
    return payload(parse(json.dumps({"content": blocks}).encode())).document.text


def as_yaml(rows: Rows) -> str:
    return convert("yaml", yaml.safe_dump(rows, sort_keys=False, allow_unicode=True).encode())[0].decode()


def as_yaml_documents(rows: Rows) -> str:
    return convert("yaml", yaml.safe_dump_all(rows, sort_keys=False, allow_unicode=True).encode())[0].decode()


def as_xml(rows: Rows) -> str:
    """An element for each row, with attributes."""
    return _xml(rows, lambda name, cell: f" {name}={quoteattr(cell)}", "<row%s/>")


def as_xml_elements(rows: Rows) -> str:
    """An element for each row, with one for each cell."""
    return _xml(rows, lambda name, cell: f"<{name}>{escape(cell)}</{name}>", "<row>%s</row>")


def _xml(rows: Rows, cell_of: Callable[[str, str], str], row_of: str) -> str:
    written = (zip(row, _cells(row), strict=True) for row in rows)
    made = (row_of % "".join(cell_of(name, cell) for name, cell in cells if cell) for cells in written)
    return convert("xml", f"<rows>{''.join(made)}</rows>".encode())[0].decode()


WRITERS: Final[tuple[Callable[[Rows], str], ...]] = (
    as_json,
    as_json_below_a_key,
    as_json_lines,
    as_csv,
    as_markdown,
    as_columnar,
    as_grid,
    as_blocks,
    as_yaml,
    as_yaml_documents,
    as_xml,
    as_xml_elements,
)


def _cells(row: dict[str, Any]) -> list[str]:
    """The cells of a row as text: what is absent is empty, the rest as JSON writes it, texts without their quotes."""
    cells = ("" if cell is None else cell for cell in row.values())
    return [cell if isinstance(cell, str) else json.dumps(cell) for cell in cells]


@pytest.mark.parametrize("sql", QUESTIONS)
@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_the_same_question_has_the_same_answer(write: Callable[[Rows], str], sql: str, sandbox: Sandbox) -> None:
    expected = run_sql(sql, {"held": held(as_json(ROWS))}, sandbox)
    assert json.loads(expected.json)
    assert json.loads(run_sql(sql, {"held": held(write(ROWS))}, sandbox).json) == json.loads(expected.json)
