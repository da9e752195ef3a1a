"""Print the report of ``penstock doctor``: the server, its tools, the settings, problems, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from penstock.cli.doctor import holding
from penstock.cli.printable import plain

if TYPE_CHECKING:
    from penstock.cli.doctor_check import DoctorReport
    from penstock.config.model import Rule


def show(report: DoctorReport, run: str, console: Console | None = None) -> None:
    """Print the report."""
    console = console or Console()
    console.print(_server(report))
    if report.tools:
        console.print()
        console.print(_tools(report))
    console.print()
    console.print(_penstock(report))
    console.print()
    if report.problems:
        console.print("[bold yellow]Worth knowing[/]")
        for problem in report.problems:
            console.print(Text("- ") + plain(problem, 600))
    else:
        console.print("[bold green]No problems found.[/]")
    console.print("[bold]Put Penstock in front of it:[/]")
    # On one line, however long: it is there to be copied.
    console.print(plain(run, len(run)), soft_wrap=True, highlight=False)


def _server(report: DoctorReport) -> Table:
    greeting = report.greeting
    era = "modern" if greeting.modern else "legacy"
    table = _facts()
    table.add_row("server", plain(f"{greeting.name} {greeting.version}".strip()))
    table.add_row("protocol", plain(f"MCP {greeting.protocol} ({era}), first answer after {report.seconds:.1f} s"))
    table.add_row("tools", f"{len(report.tools):,}, their definitions cost {report.tokens:,} tokens ({report.profile})")
    table.add_row("resources", f"{report.resources:,}")
    table.add_row("prompts", f"{report.prompts:,}")
    return table


def _tools(report: DoctorReport) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("tool", overflow="fold")
    table.add_column("tokens", justify="right")
    table.add_column("output schema")
    table.add_column("a result passes whole", overflow="fold")
    schema = "wrapped" if report.config.output_schema == "wrap" else "stripped"
    for tool in report.tools:
        table.add_row(
            plain(tool.name, 80), f"{tool.tokens:,}", schema if tool.output_schema else "", _passes(tool.rule)
        )
    return table


def _passes(rule: Rule) -> Text:
    words = {"never": "always", "always": "never: always held"}.get(holding(rule), f"up to {rule.max_tokens:,} tokens")
    return plain(f"{words} (rule {rule.pattern})" if rule.pattern else words)


def _penstock(report: DoctorReport) -> Table:
    config = report.config
    state = "can be written" if report.store_error is None else "cannot be used"
    lasting = "forever" if config.ttl is None else f"for {config.ttl // 60:,} min"
    schemas = sum(tool.output_schema for tool in report.tools)
    table = _facts()
    table.add_row("added tool", f"{config.tool_name}, {report.added_tokens:,} tokens")
    table.add_row(
        "settings",
        f"max_tokens {config.max_tokens:,}, preview_tokens {config.preview_tokens:,}, "
        f"page_tokens {config.page_tokens:,}, profile {config.profile}, held {lasting}; "
        "less where the client takes less",
    )
    table.add_row("store", plain(f"{report.place}, {state}"))
    if schemas:
        way = "wrapped, so that a notice is valid too" if config.output_schema == "wrap" else "stripped from the list"
        table.add_row("output schemas", f"{schemas:,}, {way}: a preview cannot match them")
    return table


def _facts() -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    return table
