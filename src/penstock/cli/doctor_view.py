"""Print the report of ``penstock doctor``: the server, its tools, the settings, problems, and what to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from penstock.cli.output import console as console_of
from penstock.cli.printable import lines, plain
from penstock.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from penstock.cli.doctor_check import Report


def show(findings: Sequence[Report], *, several: bool) -> None:
    """Print the report about one server, or a table of several. ``several`` is set for a client's file."""
    if not several and "error" not in findings[0]:
        show_report(findings[0], console_of())
    else:
        show_several(findings, console_of())


def show_report(report: Report, console: Console) -> None:
    """Print the report about one server."""
    console.print(_facts(*_server(report)))
    console.print()
    if report["tools"]:
        console.print(_tools(report["tools"]))
        console.print()
    console.print(_facts(*_penstock(report)))
    console.print()
    if "call" in report:
        _show_call(report["call"], console)
    if report["problems"]:
        console.print("[bold yellow]Worth knowing[/]")
        for problem in report["problems"]:
            console.print(Text("- ") + plain(problem, 600))
    else:
        console.print("[bold green]No problems found.[/]")
    console.print("[bold]Put Penstock in front of it:[/]")
    # On one line, however long, so that it can be copied.
    console.print(plain(report["run"], len(report["run"])), soft_wrap=True, highlight=False)


def show_several(findings: Sequence[Report], console: Console) -> None:
    """Print one line for each server of a client, then the remarks about each."""
    table = Table(box=None, pad_edge=False)
    table.add_column("server", overflow="fold")
    for title in ("tools", "definitions", "first answer"):
        table.add_column(title, justify="right")
    table.add_column("", overflow="fold")
    tokens = 0
    remarks: list[tuple[Text, list[str]]] = []
    for one in findings:
        name = plain(one["configured_as"], 60)
        if "error" in one:
            table.add_row(name, "", "", "", Text("does not work", "bold red"))
            remarks.append((name, [one["error"], *one["stderr"]]))
            continue
        remarks.append((name, one["problems"]))
        tokens += one["totals"]["tokens"]
        number = counted(len(one["problems"]), "remark")
        verdict = Text(f"works; {number}", "yellow") if one["problems"] else Text("works", "green")
        seconds = f"{one['server']['first_answer_s']:.1f} s"
        table.add_row(name, f"{one['totals']['tools']:,}", f"{one['totals']['tokens']:,} tokens", seconds, verdict)
    console.print(table)
    console.print(f"\nall definitions together: {tokens:,} tokens in every conversation")
    for name, texts in remarks:
        if texts:
            console.print()
            console.print(name)
        for text in texts:
            console.print(Text("- ") + plain(text, 600))


def _show_call(call: Report, console: Console) -> None:
    """Print what the model would read of a call's result, and what that costs."""
    before, after = call["tokens_before"], call["tokens_after"]
    verdict = {
        "held": "stored in full, and answered with a preview",
        "not_kept": "too large, and could not be stored",
    }.get(call["outcome"], "passes unchanged" if before == after else "passes without its white space")
    marked = "; the server marked it as an error" if call["is_error"] else ""
    facts = [
        ("call", f"{call['tool']} {json.dumps(call['arguments'], ensure_ascii=False)}"),
        ("result", f"{call['bytes']:,} bytes, about {before:,} tokens{marked}"),
        ("Penstock", f"{verdict}: about {after:,} tokens"),
    ]
    if before > after:
        facts.append(("saved", f"about {before - after:,} tokens ({100 * (before - after) / before:.0f} %)"))
    console.print(_facts(*facts))
    console.print("\n[bold]What the model would read:[/]")
    for text in call["answer"]:
        console.print(Panel(lines(text), expand=False))
    console.print()


def _server(report: Report) -> list[tuple[str, str]]:
    server, totals = report["server"], report["totals"]
    way = "initialize" if server["era"] == "legacy" else "no handshake"
    facts = [
        ("server", f"{server['name']} {server['version']}".strip()),
        ("protocol", f"MCP {server['protocol']} ({way}), first answer after {server['first_answer_s']:.1f} s"),
        ("tools", f"{totals['tools']:,}, their definitions cost {totals['tokens']:,} tokens ({totals['counted_as']})"),
    ]
    if totals["brief_tokens"] < totals["tokens"]:
        words = "are listed" if report["settings"]["tools"] == "brief" else "would be listed (--tools brief)"
        facts.append(("", f"they {words} in {totals['brief_tokens']:,} tokens"))
    return [*facts, ("resources", f"{totals['resources']:,}"), ("prompts", f"{totals['prompts']:,}")]


def _tools(tools: Sequence[Report]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("tool", overflow="fold")
    table.add_column("tokens", justify="right")
    table.add_column("output schema")
    table.add_column("a result passes whole", overflow="fold")
    for tool in tools:
        schema = {"wrap": "wrapped", "strip": "stripped"}.get(tool["output_schema"] or "", "")
        passes = {"never": "always", "always": "never: always stored"}.get(
            tool["hold"], f"up to {tool['max_tokens']:,} tokens"
        )
        rule = f" (rule {tool['rule']})" if tool["rule"] else ""
        table.add_row(plain(tool["name"], 80), f"{tool['tokens']:,}", schema, plain(f"{passes}{rule}"))
    return table


def _penstock(report: Report) -> list[tuple[str, str]]:
    settings, store = report["settings"], report["store"]
    lasting = "forever" if settings["ttl"] is None else f"for {settings['ttl'] // 60:,} min"
    sizes = ", ".join(f"{name} {settings[name]:,}" for name in ("max_tokens", "preview_tokens", "page_tokens"))
    facts = [
        ("added tool", f"{report['added']['name']}, {report['added']['tokens']:,} tokens"),
        ("settings", f"{sizes}, profile {settings['profile']}, stored {lasting}; less where the client takes less"),
        ("store", f"{store['place']}, {'works' if store['usable'] else 'does not work'}"),
    ]
    if schemas := sum(tool["output_schema"] is not None for tool in report["tools"]):
        is_wrapped = settings["output_schema"] == "wrap"
        way = "wrapped so that a notice is valid too" if is_wrapped else "stripped from the list"
        facts.append(("output schemas", f"{schemas:,}, {way}: a preview cannot match them"))
    return facts


def _facts(*facts: tuple[str, str]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, text in facts:
        table.add_row(name, plain(text, 600))
    return table
