"""``penstock show HANDLE``: one stored result of any owner, as a table, a tree or text. Looking changes nothing.

Queries run as they do for the model, with the same errors. Only the answer has as much room as a terminal.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.cli.options import store_options, whole_number
from penstock.cli.output import write_json
from penstock.cli.show_view import show
from penstock.cli.stored import is_missing, visible_store, whole_handle
from penstock.config.sources import from_flags
from penstock.errors import CallerError
from penstock.gate.looking import Looking
from penstock.gate.looking.matches import matched_places
from penstock.gate.looking.text import TextLines
from penstock.gate.looking.tree import branch_at
from penstock.gate.looking.windows import RowWindows
from penstock.query.jq.filter import run_filter
from penstock.query.search.search import SearchQuery
from penstock.query.sql.query import run_sql
from penstock.stores import is_handle

if TYPE_CHECKING:
    import argparse

    from penstock.gate.held import HeldReader

HELP: Final = (
    "Show a stored result of any owner, a page at a time: records as a table, other JSON as a tree, text as text. "
    "Looking changes nothing. penstock list shows the handles; the beginning of a handle is enough if it is the only "
    "one that begins so."
)
USAGE: Final = "penstock show HANDLE [options]"
EXAMPLE: Final = """\
  penstock show r_Jx3vQm0kT5yZb8cW1dE2fg
  penstock show r_Jx3 --page 3 --rows 50
  penstock show r_Jx3 --sql 'SELECT city, count(*) FROM items GROUP BY 1'
  penstock show r_Jx3 --jq '.orders[0]'
  penstock show r_Jx3 --search ERROR --json"""
ROWS: Final = 20  # Rows, lines or parts on a page by default.
ONE_OF: Final = ("table", "tree", "text", "sql", "jq", "search")
MAX_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPage:
    """One page to show: rows with columns, parts of a tree, lines of a text, matches, or values.

    ``start`` counts from 0. ``total`` is the number on all pages.
    """

    kind: str
    title: str = ""
    columns: tuple[str, ...] = ()
    rows: list[Any] = field(default_factory=list)
    numbers: tuple[int, ...] = ()
    start: int = 0
    total: int = 0
    complete: bool = True
    more: bool | None = None
    ignores_case: bool = False

    @property
    def has_more(self) -> bool:
        """Return True if there is another page. Several matches may be in one place, so ``total`` does not say."""
        return self.start + len(self.rows) < self.total if self.more is None else self.more


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("handle", metavar="HANDLE", help="the handle of the result, or the beginning of it")
    parts = parser.add_argument_group("which part")
    parts.add_argument("--page", type=whole_number(1), default=1, metavar="N", help="the page, from 1")
    rows = f"rows or lines on a page (default: {ROWS})"
    parts.add_argument("--rows", type=whole_number(1, MAX_ROWS), default=ROWS, metavar="N", help=rows)
    parts.add_argument("--table", metavar="NAME", help="the rows of this table; items is the main one")
    tree = "the parts of the JSON value at this path (default: the whole value)"
    parts.add_argument("--tree", nargs="?", const=".", metavar="PATH", help=tree)
    parts.add_argument("--text", action="store_true", help="the original as text, with line numbers")
    asking = parser.add_argument_group("queries, as the model can run them")
    asking.add_argument("--sql", metavar="SQL", help="the rows of an SQL query")
    asking.add_argument("--jq", metavar="PROGRAM", help="the output of a jq program")
    asking.add_argument("--search", metavar="TEXT", help="the places where this text is found")
    asking.add_argument("--regex", action="store_true", help="with --search: the text is a regular expression (RE2)")
    asking.add_argument("--ignore-case", action="store_true", help="with --search: ignore upper and lower case")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    store_options(parser)


def run(args: argparse.Namespace) -> int:
    chosen = [f"--{name}" for name in ONE_OF if getattr(args, name) not in (None, False)]
    if len(chosen) > 1:
        raise CallerError(f"{' and '.join(chosen)} cannot be combined", do="give one of them")
    if (args.regex or args.ignore_case) and args.search is None:
        raise CallerError("--regex and --ignore-case need --search", do="give --search TEXT, or leave them out")
    config = from_flags(args, file=args.config)
    with visible_store(config) as store:
        if is_missing(store):
            raise CallerError(f"there is no store at {store.place}", do="name the store of your gateway: --store URL")
        with closing(Looking(store, config)) as looking:
            whole = is_handle(args.handle)
            handle = args.handle if whole else whole_handle(args.handle, [one.handle for one in looking.results()])
            opened = looking.open(handle)
            page = _page(args, opened, looking)
            members = about(opened, looking)
    if args.json:
        write_json({**members, **as_dict(page)})
    else:
        show(members, page, size=args.rows)
    return 0


def about(opened: HeldReader, looking: Looking) -> dict[str, Any]:
    """Return facts about the result as a whole."""
    meta = opened.held.meta
    tables = RowWindows(looking.workers).tables(opened)
    return {
        "handle": opened.held.entry.handle,
        "tool": meta.tool,
        "arguments": meta.arguments.decode("utf-8", "replace"),
        "what": str(meta.extra.get("words", "")),
        "tokens": meta.tokens,
        "bytes": meta.size,
        "tables": [{"name": name, "path": path, "rows": rows} for name, path, rows in tables],
    }


def as_dict(page: ShownPage) -> dict[str, Any]:
    """Return a page as JSON members."""
    members: dict[str, Any] = {"kind": page.kind, "start": page.start, "total": page.total}
    if page.columns:
        members["columns"] = list(page.columns)
    if not page.complete:
        members["complete"] = False
    return {**members, "rows": page.rows}


def _page(args: argparse.Namespace, opened: HeldReader, looking: Looking) -> ShownPage:
    start = (args.page - 1) * args.rows
    if args.sql is not None:
        return _sql(args.sql, opened, looking, start, args.rows)
    if args.jq is not None:
        return _jq(args.jq, opened, looking, start, args.rows)
    if args.search is not None:
        return _matches(args, opened, looking)
    if args.text:
        return _text(opened, start, args.rows)
    if args.tree is not None:
        return _tree(opened, args.tree, start, args.rows)
    return _by_form(opened, looking, args.table, start, args.rows)


def _by_form(opened: HeldReader, looking: Looking, table: str | None, start: int, count: int) -> ShownPage:
    """Show the table that is named; else records as a table, other JSON as a tree, and text as text."""
    if table is not None:
        return _table(opened, looking, table, start, count)
    page = ShownPage(kind="text") if opened.index.root is None else _table(opened, looking, "", start, count)
    if len(page.columns) > 1 and page.columns != ("n", "text"):
        return page
    return _text(opened, start, count) if opened.index.is_text else _tree(opened, ".", start, count)


def _table(opened: HeldReader, looking: Looking, name: str, start: int, count: int) -> ShownPage:
    window = RowWindows(looking.workers).window(opened, name, start, count)
    return ShownPage(
        kind="table",
        title=name or "items",
        columns=window.columns,
        rows=[list(row) for row in window.rows],
        numbers=window.numbers,
        start=start,
        total=window.total,
    )


def _tree(opened: HeldReader, path: str, start: int, count: int) -> ShownPage:
    branch = branch_at(opened, "" if path == "." else path, start, count)
    return ShownPage(kind="tree", title=branch.path or ".", rows=branch.parts, start=start, total=branch.total)


def _text(opened: HeldReader, start: int, count: int) -> ShownPage:
    window = TextLines().window(opened, start, count)
    return ShownPage(kind="text", rows=list(window.lines), start=start, total=window.total)


def _sql(sql: str, opened: HeldReader, looking: Looking, start: int, count: int) -> ShownPage:
    result = run_sql(sql, {"held": opened.source}, looking.workers())
    rows = [list(msgspec.json.decode(one).values()) for one in result.rows[start : start + count]]
    return ShownPage(
        kind="rows",
        columns=result.columns,
        rows=rows,
        start=start,
        total=result.count,
        complete=result.sent == result.count,
    )


def _jq(program: str, opened: HeldReader, looking: Looking, start: int, count: int) -> ShownPage:
    try:
        outputs = run_filter(program, opened.source, looking.workers()).outputs
    except CallerError as error:
        raise CallerError(error.what, do=f"{error.do}; the data is {opened.shape}".lstrip("; ")) from None
    rows = [msgspec.Raw(one) for one in outputs[start : start + count]]
    return ShownPage(kind="values", rows=rows, start=start, total=len(outputs))


def _matches(args: argparse.Namespace, opened: HeldReader, looking: Looking) -> ShownPage:
    query = SearchQuery(pattern=args.search, regex=args.regex, ignore_case=args.ignore_case)
    start = (args.page - 1) * args.rows
    matches = matched_places(opened, query, looking.workers)
    places = matches.places
    while len(places) < start + args.rows and matches.end < matches.total:
        matches = matched_places(opened, replace(query, start=matches.end), looking.workers)
        places += matches.places
    more = len(places) > start + args.rows or matches.end < matches.total
    return ShownPage(
        kind="matches",
        title=args.search,
        ignores_case=args.ignore_case,
        rows=places[start : start + args.rows],
        start=start,
        total=matches.total,
        complete=matches.complete,
        more=more,
    )
