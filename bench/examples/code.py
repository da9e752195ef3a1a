"""What the code server saves on searches, and what its language server takes.

Each line has the figure of this run, the limit that it should keep, and whether it does. The calls go over standard
input and output with a real client; a time is the quickest of five, as the machine does other things too.

    python bench/examples/code.py              on the sample
    python bench/examples/code.py FOLDER       on code of your own, searched for the words below
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "common"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "code"))

from bench.example_parts.calls import call, client_of
from tests.kit.examples.samples.code import make_sample

from code_server.folder import Folder
from code_server.search import search
from penstock import count

LIMIT = 25_000
QUERIES = ("useState", "const", "return", "formatAmount", "readOnly", "panel-kit", "record_event", "import", "Zone7")
ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("symbols, nested 12 deep", "get_document_symbols", {"path": "services/nested.py"}),
    ("references, 662 in 72 files", "get_references", {"path": "services/events.py", "symbol": "record_event"}),
    ("diagnostics of one file", "get_diagnostics", {"path": "services/legacy/crew.py"}),
    ("diagnostics of 75 files", "get_diagnostics", {}),
]


def say(what: str, figure: float, limit: float, unit: str, *, least: bool = False) -> None:
    kept = figure >= limit if least else figure <= limit
    print(f"{what:44} {figure:10,.1f} {unit:8} limit {limit:,} {unit}  {'ok' if kept else 'MISSED'}")


async def measured(root: Path, *, is_sample: bool) -> None:
    whole, sent, overflows, overflown, largest = 0, 0, 0, 0, 0
    async with client_of("code", str(root)) as client:
        for query in QUERIES:
            text = json.dumps(search(Folder(root=root), query, limit=5_000), ensure_ascii=False, separators=(",", ":"))
            before = count(text)
            rounds = [await call(client, "search_text", {"query": query}) for _ in range(5)]
            after = count(rounds[0][1])
            taken = min(taken for taken, _ in rounds)
            print(f"search_text {query:32} {before.tokens:10,} -> {after.tokens:6,} tokens {taken:8.1f} ms")
            whole, sent = whole + before.tokens, sent + after.tokens
            overflows += before.tokens > LIMIT
            overflown += after.upper > LIMIT
            largest = max(largest, after.upper)
        for what, tool, arguments in ASKED if is_sample else []:
            first, text = await call(client, tool, arguments)
            again = min([(await call(client, tool, arguments))[0] for _ in range(5)])
            print(f"{what:44} {again:10,.1f} ms, the first time {first:,.0f} ms, {count(text).tokens:,} tokens")
            largest = max(largest, count(text).upper)
    say("tokens saved per search", 100 * (1 - sent / max(1, whole)), 60, "%", least=True)
    say("overflows avoided", 100 * (1 - overflown / max(1, overflows)), 90, "%", least=True)
    say("the largest answer", largest, LIMIT, "tokens")


def bench_code(folder: Path | None = None) -> None:
    """Print the figures for a folder, or for the sample."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary).resolve() / "sample" if folder is None else folder.resolve()
        if folder is None:
            make_sample(root)
        asyncio.run(measured(root, is_sample=folder is None))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("folder", nargs="?", type=Path)
    bench_code(parser.parse_args().folder)
