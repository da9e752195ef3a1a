from __future__ import annotations

import base64
import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from penstock.core.forms.registry import FORMS
from tests.kit.facts import made_pairs, made_text
from tests.kit.facts.made_json import phrase
from tests.kit.facts.made_pairs import PAIR_FORMS
from tests.kit.facts.made_text import TEXT_FORMS, a_log, changes, git_log_with_patches
from tests.kit.facts.truth import GATES, assert_columns, assert_rows, assert_true, told_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kit.facts.made_json import Made


@pytest.mark.parametrize("seed", [11, 29])
@pytest.mark.parametrize("make", [*TEXT_FORMS, *PAIR_FORMS], ids=lambda make: make.__name__)
def test_every_statement_about_a_text_agrees_with_the_data(make: Callable[[int], Made], seed: int) -> None:
    made = make(seed)
    judged = told_of(made.text)
    assert_true(judged)
    assert judged.form == made.form, judged.info["what"]
    assert_rows(judged, made.count, made.form)
    assert_columns(judged, made.columns, loose=True)


@pytest.mark.parametrize("make", [*made_pairs.FORMLESS, *made_text.FORMLESS], ids=lambda make: make.__name__)
def test_text_without_a_form_of_its_own_is_read_by_a_general_form(make: Callable[[int], Made]) -> None:
    made = make(11)
    judged = told_of(made.text)
    assert_true(judged)
    assert judged.form == made.form, judged.info["what"]
    assert judged.notice["metadata"]["item_count"] == made.count
    assert_columns(judged, made.columns, loose=True)
    asked = {"cache_id": judged.notice["cache_id"], "action": "sql", "sql": "SELECT count(*) AS n FROM lines"}
    answer = json.loads(GATES[-1].fetch("reader", asked))
    assert str(len(made.text.splitlines())) in json.dumps(answer["content"])


ITEM_FORMS = {form.name for form in FORMS if form.reads_items}
LINES = [make for make in TEXT_FORMS if make(1).form in ITEM_FORMS]


@pytest.mark.parametrize("make", LINES, ids=lambda make: make.__name__)
def test_every_statement_about_lines_in_an_array_agrees_with_the_data(make: Callable[[int], Made]) -> None:
    made = make(17)
    lines = [line for line in made.text.split("\n") if line.strip()]
    judged = told_of(json.dumps({"lines": lines, "count": len(lines)}))
    assert_true(judged)
    assert judged.form in (made.form, "values"), judged.info["what"]
    assert judged.notice["metadata"]["item_count"] == len(lines)


def test_a_log_tells_its_errors() -> None:
    made = a_log(4)
    counts = Counter(made.columns["level"])
    assert f"{counts['ERROR']} ERROR" in told_of(made.text).notice["message"]


@pytest.mark.parametrize("make", [changes, git_log_with_patches])
def test_changed_lines_are_told_in_all(make: Callable[[int], Made]) -> None:
    made = make(6)
    totals = f"(+{sum(made.columns['added']):,} -{sum(made.columns['removed']):,})"
    assert totals in told_of(made.text).notice["message"]


def test_prose_is_told_by_its_lines_and_shown_at_both_ends() -> None:
    random = Random(8)
    lines = [f"{phrase(random, 14).capitalize()}." for _ in range(600)]
    judged = told_of("\n".join(lines))
    assert_true(judged)
    assert judged.form == "text"
    assert judged.notice["metadata"]["item_count"] == 600
    assert judged.preview.startswith(lines[0])
    assert judged.preview.endswith(lines[-1])


def test_binary_data_is_told_by_its_type_and_size() -> None:
    data = b"\x89PNG\r\n\x1a\n" + Random(3).randbytes(40_000)
    judged = told_of(base64.b64encode(data).decode())
    assert f"{len(data):,} bytes" in judged.notice["message"] + judged.preview
    assert not judged.faults
