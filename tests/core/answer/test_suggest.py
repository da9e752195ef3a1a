"""What a notice suggests: at most two calls, each fits, costs what it says, and is about the data at hand."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from typing import Any

from hypothesis import given, settings

from penstock.core.answer.suggest import AnsweredCall, Suggestion, suggest
from penstock.core.forms.document import read
from penstock.core.forms.reading import Cells, Reading
from penstock.core.forms.recognise import read_form
from penstock.core.tokens.count import count
from tests.kit.strategies import json_bytes, records
from tests.kit.suggestions import FETCH, ask, matches, narrower, queries

TEXT: dict[str, Any] = {"type": "string"}
TICKETS = [
    {"id": n, "status": ("open", "solved")[n % 3 == 0], "team": "abc"[n // 2 % 3], "subject": f"subject {n}"}
    for n in range(300)
]
ASKED = AnsweredCall(tool="search", arguments={}, schema=None, fetch_tool=FETCH, tokens=9_000, most=5_000, page=5_000)


def test_the_best_question_comes_first_then_the_narrower_call() -> None:
    made = ask(TICKETS, status=TEXT)
    assert [one.tool for one in made] == [FETCH, "search"]
    assert [one.is_read for one in made] == [True, False]
    assert [one.about for one in made] == [False, True]
    assert made[0].arguments == {
        "action": "sql",
        "sql": "SELECT status, team, count(*) AS n FROM items GROUP BY 1, 2 ORDER BY n DESC LIMIT 100",
    }


def test_no_more_are_made_than_asked_for() -> None:
    assert [len(ask(TICKETS, status=TEXT, most=most)) for most in (0, 1, 2, 3)] == [0, 1, 2, 2]


def test_without_a_table_nothing_is_suggested() -> None:
    assert ask("just some words\n" * 90) == ()
    document = read("[1]")
    assert suggest(document, Reading(form="x", words="", shape=""), ASKED, 2) == ()


def test_cells_that_are_not_at_hand_leave_the_facts_and_no_narrower_calls() -> None:
    document = read(json.dumps(TICKETS))
    reading = replace(read_form(document), cells=Cells([0, 1, 2], defaultdict(lambda: [None] * 3)))
    schema = {"properties": {"status": TEXT}}
    made = suggest(document, reading, replace(ASKED, schema=schema), 2)
    assert [one.is_read for one in made] == [True]


def test_lines_and_trees_cost_their_part_of_the_rows() -> None:
    log = "\n".join(f"2024-05-01 10:00:{n % 60:02} {'ERROR' if n % 9 == 0 else 'INFO'} served {n}" for n in range(900))
    [made] = narrower(log, level=TEXT)
    assert 0.08 < made.tokens / count(log).tokens < 0.16


def test_a_suggestion_for_the_notice_has_the_handle_first_where_it_reads_what_is_held() -> None:
    held = Suggestion(why="w", tool=FETCH, tokens=9, arguments={"action": "sql"}, is_read=True)
    assert held.as_dict("r_1") == {
        "why": "w",
        "tool": FETCH,
        "arguments": {"cache_id": "r_1", "action": "sql"},
        "tokens": 9,
    }
    assert held.as_dict()["arguments"] == {"action": "sql"}
    own = Suggestion(why="w", tool="t", tokens=9, arguments={"a": 1}, about=True)
    assert own.as_dict("r_1") == {"why": "w", "tool": "t", "arguments": {"a": 1}, "about_tokens": 9}


@settings(max_examples=60, deadline=None)
@given(json_bytes() | records.map(lambda rows: json.dumps(rows * 9).encode()))
def test_whatever_the_data_suggestions_are_few_and_fit(data: bytes) -> None:
    properties: dict[str, Any] = dict.fromkeys(("id", "name", "ok", "tags", "path", "since"), TEXT)
    made = ask(data, page=400, share=0.5, **properties)
    assert len(made) <= 2
    for one in made:
        assert one.tokens <= 400 if one.is_read else one.tokens <= count(data).tokens


def test_results_of_a_search_are_narrowed_by_file_first() -> None:
    [made] = narrower(matches(300), exclude=TEXT, severity=TEXT, most=2, share=0.8)
    assert made.arguments == {"exclude": "**/node_modules/**"}


def test_a_question_with_what_no_question_may_have_is_not_suggested() -> None:
    rows = [{"kind": "a\0b" if n % 30 == 0 else "c", "k\0": n, "text": f"some words {n}"} for n in range(300)]
    made = queries(rows)
    assert made
    assert all("\0" not in one.arguments["sql"] for one in made)
