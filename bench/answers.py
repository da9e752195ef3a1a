"""Ask held results what people ask, and print whether the first answer settles it, whether the call is right, and the
tokens of both.

python bench/answers.py [--only TEXT] [--show] [--read]

Each question has one call to the fetch tool, as a good model would make it after it read the notice, and a truth that
the generator of the result computed. A question is settled by the first answer if its truth stands in the notice or the
preview, each value beside its label. The gate has its default configuration.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from bench.answers_parts import changes, formats, lines, nested, pages, records, streams, tables
from bench.answers_parts.judge import Answered, admit, answers
from bench.answers_parts.question import MAKERS

from penstock import Config, Gate, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

FAMILIES = (records, nested, streams, tables, lines, changes, pages, formats)  # importing them registers makers


def asked(only: str = "") -> Iterator[Answered]:
    """All answers, each family of results after the other, from one gate."""
    with open_store("memory:") as store, closing(Gate(store, Config())) as gate:
        for form, make in MAKERS.items():
            if only in form:
                yield from answers(gate, form, make())


def read(only: str) -> None:
    """Print what a model reads first of each result."""
    with open_store("memory:") as store, closing(Gate(store, Config())) as gate:
        for form, make in MAKERS.items():
            if only in form and (first := admit(gate, make(), form.partition(": ")[2])) is not None:
                print(f"=== {form}, {first.tokens} tokens\n{first.notice}\n{first.preview}\n")


def main() -> None:
    """Ask everything and print a table with its sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only results with this in their form or name")
    parser.add_argument("--show", action="store_true", help="print the answers to questions that are not right")
    parser.add_argument("--read", action="store_true", help="print what a model reads first, and ask nothing")
    options = parser.parse_args()
    if options.read:
        read(options.only)
        return
    every: list[Answered] = []
    for one in asked(options.only):
        every.append(one)
        told = f"{'first' if one.settled else '':5} {'right' if one.right else 'WRONG':5} {one.notice:6,} {one.call:6,}"
        print(f"{one.form[:34]:34} {told}  {one.question.words}", flush=True)
        if options.show and not one.right:
            print(f"    truth {one.question.truth}\n    answer {one.answer[:600]}")
    report(every)


def report(every: list[Answered]) -> None:
    """Print the sums, and which forms still have wrong answers."""
    number = max(1, len(every))
    results = {one.form: one.notice for one in every}
    forms = {name.partition(":")[0] for name in results}
    settled, right = sum(one.settled for one in every), sum(one.right for one in every)
    spent = sum(one.notice + one.call for one in every) / number
    needed = sum(one.notice + (0 if one.settled else one.call) for one in every) / number
    print(f"\n{len(every)} questions about {len(results)} results of {len(forms)} forms")
    print(
        f"settled by the first answer: {settled} ({settled / number:.0%}); right by one call: {right} of {len(every)}"
    )
    print(
        f"mean tokens: first answer {sum(results.values()) / max(1, len(results)):,.0f}, "
        f"first answer and call {spent:,.0f}"
    )
    print(f"mean tokens where a settled question needs no call: {needed:,.0f}")
    wrong = Counter(one.form.partition(":")[0] for one in every if not one.right)
    if wrong:
        print("wrong by form: " + ", ".join(f"{form} {count}" for form, count in wrong.most_common()))


if __name__ == "__main__":
    main()
