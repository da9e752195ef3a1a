"""Findings and matches: records that point to places in files, told by file and folder."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.forms.facts import check_rows, flat, reading_of

FILES = ["src/app/main.py", "src/app/util.py", "docs/index.md", "setup.py"]


def finding(number: int, **more: Any) -> dict[str, Any]:
    return {"file": FILES[number % 4], "line": number, "message": f"m{number}", **more}


@given(st.lists(st.sampled_from(FILES), min_size=2, max_size=30))
def test_findings_are_told_with_the_number_of_files(files: list[str]) -> None:
    rows = [{"path": file, "line": at, "severity": "low", "text": "x"} for at, file in enumerate(files)]
    reading = reading_of({"issues": rows})
    count = len(set(files))
    assert reading.form == "findings"
    assert reading.words == f"{len(rows)} issues in {count} file{'s' * (count > 1)}, .issues (4 columns)"
    check_rows(reading, rows)


def test_matches_have_a_line_and_no_rule() -> None:
    reading = reading_of([finding(number) for number in range(9)])
    assert (reading.form, reading.words) == ("matches", "9 matches in 4 files")
    single = reading_of([finding(0)])
    assert single.words == "1 match in 1 file"


def test_a_type_that_says_how_bad_it_is_makes_a_finding() -> None:
    kinds = ["error", "Warning", "convention"]
    assert reading_of([finding(n, type=kinds[n % 3]) for n in range(9)]).words == "9 findings in 4 files"
    assert reading_of([finding(n, type=["error", "match"][n % 2]) for n in range(9)]).form == "matches"
    assert reading_of([finding(n, type=["error", "log"][n % 2]) for n in range(9)]).form == "records"  # of a console


def test_a_rule_is_enough_where_files_repeat() -> None:
    repeated = [{"filename": FILES[n % 2], "rule_id": f"R{n}"} for n in range(9)]
    assert reading_of(repeated).form == "findings"
    once = [{"filename": f"a{n}.py", "rule_id": f"R{n}"} for n in range(9)]
    assert reading_of(once).form == "records"


@pytest.mark.parametrize(
    "row",
    [
        {"location": {"path": "a/b.py", "line": 3}},
        {"location": {"file": {"path": "a/b.py"}, "range": {"line": 3}}},
        {"location": {"file": {"path": "a/b.py"}, "line": 3}},
    ],
)
def test_a_line_belongs_to_the_file_it_is_near_to(row: dict[str, Any]) -> None:
    reading = reading_of([row, row])
    assert reading.form == "matches"
    check_rows(reading, [dict(flat(row))] * 2)


@pytest.mark.parametrize(
    "rows",
    [
        [finding(n, state="open") for n in range(9)],  # what an API has
        [finding(n, created_at="2024-01-01") for n in range(9)],
        [finding(n, level="error", lastSeen="2024-01-01") for n in range(9)],
        [{"file": f"https://example.org/{n} {n}", "line": n} for n in range(9)],  # no files
        [{"file": n, "line": n} for n in range(9)],
        [{"file": FILES[0] if n < 2 else None, "line": n} for n in range(9)],  # rarely a file
        [{"a": {"file": FILES[n % 4]}, "b": {"c": {"line": n}}} for n in range(9)],  # a line of something else
        [{"file": FILES[n % 4], "line": "x"} for n in range(9)],
        [{"file": f"a{n}.py", "size": n} for n in range(9)],
    ],
)
def test_other_records_are_no_findings(rows: list[dict[str, Any]]) -> None:
    assert reading_of(rows).form == "records"


@pytest.mark.parametrize("name", ["path", "uri"])
@pytest.mark.parametrize("inside", ["url", "http_request", None])
def test_addresses_on_the_web_are_no_files(name: str, inside: str | None) -> None:
    paths = ["/api/cart", "/api/pay.json"] if inside else ["/api/cart", "/health"]
    cells = [{name: path} for path in paths]
    rows = [
        {**(one if inside is None else {inside: one}), "level": "error", "n": at} for at, one in enumerate(cells * 4)
    ]
    reading = reading_of(rows)
    assert reading.form == "records"
    assert not reading.facts


def test_too_many_files_to_count_are_said_to_be_many() -> None:
    rows = [{"file": f"src/{n}/a{n}.py", "line": n, "message": "m"} for n in range(70_000)]
    reading = reading_of(rows)
    assert reading.form in ("matches", "records")
    assert "70,000" in reading.words
