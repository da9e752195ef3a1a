"""Compare what was told of generated data with what its generator knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.facts_parts.columns import Cells, check_column
from bench.facts_parts.judge import Judged, admitted
from bench.facts_parts.report import Report
from bench.facts_parts.wording import split_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock import Gate

LIMIT = 4_000  # tokens: small data is too large for it
GATES: list[Gate] = []  # one for all tests, as each starts a process for questions


def told_of(text: str | Sequence[str]) -> Judged:
    """Hold a payload and compute all statements again, from the text alone."""
    return admitted(GATES[-1], LIMIT, text)


def assert_true(judged: Judged) -> None:
    """Nothing that was said is false, and every offered call runs, fits and costs what it says."""
    assert [(one.what, one.said, one.truth) for one in judged.report.wrong] == []
    assert [(one.arguments, one.fault) for one in judged.faults] == []
    assert judged.offers


def assert_columns(judged: Judged, columns: Mapping[str, Sequence[Any]], *, loose: bool = False) -> None:
    """What is said of each of these columns agrees with its cells, which the generator knows."""
    report = Report()
    facts = judged.info["facts"]
    for name, cells in columns.items():
        lines = [found[1] for line in facts if (found := split_name(line, [name])) is not None]
        lines = [body for body in lines if not body.startswith("least ")]  # where the extremes are: a line of its own
        shared = [line for line in facts if name in line.partition(": ")[2].split(", ")]
        constant = [line for line in facts if line.startswith("constant: ") and f"{name}=" in line]
        assert lines or shared or constant, (name, facts)
        for body in lines:
            check_column(report, name, body, Cells(values=cells, loose=loose))
    assert [(one.what, one.said, one.truth) for one in report.wrong] == []


def assert_rows(judged: Judged, count: int, form: str) -> None:
    """The form, and the number of rows, wherever it is said."""
    assert judged.form == form, judged.info["what"]
    assert judged.notice["metadata"]["item_count"] == count
    assert judged.notice["shown"]["of"] == count
    assert judged.info["tables"][0]["rows"] == count
    assert f"{count:,}" in judged.notice["message"]
