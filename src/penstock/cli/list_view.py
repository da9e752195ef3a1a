"""Print stored results as a table, or on a narrow terminal as a few labelled lines each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from penstock.cli.output import console as console_of
from penstock.cli.printable import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from penstock.gate.looking import HeldSummary

NARROW: Final = 100  # In a terminal of fewer columns a table would break its cells.
ARGUMENTS: Final = 60  # characters


def show(
    results: Sequence[HeldSummary], *, total: int, place: str, now: float, why: str, console: Console | None = None
) -> None:
    """Print the results, and how to look at one."""
    console = console or console_of()
    if not results:
        console.print(Text(why), soft_wrap=True)
    elif console.width < NARROW:
        _blocks(results, now, console)
    else:
        console.print(_table(results, now))
        console.print()
    if total > len(results):
        console.print(f"+{total - len(results):,} results: --limit {total}")
    if results:
        console.print(f"show one: penstock show {results[0].handle}", soft_wrap=True)
    console.print(plain(f"store: {place}", 1_000), soft_wrap=True)


def _table(results: Sequence[HeldSummary], now: float) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("handle", no_wrap=True, style="cyan")
    table.add_column("server", overflow="fold")
    table.add_column("tool", overflow="fold")
    table.add_column("arguments", overflow="ellipsis", no_wrap=True, ratio=1)
    table.add_column("form", no_wrap=True)
    for name in ("rows", "tokens", "reads", "age", "expires"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in results:
        table.add_row(
            one.handle,
            plain(one.server, 30),
            plain(one.tool, 40),
            plain(_arguments(one), ARGUMENTS),
            plain(one.form, 20),
            *_figures(one, now),
        )
    return table


def _blocks(results: Sequence[HeldSummary], now: float, console: Console) -> None:
    for one in results:
        rows, tokens, reads, age, expires = _figures(one, now)
        console.print(Text(one.handle, "bold cyan"))
        lines = {
            "server": one.server,
            "tool": " ".join(filter(None, (one.tool, _arguments(one)))),
            "form": f"{one.form}, {rows} rows, {tokens} tokens",
            "reads": f"{reads}, {age} old, {_expiry(expires)}",
        }
        for name, text in lines.items():
            if text:
                console.print(Padding(plain(f"{name}: {text}", 2 * ARGUMENTS), (0, 0, 0, 2)))
    console.print()


def _arguments(one: HeldSummary) -> str:
    return "" if one.arguments == "{}" else one.arguments


def _figures(one: HeldSummary, now: float) -> tuple[str, str, str, str, str]:
    left = "never" if one.expires is None else f"in {spell_age(one.expires - now)}"
    return f"{one.rows:,}", f"{one.tokens:,}", f"{one.reads:,}", spell_age(now - one.created), left


def _expiry(expires: str) -> str:
    return "never expires" if expires == "never" else f"expires {expires}"


def spell_age(seconds: float) -> str:
    """Return a time in its largest unit, for example 90s, 30m, 2h or 7d."""
    whole = max(0, round(seconds))
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if whole >= 2 * size:
            return f"{whole // size}{unit}"
    return f"{whole}s"
