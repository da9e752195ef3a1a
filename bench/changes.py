"""Measure what it costs to compare a result with the one that the same call gave before.

Each line has the CPU of an admission with an earlier result to compare with, beside that of the same admission without
one, in the same run. ``some`` changes one part in fifty, takes one in a hundred out and adds some; ``all`` changes
every part, which is the worst that a result can do. Results come from ``bench/shapes``; the store is in memory.

    python bench/changes.py [--only log] [--megabytes 1.5] [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from bench.shapes import MB, SHAPES

from penstock import Call, Config, Gate, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMIT: Final = 1.30  # times an admission without an earlier result
FEW: Final = 50  # parts of which one is changed,
FEWER: Final = 100  # and one is taken out


def text_of(name: str, size: int) -> str:
    made = SHAPES[name].make(size)
    return made if isinstance(made, str) else "\n".join(made)


def changed(text: str, every: int) -> str:
    """Return a text with one part in so many changed: rows of JSON, or lines."""
    try:
        value = json.loads(text)
    except ValueError:
        lines = text.split("\n")
        if lines[0].startswith("{"):
            rows = json.loads(changed(f"[{','.join(filter(None, lines))}]", every))
            return "\n".join(_written_like(text, row) for row in rows)
        lines[::every] = map(_other, lines[::every])
        if every > 1:
            del lines[7::FEWER]
            lines[-3:-3] = map(_other, lines[9:12])
        return "\n".join(lines)
    rows = max(_lists(value), key=len)
    for row in rows[::every]:
        _change(row)
    if every > 1:
        rows += [json.loads(json.dumps(row)) for row in rows[:3]]
        for row in rows[-3:]:
            _renew(row)
        del rows[7::FEWER]
    return _written_like(text, value)


def _written_like(text: str, value: Any) -> str:
    separators = (",", ":") if '": ' not in text[:100] else None
    indent = next((width for width in (4, 2) if text[1:].startswith("\n" + " " * width)), None)
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)


def _other(text: str) -> str:
    """Return a text of the same length with another last letter or digit."""
    at = next((at for at in range(len(text) - 1, -1, -1) if text[at].isalnum()), None)
    return text if at is None else text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :]


def _lists(value: Any) -> Iterator[list[Any]]:
    yield [value]
    if isinstance(value, list):
        yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inside:
        if isinstance(one, list | dict):
            yield from _lists(one)


def _change(row: Any) -> None:
    """Change one value of a row: the last that is a text."""
    texts = [key for key, one in row.items() if isinstance(one, str)] if isinstance(row, dict) else []
    if texts:
        row[texts[-1]] = _other(row[texts[-1]])


def _renew(row: Any) -> None:
    for key, one in row.items() if isinstance(row, dict) else ():
        row[key] = f"{one}-new" if isinstance(one, str) else one + 10**9 if type(one) is int else one
        if isinstance(one, dict):
            _renew(one)


def measured(versions: tuple[str, str], rounds: int) -> tuple[float, float, str]:
    """Return the least CPU ms of an admission without an earlier result and with one, and what the notice then says."""
    raws = [json.dumps({"content": [{"type": "text", "text": one}]}, ensure_ascii=False).encode() for one in versions]
    fresh = count()
    alone, compared, words = [], [], ""
    with open_store("memory:") as store:
        gate = Gate(store, Config())

        def admit(at: int, number: int) -> tuple[float, bytes]:
            start = time.process_time()
            answer = gate.admit(Call(tool="x", owner="o", arguments={"n": number}), raws[at % 2])
            return (time.process_time() - start) * 1_000, answer

        admit(0, -1)
        for at in range(1, 2 * rounds + 1):
            alone.append(admit(at, next(fresh))[0])
            taken, answer = admit(at, -1)
            compared.append(taken)
            words = json.loads(json.loads(answer)["content"][0]["text"])["changes"].partition(": ")[2]
    return min(alone), min(compared), words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--megabytes", type=float, default=1.5)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    ways: dict[str, Callable[[str], str]] = {
        "same": lambda text: text,
        "some": lambda text: changed(text, FEW),
        "all": lambda text: changed(text, 1),
    }
    print(f"{'shape':<22}{'changed':<9}{'MB':>6}{'alone ms':>10}{'with ms':>10}{'ratio':>7}  limit {LIMIT:g}")
    for name in SHAPES if options.only == "every" else CHOSEN:
        if options.only not in ("", "every") and options.only not in name:
            continue
        text = text_of(name, int(options.megabytes * MB))
        for way, change in ways.items():
            alone, compared, words = measured((text, change(text)), options.rounds)
            ratio = compared / alone
            print(
                f"{name:<22}{way:<9}{len(text) / MB:6.2f}{alone:10.1f}{compared:10.1f}{ratio:7.2f}  "
                f"{'OVER' if ratio > LIMIT else 'ok':<6}{words[:110]}",
                flush=True,
            )


CHOSEN: Final = (
    "pull-requests",
    "pods",
    "flat-records",
    "json-lines",
    "package-releases",
    "design-document",
    "service-log",
    "csv-numbers",
    "find-listing",
    "markdown",
)

if __name__ == "__main__":
    main()
