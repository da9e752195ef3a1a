"""What the security server takes and answers: the size of each answer against the limits of the specification.

Each line has the figure of this run and the limit that it should keep, where there is one. The calls go over standard
input and output with a real client and the real engines; a time is the quickest of three, and has no limit, as the
engines are other people's.

    python bench/examples/security.py              the sample project: a few seconds
    python bench/examples/security.py FOLDER       any folder
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

from bench.example_parts.calls import call, client_of
from tests.kit.examples.samples.security import make_sample

from penstock import count

LIMIT_FINDINGS, LIMIT_BYTES, LIMIT_TOKENS = 50, 50_000, 16_000
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("scan, all engines", "scan", {}),
    ("scan, bandit", "scan", {"engines": ["bandit"]}),
    ("scan, detect-secrets", "scan", {"engines": ["detect-secrets"]}),
    ("the first findings", "get_findings", {}),
    ("the newest findings", "get_findings", {"strategy": "newest"}),
    ("all findings at once: held", "get_findings", {"limit": 100_000}),
    ("bill of materials, the environment: held", "generate_sbom", {"source": "environment"}),
]


def say(what: str, figure: int, limit: int, unit: str) -> None:
    print(f"{what:45} {figure:8,} {unit:9} limit {limit:,} {unit}  {'ok' if figure <= limit else 'MISSED'}")


async def measured(folder: Path) -> None:
    async with client_of("security", str(folder)) as client:
        texts = []
        for what, tool, arguments in CALLS:
            rounds = [await call(client, tool, arguments) for _ in range(3)]
            taken, text = min(rounds)
            texts.append(text)
            print(f"{what:45} {taken:8,.0f} ms  {len(text.encode()):8,} bytes  {count(text).tokens:7,} tokens")
    scan = json.loads(texts[0])
    hidden = scan.get("truncation_info", {}).get("hidden_by_severity", {})
    counts = sum(scan[f"{name}_count"] for name in ("critical", "high", "medium", "low"))
    print(f"{'findings in all':45} {scan['total_count']:8,}   counted {counts:,}, hidden {sum(hidden.values()):,}")
    say("findings shown by a scan", scan["shown_count"], LIMIT_FINDINGS, "findings")
    say("the largest answer", max(len(text.encode()) for text in texts), LIMIT_BYTES, "bytes")
    say("the largest answer", max(count(text).upper for text in texts), LIMIT_TOKENS, "tokens")


def bench_security(folder: Path | None = None) -> None:
    """Print the figures for a folder, or for the sample project."""
    with tempfile.TemporaryDirectory() as temporary:
        make_sample(Path(temporary))
        asyncio.run(measured(folder or Path(temporary)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("folder", nargs="?", type=Path)
    bench_security(parser.parse_args().folder)
