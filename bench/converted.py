"""Measure the CPU of admitting YAML, XML and HTML: of the process that parses them, and of the gate.

    python bench/converted.py [--mb 1.5]

Each line has both in ms per MB, the limit and whether it is kept (``ok`` or ``OVER``), and the ratio of their sum to
``json.loads`` + ``json.dumps`` of the same envelope in the same run. The best of three counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

import psutil
from bench.shapes.documents import html_page, xml_test_report, yaml_manifests
from bench.shapes.records import order
from bench.shapes.sampler import Sampler

from penstock import Call, Config, Gate, open_store
from penstock.query.parse.convert import Converter

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT: Final = 150.0  # ms per MB, up to 2 MB
ROUNDS: Final = 3


def yaml_list(size: int) -> str:
    """Make records as a list in YAML."""
    return _grown(size, lambda row: "".join(f"{'- ' if not at else '  '}{k}: {v}\n" for at, (k, v) in enumerate(row)))


def xml_elements(size: int) -> str:
    """Make records in XML, a child element for each field."""
    rows = _grown(size, lambda row: f"<order>{''.join(f'<{name}>{cell}</{name}>' for name, cell in row)}</order>\n")
    return f"<orders>\n{rows}</orders>\n"


def html_table(size: int) -> str:
    """Make a page that is one large table."""
    rows = _grown(size, lambda row: f"<tr>{''.join(f'<td>{cell}</td>' for _, cell in row)}</tr>\n")
    return f"<!doctype html><title>Orders</title><h1>All</h1><table>{rows}</table>"


def _grown(size: int, row: Callable[[list[tuple[str, object]]], str]) -> str:
    parts: list[str] = []
    length = 0
    draw = Sampler(7)
    for number in count():
        parts.append(row(list(order(draw, number).items())))
        length += len(parts[-1])
        if length >= size:
            break
    return "".join(parts)


def measure(text: str) -> tuple[float, float, float]:
    """The CPU of the parser's process, of the gate, and of the baseline, in seconds; the best of some rounds."""
    raw = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
    found: list[tuple[float, float, float]] = []
    with open_store("memory:") as store, closing(Gate(store, Config(), converter=Converter(workers=1))) as gate:
        gate.admit(Call(tool="read", owner="me"), raw)  # starts the process
        children = psutil.Process().children()
        for _ in range(ROUNDS):
            before = _spent(children)
            start = time.process_time()
            gate.admit(Call(tool="read", owner="me"), raw)
            middle = time.process_time()
            json.dumps(json.loads(raw))
            found.append((_spent(children) - before, middle - start, time.process_time() - middle))
    return min(found, key=lambda one: one[0] + one[1])


def _spent(processes: list[psutil.Process]) -> float:
    return sum(sum(one.cpu_times()[:2]) for one in processes)


def main() -> int:
    """Print a line for each form."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=1.5, help="the size of each text (default: 1.5)")
    size = int(parser.parse_args().mb * 1e6)
    kept = True
    for make in (yaml_manifests, yaml_list, xml_test_report, xml_elements, html_page, html_table):
        text = str(make(size))
        parsing, gating, baseline = (seconds * 1e9 / len(text.encode()) for seconds in measure(text))
        whole = parsing + gating
        kept = kept and whole <= LIMIT
        print(
            f"{make.__name__:16} parser {parsing:6.1f} + gate {gating:6.1f} = {whole:6.1f} ms/MB "
            f"(at most {LIMIT:.0f}) {'ok' if whole <= LIMIT else 'OVER':4} {whole / baseline:6.1f}x"
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
