"""The check itself is strict: it finds a false statement wherever one is planted."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING

import pytest
from bench.facts_parts.judge import check
from bench.facts_parts.report import Report

from tests.kit.facts.made_json import a_tree, findings, records
from tests.kit.facts.made_text import changes, comma_separated
from tests.kit.facts.truth import told_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.facts_parts.judge import Judged

    from tests.kit.facts.made_json import Made


def _again(judged: Judged, text: str) -> Report:
    judged.report = Report()
    check(judged, text)
    return judged.report


@pytest.mark.parametrize("make", [records, findings, a_tree, changes, comma_separated])
def test_a_count_that_is_off_by_one_is_found(make: Callable[[int], Made]) -> None:
    made = make(5)
    judged = told_of(made.text)
    for number, line in enumerate(judged.info["facts"]):
        found = re.search(r"×(\d+(?:,\d{3})*)|sum (\d+)\b|(\d+) distinct", line)
        if found is None:
            continue
        planted = copy.deepcopy(judged)
        at, end = found.span(found.lastindex or 0)
        wrong = f"{int(found[found.lastindex or 0].replace(',', '')) + 1:,}"
        planted.info["facts"][number] = line[:at] + wrong + line[end:]
        assert _again(planted, made.text).wrong, line


def test_a_false_number_of_rows_bytes_or_levels_is_found() -> None:
    made = records(6)
    judged = told_of(made.text)
    for name in ("item_count", "total_bytes", "max_depth"):
        planted = copy.deepcopy(judged)
        planted.notice["metadata"][name] += 1
        assert _again(planted, made.text).wrong


def test_a_false_cell_and_a_false_range_of_rows_are_found() -> None:
    made = records(6)
    judged = told_of(made.text)
    planted = copy.deepcopy(judged)
    planted.preview = re.sub(r"\n(7\d+)\|", lambda found: f"\n{int(found[1]) + 1}|", planted.preview, count=1)
    assert planted.preview != judged.preview
    assert _again(planted, made.text).wrong
    planted = copy.deepcopy(judged)
    planted.notice["shown"]["rows"] = "1-3"
    assert _again(planted, made.text).wrong


def test_a_false_shape_is_found() -> None:
    made = records(6)
    judged = told_of(made.text)
    assert "shape" in judged.notice
    data = json.loads(made.text)
    del data["tickets"][7]["subject"]
    data["tickets"][9]["extra"] = 1
    report = _again(judged, json.dumps(data))
    assert any(one.what.startswith("shape of") for one in report.wrong)


def test_a_value_that_the_data_does_not_have_is_found() -> None:
    made = records(6)
    judged = told_of(made.text)
    judged.info["facts"] = [line.replace("open ×", "opened ×") for line in judged.info["facts"]]
    assert _again(judged, made.text).wrong
