"""The gateway beside the server alone, beside the least that any gateway costs, and beside other gateways.

Every figure has its ratio to direct of the same run, and every limit says whether the gateway keeps it. The client and
the server come from a folder named in PENSTOCK_BENCH (``../shared/bench`` otherwise); the other gateways are installed
from PyPI into ``.bench/`` on first use.

    python bench/gateway.py                                   all of it, 15 to 30 minutes
    python bench/gateway.py --quick --targets direct,penstock  a minute
    python bench/gateway.py --suites tiny,reading
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from bench.gateway_parts.conform import conform
from bench.gateway_parts.kit import Kit, find
from bench.gateway_parts.peers import NotInstalledError, installed
from bench.gateway_parts.reading import reading
from bench.gateway_parts.suites import Plan, big, measure, mixed, speed
from bench.gateway_parts.table import remarks, show
from bench.gateway_parts.targets import TARGETS, Target

if TYPE_CHECKING:
    from collections.abc import Callable

SUITES = ("startup", "tiny", "flight", "big", "mixed", "conform", "reading")


def some(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    def read(text: str) -> tuple[str, ...]:
        words = tuple(text.split(","))
        for word in words:
            if word not in known:
                raise argparse.ArgumentTypeError(f"{word!r} is none of {', '.join(known)}")
        return words

    return read


def started(kit: Kit, names: tuple[str, ...], folder: Path) -> dict[str, Target]:
    """The targets that can be measured; direct always, as everything is compared with it."""
    print("Targets:\n")
    targets = {}
    for name in dict.fromkeys(("direct", *names)):
        place = folder / name
        place.mkdir()
        try:
            targets[name] = TARGETS[name](kit, place)
            print(f"- {name}: {targets[name].title}")
        except NotInstalledError as error:
            print(f"- {name}: failed: {error}")
    return targets


def counting(kit: Kit) -> Kit:
    """With a client that counts tokens exactly, where that can be installed."""
    try:
        return replace(kit, python=str(installed("tokenizer") / "python"))
    except NotInstalledError as error:
        remarks([f"tokens in the tables of large results and features are bytes / 4: the tokenizer was {error}"])
        return kit


def plans(suites: tuple[str, ...], *, quick: bool) -> list[Plan]:
    sizes = (10,) if quick else (10, 50)
    some_speed = [speed(suites, quick=quick)] if {"startup", "tiny", "flight"} & set(suites) else []
    return [
        *some_speed,
        *(big(size, quick=quick) for size in sizes if "big" in suites),
        *(mixed(size, quick=quick) for size in sizes if "mixed" in suites),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = tuple(TARGETS)
    parser.add_argument("--targets", type=some(names), default=names, help=f"some of {','.join(names)}")
    parser.add_argument("--suites", type=some(SUITES), default=SUITES, help=f"some of {','.join(SUITES)}")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and nothing of 50 MB")
    asked = parser.parse_args()
    kit = find()
    if isinstance(kit, str):
        print(kit)
        return
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder:
        targets = started(kit, asked.targets, Path(folder))
        # The tokenizer takes a second to load, which must not stand between two runs that are compared.
        for plan in plans(asked.suites, quick=asked.quick):
            counted = "tokens" in " ".join(figure.title for figure in plan.figures)
            show(plan.title, measure(counting(kit) if counted else kit, plan, targets), list(targets), plan.remark)
        if "conform" in asked.suites:
            conform(counting(kit), targets)
        if "reading" in asked.suites and "penstock" in targets:
            reading(kit, targets["direct"], targets["penstock"])


if __name__ == "__main__":
    main()
