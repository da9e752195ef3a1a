"""A preview fits its room, states facts and rows of the data, and shows no less in a larger room."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.forms import json_values
from penstock.core.forms.api import Excerpt
from penstock.core.forms.document import Document, read
from penstock.core.forms.recognise import read_form
from penstock.core.notice.cross import cross_of
from penstock.core.notice.facts import facts_of
from penstock.core.notice.preview import preview
from tests.kit import hostile_names as hostile
from tests.kit.strategies import json_bytes

if TYPE_CHECKING:
    from penstock.core.answer.preview_text import Preview
    from penstock.core.forms.reading import Reading

ROOMS = [
    *(Room(tokens=tokens, size=8_192) for tokens in (0, 8, 16, 30, 50, 70, 90, 150, 250, 500, 900, 1_500)),
    Room(tokens=10_000_000),
]
MORE_VALUES = re.compile(r" · (?:\+[0-9,]+ values?|…)")  # A larger room may have these values.
ROWS_TITLE = re.compile(r"^(?:sample|all [0-9]+) rows? ?.*:$", re.MULTILINE)
TICKETS = [
    {
        "id": n,
        "status": ("open", "pending", "solved")[n % 3],
        "amount": n % 7 * n,
        "created_at": f"2026-01-{n % 28 + 1:02}T08:00:00Z",
        "tags": ["a", "b"][: n % 3],
        "subject": f"subject number {n}",
        "brand": "main",
    }
    for n in range(300)
]


def opened(data: Any) -> tuple[Document, Reading]:
    document = read(data if isinstance(data, str | bytes) else json.dumps(data))
    return document, read_form(document)


def shown(data: Any, tokens: int = 1_500, order: list[int] | None = None) -> Preview:
    return preview(*opened(data), Room(tokens=tokens, size=8_192), order)


def test_facts_come_in_the_order_of_their_score_then_sample_rows() -> None:
    lines = shown(TICKETS).text.split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("sample row "))
    assert [line.partition(":")[0] for line in lines[:at]] == [
        "sum of amount by status",
        "status",
        "created_at",
        "amount",
        "tags",
        "all distinct",
        "constant",
        "+1 column",
    ]
    assert lines[at + 1].startswith("id|")
    assert len(lines) == at + 3  # The row with the greatest amount; no other row is unlike the others.


def test_small_room_has_the_most_telling_facts_and_counts_the_other_columns() -> None:
    lines = shown(TICKETS, 80).text.split("\n")
    assert lines[0].startswith(("sum of", "status: "))
    assert any(line.startswith("+") and line.endswith(" columns") for line in lines)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("|name|note|\n|--|--|\n" + "".join(f"|n{n}|note {n}|\n" for n in range(60)), 2),
        ("line,name,note\n" + "".join(f"{3 * n},n{n},note {n}\n" for n in range(60)), 3),
    ],
    ids=["number of the line that a table has in addition", "column of the data with that name"],
)
def test_count_of_other_columns_has_no_column_that_is_not_in_the_data(text: str, left: int) -> None:
    facts = facts_of(opened(text)[1].tables[0])
    assert sum(len(fact.columns) for fact in facts) == left


def test_larger_room_has_more_values_of_a_list_and_no_line_for_a_column_of_documents() -> None:
    payloads = [json.dumps({"plan": f"p{n % 20}", "total": n}) for n in range(300)]
    rows = [{"id": n, "city": f"c{n % 31}", "payload": one} for n, one in enumerate(payloads)]
    small, large = shown(rows, 200).text, shown(rows, 1_500).text
    assert "+26 values" in small
    assert "+26 values" not in large
    assert "payload: " not in large


def test_number_of_lines_and_columns_depends_on_the_room() -> None:
    rows = [
        {"id": n, **{f"level_{at}": {"deep": {"deeper": f"value {n * at % 37} of many"}} for at in range(30)}}
        for n in range(200)
    ]
    sizes = [len(shown(rows, tokens).text) for tokens in (600, 1_200, 1_600, 2_400, 4_000)]
    assert sizes == sorted(set(sizes))


def test_rows_that_a_strategy_puts_first_are_shown() -> None:
    found = shown(TICKETS, order=[7, 5, 200])
    assert found.shown.ranges == ((5, 6), (7, 8), (200, 201))


def test_row_without_a_value_in_the_shown_columns_is_left_out() -> None:
    rows = [*TICKETS, {"nested": {"deep": [{"a": 1}, {"a": 2}]}}]
    assert shown(rows, order=[3, 300]).shown.ranges == ((3, 4),)


def test_short_table_says_that_all_rows_are_shown() -> None:
    text = shown(TICKETS[:6]).text
    assert "\nall 6 rows:\n" in text


def test_short_table_of_many_columns_shows_the_best_and_counts_the_others() -> None:
    parts = {f"part_{at}": f"{at} words" for at in range(200)}
    rows = [{"id": n, "title": f"title {n}", **{key: f"{part} {n}" for key, part in parts.items()}} for n in range(5)]
    lines = shown(rows, tokens=2_000).text.split("\n")
    header = lines[lines.index("all 5 rows:") + 1].split("|")
    assert header[:2] == ["id", "title"]
    assert f"+{202 - len(header)} columns" in lines
    assert len(header) < 60


def test_sample_says_that_it_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "MAX_EXACT", 100)
    text = shown(TICKETS).text
    assert text.startswith("from a sample of 300 rows:\nsampled ")


def test_object_shows_the_facts_of_its_form_alone() -> None:
    found = shown({"name": "x", "size": 3, "parts": {"a": 1}})
    assert found.text
    assert found.below == "facts"


def test_text_without_a_form_shows_its_ends() -> None:
    assert "not shown" in shown("some words of prose, and more of them. " * 900, 300).text


def test_excerpts_have_titles_and_count_the_lines_that_are_left() -> None:
    document, reading = opened(TICKETS)
    excerpt = Excerpt(title="odd lines", lines=("first", "second", "third"), numbers=(4, 9, 12))
    found = preview(document, replace(reading, excerpts=(excerpt,)), Room(tokens=1_500))
    assert found.text.endswith("\nodd lines:\n4: first\n9: second\n12: third")
    long = Excerpt(title="long lines", lines=("word " * 25,) * 9)
    found = preview(document, replace(reading, excerpts=(long,)), Room(tokens=1_500))
    assert found.text.endswith("word \n+7 lines")
    plain = Excerpt(title="headings", lines=("one",))
    found = preview(document, replace(reading, excerpts=(plain,)), Room(tokens=5_000))
    assert found.text.endswith("\nheadings:\none")


def test_lines_among_the_sample_rows_are_not_shown_again() -> None:
    log = "\n".join(f"2026-01-05 08:{n // 60:02}:{n % 60:02},000 INFO [api] served {n} in {n}ms" for n in range(300))
    document, reading = opened(log)
    excerpt = Excerpt(title="first", lines=("x",), numbers=(1,))
    found = preview(document, replace(reading, excerpts=(excerpt,)), Room(tokens=5_000))
    assert "first:" not in found.text


def test_fact_that_a_form_states_itself_is_not_repeated() -> None:
    document, reading = opened(TICKETS)
    own = ("levels: open ×100 · pending ×100 · solved ×100",)
    text = preview(document, replace(reading, facts=own), Room(tokens=5_000)).text
    assert "levels: open ×100" in text
    assert "\nstatus: open ×100" not in text
    times = replace(reading, facts=("x: 1",), words="a log, 2026-01-01T08:00:00Z to 2026-01-28T08:00:00Z")
    assert "created_at" not in preview(document, times, Room(tokens=5_000)).text.partition("sample rows")[0]


def test_table_without_cells_shows_its_facts() -> None:
    document, reading = opened(TICKETS)
    found = preview(document, replace(reading, cells=None), Room(tokens=5_000))
    assert "status: open ×100" in found.text
    assert found.shown.count == 0


@settings(max_examples=100, deadline=None)
@given(
    hostile.records | st.lists(hostile.cells, max_size=20) | st.dictionaries(hostile.names, hostile.cells, max_size=5)
)
def test_every_line_is_a_fact_a_row_or_a_title(data: Any) -> None:
    document, reading = opened(data)
    if document.index.root is None or reading.main is None:
        return
    every = facts_of(reading.main)
    facts = {fact.text for fact in every} | {fact.longer for fact in every}
    facts |= {text for _, text in cross_of(reading).lines}
    for room in ROOMS:
        found = preview(document, reading, room)
        assert room.fits(found.text)
        lines = found.text.split("\n") if found.text else []
        assert all(line.isprintable() for line in lines)
        titles = [at for at, line in enumerate(lines) if line not in facts and line.startswith(("sample row", "all "))]
        end = titles[0] if found.shown.count else len(lines)
        for line in lines[:end]:
            assert line in facts or line in reading.facts or line.startswith("+")


@settings(max_examples=100, deadline=None)
@given(
    hostile.records | hostile.records.map(lambda rows: {"n": 1, "rows": rows * 9}) | json_bytes().map(json.loads),
    st.integers(0, 2_000),
    st.integers(0, 2_000),
)
def test_larger_room_never_shows_less(data: Any, tokens: int, more: int) -> None:
    document, reading = opened(data)
    small = preview(document, reading, Room(tokens=tokens, size=8 * tokens))
    large = preview(document, reading, Room(tokens=tokens + more, size=8 * (tokens + more)))
    assert large.shown.count >= small.shown.count
    if reading.main is None:
        return
    found = large.text.splitlines()
    for line in ROWS_TITLE.split(small.text)[0].splitlines():
        start = MORE_VALUES.split(line)[0]
        assert line.startswith("+") or any(one.startswith(start) for one in found)
