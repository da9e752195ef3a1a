"""``penstock demo [-- COMMAND]``: the gateway in front of a real server, over a large folder that is made for it.

A real conversation over stdio: the same calls first to the server alone, then through ``penstock run``. Everything
that is shown was received in it. ``demo_folder`` makes the folder, ``demo_server`` is the server where no other is
given, ``demo_calls`` chooses the calls, ``demo_conversation`` makes them, ``demo_view`` shows what comes back.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from penstock.errors import UpstreamError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from penstock.cli.demo_calls import LargeCall
    from penstock.cli.demo_conversation import Answer, ReceivedNotice
    from penstock.cli.demo_view import View
    from penstock.cli.mcp_client import McpClient

HELP: Final = (
    "Show the gateway at work in front of a real server, on a large folder that is made for it and removed after."
)
USAGE: Final = "penstock demo [COMMAND ARGS...]"
EXAMPLE: Final = """\
  penstock demo
  penstock demo npx -y @modelcontextprotocol/server-filesystem {folder}"""
PLACE: Final = "{folder}"  # stands for the folder in the command of another server
PATIENCE: Final = 60.0  # seconds for each answer; the first run of npx downloads the server


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "command",
        nargs="*",
        metavar="COMMAND ARGS...",
        help="a file server, with {folder} in the place of the folder (default: a small one that comes with Penstock)",
    )


def run(args: argparse.Namespace) -> int:
    from penstock.cli import demo_conversation as conversation
    from penstock.cli.demo_calls import large_calls
    from penstock.cli.demo_folder import make
    from penstock.cli.demo_view import Row, View
    from penstock.cli.mcp_client import FAILED, McpClient, tell

    view = View()
    with TemporaryDirectory(prefix="penstock-demo-", ignore_cleanup_errors=True) as place:
        folder = Path(place).resolve() / "shop"
        folder.mkdir()
        command = _command(args.command, folder)
        server: McpClient | None = None
        try:
            with McpClient(command, timeout=PATIENCE) as server:
                name = server.greet().name
                calls = large_calls(conversation.tools_of(server), folder)
                view.opening(make(folder), name, args.command)  # after it is known that the server can be used
                before = _make(server, calls)
            view.without(calls[0], before[0])
            with McpClient(_behind(command, Path(place)), timeout=PATIENCE) as server:
                server.greet()
                after = _make(server, calls)
                notice = conversation.notice_of(calls[0].tool, after[0])
                view.with_penstock(calls[0], after[0])
                queries = _read_on(server, calls[0], notice, view)
                whole = conversation.put_together(server, notice)
        except UpstreamError as error:
            return tell(error, server)
    same = whole.text == before[0].texts[0]
    view.nothing_lost(whole, before[0], same=same)
    rows = [
        Row(call=call.tool, words=call.words, before=one.tokens, after=other.tokens)
        for call, one, other in zip(calls, before, after, strict=True)
    ]
    # Without Penstock a question about a result takes the whole of it.
    rows += [Row(call=action, words=words, before=before[0].tokens, after=tokens) for action, words, tokens in queries]
    view.closing(rows)
    return 0 if same else FAILED


def _make(server: McpClient, calls: Sequence[LargeCall]) -> list[Answer]:
    from penstock.cli.demo_conversation import call_tool

    return [call_tool(server, call.tool, call.arguments) for call in calls]


def _read_on(server: McpClient, call: LargeCall, notice: ReceivedNotice, view: View) -> list[tuple[str, str, int]]:
    """Make the first call that the notice offers, as it stands there; then one query with jq and one with SQL."""
    from penstock.cli.demo_conversation import call_tool

    offered = notice.next[0]
    view.reading_on(offered.tool)
    page = call_tool(server, offered.tool, offered.arguments)
    view.query("The first call that the notice offers, as it stands there", offered.arguments, page)
    queries = []
    for question, action, key in ((call.jq, "filter", "jq_filter"), (call.sql, "sql", "sql")):
        arguments = {"action": action, "cache_id": notice.cache_id, key: question.text}
        answer = call_tool(server, offered.tool, arguments)
        view.query(question.words, arguments, answer)
        queries.append((action, question.words, answer.tokens))
    return queries


def _command(words: Sequence[str], folder: Path) -> list[str]:
    if not words:
        return [sys.executable, "-m", "penstock.cli.demo_server", str(folder)]
    return [word.replace(PLACE, str(folder)) for word in words]


def _behind(command: Sequence[str], place: Path) -> list[str]:
    """Return the command of a gateway in front of a server, with a store of its own."""
    from urllib.parse import quote

    store = "sqlite:///" + quote((place / "held.db").as_posix().lstrip("/"), safe="/:")
    return [sys.executable, "-m", "penstock", "run", "--store", store, "--", *command]
