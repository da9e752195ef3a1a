"""Print the report of ``penstock stats``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from penstock.cli.output import console as console_of
from penstock.cli.printable import plain
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Row = dict[str, Any]

COUNTED = {"calls": "calls", "stored": "held", "%": "held_percent", "tokens saved": "tokens_saved"}
SIZED = {
    "calls": "calls",
    "stored": "held",
    "tokens in": "tokens_in",
    "tokens out": "tokens_out",
    "saved": "tokens_saved",
    "%": "saved_percent",
}


def show(report: Row) -> None:
    """Print the tables of a report, what was saved, and what the store has now."""
    console = console_of()
    if "note" in report:
        console.print(Text(f"Nothing to show: {report['note']}."))
    else:
        if "days" in report:
            last = f" to {report['until']}" if report["until"] > report["since"] else ""
            console.print(f"[bold]{report['since']}{last}[/] (days in UTC; tokens are estimates)\n")
        for table in _by_day(report) if "days" in report else [_by_tool(report)]:
            console.print(table)
            console.print()
        console.print(_saved(report), soft_wrap=True)
    now, of_runs = report["held_now"], report["held_for_single_runs"]
    if now["results"]:
        console.print(f"stored now: {counted(now['results'], 'result')} in {now['bytes']:,} bytes; see penstock list")
    if of_runs["results"]:
        stored = f"{counted(of_runs['results'], 'result')} in {of_runs['bytes']:,} bytes"
        console.print(f"stored for single runs: {stored}; no other run can open them")
    console.print(plain(f"store: {report['store']}", 1_000), soft_wrap=True)


def _saved(report: Row) -> Text:
    """Say in one sentence what was saved, in money too if a price is set."""
    saved = f"saved: {report['total']['tokens_saved']:,} tokens"
    if "money_saved" in report:
        price = f"{report['price_per_million_tokens']:g} per million"
        saved += f", {report['money_saved']:,.2f} at {price}, if the model had read each once"
    return Text(saved, "bold")


def _by_tool(report: Row) -> Table:
    storing = [row for row in report["tools"] if row["held"]]
    table = _table("tool", COUNTED, storing, lambda row: row["tool"])
    passing = [row for row in report["tools"] if not row["held"]]
    if passing:
        sums = {name: sum(row[name] for row in passing) for name in ("calls", "held", "tokens_saved")}
        label = f"{counted(len(passing), 'tool')} without stored results"
        _add(table, label, {**sums, "held_percent": 0.0}, COUNTED)
    table.add_section()
    _add(table, "all tools", report["total"], COUNTED, style="bold")
    return table


def _by_day(report: Row) -> list[Table]:
    days = _table("day", SIZED, report["days"], lambda row: row["day"])
    if len(report["days"]) > 1:
        days.add_section()
        _add(days, "all", report["total"], SIZED, style="bold")
    tools = _table("tool", SIZED, report["tools"], lambda row: f"{row['server']} {row['tool']}".strip())
    if all(not row["server"] for row in report["servers"]):
        return [days, tools]
    return [days, _table("server", SIZED, report["servers"], lambda row: row["server"] or "(not named)"), tools]


def _table(title: str, columns: dict[str, str], rows: Sequence[Row], label: Callable[[Row], str]) -> Table:
    """Return a table with a line for each row. ``columns`` has the titles, and the member that each shows."""
    table = Table(box=None, pad_edge=False)
    table.add_column(title, overflow="fold")
    for name in columns:
        table.add_column(name, justify="right")
    for row in rows:
        _add(table, label(row), row, columns)
    return table


def _add(table: Table, label: str, row: Row, columns: dict[str, str], style: str = "") -> None:
    cells = [f"{row[name]:.0f}" if name.endswith("percent") else f"{row[name]:,}" for name in columns.values()]
    table.add_row(plain(label, 80), *cells, style=style)
