"""What the vault server takes for a vault of 50,000 files: times, sizes of answers, and memory.

Each line has the figure of this run, the limit that it should keep, and whether it does. The calls go over standard
input and output with a real client. A time is what the server's process took of a processor, the mean of seven calls,
as the machine does other things too; beside it stands the quickest of the seven by the clock.

    python bench/examples/vault.py                 makes 50,000 notes and reads them: a minute or two
    python bench/examples/vault.py --notes 5000    a smaller vault
    python bench/examples/vault.py --keep DIR      in a folder that is there for the next time
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "common"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "vault"))

import psutil
from bench.example_parts.calls import call, client_of
from tests.kit.examples.samples.vault import make_sample

from penstock import count

if TYPE_CHECKING:
    from fastmcp import Client

NOTES = 50_000
ROUNDS = 7
LIMIT_MS, LIMIT_MEAN, LIMIT_BYTES = 1_000, 10_000, 50_000
LIMIT_MB = 300  # resident, of the server's process
LONG = "Reference/Field guide.md"
OPEN = '{"and": [{"==": [{"var": "frontmatter.status"}, "open"]}, {">=": [{"var": "frontmatter.priority"}, 4]}]}'
TABLE = 'TABLE status, due FROM #project WHERE priority >= 4 AND status = "open" SORT due DESC'
GROUPS = "TABLE length(rows), min(rows.due) WHERE status GROUP BY status"
LINKS = "LIST SORT length(file.inlinks) DESC LIMIT 3"
TASKS = "TASK WHERE !completed AND due < date(2024-03-01) LIMIT 50"
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("list, the first 100 of all", "list_vault_files", {}),
    ("list, by a pattern", "list_vault_files", {"pattern": "Projects/**/*7*.md"}),
    ("list, far behind", "list_vault_files", {"offset": 49_000}),
    ("search, a text in nearly every note", "search_vault_simple", {"query": "the"}),
    ("search, a text in few notes", "search_vault_simple", {"query": "north wall and wrote it down for the next"}),
    ("search, a text in no note", "search_vault_simple", {"query": "zzzz"}),
    ("search, JsonLogic", "search_vault", {"queryType": "jsonlogic", "query": OPEN}),
    ("search, Dataview", "search_vault", {"queryType": "dataview", "query": TABLE}),
    ("search, Dataview, groups", "search_vault", {"queryType": "dataview", "query": GROUPS}),
    ("search, Dataview, tasks", "search_vault", {"queryType": "dataview", "query": TASKS}),
    ("search, Dataview, links", "search_vault", {"queryType": "dataview", "query": LINKS}),
    ("search, ranked", "search_vault_smart", {"query": "drainage permits"}),
    ("search, ranked, common words", "search_vault_smart", {"query": "the north wall of the soil report"}),
    ("read, the start of a note of 1.2 MB", "get_vault_file", {"filename": LONG}),
    ("read, the middle of it", "get_vault_file", {"filename": LONG, "startIndex": 600_000}),
    ("fetch, a clipping", "fetch", {"url": "Clippings/tide tables.html"}),
    ("delete, a dry run", "bulk_delete_files", {"pattern": "Daily/**"}),
    ("discover, the tags", "discover", {"category": "tags"}),
]
# What used to be megabytes: held by Penstock, answered with a preview. No limit in time, as the whole has to be made.
LARGE: list[tuple[str, str, dict[str, Any]]] = [
    ("all files at once", "list_vault_files", {"limit": 100_000}),
    ("a note of 1.2 MB at once", "get_vault_file", {"filename": LONG, "maxLength": 2_000_000}),
    ("5,000 matches at once", "search_vault_simple", {"query": "the", "limit": 5_000}),
    ("a table of all notes", "search_vault", {"queryType": "dataview", "query": "TABLE status, due", "limit": 100_000}),
    ("5,000 notes, ranked", "search_vault_smart", {"query": "drainage", "filter": {"limit": 5_000}}),
]


def say(what: str, figure: float, limit: float, unit: str, note: str = "") -> None:
    print(f"{what:50} {figure:10,.0f} {unit:5} limit {limit:,} {unit}  {'ok' if figure < limit else 'MISSED'}  {note}")


async def ready(client: Client[Any]) -> None:
    """Wait until the vault has been read."""
    while (await client.call_tool("discover", {"category": "tags"}, raise_on_error=False)).is_error:
        await asyncio.sleep(0.5)


def server() -> psutil.Process:
    """The server's process."""
    (found,) = [one for one in psutil.Process().children(recursive=True) if "server.py" in " ".join(one.cmdline())]
    return found


def resident() -> float:
    """The megabytes of memory that the server's process has."""
    return float(server().memory_info().rss) / 1_000_000


def busy() -> float:
    """The milliseconds that the server's process has had of a processor."""
    times = server().cpu_times()
    return float(times.user + times.system) * 1_000


async def measured(folder: Path, data: Path) -> None:
    start = time.perf_counter()
    async with client_of("vault", str(folder), "--data", str(data)) as client:
        listed, _ = await call(client, "list_vault_files", {})
        print(f"{'the first list, before notes are read':50} {listed:10,.0f} ms")
        await ready(client)
        print(f"{'read and indexed, once':50} {time.perf_counter() - start:10.1f} s")
        say("memory, when all is read", resident(), LIMIT_MB, "MB")
        sizes, tokens = [], 0
        for what, tool, arguments in CALLS:
            before = busy()
            rounds = [await call(client, tool, arguments) for _ in range(ROUNDS)]
            took, quickest, text = (busy() - before) / ROUNDS, min(taken for taken, _ in rounds), rounds[0][1]
            note = f"{quickest:,.0f} ms by the clock, {len(text.encode()):,} bytes, {count(text).tokens:,} tokens"
            say(what, took, LIMIT_MS, "ms", note)
            sizes.append(len(text.encode()))
            tokens = max(tokens, count(text).upper)
        say("memory, after these calls", resident(), LIMIT_MB, "MB")
        for what, tool, arguments in LARGE:
            taken, text = await call(client, tool, arguments)
            print(f"{what:50} {taken:10,.0f} ms by the clock; held, answered with {len(text.encode()):,} bytes")
            sizes.append(len(text.encode()))
            tokens = max(tokens, count(text).upper)
        say("memory, after these calls, too", resident(), LIMIT_MB, "MB")
    say("the mean of all answers", sum(sizes) / len(sizes), LIMIT_MEAN, "bytes")
    say("the largest answer", max(sizes), LIMIT_BYTES, "bytes", f"at most {tokens:,} tokens")


def bench_vault(notes: int = NOTES, keep: Path | None = None) -> None:
    """Print the figures for a vault of so many notes."""
    with tempfile.TemporaryDirectory() as temporary:
        data = keep or Path(temporary)
        folder = data / f"vault-{notes}"
        data.mkdir(parents=True, exist_ok=True)
        if not folder.exists():
            make_sample(folder, notes)
        asyncio.run(measured(folder, data))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    bench_vault(given.notes, given.keep)
