"""``penstock demo``: the gateway in front of a real server, over a large folder that the demo creates and removes.

A real conversation over stdio: the same calls first to the server alone, then through ``penstock run``. Everything
that is printed was received in it. ``demo_folder`` writes the folder, ``demo_server`` is the server,
``demo_conversation`` makes the calls, ``demo_view`` prints them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    import argparse

HELP: Final = "Show the gateway at work in front of a real server, on a large folder that is created and removed again."
USAGE: Final = "penstock demo"
EXAMPLE: Final = """\
  penstock demo"""
TIMEOUT: Final = 60.0  # Seconds for each answer. The server answers in less than one.
ORDERS: Final = "read_records"
CALLS: Final[tuple[tuple[str, str, str, dict[str, str]], ...]] = (
    (ORDERS, "data/orders", "every order", {}),
    ("directory_tree", ".", "the folder as a tree", {}),
    ("search_files", ".", "every Python file", {"pattern": "**/*.py"}),
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


def add_arguments(_: argparse.ArgumentParser) -> None:
    """Add nothing: the demo has no arguments."""


def run(_: argparse.Namespace) -> int:
    from penstock.cli.demo_conversation import call_tool, notice_of, read_whole
    from penstock.cli.demo_folder import make
    from penstock.cli.demo_view import Row, View
    from penstock.cli.mcp_client import McpClient
    from penstock.core.budget import TOOL_NAME

    view = View()
    with TemporaryDirectory(prefix="penstock-demo-", ignore_cleanup_errors=True) as place:
        folder = Path(place).resolve() / "shop"
        folder.mkdir()
        view.opening(make(folder))
        command = [sys.executable, "-m", "penstock.cli.demo_server", str(folder)]
        calls = [(tool, {"path": str(folder / path), **more}) for tool, path, _, more in CALLS]
        with McpClient(command, timeout=TIMEOUT) as server:
            server.greet()
            before = [call_tool(server, tool, arguments) for tool, arguments in calls]
        view.without(before[0])
        with McpClient(_behind(command, Path(place)), timeout=TIMEOUT) as server:
            server.greet()
            after = [call_tool(server, tool, arguments) for tool, arguments in calls]
            view.with_penstock(after[0])
            notice = notice_of(after[0])
            view.reading_on(TOOL_NAME)
            offered = {"cache_id": notice.cache_id, **notice.next}
            view.query("The query that the notice offers", offered, call_tool(server, TOOL_NAME, offered))
            rows = [
                Row(call=tool, words=words, before=one.tokens, after=other.tokens)
                for (tool, _, words, _), one, other in zip(CALLS, before, after, strict=True)
            ]
            for words, question in QUESTIONS:
                arguments = {**question, "cache_id": notice.cache_id}
                answer = call_tool(server, TOOL_NAME, arguments)
                view.query(words, arguments, answer)
                # Without Penstock a question about a result costs the whole result.
                rows.append(Row(call=question["action"], words=words, before=before[0].tokens, after=answer.tokens))
            whole = read_whole(server, TOOL_NAME, notice.cache_id)
    view.nothing_lost(whole, before[0])
    view.closing(rows)
    return 0


def _behind(command: list[str], place: Path) -> list[str]:
    """Return the command of a gateway in front of a server, with a store of its own."""
    store = "sqlite:///" + quote((place / "held.db").as_posix().lstrip("/"), safe="/:")
    return [sys.executable, "-m", "penstock", "run", "--store", store, "--", *command]
