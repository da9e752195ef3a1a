"""The subset of Dataview: what a query finds, in which order, and how a wrong one is answered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from penstock import CallerError
from vault_server.catalog import File
from vault_server.dataview import parse, run, shown
from vault_server.notes import Note, known

if TYPE_CHECKING:
    from tests.kit.examples.vault_client import Talk

NOW = datetime(2026, 6, 15, 12, 30, tzinfo=UTC)
DAY = 86_400_000_000_000


def note(number: int, path: str, *tags: str, **front: Any) -> File:
    mtime = int(NOW.timestamp()) * 1_000_000_000 - number * DAY
    data = known(path, 100 * number, mtime, mtime, Note(frontmatter=front, tags=tags))
    return File(id=number, path=path, size=100 * number, mtime_ns=mtime, is_note=True, tags=tags, data=data)


NOTES = [
    note(1, "Projects/Harbour/Plan.md", "project/harbour", status="open", priority=5, due="2026-07-01", cost=10.5),
    note(2, "Projects/Lantern/Plan.md", "project/lantern", status="done", priority=2, due="2026-05-01", cost=4),
    note(3, "Daily/2026-06-14.md", "daily", status="open", people=["Ada", "Chen"]),
    note(4, "Recipes/Soup.md", "recipe", **{"Cook Time": "20 min", "vegan": True, "rating": 4}),
    note(5, "Recipes/Stew.md", "recipe", vegan=False, rating=3, meta={"source": "Ada"}),
    File(id=6, path="Projects/plan.png", size=6, mtime_ns=0, is_note=False, data={"frontmatter": {}}),
]


def found(query: str) -> list[int]:
    return [file.id for file in run(parse(query, NOW), NOTES)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("LIST", [1, 2, 3, 4, 5]),
        ("TABLE status", [1, 2, 3, 4, 5]),
        ("LIST FROM #project", [1, 2]),
        ("LIST FROM #project/harbour", [1]),
        ("LIST FROM #PROJECT", [1, 2]),
        ("LIST FROM #proj", []),
        ('LIST FROM "Projects"', [1, 2]),
        ('LIST FROM "Projects/Harbour/Plan"', [1]),
        ('LIST FROM "Projects/"', [1, 2]),
        ('LIST FROM ""', [1, 2, 3, 4, 5]),
        ('LIST FROM #project or "Daily"', [1, 2, 3]),
        ('LIST FROM #project and "Projects/Lantern"', [2]),
        ('LIST FROM #recipe AND -"Recipes/Soup.md"', [5]),
        ("LIST FROM (#recipe or #daily) and !#daily", [4, 5]),
        ('LIST WHERE status = "open"', [1, 3]),
        ('LIST WHERE status != "open"', [2, 4, 5]),
        ('list where status = "open" and priority > 3', [1]),
        ('LIST WHERE status = "open" AND (priority > 9 OR people)', [3]),
        ("LIST WHERE priority < 5", [2]),
        ("LIST WHERE priority <= 5", [1, 2]),
        ("LIST WHERE priority >= 2.5", [1]),
        ("LIST WHERE !vegan", [1, 2, 3, 5]),
        ("LIST WHERE vegan = false", [5]),
        ("LIST WHERE vegan = true", [4]),
        ("LIST WHERE vegan = 1", []),
        ("LIST WHERE rating = null", [1, 2, 3]),
        ('LIST WHERE cook-time = "20 min"', [4]),
        ('LIST WHERE Status = "open"', [1, 3]),
        ('LIST WHERE meta.source = "Ada"', [5]),
        ('LIST WHERE meta["source"] = "Ada"', [5]),
        ('LIST WHERE people[1] = "Chen"', [3]),
        ("LIST WHERE people[7]", []),
        ('LIST WHERE contains(people, "Ada")', [3]),
        ('LIST WHERE icontains(people, "ada")', [3]),
        ('LIST WHERE econtains(people, "Ad")', []),
        ('LIST WHERE econtains(status, "pe")', [1, 3]),
        ('LIST WHERE contains(meta, "source")', [5]),
        ('LIST WHERE contains(file.tags, "#recipe")', [4, 5]),
        ('LIST WHERE startswith(file.name, "S") and endswith(file.path, "w.md")', [5]),
        ("LIST WHERE length(people) = 2", [3]),
        ("LIST WHERE length(priority) = 2", []),
        ('LIST WHERE lower(upper(status)) = "done"', [2]),
        ('LIST WHERE default(rating, 0) = 0 and file.ext = "md"', [1, 2, 3]),
        ('LIST WHERE choice(vegan, "yes", "no") = "yes"', [4]),
        ("LIST WHERE round(cost) = 10", [1]),
        ("LIST WHERE sum([priority, 1]) = 6 or max([rating, 1]) = 4", [1, 4]),
        ('LIST WHERE join(people, "+") = "Ada+Chen"', [3]),
        ('LIST WHERE typeof(due) = "string" and any([vegan, priority])', [1, 2]),
        ("LIST WHERE all([vegan, rating])", [4]),
        ("LIST WHERE due < date(today)", [2]),
        ("LIST WHERE due >= date(2026-07-01)", [1]),
        ("LIST WHERE due = date(2026-07-01)", [1]),
        ("LIST WHERE date(due) - date(today) < dur(20 days) and priority = 5", [1]),
        ("LIST WHERE file.mtime > date(now) - dur(2 days 1 hour)", [1, 2]),
        ("LIST WHERE file.mday = date(yesterday)", [1]),
        ("LIST WHERE file.day = date(2026-06-14)", [3]),
        ("LIST WHERE file.size % 200 = 0", [2, 4]),
        ("LIST WHERE file.size / 100 - 1 = 2 * 2", [5]),
        ("LIST WHERE priority / 0 = 1", []),
        ("LIST WHERE -priority = -5", [1]),
        ('LIST WHERE status + "!" = "open!"', [1, 3]),
        ('LIST WHERE file.folder = "Recipes"', [4, 5]),
        ("LIST WHERE contains(people + [1], 1)", [3]),
        ("LIST WHERE status < 3", []),
        ("LIST SORT rating DESC", [4, 5, 1, 2, 3]),
        ("LIST SORT status ASC, priority DESC", [2, 1, 3, 4, 5]),
        ("LIST SORT file.mtime", [5, 4, 3, 2, 1]),
        ("LIST SORT BY file.name DESC LIMIT 2", [5, 4]),
        ("LIST WHERE rating WHERE vegan LIMIT 10", [4]),
        ("LIST LIMIT 0", []),
        ('LIST WHERE [[Plan|the plan]] = "Plan"', [1, 2, 3, 4, 5]),
    ],
)
def test_a_query_finds_these_notes_in_this_order(query: str, expected: list[int]) -> None:
    assert found(query) == expected


def test_values_of_all_kinds_can_be_sorted() -> None:
    mixed = [note(1, "a.md", v=[2, 1]), note(2, "b.md", v="text"), note(3, "c.md", v=3), note(4, "d.md", v=True)]
    mixed += [note(5, "e.md", v="2026-01-01"), note(6, "f.md"), note(7, "g.md", v={"a": 1})]
    assert [file.id for file in run(parse("LIST SORT v", NOW), mixed)] == [4, 3, 5, 2, 1, 7, 6]


def test_a_table_shows_its_columns_under_their_names() -> None:
    query = parse('TABLE due AS "When", priority * 2, file.mtime, date(due) - date(today) AS left, people', NOW)
    told = shown(query, NOTES[0])
    assert told == {
        "filename": "Projects/Harbour/Plan.md",
        "result": {
            "When": "2026-07-01",
            "priority * 2": 10,
            "file.mtime": "2026-06-14T12:30:00+00:00",
            "left": "16 days",
            "people": None,
        },
    }


def test_without_id_a_table_has_no_names_of_files() -> None:
    assert shown(parse("TABLE WITHOUT ID status", NOW), NOTES[0]) == {"result": {"status": "open"}}


def test_a_list_shows_an_expression_or_the_name_alone() -> None:
    assert shown(parse("LIST", NOW), NOTES[0]) == {"filename": "Projects/Harbour/Plan.md"}
    assert shown(parse("LIST status FROM #project", NOW), NOTES[0])["result"] == "open"
    assert shown(parse("LIST date(today)", NOW), NOTES[0])["result"] == "2026-06-15"
    assert shown(parse("LIST [date(tomorrow), 1]", NOW), NOTES[0])["result"] == ["2026-06-16", 1]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", "expected TABLE or LIST at character 1, got 'the end'"),
        ("SELECT x", "TABLE or LIST"),
        ("TASK", "got 'TASK'"),
        ("CALENDAR file.day", "got 'CALENDAR'"),
        ("LIST GROUP BY status", "got 'GROUP'"),
        ("TABLE a FLATTEN b", "got 'FLATTEN'"),
        ("TABLE WITHOUT x", "expected ID"),
        ("LIST FROM", 'a #tag or a "folder"'),
        ("LIST FROM status", 'a #tag or a "folder"'),
        ("LIST WHERE", "a field, a value or a function"),
        ("LIST WHERE (a = 1", "expected )"),
        ("LIST WHERE nosuch(a)", "one of the functions"),
        ("LIST WHERE contains(a)", "2 to 2 values for contains"),
        ("LIST WHERE contains(a b)", "expected ,"),
        ("LIST WHERE file.colour", "one of file.name"),
        ("LIST WHERE file", "expected ."),
        ("LIST WHERE a.1", "a field's name"),
        ("LIST WHERE dur(soon)", "a duration such as 7 days"),
        ("LIST WHERE dur(7 fortnights)", "a duration such as 7 days"),
        ("LIST WHERE dur(99999999999999999 years)", "a duration such as 7 days"),
        ("LIST LIMIT many", "a whole number"),
        ("LIST LIMIT 1.5", "a whole number"),
        ("LIST SORT", "a field, a value"),
        ("TABLE a AS 7", "a name behind AS"),
        ("LIST WHERE a ~ b", 'a word, a number, a "text" or a sign'),
        ("LIST status extra", "FROM or WHERE or SORT or LIMIT"),
        ("LIST WHERE " + "(" * 100, "brackets in brackets"),
        ("LIST WHERE " + "!" * 100 + "a", "brackets in brackets"),
        ("LIST WHERE " + "-" * 100 + "a", "brackets in brackets"),
        ("LIST FROM " + "-" * 100 + "#a", "brackets in brackets"),
        ("LIST WHERE " + "a " * 10_000, "a query of up to 10,000 characters"),
    ],
)
def test_a_wrong_query_is_answered_with_the_place_and_an_example(query: str, says: str) -> None:
    with pytest.raises(CallerError, match="query: expected") as caught:
        parse(query, NOW)
    assert says in str(caught.value)
    assert "for example TABLE" in str(caught.value)


def test_odd_values_are_null_and_not_errors() -> None:
    odd = [note(1, "a.md", due="2026-13-45", text='quote \\d "x"', many=[1], n=5)]
    for query in (
        "LIST WHERE date(due)",
        "LIST WHERE due < date(today)",
        "LIST WHERE n + many",
        "LIST WHERE lower(n)",
        "LIST WHERE round(text)",
        "LIST WHERE round(n, 99)",
        "LIST WHERE sum(n)",
        "LIST WHERE date(today) + dur(9999 years)",
        "LIST WHERE n.x",
        "LIST WHERE many[text]",
    ):
        assert run(parse(query, NOW), odd) == []
    assert len(run(parse(r'LIST WHERE contains(text, "\d")', NOW), odd)) == 1
    assert len(run(parse("LIST WHERE round(2.345, 1) = 2.3 AND join(n) = 5 AND all(n)", NOW), odd)) == 1


def test_a_query_over_the_sample_vault(talk: Talk) -> None:
    query = 'TABLE priority, due FROM #project/harbour WHERE status = "open" SORT priority DESC, due'
    told = talk.told("search_vault", queryType="dataview", query=query)
    assert (told["type"], told["columns"]) == ("table", ["priority", "due"])
    values = [(-one["result"]["priority"], one["result"]["due"]) for one in told["results"]]
    assert values == sorted(values)
    assert told["pagination"]["total"] == len(values) > 5


def test_a_limit_of_the_query_is_a_limit_of_the_total(talk: Talk) -> None:
    told = talk.told("search_vault", queryType="dataview", query="LIST LIMIT 7", limit=5)
    assert told["pagination"] == {"total": 7, "offset": 0, "limit": 5, "hasMore": True}
    assert len(talk.follow(told["next"]).data["results"]) == 7
