"""Lines about failures equal the rows, counted in another way, for tables of any form."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.core.forms.reading import Cells
from penstock.core.notice.failures import failure_lines
from penstock.core.notice.sample_rows import telling_rows
from penstock.core.severity import failure_of
from penstock.core.text import tally
from tests.kit.forms.facts import reading_of

if TYPE_CHECKING:
    from penstock.core.forms.reading import Table


def table_of(rows: Any) -> tuple[Table, Cells]:
    reading = reading_of(rows)
    assert reading.main is not None
    assert reading.cells is not None
    return reading.main, reading.cells


def rows_of(seed: int, states: list[Any]) -> list[dict[str, Any]]:
    random = Random(seed)
    return [
        {
            "state": random.choice(states),
            "team": random.choice(["red", "blue", "green"]),
            "note": f"n{at} words",
        }
        for at in range(200)
    ]


@pytest.mark.parametrize("failed", ["failed", "ERROR", "not ok", "***Failed", "✖"])
def test_failures_are_counted_by_the_best_group(failed: str) -> None:
    rows = rows_of(3, ["passed", "passed", "skipped", failed])
    counts = Counter(row["team"] for row in rows if row["state"] == failed)
    lines = failure_lines(*table_of(rows))
    assert lines == [f"state {failed} by team: {tally(counts.most_common())}"]
    main, cells = table_of(rows)
    assert telling_rows(main, cells) == [next(at for at, row in enumerate(rows) if row["state"] == failed)]
    assert failure_lines(main, cells, crossed=main.fields) == []


def test_errors_of_a_server_are_one_kind() -> None:
    rows: list[dict[str, Any]] = [
        {"status": [200, 200, 500, 503, 404][at % 5], "path": f"src/a{at % 3}.py", "line": at + 1} for at in range(100)
    ]
    counts = Counter(row["path"] for row in rows if row["status"] >= 500)
    assert failure_lines(*table_of(rows)) == [f"5xx by path: {tally(counts.most_common())}"]
    assert [failure_of(value) for value in (499, 500, 599, 600, None, "ok")] == ["", "5xx", "5xx", "", "", ""]


@pytest.mark.parametrize("backwards", [False, True])
def test_the_last_failure_is_named_if_it_has_the_latest_time(backwards: bool) -> None:
    rows = [
        {"level": "ERROR" if at % 7 == 3 else "INFO", "at": f"2026-01-05T10:00:{at:02}Z", "line": at + 1}
        for at in range(60)
    ]
    lines = failure_lines(*table_of(rows[::-1] if backwards else rows))
    assert [line for line in lines if line.startswith("last")] == (
        [] if backwards else [f"last ERROR: {rows[59]['at']}, line 60"]
    )


@pytest.mark.parametrize("odd", ["2026-01-05", "x"])
def test_times_that_do_not_compare_have_no_latest(odd: str) -> None:
    rows = [
        {"level": "ERROR" if at % 7 == 3 else "INFO", "at": f"10:00:{at:02}" if at % 2 else odd, "line": at}
        for at in range(60)
    ]
    assert not any(line.startswith("last") for line in failure_lines(*table_of(rows)))


def test_what_was_found_to_be_critical_has_not_failed() -> None:
    graded = [{"severity": row["state"], "team": row["team"]} for row in rows_of(5, ["low", "critical"])]
    assert failure_lines(*table_of(graded)) == []
    assert failure_lines(*table_of(rows_of(6, ["open", "closed"]))) == []


def test_cells_that_are_not_at_hand_say_nothing() -> None:
    main, _ = table_of(rows_of(4, ["ok", "failed"]))
    some = Cells([0], {})  # Only some rows are at hand, as in a sample.
    assert failure_lines(main, some) == []
    assert telling_rows(main, some) == []


def test_failures_that_come_once_in_each_group_are_not_counted_by_group() -> None:
    rows = rows_of(3, ["ok"])
    for at, team in ((3, "red"), (90, "blue"), (150, "green")):
        rows[at] |= {"state": "failed", "team": team}
    assert not any("state failed by team" in line for line in failure_lines(*table_of(rows)))
