"""What the memory server takes for the answer that once had 1.4 million tokens: the time and the size of its pages.

Each line has the figure of this run, the limit that it should keep, and whether it does. The calls go over standard
input and output with a real client; a time is the quickest of five, as the machine does other things too.

    python bench/examples/memory.py
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.example_parts.calls import call, client_of

from penstock import count

if TYPE_CHECKING:
    from fastmcp import Client

UNBOUNDED = 1_416_538  # tokens of the answer in the report
CLIENT_TOKENS, CLIENT_BYTES = 25_000, 50_000  # what Claude Code takes
CHUNKS = 900
TASK = {"session_id": "large", "current_task": "user authentication", "max_chunks": 1_000}


def say(what: str, figure: float, limit: float, unit: str) -> None:
    print(f"{what:50} {figure:12,.0f} {unit:7} limit {limit:,} {unit}  {'ok' if figure <= limit else 'MISSED'}")


async def store(client: Client[Any]) -> int:
    """Store chunks, and tell what all of them would cost in one answer."""
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randrange(2, 9))) for _ in range(2_000)]
    texts = [f"authentication step {number}: " + " ".join(chance.choices(words, k=600)) for number in range(CHUNKS)]
    for start in range(0, CHUNKS, 150):
        chunks = [{"content": text, "source": f"log/{start}.md"} for text in texts[start : start + 150]]
        await call(client, "store_chunks", {"session_id": "large", "chunks": chunks})
    return sum(count(text).tokens for text in texts)


async def measured(data: Path) -> None:
    async with client_of("memory", str(data), "--data", str(data)) as client:
        unbounded = await store(client)
        print(f"{'the same chunks in one unbounded answer':50} {unbounded:12,} tokens  (reported: {UNBOUNDED:,})")
        largest = largest_bytes = 0
        for budget in (1_000, 15_000, 24_000):
            asked = {**TASK, "max_response_tokens": budget}
            taken = min([(await call(client, "context_aware_retrieve", asked))[0] for _ in range(5)])
            _, text = await call(client, "context_aware_retrieve", asked)
            found = re.search(r"Page\*\*: 1 of (\d+) \(Total items: (\d+)\)", text)
            assert found is not None
            last = int(found[1])
            sizes = []
            for page in {1, 2, last // 2, last}:
                _, text = await call(client, "context_aware_retrieve", {**asked, "page": page})
                sizes.append(count(text).upper)
                largest_bytes = max(largest_bytes, len(text.encode()))
            largest = max(largest, *sizes)
            say(f"budget {budget:,}: {last:,} pages of {found[2]} items", max(sizes), budget, "tokens")
            print(f"{'':10}{taken:,.0f} ms a page")
        say("the largest answer", largest, CLIENT_TOKENS, "tokens")
        say("the largest answer", largest_bytes, CLIENT_BYTES, "bytes")
        say("the largest answer, of the unbounded one", 100 * largest / unbounded, 5, "%")


def bench_memory() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(measured(Path(temporary)))


if __name__ == "__main__":
    bench_memory()
