"""Keys and values can not make a line, a fact or a cell: what is written for one reads back as that one alone."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from bench.facts_parts.wording import UnreadableError, read_tally, read_value
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from penstock.core.text import plain, tally
from tests.kit.facts.truth import assert_columns, assert_true, told_of

HOSTILE = (
    "open\nclosed ×999",
    "all 5 rows:",
    "rows 1-3:",
    "a · b ×12",
    "x ×7",
    "one | two|three",
    "tab\there",
    "absent ×90",
    "absent",
    "12 more",
    "… 4 more: action info",
    "true",
    "17",
    "1,204",
    '"quoted"',
    "ends with \\",
    "\x1b[31mred\x1b[0m",
    "bell\x07 null\x00",
    "line\u2028separator\x85next",
    "right\u202eleft",
    "private \U00100202 plane",
    " spaces around ",
    "status: open ×3 · closed ×4",
    "",
    "[3 items]",
    "{2 fields}",
    "…[+12]",
)
texts = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


def _rows(values: tuple[str, ...], count: int = 300) -> list[dict[str, Any]]:
    return [
        {
            "id": at,
            "status": values[at % len(values)],
            "note\n×1 · key": values[(at * 7) % len(values)],
            "fixed | key": HOSTILE[0],
            "text": f"{values[(at * 3) % len(values)]} number {at}",
        }
        for at in range(count)
    ]


def test_hostile_values_and_keys_of_records_are_only_values_and_keys() -> None:
    rows = _rows(HOSTILE)
    judged = told_of(json.dumps(rows))
    assert_true(judged)
    assert_columns(judged, {name: [row[name] for row in rows] for name in ("status", "note\n×1 · key")})
    assert not [one.what for one in judged.report.statements if one.verdict == "unchecked"]
    every = [*judged.info["facts"], *judged.preview.split("\n")]
    assert all(line.splitlines() in ([line], []) for line in every)
    assert all(line.isprintable() for line in every)


def test_hostile_cells_of_separated_values_are_only_cells() -> None:
    kept = [value for value in HOSTILE if "\x00" not in value]
    rows = [[str(at), kept[at % len(kept)], f"{kept[(at * 3) % len(kept)]} {at}"] for at in range(300)]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([["id", "status", "text"], *rows])
    judged = told_of(file.getvalue())
    assert_true(judged)
    assert all(line.splitlines() in ([line], []) for line in judged.preview.split("\n"))


@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_a_hostile_key_of_a_map_makes_no_line(name: str) -> None:
    rows = {f"{name} {at}": {"status": "open", "n": at, name: at % 3} for at in range(150)}
    judged = told_of(json.dumps({"total": 5, name: "beside", "rows": rows}))
    assert_true(judged)
    every = [*judged.info["facts"], *judged.preview.split("\n")]
    assert all(line.isprintable() for line in every)


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_line_of_a_log_makes_no_fact(value: str) -> None:
    line = value.replace("\n", " ").replace("\x00", "")
    lines = [
        f"2026-05-01 10:{at // 60 % 60:02}:{at % 60:02} {('INFO', 'WARN')[at % 2]} {line} {at}" for at in range(400)
    ]
    judged = told_of("\n".join(lines))
    assert not judged.report.wrong
    assert all(one.splitlines() in ([one], []) for one in judged.preview.split("\n"))


@given(value=texts)
def test_a_written_value_reads_back_as_that_value_alone(value: str) -> None:
    written = read_value(plain(value))
    assert written.means(value)
    assert not any(written.means(other) for other in (0, 17, 1204, True, False, None))


@given(value=st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none())
def test_a_written_number_is_not_that_of_a_text(value: float | bool | None) -> None:
    written = read_value(plain(value))
    assert written.means(value)
    assert not written.means(str(value))


@given(counts=st.dictionaries(texts, st.integers(1, 10**6), min_size=1, max_size=12), most=st.integers(1, 12))
def test_a_tally_reads_back_as_its_counts(counts: dict[str, int], most: int) -> None:
    values = sorted(counts.items(), key=lambda one: -one[1])
    read = read_tally(tally(values, most))
    assert read is not None
    assert len(read.counts) + read.more == len(values)
    for (written, count), (value, truth) in zip(read.counts, values, strict=False):
        assert written.means(value)
        assert count == truth


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(values=st.lists(texts, min_size=2, max_size=8, unique=True))
@example(values=["00\x1f\x1f\x1f\x1f\U000113e0\U0003e1f0\U000ae35b", HOSTILE[0]])  # escapes, too many for one answer
def test_any_texts_in_records_make_no_false_statement(values: list[str]) -> None:
    judged = told_of(json.dumps(_rows(tuple(values), 200)))
    assert_true(judged)


@pytest.mark.parametrize("text", ['"open', "a · b", "x ×7", "one|two", "line\nbreak", "…"])
def test_a_separator_without_quotes_is_no_value(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_value(text)
