"""Outlines of what has a tree of its own: headings, regions and nodes with how much is below each, files of a diff,
the names of JSON, YAML and XML, the headings of a page. Other texts have the facts of their columns.

Those of a text, and the nodes of a tree in JSON, are queries over the table that the form has, run where all queries
run. YAML, XML and HTML are read as the JSON that they became.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.forms.reading import TextSpec
from penstock.core.forms.rows import RowSpec
from penstock.core.json import scan
from penstock.core.json.lookup import container_at, span_at, value_at
from penstock.core.json.path import render
from penstock.core.json.whole import decode
from penstock.core.reading.blocks import LONG_BLOCK, block_line, blocks_of
from penstock.core.reading.value_tree import tree_lines
from penstock.core.tables.roles import KINDS, NAMES
from penstock.core.text import counted, line_text, plain
from penstock.errors import CallerError
from penstock.query.sql.query import run_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.json.index import Container, Index, Read
    from penstock.core.json.path import Path
    from penstock.gate.held import HeldReader
    from penstock.query.sandbox.sandbox import Sandbox

MOST_ROWS: Final = 5_000  # rows of an outline that are looked at: more than any answer holds
LONG_LINE: Final = 120  # characters of one line
LONG_FACT: Final = 400  # Characters of the facts of one column, as the notice has them.
NODES: Final = frozenset(("snapshot", "outline"))
MOST_BYTES: Final = 8_388_608  # bytes of JSON that are outlined by name: made into objects, they take ten times that

Row = dict[str, Any]


def outline_lines(opened: HeldReader, sandbox: Sandbox, depth: int) -> tuple[list[str], int] | None:
    """Return the lines of an outline to a depth, and how many there are in all; None for a form that has none."""
    language, size = opened.held.meta.extra.get("language"), opened.index.size
    if language is not None and not opened.index.is_text and size <= MOST_BYTES:
        if language != "html":
            return None
        lines = _headings(msgspec.json.decode(value_at(opened.index, opened.body, opened.within)), depth)
        return lines, len(lines)
    spec = opened.tables[0].rows if opened.tables else None
    if isinstance(spec, RowSpec) and spec.kind == "tree":
        return _tree(opened, sandbox, depth)
    if not isinstance(spec, TextSpec) or spec.form not in (*NODES, *_QUERIES):
        return None
    if spec.form in NODES:
        return _nodes(opened, sandbox, depth)
    query, write = _QUERIES[spec.form]
    rows, total = _rows(opened, sandbox, query.format(depth=depth))
    return [line_text(line, LONG_LINE) for line in write(rows)], total


def json_lines(opened: HeldReader, path: Path, depth: int) -> tuple[list[str], bool]:
    """Return the names of what a path leads to, with their counts, and True if all of it was looked at."""
    index, read = opened.index, opened.body
    try:
        container = container_at(index, read, path)
    except CallerError:
        start, end = span_at(index, read, path)  # Raises if nothing is there.
        return [f"{render(path)}: one value of {counted(end - start, 'byte')}"], True
    value = _first_of(index, read, container, MOST_BYTES)
    lines = tree_lines(value, depth)
    return [f"{render(path)}{lines[0].removeprefix('.')}", *lines[1:]], container.size <= MOST_BYTES


def _first_of(index: Index, read: Read, container: Container, room: int) -> Any:
    """Return what is in a container, of long arrays the first items."""
    if container.kind == "object" and container.size > room:
        inner = {}
        for number in range(min(container.count, MOST_ROWS)):
            key = container.key(read, number)
            large = index.container((*container.path, key))
            inner[key] = (
                _first_of(index, read, large, room // 2)
                if large is not None
                else decode(scan.member_value(container.item(read, number)))
            )
        return inner
    if container.size <= room:
        return decode(container.joined(read))
    average = max(1, container.size // max(1, container.count))
    return decode(container.joined(read, range(min(container.count, max(1, room // average)))))


def fact_lines(opened: HeldReader, depth: int) -> list[str]:
    """Return the blocks of an indented text without a form, else what the columns of a text tell."""
    spec = opened.tables[0].rows if opened.tables else None
    if (spec is None or (isinstance(spec, TextSpec) and spec.form in ("lines", "kinds"))) and (
        lines := _blocks(opened, depth)
    ):
        return lines
    known = opened.info
    tables = [f"table {table.name}: {counted(table.count, 'row')}" for table in opened.tables]
    facts = [*known.get("facts", ()), *(fact for some in known.get("table_facts", {}).values() for fact in some)]
    return [line_text(line, LONG_FACT) for line in (str(known.get("words", "text")), *tables, *facts)]


def _blocks(opened: HeldReader, depth: int) -> list[str]:
    root = opened.index.root
    if root is None or root.size > MOST_BYTES:
        return []
    text = opened.body(root.start, root.end).decode("utf-8", "replace")
    return [block_line(block, LONG_BLOCK) for block in blocks_of(text.split("\n"), depth)]


def _rows(opened: HeldReader, sandbox: Sandbox, sql: str) -> tuple[list[Row], int]:
    """Return the first rows of a query, and how many it has."""
    sources = {"held": opened.source}
    rows = run_sql(f"{sql} LIMIT {MOST_ROWS}", sources, sandbox)
    total = rows.count
    if total == MOST_ROWS:
        total = msgspec.json.decode(run_sql(f"SELECT count(*) AS n FROM ({sql})", sources, sandbox).rows[0])["n"]  # noqa: S608
    return [msgspec.json.decode(row) for row in rows.rows], total


def _nodes(opened: HeldReader, sandbox: Sandbox, depth: int) -> tuple[list[str], int]:
    """Return the nodes of the upper levels, each with how many nodes are below it."""
    rows, total = _upper(opened, sandbox, depth)
    lines = []
    for row, below in zip(rows, _below(rows, total, opened.tables[0].count), strict=True):
        parts = [str(row[name]) for name in ("role", "name", "text", "value", "ref") if row.get(name) is not None]
        text = f"{'  ' * row['_depth']}{' '.join(parts)}"
        lines.append(f"{row['line']}: {line_text(text, LONG_LINE)}{_counted(below)}")
    return lines, total


def _tree(opened: HeldReader, sandbox: Sandbox, depth: int) -> tuple[list[str], int]:
    """Return the lines of a tree in JSON: each node with its path from the one above, its name, and its type."""
    rows, total = _upper(opened, sandbox, depth)
    names = list(rows[0]) if rows else []
    known = [_first(names, NAMES), _first(names, KINDS)]
    paths = {row["_n"]: row["_path"].removesuffix(".") for row in rows}
    lines = []
    for row, below in zip(rows, _below(rows, total, opened.tables[0].count), strict=True):
        way = row["_path"].removeprefix(paths.get(row["_parent"], ""))
        parts = [plain(row[name]) for name in dict.fromkeys(known) if name is not None and row[name] is not None]
        text = f"{'  ' * row['_depth']}{way}: {' '.join(parts)}" if parts else f"{'  ' * row['_depth']}{way}"
        lines.append(f"{line_text(text, LONG_LINE)}{_counted(below)}")
    return lines, total


def _first(names: list[str], wanted: Sequence[str]) -> str | None:
    """Return the first of these columns that the table has."""
    return next((name for one in wanted for name in names if name.rpartition(".")[2] == one), None)


def _upper(opened: HeldReader, sandbox: Sandbox, depth: int) -> tuple[list[Row], int]:
    return _rows(opened, sandbox, f"SELECT rowid AS _n, * FROM items WHERE _depth < {depth} ORDER BY rowid")  # noqa: S608


def _counted(below: int) -> str:
    return f" ({below:,} below)" if below else ""


def _below(rows: list[Row], total: int, count: int) -> list[int]:
    """Count how many nodes are below each of these.

    Rows come in the order of the document, so all that follows a node is below it, up to the next one no deeper; and
    every node of the upper levels is among the rows.
    """
    ends: list[int] = []
    following: list[tuple[int, int]] = [] if len(rows) == total else [(-1, rows[-1]["_n"])]
    for row in reversed(rows):
        while following and following[-1][0] > row["_depth"]:
            following.pop()
        ends.append(following[-1][1] if following else count + 1)
        following.append((row["_depth"], row["_n"]))
    return [end - row["_n"] - 1 for row, end in zip(rows, reversed(ends), strict=True)]


def _headings(page: dict[str, Any], depth: int) -> list[str]:
    """Return the headings of a page, each with the words below it, then its tables and links."""
    lines = [
        f"{'#' * one['level'] or '(before the first heading)'} {one['heading'] or ''}".rstrip()
        + f" ({counted(len(one['text'].split()), 'word')})"
        for one in page["sections"]
        if one["level"] <= depth
    ]
    tables = [page[name] for name in ("rows",) if name in page] + [one["rows"] for one in page.get("other_tables", [])]
    lines += [f"table: {counted(len(rows), 'row')} of {', '.join(map(plain, rows[0]))}" for rows in tables if rows]
    lines += [counted(len(page["links"]), "link")] if page["links"] else []
    return [line_text(line, LONG_LINE) for line in lines]


def _sections(rows: Sequence[Row]) -> list[str]:
    return [f"{row['line']}: {'#' * row['level']} {row['title']} ({counted(row['lines'], 'line')})" for row in rows]


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
