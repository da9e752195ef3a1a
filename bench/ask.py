"""Ask generated documents as a model would first write the question, and count what is silently wrong.

python bench/ask.py [--show] [--only TEXT]

Each question is asked as it is drafted: names without quotes, other case, a text against a number, a list against a
scalar, a date against a timestamp, amounts with currency signs. ``right``: the first answer is the truth. ``mended``: a
note of the answer has the expression that gives the truth. ``noted``: a note says what is wrong. ``error``: the query
is refused. ``silent``: the answer is wrong, and nothing says so. One of these fails the bench.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from bench.ask_parts.documents import documents
from bench.ask_parts.reader import Outcome, QueryError, Reading, read, rows_of

from penstock.core.forms.document import read as read_document
from penstock.core.forms.recognise import read_form
from penstock.core.json.index import reader
from penstock.errors import CallerError
from penstock.query.jq.filter import run_filter
from penstock.query.jq.unmatched import unmatched
from penstock.query.sandbox.sandbox import Sandbox
from penstock.query.source import Source
from penstock.query.sql.query import run_sql

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.ask_parts.question import Document, Question

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def asker(text: str, sandbox: Sandbox) -> Callable[[str, str], tuple[Any, list[str]]]:
    """Return the function that asks one document."""
    document = read_document(text)
    tables = tuple(table.kept for table in read_form(document).tables)
    source = Source(read=reader(document.body), index=document.index, tables=tables)

    def ask(language: str, query: str) -> tuple[Any, list[str]]:
        try:
            if language == "jq":
                found = run_filter(query, source, sandbox)
                return rows_of(found.lines), unmatched(query, found.json, source, sandbox)
            answer = run_sql(query, {"held": source}, sandbox)
            return rows_of(answer.lines), list(answer.notes)
        except CallerError as error:
            raise QueryError(str(error)) from None

    return ask


def readings(sandbox: Sandbox) -> list[tuple[Document, Question, Reading]]:
    """Ask every question of every document."""
    found = []
    for document in documents():
        ask = asker(document.text, sandbox)
        found += [(document, question, read(question, ask)) for question in document.questions]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print every question that was not right at once")
    parser.add_argument("--only", default="", help="documents whose names contain this")
    options = parser.parse_args()
    with Sandbox(workers=1) as sandbox:
        found = [one for one in readings(sandbox) if options.only in one[0].name]
    for document, question, reading in found:
        if reading.outcome == "silent" or (options.show and reading.outcome != "right"):
            print(f"{reading.outcome:7} {document.name}: {question.draft}")
            print(f"        truth {question.truth!r}, answer {str(reading.rows)[:120]}")
            print(*(f"        {note}" for note in reading.notes), sep="\n")
    slips = Counter((question.slip, reading.outcome) for _, question, reading in found)
    print(f"{'slip':22}" + "".join(f"{outcome:>8}" for outcome in OUTCOMES))
    for slip in sorted({slip for slip, _ in slips}):
        print(f"{slip:22}" + "".join(f"{slips[slip, outcome]:8}" for outcome in OUTCOMES))
    totals = Counter(reading.outcome for *_, reading in found)
    print(f"{'all':22}" + "".join(f"{totals[outcome]:8}" for outcome in OUTCOMES))
    print(f"{len(found)} questions, {len({one.name for one, *_ in found})} documents")
    return 1 if totals["silent"] else 0


if __name__ == "__main__":
    sys.exit(main())
