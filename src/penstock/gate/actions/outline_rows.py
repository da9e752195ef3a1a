"""Outlines of what has a tree but no JSON: headings, regions and nodes with how much is below each, files of a diff.

Each is a query over the table that the form already has, run where all queries run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.reading import TextSpec
from penstock.core.text import counted, line_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.gate.held import HeldReader
    from penstock.query.sandbox import Sandbox

MOST_ROWS: Final = 5_000  # rows of an outline that are looked at: more than any answer holds
LONG_LINE: Final = 120  # characters of one line
NODES: Final = frozenset(("snapshot", "outline"))

Row = dict[str, Any]


def outline_lines(opened: HeldReader, sandbox: Sandbox, depth: int) -> tuple[list[str], int] | None:
    """The lines of an outline to a depth, and how many there are in all; None for a form that has none."""
    spec = opened.tables[0].rows if opened.tables else None
    if not isinstance(spec, TextSpec) or spec.form not in (*NODES, *_QUERIES):
        return None
    if spec.form in NODES:
        return _nodes(opened, sandbox, depth)
    query, told = _QUERIES[spec.form]
    rows, total = _rows(opened, sandbox, query.format(depth=depth))
    return [line_text(line, LONG_LINE) for line in told(rows)], total


def _rows(opened: HeldReader, sandbox: Sandbox, sql: str) -> tuple[list[Row], int]:
    """The first rows of a query, and how many it has."""
    from penstock.query.sql import run_sql  # noqa: PLC0415

    sources = {"held": opened.source}
    rows = run_sql(f"{sql} LIMIT {MOST_ROWS}", sources, sandbox)
    total = rows.count
    if total == MOST_ROWS:
        total = msgspec.json.decode(run_sql(f"SELECT count(*) AS n FROM ({sql})", sources, sandbox).rows[0])["n"]  # noqa: S608
    return [msgspec.json.decode(row) for row in rows.rows], total


def _nodes(opened: HeldReader, sandbox: Sandbox, depth: int) -> tuple[list[str], int]:
    """Nodes of the upper levels, each with how many nodes are below it.

    Rows come in the order of the document, so all that follows a node is below it, up to the next one no deeper; and
    every node of the upper levels is among the rows.
    """
    rows, total = _rows(opened, sandbox, f"SELECT rowid AS _n, * FROM items WHERE _depth < {depth} ORDER BY rowid")  # noqa: S608
    count = opened.tables[0].count + 1
    ends: list[int] = []
    following: list[tuple[int, int]] = [] if len(rows) == total else [(-1, rows[-1]["_n"])]
    for row in reversed(rows):
        while following and following[-1][0] > row["_depth"]:
            following.pop()
        ends.append(following[-1][1] if following else count)
        following.append((row["_depth"], row["_n"]))
    lines = []
    for row, end in zip(rows, reversed(ends), strict=True):
        parts = [str(row[name]) for name in ("role", "name", "text", "value", "ref") if row.get(name) is not None]
        below = end - row["_n"] - 1
        text = f"{'  ' * row['_depth']}{' '.join(parts)}"
        lines.append(f"{row['line']}: {line_text(text, LONG_LINE)}{f' ({below:,} below)' if below else ''}")
    return lines, total


def _sections(rows: Sequence[Row]) -> list[str]:
    marks = ("  " * (row["level"] - 1) + "#" * row["level"] for row in rows)
    return [
        f"{row['line']}: {mark} {row['title']} ({counted(row['lines'], 'line')})"
        for mark, row in zip(marks, rows, strict=True)
    ]


def _files(rows: Sequence[Row]) -> list[str]:
    return [
        " ".join(
            [f"{row['line']}:" if row.get("line") else "-", str(row["file"]), f"+{row['added']} -{row['removed']}"]
            + ([counted(row["hunks"], "hunk")] if row.get("hunks") is not None else [])
        )
        for row in rows
    ]


def _matched(rows: Sequence[Row]) -> list[str]:
    return [f"{row['line']}: {row['file']} ({counted(row['n'], 'row')})" for row in rows]


_BY_FILE: Final = "SELECT min(line) AS line, file, count(*) AS n FROM items GROUP BY file ORDER BY 1"
_QUERIES: Final[dict[str, tuple[str, Callable[[Sequence[Row]], list[str]]]]] = {
    "markdown": ("SELECT line, level, title, lines FROM items WHERE level <= {depth} ORDER BY line", _sections),
    "diff": ("SELECT * FROM items", _files),
    "grep": (_BY_FILE, _matched),
    "grep_headings": (_BY_FILE, _matched),
    "linter": (_BY_FILE, _matched),
    "linter_blocks": (_BY_FILE, _matched),
}
