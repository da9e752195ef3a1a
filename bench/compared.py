"""Ask the same questions of the first answer that each gateway gives in place of a large result, and print how many of
them it settles, for how many tokens.

    python bench/compared.py [--only TEXT] [--targets direct,penstock,fastmcp,jmunch,compressor]

The results and questions are those of ``bench/answers.py``, given by a server of its own to each gateway in turn. A
first answer of more than 25,000 tokens is one that Claude Code does not take: it settles nothing. A question is settled
if its truth stands in the first answer, each value beside its label, by the same rule for all.

Each gateway that has a reading tool is then read on: at most three calls, the same for all results and questions: those
that it offers for any result (Penstock: ``info``, the first call of ``next``, the first suggestion; jmunch-mcp:
describe, summarize, peek). The client's own file is worked out, as no client runs here: an answer above Claude Code's
limits (25,000 tokens, 50,000 characters) becomes a line with the name of a file, which is read on from its beginning,
three times 2,000 lines or 25,000 tokens. A model would choose calls by its question: that is not measured here. The
others are installed from the index into ``.bench/``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from bench.answers import FAMILIES
from bench.answers_parts.judge import First, has_statements, tokens_of
from bench.answers_parts.question import MAKERS
from bench.gateway_parts.peers import REQUIREMENTS, NotInstalledError, installed
from bench.gateway_parts.table import markdown

from penstock.cli.demo import call_tool
from penstock.cli.mcp_client import McpClient
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.answers_parts.question import Result

MOST: Final = 25_000  # tokens of one answer that Claude Code takes
FILE_CHARACTERS: Final = 50_000  # of one answer, likewise
FILE_LINES: Final = 2_000  # that one read of a file gives, and characters of each
LIMIT: Final = 40_000  # bytes, for the limit of FastMCP: most texts of that size are below what Claude Code takes
SECONDS: Final = 60.0  # for one answer
SERVER: Final = """
import json, sys
results = json.load(open(sys.argv[1]))
schema = {"type": "object", "properties": {}}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, answer = message["method"], {}
    if method == "initialize":
        answer = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "results", "version": "1"}}
    elif method == "tools/list":
        answer = {"tools": [{"name": name, "description": "one result", "inputSchema": schema} for name in results]}
    elif method == "tools/call":
        answer = {"content": [{"type": "text", "text": text} for text in results[message["params"]["name"]]]}
    elif method != "ping":
        error = {"code": -32601, "message": "no such method"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
"""
LIMITED: Final = """
import os, sys
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
from fastmcp.server.middleware.response_limiting import ResponseLimitingMiddleware
proxy = create_proxy(StdioTransport(sys.argv[2], sys.argv[3:], env=dict(os.environ)))
proxy.add_middleware(ResponseLimitingMiddleware(max_size=int(sys.argv[1])))
proxy.run(show_banner=False)
"""


Call: TypeAlias = tuple[str, dict[str, Any]]
MORE: Final = 3  # calls that read on, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """How a gateway is started in front of a server, and how it wants a tool to be called."""

    title: str
    command: Callable[[list[str], Path], list[str]]
    call: Callable[[str], Call] = lambda name: (name, {})
    more: Callable[[list[str]], list[Call]] | None = None  # the calls that read on, by the first answer


def penstock(server: list[str], folder: Path) -> list[str]:
    return [sys.executable, "-m", "penstock", "run", "--store", f"sqlite://{folder / 'held.db'}", "--", *server]


def fastmcp(server: list[str], folder: Path) -> list[str]:
    script = folder / "limited.py"
    script.write_text(LIMITED)
    return [str(installed("fastmcp") / "python"), str(script), str(LIMIT), *server]


def jmunch(server: list[str], folder: Path) -> list[str]:
    config = folder / "jmunch.json"
    config.write_text(json.dumps({"upstream": {"command": server[0], "args": server[1:]}, "log_level": "ERROR"}))
    return [str(installed("jmunch") / "jmunch-mcp"), "--config", str(config)]


def more_of_penstock(texts: list[str]) -> list[Call]:
    notice = notice_of(texts)
    if not notice:
        return []
    offers = [*notice["next"][:1], *notice.get("suggestions", [])[:1]]
    tool, handle = notice["next"][0]["tool"] if notice["next"] else "fetch_cached_response", notice["cache_id"]
    return [(tool, {"cache_id": handle, "action": "info"}), *((one["tool"], one["arguments"]) for one in offers)]


def more_of_jmunch(texts: list[str]) -> list[Call]:
    handle = re.search(r'"handle": "(\w+)"', "".join(texts))
    names = ("jmunch_describe", "jmunch_summarize", "jmunch_peek")
    return [(name, {"handle": handle[1]}) for name in names] if handle else []


def notice_of(texts: list[str]) -> dict[str, Any]:
    """Return Penstock's notice, or nothing where there is none."""
    if texts and texts[0].startswith('{"type":"buffered_response"'):
        notice: dict[str, Any] = json.loads(texts[0].partition("\n")[0])
        return notice
    return {}


def compressor(server: list[str], _: Path) -> list[str]:
    return [str(installed("compressor") / "mcp-compressor"), "--shrinkfit", "--", *server]


GATEWAYS: Final = {
    "direct": Gateway(title="no gateway", command=lambda server, _: server),
    "penstock": Gateway(title="Penstock", command=penstock, more=more_of_penstock),
    "fastmcp": Gateway(title=f"{REQUIREMENTS['fastmcp']}, its response limit ({LIMIT:,} bytes)", command=fastmcp),
    "jmunch": Gateway(title=REQUIREMENTS["jmunch"], command=jmunch, more=more_of_jmunch),
    "compressor": Gateway(
        title=f"{REQUIREMENTS['compressor']} --shrinkfit",
        command=compressor,
        call=lambda name: ("server_invoke_tool", {"tool_name": name, "tool_input": {}}),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What one gateway made of one result: the tokens of its first answer (None: none came), and questions settled.

    Then the same with what reading on brought, or None where there is no reading tool."""

    tokens: int | None
    settled: int
    questions: int
    tokens_read_on: int | None = None
    settled_read_on: int | None = None


def texts_of(client: McpClient, call: Call) -> list[str] | None:
    """Return the texts of an answer, or nothing where none comes."""
    try:
        return [call_tool(client, *call).text]
    except PenstockError:
        return None


def answer_of(texts: list[str], notice: dict[str, Any]) -> First:
    return First(notice=notice, preview="\n".join(texts), tokens=sum(map(tokens_of, texts)))


def tally(client: McpClient, gateway: Gateway, name: str, result: Result) -> Tally:
    questions = [question for question in result.questions if question.first]
    texts = texts_of(client, gateway.call(name))
    if texts is None:
        return Tally(tokens=None, settled=0, questions=len(questions))
    notice, first = notice_of(texts), answer_of(texts, notice_of(texts))

    def settled(answer: First) -> int:
        return sum(any(has_statements(answer, way) for way in question.first) for question in questions)

    before = settled(first) if first.tokens <= MOST else 0
    if gateway.more is None:
        return Tally(tokens=first.tokens, settled=before, questions=len(questions))
    answers = [one for call in gateway.more(texts)[:MORE] if (one := texts_of(client, call))]
    taken = [one for one in (texts, *answers) if sum(map(tokens_of, one)) <= MOST]
    whole = answer_of([text for one in taken for text in one], notice)
    return Tally(
        tokens=first.tokens,
        settled=before,
        questions=len(questions),
        tokens_read_on=first.tokens + sum(tokens_of(text) for one in answers for text in one),
        settled_read_on=settled(whole),
    )


def measured(gateway: Gateway, results: dict[str, Result], server: list[str], folder: Path) -> list[Tally]:
    command = gateway.command(server, folder)
    environment = {**os.environ, "HOME": str(folder), "FASTMCP_CHECK_FOR_UPDATES": "off"}
    with McpClient(command, timeout=SECONDS, environment=environment) as client:
        client.greet()
        return [tally(client, gateway, name, result) for name, result in results.items()]


def by_file(result: Result) -> Tally:
    """Return what a client makes of one result that saves what is too large to a file, and reads it on by lines."""
    content = result.content if isinstance(result.content, str) else "\n".join(result.content)
    questions = [question for question in result.questions if question.first]

    def settled(texts: list[str]) -> int:
        answer = answer_of(texts, {})
        return sum(any(has_statements(answer, way) for way in question.first) for question in questions)

    if len(content) <= FILE_CHARACTERS and tokens_of(content) <= MOST:
        count, kept = tokens_of(content), settled([content])
        return Tally(tokens=count, settled=kept, questions=len(questions), tokens_read_on=count, settled_read_on=kept)
    first = f"The result ({len(content):,} characters) is too large. It was saved to /tmp/tool-results/result.txt"
    lines, reads = content.split("\n"), list[str]()
    while lines and len(reads) < MORE:
        number, text = FILE_LINES, "\n".join(line[:FILE_LINES] for line in lines[:FILE_LINES])
        while tokens_of(text) > MOST:
            number //= 2
            text = "\n".join(line[:FILE_LINES] for line in lines[:number])
        reads.append(text)
        lines = lines[number:]
    return Tally(
        tokens=tokens_of(first),
        settled=0,
        questions=len(questions),
        tokens_read_on=tokens_of(first) + sum(map(tokens_of, reads)),
        settled_read_on=settled([first, *reads]),
    )


def row(title: str, tallies: Sequence[Tally]) -> list[str]:
    counts = [one.tokens for one in tallies if one.tokens is not None]
    read_on = [one.tokens_read_on for one in tallies if one.tokens_read_on is not None]
    questions = sum(one.questions for one in tallies)
    settled, later = sum(one.settled for one in tallies), sum(one.settled_read_on or 0 for one in tallies)
    return [
        title,
        f"{statistics.median(counts):,.0f}" if counts else "-",
        f"{sum(counts):,}",
        f"{sum(count > MOST for count in counts)} of {len(tallies)}",
        f"{len(tallies) - len(counts)}",
        f"{settled} of {questions} ({settled / max(1, questions):.0%})",
        f"{statistics.median(read_on):,.0f}" if read_on else "no reading tool",
        f"{later} of {questions} ({later / max(1, questions):.0%})" if read_on else "-",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only results with this in their form or name")
    parser.add_argument("--targets", default=",".join(GATEWAYS), help="which gateways (default: all)")
    options = parser.parse_args()
    assert FAMILIES  # importing them registers the results
    made = {f"result_{at}": make() for at, (form, make) in enumerate(MAKERS.items()) if options.only in form}
    texts = {name: [one.content] if isinstance(one.content, str) else one.content for name, one in made.items()}
    rows = []
    with tempfile.TemporaryDirectory(prefix="penstock-compared-") as place:
        script, data = Path(place) / "server.py", Path(place) / "results.json"
        script.write_text(SERVER)
        data.write_text(json.dumps(texts))
        for name in options.targets.split(","):
            folder = Path(place) / name
            folder.mkdir()
            try:
                tallies = measured(GATEWAYS[name], made, [sys.executable, str(script), str(data)], folder)
                rows.append(row(GATEWAYS[name].title, tallies))
            except (NotInstalledError, PenstockError) as error:
                rows.append([GATEWAYS[name].title, f"failed: {error}", *[""] * 6])
            print(rows[-1], file=sys.stderr, flush=True)
    rows.append(row("the client's own file (worked out)", [by_file(one) for one in made.values()]))
    head = ["", "tokens, median", "all", f"over {MOST:,}", "no answer", "settled by the first answer"]
    head += [f"tokens with {MORE} more calls, median", "settled then"]
    print(markdown(head, rows))


if __name__ == "__main__":
    main()
