"""Print the figures of ``penstock stats``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from penstock.cli.output import console as console_of
from penstock.cli.printable import plain
from penstock.cli.stats import date_of, percent
from penstock.core.text import counted
from penstock.stores import Counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from penstock.cli.stats import Figures, Period
    from penstock.stores import Sizes


def show(figures: Figures, console: Console | None = None) -> None:
    """Print the figures."""
    console = console or console_of()
    if figures.why_empty:
        console.print(Text(f"Nothing to show: {figures.why_empty}."))
    elif figures.period is not None:
        _show_period(figures.period, console)
    else:
        console.print(_table(figures))
        console.print()
    if not figures.why_empty:
        console.print(_saved(figures), soft_wrap=True)
    now, runs = figures.held_now, figures.of_runs
    if now.items:
        console.print(f"stored now: {counted(now.items, 'result')} in {now.stored:,} bytes; see penstock list")
    if runs.items:
        console.print(
            f"stored for single runs: {counted(runs.items, 'result')} in {runs.stored:,} bytes; no other run can "
            "open them"
        )
    console.print(plain(f"store: {figures.place}", 1_000), soft_wrap=True)


def _saved(figures: Figures) -> Text:
    """Say in one sentence what was saved, in money too if a price is set."""
    saved = f"saved: {figures.tokens_saved:,} tokens"
    if figures.money_saved is not None:
        saved += f", {figures.money_saved:,.2f} at {figures.price:g} per million, if the model had read each once"
    return Text(saved, "bold")


def _show_period(period: Period, console: Console) -> None:
    last = f" to {date_of(period.last)}" if period.last > period.first else ""
    console.print(f"[bold]{date_of(period.first)}{last}[/] (days in UTC; tokens are estimates)")
    console.print()
    days = [(date_of(day), one) for day, one in period.by_day.items()]
    console.print(_sizes("day", days, period.total))
    console.print()
    if list(period.by_server) != [""]:
        console.print(_sizes("server", [(name or "(not named)", one) for name, one in period.by_server.items()]))
        console.print()
    tools = [(f"{at} {tool}" if at else tool, one) for (at, tool), one in period.by_tool.items()]
    console.print(_sizes("tool", tools))
    console.print()


def _sizes(name: str, rows: Iterable[tuple[str, Sizes]], total: Sizes | None = None) -> Table:
    table = _columns(name, "calls", "stored", "tokens in", "tokens out", "saved", "%")
    for label, one in rows:
        _add(table, label, one)
    if total is not None and len(table.rows) > 1:
        table.add_section()
        _add(table, "all", total, style="bold")
    return table


def _add(table: Table, label: str, one: Sizes, style: str = "") -> None:
    table.add_row(
        plain(label, 80),
        *(f"{number:,}" for number in (one.calls, one.held, one.tokens_in, one.tokens_out, one.tokens_saved)),
        f"{percent(one.tokens_saved, one.tokens_in):.0f}",
        style=style,
    )


def _table(figures: Figures) -> Table:
    table = _columns("tool", "calls", "stored", "%", "tokens saved")
    saving = [(tool, counts) for tool, counts in figures.tools if counts.held]
    for tool, counts in saving:
        table.add_row(plain(tool, 80), *_cells(counts))
    passing = [counts for _, counts in figures.tools if not counts.held]
    if passing:
        table.add_row(f"{counted(len(passing), 'tool')} without stored results", *_cells(_sum(passing)))
    table.add_section()
    table.add_row("all tools", *_cells(figures.total), style="bold")
    return table


def _sum(several: Iterable[Counts]) -> Counts:
    total = Counts()
    for counts in several:
        total = total.plus(counts)
    return total


def _cells(counts: Counts) -> tuple[str, ...]:
    share = f"{percent(counts.held, counts.calls):.0f}"
    return f"{counts.calls:,}", f"{counts.held:,}", share, f"{counts.tokens_saved:,}"


def _columns(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right")
    return table
