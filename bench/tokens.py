"""How fast and how right tokens are counted. One line a measure, each with its ratio to a baseline of this run.

python bench/tokens.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from timeit import repeat
from typing import TYPE_CHECKING

from penstock.core.tokens.count import count, count_json_string, fits

if TYPE_CHECKING:
    from collections.abc import Callable

FIT = Path(__file__).resolve().parent.parent / "scripts" / "fit_tokens.py"
WINDOWS = FIT.parent.parent.parent / "shared" / "tokens" / "windows.json"
RECORD = '{"id": %d, "name": "user %d", "mail": "u%d@example.org", "score": 0.%d, "tags": ["a", "b"]}, '
WIDE = "第%d条记录：状态正常，延迟 %d 毫秒。\n"


def seconds(call: Callable[[], object], times: int) -> float:
    """The best of five runs, per call."""
    return min(repeat(call, number=times, repeat=5)) / times


def against(name: str, call: Callable[[], object], baseline: str, other: Callable[[], object], times: int) -> None:
    """Print one measure and its ratio."""
    ours, theirs = seconds(call, times), seconds(other, times)
    print(f"{name:<40} {ours * 1e6:>10.1f} us   {ours / theirs:>7.2f}x of {baseline} ({theirs * 1e6:.1f} us)")


def main() -> None:
    """Print all measures."""
    large = "".join(RECORD % (n, n, n, n * 7919) for n in range(110_000))[:10_000_000]
    wide = "".join(WIDE % (n, n % 700) for n in range(150_000))
    small = large[:2_000]
    data = large.encode()

    def dumped() -> str:
        return json.dumps(large)

    against("count 10 MB str", lambda: count(large), "json.dumps", dumped, 3)
    against("count 10 MB bytes", lambda: count(data), "json.dumps", dumped, 3)
    against("count 10 MB as a JSON string", lambda: count_json_string(large), "json.dumps", dumped, 3)
    against("count 10 MB str, o200k exact-sampled", lambda: count(large, "o200k"), "json.dumps", dumped, 3)
    megabytes = len(wide.encode()) / 1e6
    against(f"count {megabytes:.0f} MB of Chinese", lambda: count(wide), "json.dumps", lambda: json.dumps(wide), 3)
    against("count 2 KB", lambda: count(small), "json.dumps", lambda: json.dumps(small), 2_000)
    against("count 2 KB as a JSON string", lambda: count_json_string(small), "count", lambda: count(small), 2_000)
    against("count 2 KB, o200k exact", lambda: count(small, "o200k"), "count", lambda: count(small), 2_000)
    against("2 KB fits 20,000 tokens", lambda: fits(small, 20_000), "len // 4", lambda: len(small) // 4, 20_000)

    huge = large * 5
    tracemalloc.start()
    count(huge)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{'memory to count 50 MB':<40} {peak / 1e3:>10.1f} KB   {peak / len(huge):>8.5f}x of the text")

    if WINDOWS.exists():
        subprocess.run([sys.executable, FIT, "--judge", WINDOWS], check=True)


if __name__ == "__main__":
    main()
