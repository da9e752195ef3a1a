"""What holding a result costs, and reading a page of it: against parsing it, which is what one would do otherwise.

Each line has a figure of this run, the limit that it should keep, and whether it does. Ratios are to a baseline
measured in the same run; the limits in milliseconds are absolute, as a reader waits in milliseconds.

    python bench/stores.py              all of it, about a minute
    python bench/stores.py --scale 10   with results a tenth of the size
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from tests.kit.stores.support import running

from penstock.core.budget import Room
from penstock.core.forms import document
from penstock.core.json import index
from penstock.core.reading import page
from penstock.stores import Held, Metadata, NewRecord, Store, new_handle, open_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.reading.page import Pages

MB = 1_000_000
PAGE = Room(tokens=5_000)
PARTS = ("al", "be", "con", "de", "er", "for", "gen", "in", "ly", "mo", "ner", "pro", "re", "sta", "ted", "ver")
WORDS = [a + b + c for a in PARTS for b in PARTS for c in PARTS]


def result(size: int) -> bytes:
    """An array of mixed records, as a database or a service answers: text, numbers, dates, nested values."""
    dice = random.Random(3)
    some = [
        json.dumps(
            {
                "id": dice.randrange(10**9),
                "name": " ".join(dice.choices(WORDS, k=2)),
                "mail": f"{dice.choice(WORDS)}@example.org",
                "active": dice.random() < 0.5,
                "score": round(dice.random() * 1_000, 3),
                "tags": dice.choices(WORDS, k=3),
                "made": f"2026-{dice.randrange(1, 13):02d}-{dice.randrange(1, 29):02d}T{dice.randrange(24):02d}:00:00Z",
                "place": {"city": dice.choice(WORDS), "at": {"lat": round(dice.random() * 90, 4), "lon": -1.5}},
                "state": dice.choice(["open", "closed", "stale"]),
                "big": 2**53 + dice.randrange(10**6),
                "none": None,
                "note": " ".join(dice.choices(WORDS, k=dice.randrange(3, 14))),
            }
        )
        for _ in range(5_000)
    ]
    whole = ", ".join(some)
    return f"[{', '.join([whole] * (1 + size // len(whole)))}"[:size].rpartition(", {")[0].encode() + b"]"


def made(raw: bytes) -> tuple[NewRecord, Pages]:
    """What the gate does before it puts a result: read, index, lay down the pages."""
    found = document.read(raw)
    root = found.index.root
    assert root is not None
    pages = page.paginate(root, index.reader(found.body), PAGE)
    meta = Metadata(created=time.time(), expires=None, size=len(raw), items=root.count, kind="json")
    new = NewRecord(handle=new_handle(), owner="me", raw=raw, index=index.dump(found.index), meta=meta)
    return new, pages


def found(store: Store, handle: str) -> Held:
    held = store.get("me", handle)
    assert held is not None
    return held


def read_page(store: Store, handle: str, pages: Pages, number: int) -> page.Page:
    """One page as a call for it costs: find the result, load its index, read, and note that it was read."""
    held = found(store, handle)
    root = index.load(held.index).root
    assert root is not None
    one = page.page(root, held.reader(), pages, number)
    store.touch("me", handle)
    return one


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def say(what: str, figure: float, limit: float, unit: str, note: str = "") -> None:
    print(f"{what:58} {figure:8.3f}{unit}  limit {limit:g}{unit}  {'ok' if figure <= limit else 'MISSED'}  {note}")


def put_and_first_page(store: Store, raw: bytes) -> None:
    new, pages = made(raw)
    store.put(new)
    read_page(store, new.handle, pages, 1)


def bench_put(name: str, store: Store, raw: bytes) -> None:
    baseline = min(seconds(lambda: json.dumps(json.loads(raw))) for _ in range(5))
    taken = min(seconds(lambda: put_and_first_page(store, raw)) for _ in range(5))
    note = f"{taken * 1_000:.0f} ms against {baseline * 1_000:.0f} ms"
    say(f"{name}: put + first page of {len(raw) / MB:.0f} MB / json loads + dumps", taken / baseline, 0.5, "x", note)


def bench_pages(name: str, store: Store, raw: bytes, limit: float) -> None:
    new, pages = made(raw)
    held_for = seconds(lambda: store.put(new))
    dice = random.Random(1)

    def round_of_pages() -> list[float]:
        numbers = [dice.randrange(1, pages.total_pages + 1) for _ in range(300)]
        return sorted(seconds(lambda: read_page(store, new.handle, pages, number)) for number in numbers)  # noqa: B023

    # The quietest of some rounds: on a machine that does other things, one page in a hundred waits for those.
    times = min((round_of_pages() for _ in range(6)), key=lambda times: times[-3])
    p50, p99 = times[len(times) // 2] * 1_000, times[-3] * 1_000
    note = f"p50 {p50:.2f} ms, {pages.total_pages} pages, put alone {held_for * 1_000:.0f} ms"
    say(f"{name}: any page of {len(raw) / MB:.0f} MB, 99th percentile", p99, limit, " ms", note)
    parts = seconds(
        lambda: [found(store, new.handle).read(at, at + 20_000) for at in range(0, len(raw), len(raw) // 500)]
    )
    print(f"{'':58} {parts * 2:8.3f} ms  a window of 20 KB alone, mean")
    store.drop("me", new.handle)


def bench_memory(folder: str, raw: bytes) -> None:
    """In a process of its own, so that nothing but the store is in its memory (Linux tells how much that is)."""
    file = Path(folder) / "raw.json"
    file.write_bytes(raw)
    command = [sys.executable, __file__, "--hold", os.fspath(file), f"sqlite://{folder}/memory.db"]
    figures = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    held, peak = figures["held"] / len(raw), figures["peak"] / len(raw)
    say(f"sqlite: memory while {len(raw) / MB:.0f} MB are held / their size", held, 0.7, "x")
    say("sqlite: most memory during the put, beside the result itself", peak, 0.7, "x")


def hold(file: str, url: str) -> None:
    """The other end of ``bench_memory``."""

    def now(field: str = "VmRSS") -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1_024 for line in lines if line.startswith(field))

    with open_store(url) as store:
        put_and_first_page(store, result(1 * MB))  # everything is imported and warm
        base = now()
        raw = Path(file).read_bytes()
        size = len(raw)
        new, pages = made(raw)
        store.put(new)
        read_page(store, new.handle, pages, pages.total_pages)
        handle = new.handle
        del raw, new
        held = now() - base
        peak = now("VmHWM") - base - size
        assert found(store, handle).size() == size
    print(json.dumps({"held": held, "peak": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=1, help="divide the sizes of the results by this")
    parser.add_argument("--hold", nargs=2, metavar=("FILE", "URL"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.hold:
        hold(*asked.hold)
        return
    medium, large = result(10 * MB // asked.scale), result(100 * MB // asked.scale)
    with tempfile.TemporaryDirectory(prefix="pen") as folder, running() as server:
        stores = {"memory": "memory:", "sqlite": f"sqlite://{folder}/held.db", "redis": server.url}
        limits = {"memory": 2.0, "sqlite": 2.0, "redis": 4.0}
        for name, url in stores.items():
            with open_store(url) as store:
                bench_put(name, store, medium)
                bench_pages(name, store, large, limits[name])
        bench_memory(folder, large)


if __name__ == "__main__":
    main()
