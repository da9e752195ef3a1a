"""``penstock demo``: the gateway in front of a real server, on a folder that is created for it and removed again.

Every figure on the screen was received in a conversation: first with the server alone, then with the gateway before it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from penstock.cli.demo_folder import make
from penstock.cli.mcp_client import McpClient
from penstock.cli.output import console as console_of
from penstock.cli.printable import plain
from penstock.core.budget import TOOL_NAME
from penstock.core.tokens.count import count
from penstock.errors import UpstreamError

if TYPE_CHECKING:
    import argparse

    from rich.console import Console

HELP: Final = "Show the gateway at work in front of a real server, on a large folder that is created and removed again."
USAGE: Final = "penstock demo"
EXAMPLE: Final = """\
  penstock demo"""
TIMEOUT: Final = 60.0  # Seconds for each answer. The server answers in less than one.
CLIENT_LIMIT: Final = 25_000  # Tokens of one result that Claude Code accepts.
WINDOW: Final = 1_000_000  # Characters asked for at once. The budget decides how many are sent.
MAX_LINES: Final = 16  # Lines of an answer on the screen: a whole notice with its preview.
MAX_ROWS: Final = 4  # Rows of the screen for one line of an answer, so that the query in a notice can be read.

# Three tools, their arguments, and what each call is for.
CALLS: Final[tuple[tuple[str, dict[str, str], str], ...]] = (
    ("read_records", {"path": "data/orders"}, "every order"),
    ("directory_tree", {"path": "."}, "the folder as a tree"),
    ("search_files", {"path": ".", "pattern": "**/*.py"}, "every Python file"),
)
QUESTIONS: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    (
        "Which expensive orders were returned?",
        {
            "action": "filter",
            "jq_filter": '[.records[] | select(.status == "returned" and .price > 118) | {order, city, product}]',
        },
    ),
    (
        "Which cities earn most?",
        {
            "action": "sql",
            "sql": "SELECT city, count(*) AS orders, round(sum(price * quantity), 2) AS revenue "
            "FROM items GROUP BY city ORDER BY revenue DESC LIMIT 3",
        },
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A result as it was received: its bytes on the wire, its text, and the tokens that the text costs a model."""

    size: int
    tokens: int
    text: str

    @property
    def line(self) -> dict[str, Any]:
        """Return the first line as an object. Penstock begins its own answers with one."""
        try:
            value = json.loads(self.text.partition("\n")[0])
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add nothing: the demo has no arguments."""


def run(_: argparse.Namespace) -> int:
    console = console_of()
    with TemporaryDirectory(prefix="penstock-demo-", ignore_cleanup_errors=True) as place:
        folder = Path(place).resolve() / "shop"
        console.rule("[bold]Penstock in front of a real MCP server")
        _fact(console, "server", "penstock-demo-server, which comes with Penstock")
        _fact(console, "folder", f"{make(folder):,} files, created for this demo and removed after it")
        server = [sys.executable, "-m", "penstock.cli.demo_server", str(folder)]
        store = "sqlite:///" + quote((Path(place) / "held.db").as_posix().lstrip("/"), safe="/:")
        with McpClient(server, timeout=TIMEOUT) as client:
            before = _first_calls(client)
        _show_direct(console, before[0])
        gateway = [sys.executable, "-m", "penstock", "run", "--store", store, "--", *server]
        with McpClient(gateway, timeout=TIMEOUT) as client:
            after = _first_calls(client)
            handle, query = notice_of(after[0])
            _show_stored(console, after[0])
            _ask(console, client, "The query that the notice offers", {"cache_id": handle, **query})
            rows = [
                (tool, words, one.tokens, other.tokens)
                for (tool, _, words), one, other in zip(CALLS, before, after, strict=True)
            ]
            for words, question in QUESTIONS:
                answer = _ask(console, client, words, {**question, "cache_id": handle})
                # Without Penstock, a question about a result costs the whole result.
                rows.append((question["action"], words, before[0].tokens, answer.tokens))
            windows = read_windows(client, handle)
    is_whole = _show_whole(console, windows, before[0])
    _show_costs(console, rows)
    return 0 if is_whole else 1


def call_tool(client: McpClient, tool: str, arguments: dict[str, Any]) -> Answer:
    """Call a tool, and count its result. A result with ``isError`` raises an ``UpstreamError``."""
    raw = client.ask("tools/call", {"name": tool, "arguments": arguments})
    result = json.loads(raw)
    text = "\n".join(block.get("text", "") for block in result["content"])
    if result.get("isError"):
        raise UpstreamError(f"{tool} failed: {text[:300]}")
    return Answer(size=len(raw), tokens=count(text).tokens, text=text)


def notice_of(answer: Answer) -> tuple[str, dict[str, Any]]:
    """Return the handle in a notice, and the query that it offers. Raises if the result was not stored."""
    if not {"cache_id", "next"} <= answer.line.keys():
        raise UpstreamError(
            f"the result was not stored: it begins with {answer.text[:100]!r}",
            do="check whether a PENSTOCK_ variable in the environment changes a setting",
        )
    return answer.line["cache_id"], answer.line["next"]


def read_windows(client: McpClient, handle: str) -> list[Answer]:
    """Read a stored result from its beginning to its end."""
    windows: list[Answer] = []
    start: int | None = 0
    while start is not None:
        arguments = {"action": "get", "cache_id": handle, "start_index": start, "max_length": WINDOW}
        windows.append(call_tool(client, TOOL_NAME, arguments))
        start = windows[-1].line["next_index"]
    return windows


def _first_calls(client: McpClient) -> list[Answer]:
    client.greet()
    return [call_tool(client, tool, arguments) for tool, arguments, _ in CALLS]


def _ask(console: Console, client: McpClient, words: str, arguments: dict[str, Any]) -> Answer:
    """Send a query, and show it with its answer."""
    answer = call_tool(client, TOOL_NAME, arguments)
    shown = json.dumps({name: value for name, value in arguments.items() if name != "cache_id"}, ensure_ascii=False)
    console.print(Text("> ", style="bold") + plain(words) + Text(f"   {answer.tokens:,} tokens", style="bold"))
    console.print(plain(shown, 1_000), style="cyan", highlight=False)
    _show_text(console, answer)
    return answer


def _show_direct(console: Console, answer: Answer) -> None:
    _step(console, 1, "Without Penstock")
    _show_call(console, answer)
    times = f"{answer.tokens / CLIENT_LIMIT:,.1f}x Claude Code's limit of {CLIENT_LIMIT:,} tokens"
    _fact(console, "that is", f"{times}: the client truncates it, saves it to a file, or fails")


def _show_stored(console: Console, answer: Answer) -> None:
    _step(console, 2, "With Penstock: the same call, to the same server behind  penstock run --")
    _show_call(console, answer)
    _show_text(console, answer)
    _step(console, 3, f"Reading more with {TOOL_NAME}, the tool that Penstock adds")


def _show_call(console: Console, answer: Answer) -> None:
    tool, arguments, words = CALLS[0]
    _fact(console, "call", f"{tool} {json.dumps(arguments)}, {words}")
    _fact(console, "answer", f"{answer.size:,} bytes on the wire, {answer.tokens:,} tokens of text")


def _show_text(console: Console, answer: Answer) -> None:
    lines = answer.text.splitlines()
    shown = [plain(line, MAX_ROWS * (console.width - 4)) for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        shown.append(Text(f"… +{len(lines) - MAX_LINES:,} lines"))
    console.print(Panel(Text("\n").join(shown)))


def _show_whole(console: Console, windows: list[Answer], original: Answer) -> bool:
    """Show whether the windows put together are the original, and return True if they are."""
    text = "".join(window.text.partition("\n")[2] for window in windows)
    is_whole = text == original.text
    _step(console, 4, "Nothing is lost")
    verdict = "[bold green]equal[/]" if is_whole else "[bold red]do not equal[/]"
    tokens = sum(window.tokens for window in windows)
    console.print(
        f"{len(windows):,} windows put together {verdict} what the server answered without Penstock, byte for byte: "
        f"{len(text.encode()):,} of {len(original.text.encode()):,} bytes, "
        f"for {tokens / original.tokens:.2f} times its tokens."
    )
    return is_whole


def _show_costs(console: Console, rows: list[tuple[str, str, int, int]]) -> None:
    _step(console, 5, "Tokens that the model reads, without Penstock and with it")
    table = Table(box=None, pad_edge=False)
    table.add_column("call")
    table.add_column("for")
    for name in ("without", "with", "times fewer"):
        table.add_column(name, justify="right")
    for call, words, before, after in rows:
        table.add_row(call, words, f"{before:,}", f"{after:,}", f"{before / after:,.0f}")
    console.print(table)
    console.print()
    console.print("Use it with your MCP clients:          [bold]penstock wrap[/]")
    console.print("Check first what it would do:          [bold]penstock doctor COMMAND ARGS...[/]")
    console.print("Put it in front of one server:         [bold]penstock run COMMAND ARGS...[/]")


def _step(console: Console, number: int, title: str) -> None:
    console.print()
    console.rule(f"[bold]{number}  {title}", align="left")


def _fact(console: Console, name: str, text: str) -> None:
    console.print(Text(f"{name:<10}", style="bold") + plain(text, 1_000))
