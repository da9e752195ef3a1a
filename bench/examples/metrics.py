"""The success metrics of the five systems, measured on the real servers: one table of metric, wanted and measured.

The calls go over standard input and output with a real client, on the samples of the tests; two of the five
have no list of metrics, and are measured by what they are for. A minute or two.

    python bench/examples/metrics.py               all five
    python bench/examples/metrics.py vault code    some of them
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "common"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "code"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "vault"))

from bench.example_parts.calls import call, client_of
from bench.examples.code import QUERIES
from bench.examples.memory import CHUNKS, TASK, store
from bench.examples.vault import CALLS, LARGE, LONG

from code_server.folder import Folder
from code_server.search import search
from penstock import count

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fastmcp import Client

FETCH = "fetch_cached_response"
KEEPS_DATA = ("memory", "security", "vault")  # servers with the option --data


def row(metric: str, wanted: str, measured: str, *, kept: bool) -> None:
    print(f"{metric:58} | {wanted:22} | {measured:44} | {'ok' if kept else 'MISSED'}")


def first(text: str) -> Any:
    """The JSON that an answer begins with; a preview may stand behind it."""
    return json.JSONDecoder().raw_decode(text)[0]


async def pages(client: Client[Any], handle: str, name: str, **size: Any) -> list[Any]:
    """All items of a held array, page by page."""
    items: list[Any] = []
    number = 1
    while True:
        _, text = await call(client, FETCH, {"cache_id": handle, "action": "get_page", "page": number, **size})
        told = first(text)
        page = told.get("data", told)
        items += page[name]
        if not page["_pagination"]["has_more"]:
            return items
        number += 1


async def code(client: Client[Any], data: Path) -> None:
    """The buffer system: overflows, tokens per search, searches of 100,000 tokens, no loss."""
    root = Folder(root=(data / "sample").resolve())
    overflows, overflown, before, after, huge, lost = 0, 0, 0, 0, 0, 0
    for query in QUERIES:
        _, text = await call(client, "search_text", {"query": query})
        whole = search(root, query, limit=1_000_000)
        tokens = count(json.dumps(whole, ensure_ascii=False, separators=(",", ":"))).tokens
        overflows, overflown = overflows + (tokens > 25_000), overflown + (count(text).upper > 25_000)
        before, after, huge = before + tokens, after + count(text).tokens, huge + (tokens > 100_000)
        told = first(text)
        if "bufferId" in told:
            lost += await pages(client, told["bufferId"], "matches", page_tokens=20_000) != whole["matches"]
    saved = 100 * (1 - after / before)
    row("code: fewer overflows", "90 %", f"{overflows} of {len(QUERIES)} -> {overflown}", kept=not overflown)
    row("code: fewer tokens per search", "60 %", f"{saved:.0f} % ({before:,} -> {after:,})", kept=saved >= 60)
    row("code: searches of 100,000 tokens and more", "handled", f"{huge}, all answered", kept=huge > 0)
    row("code: nothing is lost", "all matches", f"{lost} searches whose pages differ from them", kept=not lost)


async def unity(client: Client[Any], _data: Path) -> None:
    """The cache: what is above 20,000 tokens does not fail, and can be read whole."""
    _, text = await call(client, "manage_scene", {"action": "get_hierarchy"})
    told = first(text)
    handle, tokens = told["cache_id"], told["data"]["estimated_tokens"]
    row("unity: a response above 20,000 tokens", "cached, not failed", f"{tokens:,} -> {count(text).tokens:,} tokens",
        kept=told["cached"] and count(text).upper <= 20_000)  # fmt: skip
    _, info = await call(client, FETCH, {"cache_id": handle, "action": "info"})
    metadata = first(info)["data"]["metadata"]
    items = await pages(client, handle, "hierarchy", page_size_kb=50)
    _, length = await call(client, FETCH, {"cache_id": handle, "action": "filter", "jq_filter": ".hierarchy | length"})
    total = first(length)["data"]["result"]
    row("unity: pages put together", "all objects", f"{len(items):,} of {total:,}, {metadata['total_pages']} pages",
        kept=len(items) == total)  # fmt: skip


async def vault(client: Client[Any], data: Path) -> None:
    """Response sizes: the mean, the largest, and no loss."""
    answers = [(await call(client, tool, arguments))[1] for _, tool, arguments in [*CALLS, *LARGE]]
    sizes = [len(text.encode()) for text in answers]
    mean = sum(sizes) / len(sizes)
    row("vault: mean size of an answer", "< 10 KB", f"{mean / 1_000:.1f} KB of {len(sizes)} calls", kept=mean < 10_000)
    row("vault: largest answer", "<= 50 KB", f"{max(sizes) / 1_000:.1f} KB", kept=max(sizes) <= 50_000)
    most = max(count(text).upper for text in answers)
    row("vault: no call exhausts the context", "25,000 tokens of it", f"{most:,} at most", kept=most <= 25_000)
    text, start, calls = "", 0, 0
    while True:
        result = await client.call_tool("get_vault_file", {"filename": LONG, "startIndex": start, "maxLength": 20_000})
        blocks = [block.text for block in result.content if block.type == "text"]
        about = json.loads(blocks[1])
        text, calls = text + blocks[0], calls + 1
        if not about["hasMore"]:
            break
        start = about["nextIndex"]
    whole = (data / "sample" / LONG).read_text("utf-8")
    row("vault: no loss by truncation", "windows are the note", f"{calls} windows, {len(text):,} of {len(whole):,}",
        kept=text == whole)  # fmt: skip


async def memory(client: Client[Any], _data: Path) -> None:
    """Response limiting: the answer that had 1.4 million tokens."""
    unbounded = await store(client)
    most, over = 0, 0
    for budget in (1_000, 5_000, 15_000, 20_000, 24_000):
        for page in (1, 2):
            arguments = {**TASK, "max_response_tokens": budget, "page": page}
            _, text = await call(client, "context_aware_retrieve", arguments)
            most, over = max(most, count(text).upper), over + (count(text).upper > budget)
    row("memory: an answer of 1.4 million tokens", "< 25,000", f"{unbounded:,} of {CHUNKS} chunks -> {most:,}",
        kept=most < 25_000)  # fmt: skip
    row("memory: strict token budgets", "none exceeded", f"{over} of 10 pages above theirs", kept=not over)


async def security(client: Client[Any], _data: Path) -> None:
    """Truncation: findings, bytes, counts."""
    _, text = await call(client, "scan", {})
    told = first(text)
    counts = sum(told[f"{name}_count"] for name in ("critical", "high", "medium", "low"))
    ranks = [("CRITICAL", "HIGH", "MEDIUM", "LOW").index(one["severity"]) for one in told["findings"]]
    size = len(json.dumps(told["findings"], separators=(",", ":")).encode())
    shown = told["shown_count"]
    row("security: findings in one answer", "<= 50", f"{shown} of {told['total_count']}", kept=shown <= 50)
    row("security: bytes of one answer", "<= 50,000", f"{len(text.encode()):,}", kept=len(text.encode()) <= 50_000)
    row("security: bytes of the 50 findings", "about 5 KB", f"{size / 1_000:.1f} KB", kept=size <= 6_000)
    row("security: the most severe first", "in order", f"{ranks.count(0)} critical first", kept=ranks == sorted(ranks))
    row("security: complete severity counts", "of all findings", f"{counts}", kept=counts == told["total_count"])
    _, few = await call(client, "scan", {"path": told["findings"][0]["file"], "engines": ["bandit"]})
    absent = "truncation_info" not in first(few)
    row("security: truncation_info", "only when truncated", "there, and not of a small scan",
        kept="truncation_info" in told and absent)  # fmt: skip


SYSTEMS: dict[str, Callable[[Client[Any], Path], Awaitable[None]]] = {
    "code": code, "unity": unity, "vault": vault, "memory": memory, "security": security,
}  # fmt: skip


async def measured(names: list[str]) -> None:
    row("metric", "wanted", "measured", kept=True)
    for name in names:
        with tempfile.TemporaryDirectory() as temporary:
            import_module(f"tests.kit.examples.samples.{name}").make_sample(Path(temporary) / "sample")
            data = ["--data", temporary] if name in KEEPS_DATA else []
            async with client_of(name, str(Path(temporary) / "sample"), *data) as client:
                await SYSTEMS[name](client, Path(temporary))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", choices=[[], *SYSTEMS])
    asyncio.run(measured(parser.parse_args().systems or [*SYSTEMS]))
