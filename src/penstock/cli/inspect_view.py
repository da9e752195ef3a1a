"""How ``penstock inspect`` looks to a person: figures, arrays, the heaviest paths as bars, and the preview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from penstock.core.fit import Compact, Hold
from penstock.core.json.path import render, shorten

if TYPE_CHECKING:
    from penstock.cli.inspect import Report

BAR: Final = 32  # columns of the longest bar
MOST_ROWS: Final = 12


def show(report: Report, console: Console | None = None) -> None:
    """Print the report."""
    console = console or Console()
    console.print(_figures(report))
    if report.measure.arrays:
        console.print(_arrays(report))
    if report.measure.heavy:
        console.print(_heaviest(report))
    match report.plan:
        case Hold() as hold:
            pages = f", {hold.pages.total_pages:,} pages" if hold.pages is not None else ""
            console.print(f"[bold]Held[/]: above {report.budget.max_tokens:,} tokens{pages}. The model would read:")
            console.print(Panel(Text(hold.notice.message), title="notice, in short", title_align="left", expand=False))
            title = f"preview: {hold.preview.style}"
            console.print(Panel(Text(hold.preview.text), title=title, title_align="left", expand=False))
            _suggestions(console, hold)
        case Compact(raw=raw):
            saved = report.measure.size - len(raw)
            console.print(
                f"[bold]Compacted[/]: fits {report.budget.max_tokens:,} tokens without {saved:,} blank bytes."
            )
        case _:
            console.print(f"[bold]Passes[/] untouched: fits {report.budget.max_tokens:,} tokens.")


def _figures(report: Report) -> Table:
    figures = report.measure
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("file", escape(report.name))
    table.add_row("kind", str(figures.kind))
    table.add_row("bytes", f"{figures.size:,}")
    for profile, count in report.tokens.items():
        chosen = " [bold]<- budget[/]" if profile == report.budget.profile else ""
        table.add_row(f"tokens {profile}", f"{count.tokens:,} (at most {count.upper:,}, {count.method}){chosen}")
    table.add_row("items", f"{figures.items:,} in {escape(render(figures.main))}")
    table.add_row("depth", str(figures.depth))
    table.add_row("shape", escape(figures.shape))
    return table


def _arrays(report: Report) -> Table:
    table = Table(title="arrays", title_justify="left", box=None, pad_edge=False)
    table.add_column("path", overflow="fold")
    table.add_column("items", justify="right")
    table.add_column("bytes", justify="right")
    for one in report.measure.arrays[:MOST_ROWS]:
        about = "" if one.exact else "~"
        table.add_row(escape(shorten(render(one.path))), f"{about}{one.items:,}", f"{about}{one.size:,}")
    if report.measure.arrays_total > MOST_ROWS:
        table.add_row(f"… {report.measure.arrays_total - MOST_ROWS:,} more", "", "")
    return table


def _heaviest(report: Report) -> Table:
    table = Table(title="heaviest paths", title_justify="left", box=None, pad_edge=False)
    table.add_column("path", overflow="fold")
    table.add_column("share", justify="right")
    table.add_column("")
    whole = max(1, report.measure.size)
    for one in report.measure.heavy:
        share = min(1.0, one.size / whole)
        table.add_row(escape(shorten(render(one.path))), f"{share:.0%}", Text("█" * max(1, round(share * BAR)), "cyan"))
    return table


def _suggestions(console: Console, hold: Hold) -> None:
    for one in hold.notice.suggestions:
        arguments: dict[str, Any] = {key: value for key, value in one.arguments.items() if key != "cache_id"}
        console.print(
            f"[bold]·[/] {escape(one.why)}: {escape(one.tool)} {escape(str(arguments))} [dim]~{one.tokens:,} tokens[/]"
        )
