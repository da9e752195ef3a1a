"""Print the figures of ``penstock stats``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from penstock.cli.printable import plain

if TYPE_CHECKING:
    from penstock.cli.stats import Figures


def show(figures: Figures, console: Console | None = None) -> None:
    """Print the figures."""
    console = console or Console()
    if figures.tools:
        console.print(_table(figures))
        console.print()
    else:
        console.print(f"Nothing to show: {figures.why_empty}.")
    now = figures.held_now
    if now.items:
        console.print(f"held now: {now.items:,} results in {now.stored:,} bytes")
    console.print(plain(f"store: {figures.place}", 1_000), soft_wrap=True)


def _table(figures: Figures) -> Table:
    total = figures.total
    table = Table(box=None, pad_edge=False)
    table.add_column("tool", overflow="fold")
    for name in ("calls", "held", "tokens kept out"):
        table.add_column(name, justify="right")
    for tool, counts in figures.tools:
        table.add_row(plain(tool, 80), f"{counts.calls:,}", f"{counts.held:,}", f"{counts.tokens_saved:,}")
    table.add_section()
    table.add_row("all tools", f"{total.calls:,}", f"{total.held:,}", f"{total.tokens_saved:,}", style="bold")
    return table
