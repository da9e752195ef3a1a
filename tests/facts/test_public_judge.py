"""The judge of the public benchmark settles a question only if the text states its answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from bench.answers_parts.judge import First, first_of
from bench.public_parts.reading import Read, read_first
from bench.public_parts.rules import (
    Counted,
    CountedTwice,
    Distinct,
    Lookup,
    Outside,
    Selected,
    at_least,
    begins,
    contains,
    equals,
    lists,
    number_of,
    within,
    without,
)

if TYPE_CHECKING:
    from bench.public_parts.rules import Rule

OLD = """beside: page 1 · "12" more
all 412 tickets:
state: open ×233 · pending ×98 · solved ×81
org: Acme ×88 · "144" ×61 · Globex, Inc. ×40 · 37 more
plan: gold ×9 · silver ×2 · absent ×401
note: A very long note that does not fit the l…[+61] ×3 · short ×2
created: 2026-02-03T08:11:09Z .. 2026-10-30T17:45:51Z
score: 1 .. 5, sum 904 · absent ×148
size: numbers in text, "33" .. "3586", sum 7747 (CAST in SQL)
tags: 0 .. 6 items each, 931 in all: bug ×120 · ui ×88
always: locale en · brand main · 1 more
state open by owner: ann ×14 · bob ×7
… 3 more: action info
rows 1, 412:
id|state|owner|title
"70588"|open|ann|Invoice sent to the wrong company
"70511"|solved|bob|Cannot export the mon…[+12]"""

NEW = """column stats (412 rows):
priority by state (open pending solved): normal 120 70 50 · high 60 21 20 · "very high" 1,048 4 0
kind by owner (bug task): ann 3 4 · +3 values
state: open ×233 · pending ×98 · solved ×81    owner: 14 values, null ×120
org: Acme ×88 · +37 values
plan: gold ×9 · silver ×2 · null ×401
created: 2026-02-03T08:11:09Z to 2026-10-30T17:45:51Z    score: 1 to 5, mean 3.42, median 4, null ×148
size: numeric strings "33".."3586", sum 7,747 (use CAST)
tags: 0–6 per row, 931 total: bug ×120 · ui ×88 · +28 values
constant: locale=en, brand=main    all distinct: id, title
where state=open, by owner: ann ×14 · bob ×7
+3 columns (action: info)
sample rows 1, 412:
id|state|owner|title
"70588"|open|ann|Invoice sent to the wrong company
"70511"|solved|bob|Cannot export the mon…[+12]"""


def read(preview: str, total: int = 412) -> Read:
    return read_first(First(notice={"message": f"{total:,} tickets in .tickets."}, preview=preview, tokens=1))


@pytest.mark.parametrize("text", [OLD, NEW])
def test_reading_finds_the_same_facts_in_both_wordings(text: str) -> None:
    facts = read(text)
    assert facts.total == 412
    state, plan = facts.tallies["state"], facts.tallies["plan"]
    assert (state.counts, state.is_complete, state.absent) == ({"open": 233, "pending": 98, "solved": 81}, True, 0)
    assert (plan.counts, plan.is_complete, plan.absent) == ({"gold": 9, "silver": 2}, True, 401)
    assert not facts.tallies["org"].is_complete
    assert facts.tallies["org"].counts["Acme"] == 88
    assert set(facts.tallies["tags"].counts.values()) == {None}
    assert (facts.ranges["created"].least, facts.ranges["created"].greatest[:4]) == ("2026-02-03T08:11:09Z", "2026")
    assert (facts.ranges["score"].least, facts.ranges["score"].greatest) == ("1", "5")
    assert (facts.ranges["size"].least, facts.ranges["size"].greatest) == ("33", "3586")
    assert "tags" not in facts.ranges
    assert "score" not in facts.tallies
    assert "owner" not in facts.tallies
    assert (facts.constant("locale"), facts.constant("brand")) == ("en", "main")
    assert facts.constant("plan") is None
    assert [row.cells["id"] for row in facts.rows] == ["70588", "70511"]
    assert "title" not in facts.rows[1].cells
    assert not facts.has_all_rows


@pytest.mark.parametrize("text", [OLD, NEW])
def test_reading_finds_counts_for_one_value_of_another_column(text: str) -> None:
    cross = next(one for one in read(text).crosses if one.columns == {"state", "owner"})
    assert cross.count(lambda one: one == "open", lambda one: one == "bob") == 7
    assert cross.count(lambda one: one == "open", lambda one: one == "eve") == 0
    assert cross.count(lambda one: one == "solved", lambda one: one == "bob") is None


def test_reading_finds_cross_tabulations_in_either_order_of_columns() -> None:
    priority, kind = read(NEW).crosses[:2]
    assert priority.count(lambda one: one == "very high", lambda one: one == "open") == 1_048
    assert priority.count(lambda one: one == "pending", lambda one: one == "high") == 21
    assert priority.count(lambda one: one == "open", lambda one: one == "low") == 0
    assert priority.count(lambda one: one == "closed", lambda one: one == "low") is None
    assert priority.count(lambda one: "high" in one, lambda one: one == "open") is None
    assert kind.count(lambda one: one == "ann", lambda one: one == "task") == 4
    assert kind.count(lambda one: one == "task", lambda one: one == "bob") is None


def test_reading_ignores_a_matrix_whose_parts_have_other_numbers() -> None:
    assert read("kind by owner (bug task): ann 3 · bob 4").crosses == []


def test_reading_does_not_take_a_cut_list_as_complete() -> None:
    facts = read(OLD)
    assert (facts.tallies["note"].counts, facts.tallies["note"].is_complete) == ({"short": 2}, False)
    assert facts.tallies["org"].counts == {"Acme": 88, "144": 61, "Globex, Inc.": 40}


def test_reading_does_not_take_the_lengths_of_lists_as_the_range_of_a_column() -> None:
    assert read("photos: 6 .. 15 items each, 100 in all, all different").ranges == {}
    assert read("photos: 6 to 15 per row, 100 total").ranges == {}


def test_reading_does_not_take_a_value_as_constant_if_some_rows_lack_it() -> None:
    assert read("plan: gold ×412").constant("plan") == "gold"
    assert read("plan: gold ×400 · absent ×12").constant("plan") is None


def test_first_answer_in_one_block_reads_like_one_in_two_blocks() -> None:
    line = json.dumps({"type": "buffered_response", "message": "2 rows"}, separators=(",", ":"))
    one, two = first_of([f"{line}\na: x ×1\nb: y ×2"]), first_of([line, "a: x ×1\nb: y ×2"])
    assert one is not None
    assert two is not None
    assert (one.notice, one.preview) == (two.notice, two.preview)
    assert first_of(["all of it"]) is None


COUNT_STATE = Counted(column="state", meets=equals(0), is_exact=True)
COUNT_ORG = Counted(column="org", meets=equals(0), is_exact=True)
COUNT_PLAN = Counted(column="plan", meets=equals(0), is_exact=True)
SCORE = Outside(column="score", low=lambda values: float(values[0]), high=lambda values: float(values[1]))


@pytest.mark.parametrize(
    ("rule", "values", "gold", "is_settled"),
    [
        (COUNT_STATE, ("pending",), "98", True),
        (COUNT_STATE, ("pending",), "99", False),  # within one of the truth is not the truth
        (COUNT_STATE, ("closed",), "0", True),  # the list is complete
        (COUNT_STATE, ("closed",), "1", False),
        (COUNT_ORG, ("144",), "61", True),
        (COUNT_ORG, ("Initech",), "0", False),  # there are values that the line does not list
        (Counted(column="org", meets=contains(0)), ("Acme",), "88", False),  # another value may contain it
        (Counted(column="state", meets=contains(0)), ("end",), "98", True),
        (Counted(column="state", meets=contains(0)), ("n",), "331", False),  # a sum of two counts is not stated
        (Counted(column="note", meets=contains(0)), ("short",), "2", False),  # a cut value may contain it
        (Counted(column="owner", meets=equals(0), is_exact=True), ("ann",), "14", False),  # of open ones only
        (Counted(column="locale", meets=equals(0), is_exact=True), ("en",), "412", True),
        (Counted(column="tags", meets=equals(0), is_exact=True), ("bug",), "120", False),  # counts items, not rows
        (Distinct(column="state"), (), "Solved, open, pending", True),
        (Distinct(column="state"), (), "open, pending", False),
        (Distinct(column="org"), (), "Acme, 144, Globex, Inc.", False),
        (Lookup(key="id", column="owner"), ("70588",), "Ann", True),
        (Lookup(key="id", column="owner"), ("70588",), "bob", False),  # the cell of another row
        (Lookup(key="id", column="state"), ("70511",), "open", False),
        (Lookup(key="id", column="title"), ("70511",), "Cannot export the month", False),
        (Lookup(key="id", column="score"), ("70588",), "1", False),
        (Lookup(key="id", column="locale"), ("1",), "en", True),
        (Lookup(key="id", column="plan"), ("1",), "gold", False),
        (SCORE, ("6", "9"), "0", True),
        (SCORE, ("5", "9"), "0", False),
        (SCORE, ("0", "1"), "0", False),
        (SCORE, ("6", "9"), "1", False),
        (Outside(column="size", low=lambda _: 1, high=lambda _: 32), (), "0", True),
        (Selected(column="id", conditions={"state": equals(0)}, narrow={"state": 0}), ("solved",), "70511", False),
    ],
)
def test_rule_settles_a_question_only_if_the_text_states_the_answer(
    rule: Rule, values: tuple[str, ...], gold: str, is_settled: bool
) -> None:
    assert bool(rule(read(OLD), values, gold)) is is_settled


def test_counts_of_two_columns_need_a_line_about_both() -> None:
    rule = CountedTwice(one=COUNT_STATE, other=Counted(column="owner", meets=equals(1), is_exact=True))
    assert rule(read(OLD), ("open", "bob"), "7")
    assert not rule(read(OLD), ("open", "bob"), "98")
    assert not rule(read(OLD), ("pending", "bob"), "7")
    assert rule(read(OLD), ("closed", "bob"), "0")
    assert not rule(read("state: open ×7 · closed ×9\nowner: ann ×7 · bob ×9"), ("open", "ann"), "7")
    assert rule(read("always: state open\nowner: ann ×7 · bob ×405"), ("open", "ann"), "7")


SHOWN = """kind: bug ×2 · task ×1 · idea ×40
id|kind|day|state
1|bug|2026-01-03|open
2|bug|2025-01-03|open
3|task|2026-01-03|
4|idea|2026-01-03|open"""
BY_KIND = Selected(column="id", conditions={"kind": equals(0), "day": begins(1)}, narrow={"kind": 0})


@pytest.mark.parametrize(
    ("text", "total", "values", "gold", "is_settled"),
    [
        (SHOWN, 43, ("bug", "2026"), "1", True),
        (SHOWN, 43, ("bug", "2026"), "1, 2", False),
        (SHOWN, 43, ("idea", "2026"), "4", False),  # 39 others are not shown
        (SHOWN.replace("bug ×2", "bug ×3"), 43, ("bug", "2026"), "1", False),
        (SHOWN.replace("2|bug|2025-01-03", "2|bug|2025-…[+5]"), 43, ("bug", "2026"), "1", False),
        (SHOWN.replace("kind: bug ×2 · task ×1 · idea ×40\n", ""), 4, ("bug", "2026"), "1", True),
        (SHOWN.replace("kind: bug ×2 · task ×1 · idea ×40\n", ""), 5, ("bug", "2026"), "1", False),
    ],
)
def test_list_is_settled_only_if_the_text_shows_all_matching_rows(
    text: str, total: int, values: tuple[str, ...], gold: str, is_settled: bool
) -> None:
    assert bool(BY_KIND(read(text, total), values, gold)) is is_settled


def test_rows_with_two_equal_columns_need_both_cells() -> None:
    rule = Selected(column="id", same=("day", "due"))
    text = "id|day|due\n1|2026-01-03|2026-01-03\n2|2026-01-03|\n3|2026-01-03|2026-01-04"
    assert rule(read(text, 3), (), "1")
    assert not rule(read(text, 4), (), "1")
    assert not rule(read(text.replace("|due", "|until"), 3), (), "1")


def test_conditions_compare_whole_values_and_numbers() -> None:
    assert lists(0)("Size 1, Size 10", ("Size 1",))
    assert not lists(0)("Size 10, Size 11", ("Size 1",))
    assert not contains(0)("Women's", ("Men",))
    assert without(0)("Women's", ("Men",))
    assert not without(0)("", ("Men",))
    assert at_least(0)("4.5", ("4.5",))
    assert not at_least(0)("", ("0",))
    assert within(0, 1)("17% off", ("10", "20"))
    assert not within(0, 1)("Usually $15", ("10", "20"))
    assert number_of("$3,473.48") == 3473.48
