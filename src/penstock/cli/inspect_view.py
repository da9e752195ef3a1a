"""Print the report of ``penstock inspect``: figures, tables, the largest columns as bars, and the preview."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from penstock.cli.inspect import heaviest, scores_of
from penstock.cli.output import console as console_of
from penstock.cli.printable import lines, plain
from penstock.core.fit import Compact, Hold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from penstock.cli.inspect import InspectReport
    from penstock.core.forms.reading import Table as DataTable

BAR: Final = 32  # columns of the longest bar
MOST_ROWS: Final = 12


def show(report: InspectReport, console: Console | None = None) -> None:
    """Print the report."""
    console = console or console_of()
    console.print(_figures(report))
    if len(report.measure.reading.tables) > 1:
        console.print(_tables(report))
    if heaviest(report.measure):
        console.print(_heaviest(report))
    match report.plan:
        case Hold() as hold:
            console.print(f"[bold]Held[/]: above {report.budget.max_tokens:,} tokens. The model would read:")
            console.print(Panel(lines(hold.notice.message), title="notice, in short", title_align="left", expand=False))
            console.print(Panel(lines(hold.preview.text), title="preview", title_align="left", expand=False))
            _suggestions(console, hold)
        case Compact(raw=raw):
            saved = report.measure.size - len(raw)
            console.print(
                f"[bold]Compacted[/]: fits {report.budget.max_tokens:,} tokens without {saved:,} blank bytes."
            )
        case _:
            console.print(f"[bold]Passes[/] untouched: fits {report.budget.max_tokens:,} tokens.")


def show_why(report: InspectReport, console: Console | None = None) -> None:
    """Print the role and the scores of every column, one table after the other."""
    console = console or console_of()
    if not report.reading.tables:
        console.print(f"[bold]No table[/]: {escape(plain(report.name).plain)} has no columns that could be scored.")
        return
    console.print("score = worth of the role + depth of the name + share of rows without a value")
    console.print("In sample rows, the average length of a cell divided by 100 is added.")
    console.print("A column with a lower score is shown sooner.")
    for table in report.reading.tables:
        console.print(_scores(table))


def _scores(table: DataTable) -> Table:
    rows = f"{table.rows_text} {'row' if table.rows == 1 and not table.about else 'rows'}"
    view = Table(title=plain(table.name).append(f": {rows}"), title_justify="left", box=None, pad_edge=False)
    view.add_column("column", overflow="fold")
    view.add_column("role", no_wrap=True)
    view.add_column("as a fact", no_wrap=True)
    view.add_column("in sample rows", no_wrap=True)
    for one in scores_of(table):
        view.add_row(plain(one.column, 60), one.role, _sum(one.fact[:3]), "-" if one.row is None else _sum(one.row))
    return view


def _sum(score: Iterable[float]) -> str:
    """Write a score as the sum that it is. The total is that of the rounded summands, so that the line is true."""
    summands = [round(one, 2) for one in score]
    return f"{sum(summands):.2f} = {'+'.join(f'{one:.2f}' for one in summands)}"


def _figures(report: InspectReport) -> Table:
    figures = report.measure
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("file", plain(report.name))
    table.add_row("kind", report.kind)
    table.add_row("bytes", f"{figures.size:,}")
    for profile, count in report.tokens.items():
        chosen = " [bold]<- budget[/]" if profile == report.budget.profile else ""
        table.add_row(f"tokens {profile}", f"{count.tokens:,} (at most {count.upper:,}, {count.method}){chosen}")
    table.add_row("form", lines(f"{figures.form}: {figures.reading.words}"))
    table.add_row("depth", str(figures.depth))
    table.add_row("shape", lines(figures.shape))
    return table


def _tables(report: InspectReport) -> Table:
    table = Table(title="tables", title_justify="left", box=None, pad_edge=False)
    table.add_column("name", overflow="fold")
    table.add_column("rows", justify="right")
    table.add_column("path", overflow="fold")
    tables = report.measure.reading.tables
    for one in tables[:MOST_ROWS]:
        table.add_row(plain(one.name), f"{'' if one.exact else '~'}{one.count:,}", plain(one.path, 60))
    if len(tables) > MOST_ROWS:
        table.add_row(f"… {len(tables) - MOST_ROWS:,} more", "", "")
    return table


def _heaviest(report: InspectReport) -> Table:
    table = Table(title="columns with the most text", title_justify="left", box=None, pad_edge=False)
    table.add_column("column", overflow="fold")
    table.add_column("characters", justify="right")
    table.add_column("")
    columns = heaviest(report.measure)
    for name, characters in columns:
        share = characters / max(1, columns[0][1])
        table.add_row(plain(name, 60), f"{characters:,}", Text("█" * max(1, round(share * BAR)), "cyan"))
    return table


def _suggestions(console: Console, hold: Hold) -> None:
    for one in hold.notice.suggestions:
        arguments: dict[str, Any] = {key: value for key, value in one.arguments.items() if key != "cache_id"}
        console.print(
            f"[bold]·[/] {escape(lines(one.why).plain)}: {escape(plain(one.tool).plain)} [dim]~{one.tokens:,} tokens[/]"
        )
        # On one line of its own, as JSON, so that it can be copied.
        console.print(lines(json.dumps(arguments, ensure_ascii=False)), soft_wrap=True, highlight=False)
