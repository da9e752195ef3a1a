"""What the unity server takes for a scene of 20,000 objects: to read the file, and for each call.

Reading is compared with a YAML parser on the same documents, as a ratio: libyaml (C) and PyYAML's own, each on a part
of the file. The calls go over standard input and output with a real client; a time is the quickest of five. No answer
may cost more than the budget of 20,000 tokens.

    python bench/examples/unity.py                   a scene of 20,000 objects: half a minute
    python bench/examples/unity.py --objects 100000  a larger one
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "common"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "unity"))

import yaml
from bench.example_parts.calls import client_of
from tests.kit.examples.samples.unity import ISLAND, OBJECTS, make_sample

from penstock import count
from unity_server.project import Project

BUDGET = 20_000
FETCH = "fetch_cached_response"
COLLIDERS = '.hierarchy | map(select(.componentNames | contains(["Collider"])))'
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("a whole hierarchy, held", "manage_scene", {"action": "get_hierarchy"}),
    ("counts of a scene", "manage_scene", {"action": "get_info"}),
    ("a part of the tree", "manage_scene", {"action": "get_hierarchy", "path": "/Villages/Village 1/Yard"}),
    ("find all colliders, held", "manage_gameobject",
     {"action": "find", "search_method": "by_component", "search_term": "*Collider"}),
    ("find by tag", "manage_gameobject", {"action": "find", "search_method": "by_tag", "search_term": "Respawn"}),
    ("get one object", "manage_gameobject", {"action": "get", "target": "/Main Camera"}),
    ("the whole console, held", "read_console", {}),
    ("the newest errors", "read_console", {"types": ["error", "exception"], "count": 20}),
    ("a page of 50 KB", FETCH, {"action": "get_page", "page": 7, "page_size_kb": 50}),
    ("jq: one number", FETCH, {"action": "filter", "jq_filter": '[.hierarchy[] | select(.tag == "NPC")] | length'}),
    ("jq: a large result, held again", FETCH, {"action": "filter", "jq_filter": COLLIDERS}),
]  # fmt: skip


def timed(work: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    done = work()
    return time.perf_counter() - start, done


def reading(folder: Path) -> None:
    """The time to read the scene, and that of YAML parsers."""
    text = (folder / ISLAND).read_text()
    rounds = [timed(lambda: Project(folder).scene(ISLAND, "scene")) for _ in range(3)]
    taken, scene = min(rounds, key=lambda one: one[0])
    per_document = taken / len(scene.documents)
    what = f"read {len(scene.objects):,} objects, {len(text) / 1e6:.0f} MB"
    print(f"{what:50} {taken * 1_000:10,.0f} ms    {len(scene.documents):,} documents")
    bodies = [part.partition("\n")[2] for part in text.split("\n--- ")[1:]]
    for name, loader, number in (("libyaml", yaml.CSafeLoader, 3_000), ("PyYAML", yaml.SafeLoader, 300)):
        some = bodies[100 : 100 + number]
        theirs, _ = timed(lambda: [yaml.load(body, Loader=loader) for body in some])  # noqa: B023
        print(
            f"{f'the same with {name}, by {len(some):,} documents':50} {theirs / len(some) / per_document:10,.0f} times"
        )


async def calls(folder: Path) -> None:
    """The time of each call, and the largest answer."""
    largest, held = 0, ""
    async with client_of("unity", str(folder)) as client:
        await client.call_tool("manage_scene", {"action": "get_info"})  # the scene is read by the first call
        for what, tool, arguments in CALLS:
            given = {**arguments, "cache_id": held} if tool == FETCH else arguments
            times, texts = [], [""]
            for _ in range(5):
                start = time.perf_counter()
                result = await client.call_tool(tool, given)
                times.append(time.perf_counter() - start)
                texts = [block.text for block in result.content if block.type == "text"]
            held = held or json.loads(texts[0].partition("\n")[0])["cache_id"]
            tokens = sum(count(text).upper for text in texts)
            largest = max(largest, tokens)
            print(f"{what:50} {min(times) * 1_000:10,.0f} ms    at most {tokens:,} tokens")
    print(f"{'the largest answer':50} {largest:10,} tokens limit {BUDGET:,}  {'ok' if largest <= BUDGET else 'MISSED'}")


def bench_unity(objects: int = OBJECTS) -> None:
    """Print the figures for a scene of so many objects."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "project"
        taken, _ = timed(lambda: make_sample(folder, objects))
        print(f"{'make the sample project':50} {taken * 1_000:10,.0f} ms")
        reading(folder)
        asyncio.run(calls(folder))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--objects", type=int, default=OBJECTS)
    bench_unity(parser.parse_args().objects)
