"""The core against what one would write by hand: parse, then dump. Every line is a ratio measured in this run.

python bench/core.py [--mb 100]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.json.index import reader
from penstock.core.reading.page import page, paginate, render_page
from penstock.core.reading.page_frame import frame_for

if TYPE_CHECKING:
    from collections.abc import Callable


HARD = Room(tokens=20_000, size=1_000_000)  # the budget of an answer, with which pages are served


def records(megabytes: int) -> bytes:
    """An array of mixed records: text, numbers, nested values, non-ASCII, about 300 bytes each."""
    rows = []
    size = 0
    number = 0
    while size < megabytes * 1_000_000:
        row = {
            "id": number,
            "big": 2**53 + number,
            "name": f"item {number} of the café",
            "status": ("open", "closed", "stale")[number % 3],
            "score": number / 7,
            "tags": ["alpha", "beta", f"t{number % 50}"],
            "owner": {"login": f"user{number % 997}", "active": number % 2 == 0, "note": None},
            "text": "The quick brown fox jumps over the lazy dog. " * (number % 4),
        }
        text = json.dumps(row, ensure_ascii=False)
        rows.append(text)
        size += len(text.encode()) + 1
        number += 1
    return ("[" + ",".join(rows) + "]").encode()


def line(what: str, ours: float, base: float, unit: str, target: str) -> None:
    ratio = ours / base if base else float("nan")
    print(f"{what:<58} {ours:10.3f} {unit:<3} baseline {base:10.3f} {unit:<3} ratio {ratio:9.4f}x  (wanted {target})")


def child(code: list[str]) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a fresh process."""
    process = subprocess.Popen(code, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{code} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(run: Callable[[], Any], times: int) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def inspect(folder: Path) -> None:
    path = folder / "sixty.json"
    # Made in a process of its own: a child's peak counts what its parent held when it was forked.
    subprocess.run([sys.executable, __file__, "--write", str(path)], check=True)
    naive = "import json,sys; json.dumps(json.load(open(sys.argv[1], encoding='utf-8')))"
    ours = [child([sys.executable, "-m", "penstock", "inspect", "--json", str(path)]) for _ in range(3)]
    base = [child([sys.executable, "-c", naive, str(path)]) for _ in range(3)]
    line("inspect --json, 60 MB: CPU", min(cpu for cpu, _ in ours), min(cpu for cpu, _ in base), "s", "<= 0.5")
    line("inspect --json, 60 MB: peak memory", min(mb for _, mb in ours), min(mb for _, mb in base), "MB", "<= 0.4")


def index_and_pages(megabytes: int) -> None:
    data = records(megabytes)
    room = Room(tokens=5_000, size=1_000_000)

    def first_page() -> Any:
        document = read(data)
        get = reader(document.body)
        root = document.index.root
        assert root is not None
        frame = frame_for(document.index, get, root, room)
        pages = paginate(root, get, room, frame)
        return root, get, pages, render_page(page(root, get, pages, 1), frame)

    base = best(lambda: json.dumps(json.loads(data)), 1)
    ours = best(first_page, 3)
    line(f"index and first page, {len(data) / 1e6:.0f} MB", ours, base, "s", "<= 0.25, that is >= 4x faster")
    main, get, pages, _ = first_page()
    numbers = range(1, pages.total_pages + 1, max(1, pages.total_pages // 200))
    times = []
    for number in numbers:
        start = time.perf_counter()
        render_page(page(main, get, pages, number, hard=HARD), pages.frame)
        times.append(time.perf_counter() - start)
    parse = best(lambda: json.loads(data), 1)
    later = statistics.median(times)
    faster = f"{parse / later:8,.0f}x faster  (wanted >= 5,000x)"
    print(f"{'any later page':<58} {later * 1e3:10.3f} ms  a re-parse {parse:10.3f} s   {faster}")


def import_cost() -> None:
    def cpu(code: str) -> float:
        return min(child([sys.executable, "-c", code])[0] for _ in range(15)) * 1_000

    bare = cpu("pass")
    print(
        f"{'import penstock: CPU added over bare Python':<58} {cpu('import penstock') - bare:10.1f} ms  (wanted <= 80)"
    )
    used = "from penstock import count; count('a few words')"
    print(f"{'from penstock import count, and a first count':<58} {cpu(used) - bare:10.1f} ms")
    loaded = subprocess.run(
        [sys.executable, "-c", "import penstock, sys; from penstock import *; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    unwanted = [name for name in ("asyncio", "pydantic", "rich") if name in loaded]
    print(f"{'all public names pull in asyncio, pydantic or rich':<58} {', '.join(unwanted) or 'none'}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=100, help="size of the large document")
    parser.add_argument("--write", metavar="FILE", help="only write the 60 MB document to a file")
    args = parser.parse_args()
    if args.write:
        Path(args.write).write_bytes(records(60))
        raise SystemExit
    import_cost()
    with tempfile.TemporaryDirectory() as folder:
        inspect(Path(folder))
    index_and_pages(args.mb)
