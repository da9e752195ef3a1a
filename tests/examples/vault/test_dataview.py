"""Dataview over fields: what a query finds, in which order, and how a wrong one is answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock import CallerError
from vault_server.catalog import Catalog, File
from vault_server.dataview import Pages, parse
from vault_server.index import Entry, Index
from vault_server.links import Links

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.kit.examples.vault_client import Talk

NOW = datetime(2026, 6, 15, 12, 30, tzinfo=UTC)
DAY = 86_400_000_000_000


@dataclass(frozen=True, kw_only=True)
class Note:
    """A file and its fields."""

    file: File
    front: dict[str, Any]


def note(number: int, path: str, *tags: str, **front: Any) -> Note:
    mtime = int(NOW.timestamp()) * 1_000_000_000 - number * DAY
    is_note = not path.endswith("png")
    file = File(id=number, path=path, size=100 * number, mtime_ns=mtime, ctime_ns=mtime, is_note=is_note, tags=tags)
    return Note(file=file, front=front)


NOTES = [
    note(1, "Projects/Harbour/Plan.md", "project/harbour", status="open", priority=5, due="2026-07-01", cost=10.5),
    note(2, "Projects/Lantern/Plan.md", "project/lantern", status="done", priority=2, due="2026-05-01", cost=4),
    note(3, "Readings/2026-06-14.md", "daily", status="open", people=["Ada", "Chen"]),
    note(4, "Recipes/Soup.md", "recipe", **{"Cook Time": "20 min", "vegan": True, "rating": 4}),
    note(5, "Recipes/Stew.md", "recipe", vegan=False, rating=3, meta={"source": "Ada"}),
    note(6, "Projects/plan.png"),
]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An index that knows of no links and no tasks."""
    index = Index(tmp_path / "index.sqlite")
    yield index
    index.close()


def pages(notes: Sequence[Note], index: Index) -> Pages:
    rows = []
    for one in notes:
        file = one.file
        known = (" ".join(file.tags), "", msgspec.json.encode(one.front), None, None, None, None)
        row = (file.path, file.size, file.mtime_ns, file.ctime_ns, file.is_note, *known)
        rows.append(Entry(file=row, text=None))
    catalog = Catalog(index.write(rows))
    return Pages(catalog, index, lambda: Links(catalog, index))


def ids(query: str, notes: Sequence[Note], index: Index) -> list[int]:
    by_path = {one.file.path: one.file.id for one in notes}
    return [by_path[row.path] for row in parse(query, NOW).run(pages(notes, index))]


def first(query: str, index: Index) -> dict[str, Any]:
    """What a query shows of the first row."""
    read = parse(query, NOW)
    return read.item_of(read.run(pages(NOTES, index))[0])


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
        ('LIST FROM #project or "Readings"', [1, 2, 3]),
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
        ('LIST WHERE typeof(due) = "date" and any([vegan, priority])', [1, 2]),
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
        ('LIST WHERE [[Plan|the plan]] = "Projects/Harbour/Plan"', [1, 2, 3, 4, 5]),
        ("LIST WHERE file.link = [[Lantern/Plan]]", [2]),
        ("LIST WHERE [[Stew]].rating = rating", [5]),
    ],
)
def test_a_query_finds_these_notes_in_this_order(query: str, expected: list[int], index: Index) -> None:
    assert ids(query, NOTES, index) == expected


def test_values_of_all_kinds_can_be_sorted(index: Index) -> None:
    mixed = [note(1, "a.md", v=[2, 1]), note(2, "b.md", v="text"), note(3, "c.md", v=3), note(4, "d.md", v=True)]
    mixed += [note(5, "e.md", v="2026-01-01"), note(6, "f.md"), note(7, "g.md", v={"a": 1})]
    assert ids("LIST SORT v", mixed, index) == [4, 3, 5, 2, 1, 7, 6]


def test_a_table_shows_its_columns_under_their_names(index: Index) -> None:
    query = 'TABLE due AS "When", priority * 2, file.mtime, date(due) - date(today) AS left, people'
    told = first(query, index)
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


def test_without_id_a_table_has_no_names_of_files(index: Index) -> None:
    assert first("TABLE WITHOUT ID status", index) == {"result": {"status": "open"}}


def test_a_list_shows_an_expression_or_the_name_alone(index: Index) -> None:
    assert first("LIST", index) == first("LIST WITHOUT ID", index) == {"filename": "Projects/Harbour/Plan.md"}
    assert first("LIST status FROM #project", index)["result"] == "open"
    assert first("LIST date(today)", index)["result"] == "2026-06-15"
    assert first("LIST [date(tomorrow), 1]", index)["result"] == ["2026-06-16", 1]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", "expected TABLE or LIST or TASK or CALENDAR at character 1, got 'the end'"),
        ("SELECT x", "TABLE or LIST"),
        ("CALENDAR", "a date behind CALENDAR"),
        ("LIST GROUP status", "expected BY"),
        ("TABLE a FLATTEN", "a field, a value or a function"),
        ("LIST FROM [[]]", "there is no current note here"),
        ("LIST FROM outgoing(#a)", "outgoing([[note]])"),
        ("LIST WHERE contains(this.file.name, 1)", "no this"),
        ("LIST link()", "1 to 2 values for link"),
        ("TABLE WITHOUT x", "expected ID"),
        ("LIST FROM", 'a #tag, a "folder", [[note]]'),
        ("LIST FROM status", 'a #tag, a "folder", [[note]]'),
        ("LIST WHERE", "a field, a value or a function"),
        ("LIST WHERE (a = 1", "expected )"),
        ("LIST WHERE nosuch(a)", "one of the functions"),
        ("LIST WHERE contains(a)", "2 to 2 values for contains"),
        ("LIST WHERE contains(a b)", "expected ,"),
        ("LIST WHERE file.colour", "one of file.name"),
        ("LIST WHERE a.1", "a field's name"),
        ("LIST WHERE dur(7 fortnights)", "a duration such as 7 days"),
        ("LIST WHERE dur(99999999999999999 years)", "a duration such as 7 days"),
        ("LIST LIMIT many", "a whole number"),
        ("LIST LIMIT 1.5", "a whole number"),
        ("LIST SORT", "a field, a value"),
        ("TABLE a AS 7", "a name behind AS"),
        ("LIST WHERE a ~ b", 'a word, a number, a "text" or a sign'),
        ("LIST status extra", "FROM or WHERE or SORT or GROUP or FLATTEN or LIMIT"),
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


def test_odd_values_are_null_and_not_errors(index: Index) -> None:
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
        "LIST WHERE many[n]",
    ):
        assert ids(query, odd, index) == []
    assert ids(r'LIST WHERE contains(text, "\d")', odd, index) == [1]
    assert ids('LIST WHERE round(2.345, 1) = 2.3 AND join(n) = "5" AND all(n)', odd, index) == [1]


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
