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

    from penstock.cli.doctor_check import DoctorReport, Finding, Tool, TrialCall


def show(finding: Finding, run: str) -> None:
    """Print the report about one server."""
    if finding.report is not None:
        show_report(finding.report, run, console_of())


def show_report(report: DoctorReport, run: str, console: Console) -> None:
    """Print a report."""
    console.print(_server(report))
    if report.tools:
        console.print()
        console.print(_tools(report))
    console.print()
    console.print(_penstock(report))
    console.print()
    if report.call is not None:
        _show_call(report.call, console)
        console.print()
    if report.problems:
        console.print("[bold yellow]Worth knowing[/]")
        for problem in report.problems:
            console.print(Text("- ") + plain(problem, 600))
    else:
        console.print("[bold green]No problems found.[/]")
    console.print("[bold]Put Penstock in front of it:[/]")
    # On one line, however long, so that it can be copied.
    console.print(plain(run, len(run)), soft_wrap=True, highlight=False)


def show_several(findings: Sequence[Finding]) -> None:
    """Print one line for each server of a client, then the remarks about each."""
    console = console_of()
    table = Table(box=None, pad_edge=False)
    table.add_column("server", overflow="fold")
    for name in ("tools", "definitions", "first answer"):
        table.add_column(name, justify="right")
    table.add_column("", overflow="fold")
    tokens = 0
    for one in findings:
        if one.report is None:
            table.add_row(plain(one.server.name, 60), "", "", "", Text("does not work", "bold red"))
            continue
        tokens += one.report.tokens
        remarks = len(one.report.problems)
        verdict = Text("works", "green") if not remarks else Text(f"works; {counted(remarks, 'remark')}", "yellow")
        figures = f"{len(one.report.tools):,}", f"{one.report.tokens:,} tokens", f"{one.report.seconds:.1f} s"
        table.add_row(plain(one.server.name, 60), *figures, verdict)
    console.print(table)
    console.print()
    console.print(f"all definitions together: {tokens:,} tokens in every conversation")
    for one in findings:
        remarks_of = one.report.problems if one.report is not None else (str(one.error), *one.words)
        if remarks_of:
            console.print()
            console.print(plain(one.server.name, 60).append("", "bold"))
        for remark in remarks_of:
            console.print(Text("- ") + plain(remark, 600))


def _show_call(call: TrialCall, console: Console) -> None:
    """Print what the model would read of a call's result, and what that costs."""
    before, after = call.tokens_before, call.tokens_after
    spelled = json.dumps(call.arguments, ensure_ascii=False)
    verdict = {
        "held": "stored in full, and answered with a preview",
        "not_kept": "too large, and could not be stored",
    }.get(call.outcome, "passes unchanged" if before == after else "passes without its white space")
    table = _facts()
    table.add_row("call", plain(f"{call.tool} {spelled}", 600))
    table.add_row(
        "result",
        f"{call.size:,} bytes, about {before:,} tokens{'; the server marked it as an error' if call.is_error else ''}",
    )
    table.add_row("Penstock", f"{verdict}: about {after:,} tokens")
    if before > after:
        table.add_row("saved", f"about {before - after:,} tokens ({100 * (before - after) / before:.0f} %)")
    console.print(table)
    console.print()
    console.print("[bold]What the model would read:[/]")
    for text in call.texts:
        console.print(Panel(lines(text), expand=False))


def _server(report: DoctorReport) -> Table:
    greeting = report.greeting
    way = "no handshake" if greeting.modern else "initialize"
    table = _facts()
    table.add_row("server", plain(f"{greeting.name} {greeting.version}".strip()))
    table.add_row("protocol", plain(f"MCP {greeting.protocol} ({way}), first answer after {report.seconds:.1f} s"))
    table.add_row("tools", f"{len(report.tools):,}, their definitions cost {report.tokens:,} tokens ({report.profile})")
    if report.brief_tokens < report.tokens:
        is_set = report.config.tools == "brief"
        words = "are listed" if is_set else "would be listed (--tools brief)"
        table.add_row("", f"they {words} in {report.brief_tokens:,} tokens")
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
        table.add_row(plain(tool.name, 80), f"{tool.tokens:,}", schema if tool.has_output_schema else "", _passes(tool))
    return table


def _passes(tool: Tool) -> Text:
    rule = tool.rule
    words = {"never": "always", "always": "never: always stored"}.get(tool.stored, f"up to {rule.max_tokens:,} tokens")
    return plain(f"{words} (rule {rule.pattern})" if rule.pattern else words)


def _penstock(report: DoctorReport) -> Table:
    config = report.config
    state = "works" if report.store_error is None else "does not work"
    lasting = "forever" if config.ttl is None else f"for {config.ttl // 60:,} min"
    schemas = sum(tool.has_output_schema for tool in report.tools)
    table = _facts()
    table.add_row("added tool", f"{config.tool_name}, {report.added_tokens:,} tokens")
    table.add_row(
        "settings",
        f"max_tokens {config.max_tokens:,}, preview_tokens {config.preview_tokens:,}, "
        f"page_tokens {config.page_tokens:,}, profile {config.profile}, stored {lasting}; "
        "less where the client takes less",
    )
    table.add_row("store", plain(f"{report.place}, {state}"))
    if schemas:
        way = "wrapped so that a notice is valid too" if config.output_schema == "wrap" else "stripped from the list"
        table.add_row("output schemas", f"{schemas:,}, {way}: a preview cannot match them")
    return table


def _facts() -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    return table
