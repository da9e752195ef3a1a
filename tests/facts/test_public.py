"""The public benchmark has strict metrics, reads answers of SQL as they are, and runs with and without its data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from bench.public import main
from bench.public_parts.asking import answer_of, offered_call
from bench.public_parts.questions import is_near, is_same_set, is_same_text
from bench.public_parts.sql_answers import read_answer
from bench.public_parts.templates import TEMPLATES

if TYPE_CHECKING:
    from pathlib import Path

    from bench.public_parts.reading import Read


@pytest.mark.parametrize(
    ("answer", "gold", "same_text", "same_set"),
    [
        ("ars.", "ARS", True, False),
        ("ARS Report", "ARS", False, False),
        ("b, A", "a, B", False, True),
        ("a", "a, b", False, False),
        ("a, b, c", "a, b", False, False),
        ("", "a", False, False),
    ],
)
def test_text_and_set_metrics_ignore_only_case_order_and_a_full_stop(
    answer: str, gold: str, same_text: bool, same_set: bool
) -> None:
    assert is_same_text(answer, gold) is same_text
    assert is_same_set(answer, gold) is same_set


def test_number_metric_accepts_a_difference_of_one() -> None:
    assert is_near("there are 8 of them", "9")
    assert is_near("1,204", "1205")
    assert not is_near("11", "9")
    assert not is_near("", "0")
    assert not is_near("form 10-K", "10")


def sql_read(rows: list[dict[str, Any]], query: str, total: int | None = None, **members: Any) -> Read:
    blocks = [json.dumps({"row_count": len(rows), "result": rows, **members})]
    return read_answer(blocks, {"action": "sql", "sql": query}, total)


def test_grouped_answer_states_counts_and_says_if_it_is_complete() -> None:
    rows: list[dict[str, Any]] = [{"state": "open", "n": 3}, {"state": None, "n": 2}]
    query = "SELECT state, count(*) AS n FROM items GROUP BY 1 ORDER BY n DESC"
    tally = sql_read(rows, query).tallies["state"]
    assert (tally.counts, tally.is_complete, tally.absent) == ({"open": 3}, True, 2)
    assert not sql_read(rows, f"{query} LIMIT 2").tallies["state"].is_complete
    assert not sql_read(rows, query, _pagination={"has_more": True}).tallies["state"].is_complete
    assert sql_read(rows, query.replace("GROUP", "WHERE n > 3 GROUP")).tallies == {}


def test_pairs_state_the_count_of_a_value_only_if_it_has_one_pair() -> None:
    rows = [{"a": "x", "b": "1", "n": 3}, {"a": "y", "b": "1", "n": 2}, {"a": "y", "b": "2", "n": 1}]
    query = "SELECT a, b, count(*) AS n FROM items GROUP BY 1, 2"
    answer = sql_read(rows, query)
    assert answer.tallies["a"].counts == {"x": 3, "y": None}
    assert answer.crosses[0].count(lambda one: one == "x", lambda one: one == "2") == 0
    limited = sql_read(rows, f"{query} LIMIT 3")
    assert limited.tallies == {}
    assert limited.crosses[0].count(lambda one: one == "x", lambda one: one == "2") is None
    assert limited.crosses[0].count(lambda one: one == "y", lambda one: one == "1") == 2


def test_condition_of_a_query_belongs_to_its_rows() -> None:
    answer = sql_read([{"id": "7"}], "SELECT id FROM items WHERE \"the kind\" = 'it''s' LIMIT 20")
    assert answer.rows[0].cells == {"the kind": "it's", "id": "7"}
    assert answer.tallies["the kind"].counts == {"it's": 1}
    assert sql_read([{"id": "7"}], "SELECT id FROM items WHERE kind = 'x' LIMIT 1").tallies == {}
    assert not sql_read([{"id": "7"}], "SELECT id FROM items WHERE n > 3").has_all_rows
    grouped = sql_read([{"b": "1", "n": 3}], "SELECT b, count(*) n FROM items WHERE a = 'x' GROUP BY b")
    assert grouped.tallies == {}
    assert grouped.crosses[0].count(lambda one: one == "x", lambda one: one == "1") == 3


def test_answer_has_all_rows_if_no_limit_cuts_it() -> None:
    rows = [{"id": "1"}, {"id": "2"}]
    assert sql_read(rows, "SELECT id FROM items").has_all_rows
    assert sql_read(rows, "SELECT id FROM items ORDER BY id LIMIT 2", total=2).has_all_rows
    assert not sql_read(rows, "SELECT id FROM items LIMIT 2", total=3).has_all_rows
    assert not sql_read(rows, "SELECT id FROM items, json_each(items.tags)").has_all_rows
    assert sql_read(rows, "SELECT DISTINCT id FROM items").tallies["id"].is_complete
    assert read_answer(["SQL: no such column"], {"action": "sql", "sql": "SELECT"}).rows == []
    assert read_answer(['{"result":[{"id":"1"}]}'], {"action": "filter", "jq_filter": "."}).rows[0].cells == {"id": "1"}


def test_offered_call_is_the_first_query_of_the_fetch_tool() -> None:
    page = {"tool": "fetch_cached_response", "arguments": {"cache_id": "r_1", "action": "get_page"}}
    other = {"tool": "orders", "arguments": {"action": "sql", "sql": "SELECT 0"}}
    query = {"tool": "fetch_cached_response", "arguments": {"cache_id": "r_1", "action": "sql", "sql": "SELECT 1"}}
    wanted = query["arguments"]
    assert offered_call({"cache_id": "r_1", "next": [page], "suggestions": [other, query]}) == wanted
    assert offered_call({"cache_id": "r_1", "next": {"action": "sql", "sql": "SELECT 1"}}) == wanted
    assert offered_call({"cache_id": "r_1", "next": [page]}) is None


def test_answer_of_a_page_or_an_error_is_empty() -> None:
    assert answer_of(['{"row_count":2,"result":[{"a":"x"},{"a":4.5}]}']) == "x, 4.5"
    assert answer_of(['{"result":[{"a":"x"}],"_pagination":{"has_more":true}}']) == ""
    assert answer_of(["SQL: no such column"]) == ""


def test_template_quotes_a_value_for_sql() -> None:
    query = TEMPLATES["FilingsOfSpecificName"].query("Provide the number of filings which has the name Bob's Report.")
    assert query == "SELECT count(*) FROM items WHERE name = 'Bob''s Report'"
    with pytest.raises(ValueError, match="does not follow its template"):
        TEMPLATES["FilingsOfSpecificName"].query("How many?")


def filings() -> list[dict[str, str]]:
    """Make filings of two types, which alternate."""
    return [
        {
            "name": f"Report {at} of the company about its business in that quarter and about the risks that it sees",
            "accessionNumber": f"0000{at:06}-23-{at * 7:06}",
            "filingDate": f"2023-{1 + at % 12:02}-{1 + at % 28:02}T00:00:00",
            "formType": "8-K" if at % 2 else "10-Q",
        }
        for at in range(500)
    ]


def question(task: str, words: str, gold: str, metric: str) -> str:
    return json.dumps(
        {
            "id": f"of {task}",
            "answer_file": "answers/made.json",
            "tool": "filings",
            "arguments": {"identifier": "X"},
            "question": words,
            "gold": gold,
            "kind": "MADE",
            "task": task,
            "metric": metric,
        }
    )


def test_public_benchmark_judges_generated_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = filings()
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers/made.json").write_text(json.dumps({"data": rows}), "utf-8")
    count = "Provide the number of filings which belong to form type {}."
    period = "Provide the number of filings where the number of days is within 0 to 5 days, inclusive."
    lines = [
        question("FilingsOfSpecificFormType", count.format("8-K"), "250", "approx_number_match"),
        question("FilingsOfSpecificFormType", count.format("10-K"), "0", "approx_number_match"),
        question("FilingsOfSpecificFormType", count.format("10-Q"), "7", "approx_number_match"),
        question("FormTypes", "List the different form types.", "10-Q, 8-K", "unordered_list_str_match"),
        question(
            "GetFilingDate",
            f"What is the filing date of a form with accession number {rows[333]['accessionNumber']}?",
            rows[333]["filingDate"][:10],
            "accuracy_string",
        ),
        question("FilingsAccordingToFilingDateAndPeriod", period, "0", "approx_number_match"),
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    main([str(tmp_path), "--show", "--why"])
    printed = capsys.readouterr().out.splitlines()
    table = {line.split()[0]: line.split()[1:5] for line in printed if "  " in line}
    assert table["FilingsOfSpecificFormType"][:2] == ["3", "2"]
    assert table["FilingsOfSpecificFormType"][3] == "2"
    assert table["FormTypes"][:2] == ["1", "1"]
    assert table["GetFilingDate"][:2] == ["1", "0"]
    assert table["GetFilingDate"][3] == "1"
    assert table["all"][0] == "6"
    assert "    gold   7" in printed
    main([str(tmp_path), "--only", "FormTypes", "--read"])
    assert "500 " in capsys.readouterr().out


def test_public_benchmark_without_its_data_says_so_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(tmp_path / "absent")])
    assert (
        capsys.readouterr().out
        == f"The benchmark's data is not in {tmp_path / 'absent'}, so there is nothing to ask.\n"
    )
