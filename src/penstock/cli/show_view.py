"""Print a page of a stored result: rows, a tree, text, matches or values. Every character of it is untrusted."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

import msgspec
from rich.table import Table
from rich.text import Text

from penstock.cli.output import console as console_of
from penstock.cli.output import is_interactive
from penstock.cli.printable import lines, plain
from penstock.core.text import counted
from penstock.gate.looking.cells import written

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.console import Console

    from penstock.cli.show import ShownPage

MAX_CELL: Final = 200  # Characters shown of one cell.
MIN_COLUMN: Final = 8  # Columns of the terminal that a column of a table needs.
NOUNS: Final = {"text": "line", "tree": "part", "values": "value"}
COLOURS: Final = {"string": "green", "number": "cyan", "integer": "cyan", "boolean": "magenta", "null": "dim"}


def show(members: dict[str, Any], page: ShownPage, *, size: int, console: Console | None = None) -> None:
    """Print what the result is, then the page; through a pager when a person reads it."""
    console = console or console_of()
    with _paged(console):
        _head(members, console)
        console.print()
        _body(page, size, console)
        _foot(page, size, console)


def _paged(console: Console) -> AbstractContextManager[object]:
    if not (is_interactive() and console.is_terminal):
        return nullcontext()
    os.environ.setdefault("LESS", "-FRX")  # colours; and no pager at all for what fits the screen
    return console.pager(styles=console.color_system is not None)


def _head(members: dict[str, Any], console: Console) -> None:
    call = members["tool"] if members["arguments"] == "{}" else f"{members['tool']} {members['arguments']}"
    console.print(Text(members["handle"], "bold cyan"))
    console.print(plain(call, 300))
    console.print(plain(f"{members['what']}, {members['bytes']:,} bytes, {members['tokens']:,} tokens", 400))
    if len(members["tables"]) > 1:
        names = [
            f"{one['name']} ({'?' if one['rows'] is None else format(one['rows'], ',')})" for one in members["tables"]
        ]
        console.print(plain(f"tables: {', '.join(names)}", 400))


def _body(page: ShownPage, size: int, console: Console) -> None:
    if not page.rows:
        console.print(Text(_why_empty(page, size)))
    elif page.kind in ("table", "rows"):
        _table(page, console)
    elif page.kind == "tree":
        for part in page.rows:
            console.print(_part(part), soft_wrap=True)
    elif page.kind == "matches":
        for place in page.rows:
            console.print(_place(place))
    elif page.kind == "values":
        for value in page.rows:
            console.print(_pretty(value))
    else:
        width = len(f"{page.start + len(page.rows):,}")
        for number, line in enumerate(page.rows, page.start + 1):
            console.print(Text(f"{number:>{width},} ", "dim") + _line(line))


def _noun(page: ShownPage) -> str:
    return NOUNS.get(page.kind, "row")


def _why_empty(page: ShownPage, size: int) -> str:
    """Say why a page has no rows: nothing matches, or the page is past the end."""
    if page.kind == "matches" and not page.total:
        hint = "" if page.ignores_case else " (case-sensitive; try --ignore-case)"
        return f'No match for "{plain(page.title)}"{hint}.'
    if not page.total:
        return f"No {_noun(page)}s."
    number = page.start // size + 1
    what = counted(page.total, "match", "matches") if page.kind == "matches" else counted(page.total, _noun(page))
    pages = counted(-(-page.total // size), "page")
    return f"Page {number:,} is past the end: {what} are {pages} of {size}."


def _table(page: ShownPage, console: Console) -> None:
    numbered = bool(page.numbers)
    room = max(1, console.width // MIN_COLUMN - numbered)
    columns = page.columns[:room]
    table = Table(box=None, pad_edge=False)
    if numbered:
        table.add_column("", justify="right", style="dim", no_wrap=True)
    numeric = [
        all(isinstance(row[at], int | float) or row[at] is None for row in page.rows) for at in range(len(columns))
    ]
    for name, is_number in zip(columns, numeric, strict=True):
        table.add_column(plain(name, 60), justify="right" if is_number else "left", overflow="fold")
    for at, row in enumerate(page.rows):
        number = [f"{page.numbers[at]:,}"] if numbered else []
        table.add_row(*number, *(_cell(value) for value in row[: len(columns)]))
    console.print(table)
    if len(page.columns) > len(columns):
        more = ", ".join(page.columns[len(columns) :])
        console.print(plain(f"columns not shown, because the terminal is too narrow: {more}", 400))


def _cell(value: Any) -> Text:
    match value:
        case None:
            return Text("")
        case bool():
            return Text("true" if value else "false")
        case int() | float():
            return Text(str(value))
        case str():
            return plain(value, MAX_CELL)
    return plain(written(value), MAX_CELL)


def _part(part: dict[str, Any]) -> Text:
    key = plain(str(part["key"]), MAX_CELL)
    key.stylize("bold")
    if "count" in part:
        noun = "item" if part["kind"] == "array" else "field"
        inside = f"{part['size']:,} bytes" if part["count"] is None else counted(part["count"], noun)
        signs = "[]" if part["kind"] == "array" else "{}"
        return key + Text(f"  {signs[0]}{inside}{signs[1]}", "dim")
    text = part["text"] if len(part["text"]) >= part.get("length", 0) else f"{part['text']}…"
    return key + Text("  ") + _coloured(plain(text, MAX_CELL), part["kind"])


def _coloured(text: Text, kind: str) -> Text:
    text.stylize(COLOURS.get(kind, ""))
    return text


def _place(place: dict[str, Any]) -> Text:
    where = f"{place['line']:,}" if "line" in place else place["path"]
    marked = lines(place["text"])
    for first, last in place["marks"]:
        marked.stylize("bold reverse", first, last)
    before = Text("…" if place["before"] > 0 else "")
    behind = Text("…" if place["behind"] > 0 else "")
    return plain(where, MAX_CELL) + Text(": ") + before + marked + behind


def _line(line: str | dict[str, Any]) -> Text:
    if isinstance(line, str):
        return lines(line)
    return lines(line["text"]) + Text(f"… ({line['bytes']:,} bytes)", "dim")


def _pretty(value: msgspec.Raw) -> Text:
    return lines(msgspec.json.format(bytes(value), indent=2).decode("utf-8", "replace"))


def _foot(page: ShownPage, size: int, console: Console) -> None:
    console.print()
    first, last = page.start + 1, page.start + len(page.rows)
    if page.rows and page.kind == "matches":
        least = "" if page.complete else "at least "
        console.print(f"places {first:,} to {last:,}, of {least}{counted(page.total, 'match', 'matches')}")
    elif page.rows:
        console.print(f"{_noun(page)}s {first:,} to {last:,} of {page.total:,}")
    if page.kind == "rows" and not page.complete:
        console.print("this query has more rows than were sent: narrow it, or use LIMIT and OFFSET")
    if page.rows and page.has_more:
        console.print(f"next: --page {page.start // size + 2}")
