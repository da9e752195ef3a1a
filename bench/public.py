"""Ask the questions of a public benchmark, and print how many the first answer settles, the tokens, and what is wrong.

python bench/public.py [FOLDER] [--only TEXT] [--read] [--why] [--show]

FOLDER has the data of LongFuncEval/toolJSONprocessing: real answers of two APIs, and questions with gold answers. It
is not part of the repository. No model takes part: ``first`` counts questions whose gold answer the notice or the
preview states, ``next`` those that the answer to the offered query states, and ``SQL`` those that one SQL text for each
template answers correctly by the benchmark's metric. Tokens are means for one question. The gate has its default
configuration.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from bench.public_parts.asking import hold, outcomes
from bench.public_parts.questions import load

from penstock import Config, Gate, open_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.public_parts.asking import Outcome
    from bench.public_parts.questions import Asked

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "public-bench"
HEAD = f"{'':40} {'asked':>5} {'first':>6} {'next':>6} {'SQL':>6} {'tokens: first':>14} {'with SQL':>9} {'whole':>7}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="folder with questions.jsonl and answers")
    parser.add_argument("--only", default="", help="only questions with this in their template, kind or answer file")
    parser.add_argument("--read", action="store_true", help="print what a model reads first, and ask nothing")
    parser.add_argument("--why", action="store_true", help="print for each question the lines that settle it")
    parser.add_argument("--show", action="store_true", help="print the questions that SQL does not answer correctly")
    options = parser.parse_args(arguments)
    if not (options.folder / "questions.jsonl").is_file():
        print(f"The benchmark's data is not in {options.folder}, so there is nothing to ask.")
        return
    questions = [one for one in load(options.folder) if is_asked(one, options.only)]
    with open_store("memory:") as store, closing(Gate(store, Config())) as gate:
        if options.read:
            read(gate, options.folder, questions)
            return
        every = list(outcomes(gate, options.folder, questions))
    for one in every:
        if options.why:
            print_reasons(one)
        if options.show and not one.is_right:
            print(f"{described(one.question)}\n    gold   {one.question.gold}\n    answer {one.answer}")
    report(every)


def is_asked(question: Asked, only: str) -> bool:
    """Return True if the text occurs in the question's template, kind or answer file."""
    return any(only in one for one in (question.task, question.kind, question.answer_file))


def read(gate: Gate, folder: Path, questions: Sequence[Asked]) -> None:
    """Print what a model reads first of each answer."""
    files = {one.answer_file: one for one in questions}
    for file, question in files.items():
        first = hold(gate, folder, question).first
        notice = json.dumps(first.notice, ensure_ascii=False, separators=(",", ":"))
        print(f"=== {file}, {first.tokens} tokens\n{notice}\n{first.preview}\n")


def print_reasons(one: Outcome) -> None:
    """Print the lines that settle a question, or that none do."""
    print(f"{described(one.question)}\n    gold  {one.question.gold[:300]}")
    for name, lines in (("first", one.first), ("next", one.next)):
        print(f"    {name:5} {lines[:600] or '(not settled)'}")


def described(question: Asked) -> str:
    return f"{question.id} {question.task} {question.answer_file}: {question.words}"


def report(every: Sequence[Outcome]) -> None:
    """Print the figures of each template, of each kind, and of all questions."""
    if not every:
        print("No question matches.")
        return
    tasks = dict.fromkeys((one.question.kind, one.question.task) for one in every)
    print(HEAD)
    for kind in sorted({kind for kind, _ in tasks}):
        for task in (task for of_kind, task in tasks if of_kind == kind):
            print(line(f"  {task}", [one for one in every if one.question.task == task]))
        print(line(kind, [one for one in every if one.question.kind == kind]))
    print(line("all", every))


def line(name: str, some: Sequence[Outcome]) -> str:
    """Return one line of the table."""
    number = len(some)
    settled = sum(bool(one.first) for one in some)
    by_next = sum(bool(one.next) for one in some)
    right = sum(one.is_right for one in some)
    first = sum(one.first_tokens for one in some) / number
    called = sum(one.first_tokens + one.call_tokens for one in some) / number
    whole = sum(one.whole_tokens for one in some) / number
    return f"{name:40} {number:5} {settled:6} {by_next:6} {right:6} {first:14,.0f} {called:9,.0f} {whole:7,.0f}"


if __name__ == "__main__":
    main()
