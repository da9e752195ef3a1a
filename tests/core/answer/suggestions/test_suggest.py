"""What a notice suggests: at most three calls, each fits, costs what it says, and is about the data at hand."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings

from penstock.core.answer.suggestions import suggest as suggesting
from penstock.core.answer.suggestions.offer import Suggestion
from penstock.core.answer.suggestions.suggest import MOST, AnsweredCall, suggest
from penstock.core.forms import learning
from penstock.core.forms.document import read
from penstock.core.forms.reading import Reading
from penstock.core.forms.recognise import read_form
from penstock.core.reading.query_text import rows_text
from penstock.core.tokens.count import count
from tests.kit.strategies import json_bytes, records
from tests.kit.suggestions import FETCH, ask, matches, narrower, queries

if TYPE_CHECKING:
    import pytest

TEXT: dict[str, Any] = {"type": "string"}
TICKETS = [
    {"id": n, "status": ("open", "solved")[n % 3 == 0], "team": "abc"[n // 2 % 3], "subject": f"subject {n}"}
    for n in range(300)
]
ASKED = AnsweredCall(
    tool="search", arguments={}, schema=None, fetch_tool=FETCH, tokens=9_000, most=5_000, page=5_000, profile="claude"
)


def test_the_best_question_comes_first_then_the_narrower_call() -> None:
    made = ask(TICKETS, status=TEXT)
    assert [one.tool for one in made] == [FETCH, "search"]
    assert [one.is_read for one in made] == [True, False]
    assert [one.about for one in made] == [False, True]
    assert made[0].arguments == {
        "action": "sql",
        "sql": "SELECT status, team, count(*) AS n FROM items GROUP BY 1, 2 ORDER BY n DESC",
    }


def test_what_is_wrong_is_asked_for_before_all_counts() -> None:
    rows = [{**one, "status": "failed" if one["id"] % 50 == 0 else "done"} for one in TICKETS]
    [made] = ask(rows)
    assert made.why == "the 6 with status failed"


def test_a_question_costs_what_its_answer_costs() -> None:
    counts = Counter((one["status"], one["team"]) for one in TICKETS)
    rows = [{"status": status, "team": team, "n": n} for (status, team), n in counts.most_common()]
    answer = rows_text(rows, list(rows[0]))
    assert abs(ask(TICKETS)[0].tokens - count(answer).tokens) <= 3


def test_counts_that_the_facts_have_are_not_asked_for() -> None:
    paired = [{"status": "ab"[n % 2], "team": f"of {'ab'[n % 2]}{n % 2}", "subject": f"{n}"} for n in range(300)]
    even = [{"status": "ab"[n % 2], "team": f"t{n // 2 % 3}", "subject": f"{n}"} for n in range(300)]
    uneven = [*even, {"status": "a", "team": "t0", "subject": "one more"}]
    why = [queries(rows)[0].why for rows in (paired, even, uneven)]
    assert why == [*["the first 20 rows in few columns"] * 2, "how many by status and team"]


def test_where_nothing_else_is_worth_a_question_the_commonest_of_many_names_are_listed() -> None:
    rows = [{"owner": f"owner {min(n, n * 7) % 50 if n % 3 else n % 6}", "text": f"words {n}"} for n in range(400)]
    [made] = queries(rows)
    assert made.why == "which owner has most"
    assert made.tokens > 0


def test_no_more_are_made_than_asked_for() -> None:
    assert [len(ask(TICKETS, status=TEXT, most=most)) for most in (-1, 0, 1, 2, 3, 9)] == [0, 0, 1, 2, 2, 2]


def test_an_answer_too_large_for_a_page_is_not_suggested() -> None:
    wide = [{"id": n, "title": f"title {n} " * 9, "status": f"s{n % 30}"} for n in range(900)]
    small = queries(wide, page=150)
    assert all(one.tokens <= 150 for one in small)
    assert len(queries(wide, page=9)) == 0 < len(queries(wide))


def test_without_a_table_nothing_is_suggested() -> None:
    assert ask("just some words\n" * 90) == ()
    document = read("[1]")
    assert suggest(document, Reading(form="x", words="", shape=""), ASKED) == ()


def test_cells_that_are_not_at_hand_leave_the_facts_and_no_narrower_calls() -> None:
    class Few:
        numbers = range(3)

        def columns(self, _names: Any) -> None:
            return None

        def rows(self, numbers: Any, names: Any) -> list[list[Any]]:
            return [[None] * len(names) for _ in numbers]

    document = read(json.dumps(TICKETS))
    reading = replace(read_form(document), cells=Few())
    schema = {"properties": {"status": TEXT}}
    made = suggest(document, reading, replace(ASKED, schema=schema))
    assert [one.arguments["sql"] for one in made] == [
        "SELECT status, count(*) AS n FROM items GROUP BY 1 ORDER BY n DESC LIMIT 40"
    ]
    assert suggest(document, reading, replace(ASKED, page=5)) == ()


def test_of_data_that_was_sampled_only_counts_are_asked_and_their_cost_is_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learning, "EXACT", 1_000)
    made = ask(TICKETS, status=TEXT)
    assert made
    assert all(one.about and one.is_read and "GROUP BY 1 " in one.arguments["sql"] for one in made)
    assert ask(TICKETS, page=1) == ()


def test_of_data_that_was_sampled_and_that_nothing_divides_the_first_rows_are_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learning, "EXACT", 1_000)
    rows = [{"name": f"name {n}", "text": f"words {n * 7919 % 1009}"} for n in range(300)]
    [made] = ask(rows)
    assert (made.why, made.about) == ("the first 20 rows in few columns", True)
    [fewer] = ask(rows, page=300)
    assert (fewer.why, fewer.about) == ("the first 5 rows in few columns", True)
    nested = {"runs": [{"found": [{"name": f"name {n} {m}", "n": n * m} for m in range(90 + n)]} for n in range(3)]}
    assert [one.arguments for one in ask(nested)] == [{"action": "outline"}]
    assert [one.about for one in ask([f"word {n % 90} {n // 90}" for n in range(300)])] == [True]


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
    assert len(made) <= MOST
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


def test_of_very_many_rows_only_facts_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggesting, "MOST_COUNTED", 100)
    made = queries(TICKETS)
    assert made
    assert all("GROUP BY 1 " in one.arguments["sql"] and not one.about for one in made)
