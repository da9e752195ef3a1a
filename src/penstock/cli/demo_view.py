"""Print ``penstock demo``: in colours on a terminal, as plain text into a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from penstock.cli.output import console as console_of
from penstock.cli.printable import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.cli.demo_conversation import Answer, WholeText
    from penstock.cli.demo_folder import DemoFolder

CLIENT_LIMIT: Final = 25_000  # Tokens of one result that Claude Code accepts.
CALL: Final = "read_records(path={folder}/data/orders)"
MAX_ITEMS: Final = 4  # Items of a list on the screen: enough to see what they are.
NOTICE_ROWS: Final = 4  # Rows on the screen for one line of the notice, so that its calls can be read.
MAX_LIST: Final = 100  # Characters of a list that is printed on the line of its name.


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the last table: what was called, what for, and the tokens without Penstock and with it."""

    call: str
    words: str
    before: int
    after: int


class View:
    """Print each step as soon as it is done."""

    def __init__(self) -> None:
        self.console = console_of()

    def opening(self, folder: DemoFolder) -> None:
        self.console.rule("[bold]Penstock in front of a real MCP server")
        self._fact("server", "penstock-demo-server, which comes with Penstock")
        self._fact("folder", f"{folder.files:,} files, {folder.size:,} bytes, created for this demo and removed after")

    def without(self, answer: Answer) -> None:
        self._step(1, "Without Penstock")
        self._fact("call", f"{CALL}, every order")
        self._cost(answer)
        times = f"{answer.tokens / CLIENT_LIMIT:,.1f}x"
        limit = f"{times} Claude Code's limit of {CLIENT_LIMIT:,} tokens"
        self._fact("that is", f"{limit}: the client truncates it, saves it to a file, or fails")

    def with_penstock(self, answer: Answer) -> None:
        self._step(2, "With Penstock: the same call, to the same server behind  penstock run --")
        self._fact("call", CALL)
        self._cost(answer)
        self._panel("the notice comes first", laid_out(answer.line), rows=NOTICE_ROWS)
        self._panel("then the preview", laid_out(answer.rest))

    def reading_on(self, tool: str) -> None:
        self._step(3, f"Reading more with {tool}, the tool that Penstock adds")

    def query(self, words: str, arguments: dict[str, Any], answer: Answer) -> None:
        self.console.print(Text("> ", style="bold") + plain(words) + Text(f"   {answer.tokens:,} tokens", style="bold"))
        others = {name: value for name, value in arguments.items() if name != "cache_id"}
        self.console.print(plain(json.dumps(others, ensure_ascii=False), 1_000), style="cyan", highlight=False)
        self._panel("", laid_out(answer.line) + (laid_out(answer.rest) if answer.rest else []))

    def nothing_lost(self, whole: WholeText, original: Answer) -> None:
        self._step(4, "Nothing is lost")
        verdict = "[bold green]equal[/]" if whole.text == original.text else "[bold red]do not equal[/]"
        self.console.print(
            f"{whole.windows:,} windows put together {verdict} what the server answered without Penstock, byte for "
            f"byte: {len(whole.text.encode()):,} of {len(original.text.encode()):,} bytes, "
            f"for {whole.tokens / original.tokens:.2f} times its tokens."
        )

    def closing(self, rows: Sequence[Row]) -> None:
        self._step(5, "Tokens that the model reads, without Penstock and with it")
        table = Table(box=None, pad_edge=False)
        table.add_column("call")
        table.add_column("for")
        for name in ("without", "with", "times fewer"):
            table.add_column(name, justify="right")
        for row in rows:
            table.add_row(row.call, row.words, f"{row.before:,}", f"{row.after:,}", f"{row.before / row.after:,.0f}")
        self.console.print(table)
        self.console.print()
        self.console.print("Use it with your MCP clients:          [bold]penstock wrap[/]")
        self.console.print("Check first what it would do:          [bold]penstock doctor COMMAND ARGS...[/]")
        self.console.print("Put it in front of one server:         [bold]penstock run COMMAND ARGS...[/]")

    def _step(self, number: int, title: str) -> None:
        self.console.print()
        self.console.rule(f"[bold]{number}  {title}", align="left")

    def _fact(self, name: str, text: str) -> None:
        self.console.print(Text(f"{name:<10}", style="bold") + plain(text, 1_000))

    def _cost(self, answer: Answer) -> None:
        self._fact("answer", f"{answer.size:,} bytes on the wire, {answer.tokens:,} tokens of text")

    def _panel(self, title: str, lines: Sequence[str], rows: int = 1) -> None:
        body = Text("\n").join(plain(line, rows * (self.console.width - 4)) for line in lines)
        self.console.print(Panel(body, title=title or None, title_align="left"))


def laid_out(text: str) -> list[str]:
    """Lay out a result for a reader: a line for each member of an object, and for the first items of a list."""
    try:
        value = json.loads(text)
    except ValueError:
        lines = text.splitlines()
        return [*lines[: 3 * MAX_ITEMS], *_more(len(lines) - 3 * MAX_ITEMS, "lines")]
    if isinstance(value, list):
        return _items(value)
    if not isinstance(value, dict):
        return [_compact(value)]
    lines = []
    for name, inner in value.items():
        if isinstance(inner, list) and len(_compact(inner)) > MAX_LIST:
            lines += [f"{name}:", *(f"  {line}" for line in _items(inner))]
        else:
            lines.append(f"{name}: {_compact(inner)}")
    return lines


def _items(values: list[Any]) -> list[str]:
    return [*map(_compact, values[:MAX_ITEMS]), *_more(len(values) - MAX_ITEMS, "items")]


def _more(number: int, noun: str) -> list[str]:
    return [f"… +{number:,} {noun}"] if number > 0 else []


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
