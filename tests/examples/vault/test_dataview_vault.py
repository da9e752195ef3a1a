"""Dataview over a vault of real files: tasks, groups, flattened lists, links and inline fields."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from vault_server.dataview import parse
from vault_server.searches import _dataview
from vault_server.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kit.examples.vault_client import Talk

NOW = datetime(2026, 6, 15, 12, 30, tzinfo=UTC)
NOTES = {
    "Games/Chess.md": "---\ngenre: board\nplayers: [Ada, Chen]\nrating: 9\n---\n"
    "See [[Go|the other one]] and [rules](Rules.md), also ![[plan.png]] and [[Nowhere]].\n"
    "**Time Played**:: 40 hours\nI give it a [mood:: calm] and a [mood:: slow].\n",
    "Games/Go.md": "---\ngenre: board\nplayers: [Ada]\nrating: 8\nparent: '[[Chess]]'\n---\n"
    "Back to [[games/chess#Rules]].\n",
    "Games/Doom.md": "---\ngenre: shooter\nplayers: []\nrating: 7\n---\n"
    "```\n[[Chess]] in code is no link\n- [ ] nor a task\n```\n",
    "Games/Rules.md": "# Rules\nNothing yet, https://example.org is not a note: [x](https://example.org).\n",
    "Daily/2026-06-14.md": "---\nowner: Ada\n---\n# Day\n## Chores\n- [ ] clean up the house #home\n\t- [ ] kitchen\n"
    "\t- [x] living room\n\t- [ ] bedroom [urgent:: true]\n- [x] call ✅ 2026-06-13\n- a plain item ^block1\n"
    "## Work\n- [ ] report for [[Chess]] [due:: 2026-06-20]\n  and its annex\n"
    "- [-] dropped 🗓️2026-01-01\n* [x] all done\n\t* [x] every part\n",
    "plan.png": "",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    folder = tmp_path_factory.mktemp("dataview")
    for name, text in NOTES.items():
        (folder / "vault" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "vault" / name).write_text(text)
    vault = Vault(folder / "vault", folder / "index.sqlite")
    vault.start()
    yield vault
    vault.close()


def asked(vault: Vault, query: str) -> list[dict[str, Any]]:
    read = parse(query, NOW)
    return [read.item_of(row) for row in read.run(vault.pages())]


def names(vault: Vault, query: str) -> list[str]:
    return [one["filename"].rpartition("/")[2].removesuffix(".md") for one in asked(vault, query)]


def texts(vault: Vault, query: str) -> list[str]:
    return [one["text"] for one in asked(vault, query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("LIST FROM [[Chess]]", ["2026-06-14", "Go"]),
        ("LIST FROM [[Games/Chess]]", ["2026-06-14", "Go"]),
        ("LIST FROM [[chess]] and -[[Rules]]", ["2026-06-14", "Go"]),
        ("LIST FROM [[Doom]]", []),
        ("LIST FROM outgoing([[Chess]])", ["Go", "Rules"]),
        ("LIST FROM outgoing([[Go]]) or [[Rules]]", ["Chess"]),
        ('LIST FROM "Games" and -outgoing([[Chess]])', ["Chess", "Doom"]),
        ("LIST WHERE contains(file.outlinks, [[Go]])", ["Chess"]),
        ("LIST WHERE length(file.inlinks) = 2", ["Chess"]),
        ("LIST WHERE contains(file.inlinks, [[Go]])", ["Chess"]),
        ("LIST WHERE parent = [[Chess]]", ["Go"]),
        ('LIST WHERE parent.genre = "board"', ["Go"]),
        ("LIST WHERE any(file.tasks, (t) => !t.completed)", ["2026-06-14"]),
        ("LIST WHERE file.tasks", ["2026-06-14"]),
        ("LIST WHERE time-played > dur(1 day)", ["Chess"]),
        ('LIST WHERE contains(mood, "slow")', ["Chess"]),
        ("LIST WHERE file.day = date([[2026-06-14]]) and file.day", ["2026-06-14"]),
    ],
)
def test_a_query_follows_links_and_fields_in_the_text(vault: Vault, query: str, expected: list[str]) -> None:
    assert names(vault, query) == expected


def test_a_note_that_is_not_written_yet_is_linked_to_by_those_that_name_it(vault: Vault) -> None:
    assert names(vault, "LIST FROM [[Nowhere]]") == ["Chess"]
    assert names(vault, "LIST FROM [[nowhere]]") == ["Chess"]
    assert names(vault, "LIST FROM [[Not linked either]]") == []
    assert names(vault, "LIST FROM outgoing([[Nowhere]])") == []


def test_an_answer_names_the_notes_of_a_query_that_are_not_there(vault: Vault) -> None:
    _, total, also = _dataview(vault, "LIST FROM outgoing([[Other/Chess]]) or [[Nowhere]]", 5)
    assert total == 1
    assert also["noSuchNote"] == {"Other/Chess": ["Games/Chess.md"], "Nowhere": []}
    assert "noSuchNote" not in _dataview(vault, "LIST FROM [[Chess]]", 5)[2]


def test_a_link_leads_to_its_path_before_a_name_and_to_the_nearest_note_of_a_name(tmp_path: Path) -> None:
    files = {
        "index.md": "",
        "a/index.md": "[[index]] [up](../index.md) [down](b/index.md) [[b/index]]",
        "a/b/index.md": "[[a/index]]",
        "c/d/deep.md": "[[a/b/index.md#part]] [[d/deep]] [[deep]]",
        "c/deep.md": "[[gone/deep]]",
    }
    for path, text in files.items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_text(text)
    vault = Vault(tmp_path / "vault", tmp_path / "index.sqlite")
    vault.start()
    shown = {row["filename"]: row["result"] for row in asked(vault, "LIST file.outlinks")}
    vault.close()
    assert shown == {
        "index.md": [],
        "a/index.md": ["[[a/index]]", "[[index|up]]", "[[a/b/index|down]]"],
        "a/b/index.md": ["[[a/index]]"],
        "c/d/deep.md": ["[[a/b/index#part]]", "[[c/d/deep]]"],
        "c/deep.md": ["[[gone/deep]]"],
    }


def test_links_are_shown_as_they_are_written_in_a_note(vault: Vault) -> None:
    told = asked(vault, 'TABLE file.outlinks, file.inlinks, file.link FROM "Games/Chess"')[0]["result"]
    assert told == {
        "file.outlinks": ["[[Games/Go|the other one]]", "[[Games/Rules|rules]]", "![[plan.png]]", "[[Nowhere]]"],
        "file.inlinks": ["[[Daily/2026-06-14]]", "[[Games/Go]]"],
        "file.link": "[[Games/Chess]]",
    }


def test_groups_have_a_key_and_the_rows_whose_fields_can_be_taken(vault: Vault) -> None:
    query = 'TABLE rows.file.name AS names, sum(rows.rating) AS total, average(rows.rating) FROM "Games" GROUP BY genre'
    assert asked(vault, query) == [
        {
            "group": "board",
            "count": 2,
            "result": {"names": ["Chess", "Go"], "total": 17, "average(rows.rating)": 8.5},
        },
        {"group": "shooter", "count": 1, "result": {"names": ["Doom"], "total": 7, "average(rows.rating)": 7}},
        {"group": None, "count": 1, "result": {"names": ["Rules"], "total": None, "average(rows.rating)": None}},
    ]
    assert asked(vault, "LIST WHERE genre GROUP BY genre") == [
        {"group": "board", "count": 2},
        {"group": "shooter", "count": 1},
    ]
    assert asked(vault, "LIST rows.file.link WHERE genre GROUP BY genre SORT length(rows) ASC LIMIT 1") == [
        {"group": "shooter", "count": 1, "result": ["[[Games/Doom]]"]}
    ]
    counted = 'LIST WITHOUT ID length(rows) + " of " + key WHERE genre GROUP BY genre'
    assert asked(vault, counted) == [{"result": "2 of board"}, {"result": "1 of shooter"}]
    named = asked(vault, "TABLE WITHOUT ID kind, length(rows) WHERE rating GROUP BY (rating >= 8) AS kind")
    assert named == [{"result": {"kind": False, "length(rows)": 1}}, {"result": {"kind": True, "length(rows)": 2}}]


def test_a_flattened_list_is_a_row_for_each_item(vault: Vault) -> None:
    query = "TABLE WITHOUT ID file.name AS game, players WHERE rating FLATTEN players SORT players, rating DESC"
    assert [tuple(one["result"].values()) for one in asked(vault, query)] == [
        ("Chess", "Ada"),
        ("Go", "Ada"),
        ("Chess", "Chen"),
    ]
    by_player = asked(vault, "LIST rows.file.name FLATTEN players AS p WHERE p GROUP BY p")
    assert by_player == [
        {"group": "Ada", "count": 2, "result": ["Chess", "Go"]},
        {"group": "Chen", "count": 1, "result": ["Chess"]},
    ]
    tasks = asked(vault, "TABLE WITHOUT ID T.text FLATTEN file.tasks AS T WHERE T.due")
    assert len(tasks) == 2


def test_commands_are_carried_out_in_the_order_in_which_they_are_written(vault: Vault) -> None:
    assert names(vault, "LIST WHERE rating LIMIT 2 SORT rating") == ["Doom", "Chess"]
    assert names(vault, "LIST WHERE rating SORT rating LIMIT 2") == ["Doom", "Go"]


def test_a_task_comes_with_those_inside_of_it(vault: Vault) -> None:
    told = asked(vault, "TASK WHERE !completed")
    assert [one["text"] for one in told] == [
        "clean up the house #home",
        "report for [[Chess]] [due:: 2026-06-20]\nand its annex",
        "dropped 🗓️2026-01-01",
    ]
    assert told[0]["filename"] == "Daily/2026-06-14.md"
    assert (told[0]["line"], told[0]["status"]) == (5, " ")
    assert [(one["text"], one["status"]) for one in told[0]["children"]] == [
        ("kitchen", " "),
        ("living room", "x"),
        ("bedroom [urgent:: true]", " "),
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("TASK WHERE urgent", ["bedroom [urgent:: true]"]),
        ("TASK WHERE completion = date(2026-06-13)", ["call ✅ 2026-06-13"]),
        ('TASK WHERE contains(tags, "#home")', ["clean up the house #home"]),
        ("TASK WHERE checked AND !completed", ["dropped 🗓️2026-01-01"]),
        ("TASK WHERE due < date(today)", ["dropped 🗓️2026-01-01"]),
        ("TASK WHERE fullyCompleted AND children", ["all done"]),
        ('TASK WHERE meta(section).subpath = "Work" AND owner = "Ada" AND contains(text, "report")',
         ["report for [[Chess]] [due:: 2026-06-20]\nand its annex"]),
        ("TASK WHERE contains(outlinks, [[Chess]]) SORT line DESC",
         ["report for [[Chess]] [due:: 2026-06-20]\nand its annex"]),
        ("TASK FROM #nothing", []),
        ("TASK WHERE parent = 5 AND status != \"x\" LIMIT 1", ["kitchen"]),
        ("TASK WHERE annotated AND file.name = \"2026-06-14\" AND due > date(today)",
         ["report for [[Chess]] [due:: 2026-06-20]\nand its annex"]),
    ],
)  # fmt: skip
def test_tasks_are_found_by_their_own_fields_and_those_of_their_note(
    vault: Vault, query: str, expected: list[str]
) -> None:
    assert texts(vault, query) == expected


def test_tasks_are_grouped_by_their_note_or_section(vault: Vault) -> None:
    (told,) = asked(vault, "TASK WHERE !completed GROUP BY file.link")
    assert (told["group"], told["count"]) == ("[[Daily/2026-06-14]]", 3)
    assert next(one["text"] for one in told["tasks"]) == "clean up the house #home"
    sections = asked(vault, "TASK GROUP BY meta(section).subpath AS s")
    assert [(one["group"], one["count"]) for one in sections] == [("Chores", 2), ("Work", 3)]


def test_list_items_have_blocks_and_lines(vault: Vault) -> None:
    query = "TABLE WITHOUT ID L.text, L.blockId, L.task, L.link FLATTEN file.lists AS L WHERE L.blockId"
    assert asked(vault, query) == [
        {
            "result": {
                "L.text": "a plain item ^block1",
                "L.blockId": "block1",
                "L.task": False,
                "L.link": "[[Daily/2026-06-14#^block1]]",
            }
        }
    ]


def test_a_calendar_is_the_notes_that_have_a_date(vault: Vault) -> None:
    assert asked(vault, "CALENDAR file.day") == [{"filename": "Daily/2026-06-14.md", "date": "2026-06-14"}]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('dateformat(date(2026-01-05), "yyyy-MM-dd")', "2026-01-05"),
        ('dateformat(date(2026-01-05), "EEEE, d. MMMM yy \'at\' h a W")', "Monday, 5. January 26 at 12 AM 2"),
        ('dateformat(date(2026-01-05T18:03:04), "HH:mm:ss ZZ x")', "18:03:04 +00:00 1767636184000"),
        ('durationformat(dur("3 days 7 hours 43 seconds"), "ddd\'d\' hh\'h\' ss\'s\'")', "003d 07h 43s"),
        ("date(2026-01-05).week + date(2026-01-05).year", 2028),
        ("date(eom)", "2026-06-30"),
        ("date(sow)", "2026-06-15"),
        ("striptime(date(now))", "2026-06-15"),
        ("map([1, 2, 3], (x) => x + 2)", [3, 4, 5]),
        ("filter([1, 2, 3], (x) => x >= 2)", [2, 3]),
        ("minby([1, 2, 3], (k) => 0 - k)", 3),
        ("all([1, 2, 3], (x) => x > 1)", False),
        ("none([false, false])", True),
        ('reduce([100, 20, 3], "-")', 77),
        ("product([1, 2, 3])", 6),
        ("flat(list(1, 2, list(4, list(5))), 2)", [1, 2, 4, 5]),
        ("slice([1, 2, 3, 4, 5], -2)", [4, 5]),
        ('lower(["YES", "NO"])', ["yes", "no"]),
        ('regexreplace("Suite 1000", "(\\\\d)\\\\d+", "$1-")', "Suite 1-"),
        ('regextest("what", "what\'s up")', True),
        ('regexmatch("what", "what\'s up")', False),
        ('regextest("(", "x")', None),
        ('split("hello  world", "\\\\s+")', ["hello", "world"]),
        ('padleft("yes", 5, "!")', "!!yes"),
        ('truncate("Hello there!", 8)', "Hello..."),
        ('substring("hello", 2, 4)', "ll"),
        ('number("18 years")', 18),
        ("ceil(-93.3) + floor(1.9) + trunc(-0.8)", -92),
        ('containsword("Hello there!", "HELLO")', True),
        ("default(list(1, null), 3)", [1, 3]),
        ("ldefault(list(1, null), 3)", [1, None]),
        ("unique(list(1, 1, 2))", [1, 2]),
        ("sort(list(3, 1, 2), (x) => 0 - x)", [3, 2, 1]),
        ('object("a", 4, "c", "yes")', {"a": 4, "c": "yes"}),
        ('link("Chess", "a game")', "[[Games/Chess|a game]]"),
        ('meta([[Chess#Rules]]).type', "header"),
        ("typeof([[Chess]])", "link"),
        ("typeof(dur(8 minutes))", "duration"),
        ("dur(8 minutes) * 3", "0.0166667 days"),
        ("extract(file, \"name\")", {"name": "Rules"}),
        ('join(list(1, true, null), "+")', "1+true+-"),
        ('"a" * 3', "aaa"),
    ],
)  # fmt: skip
def test_an_expression_has_the_value_that_the_pages_of_dataview_tell(
    vault: Vault, expression: str, expected: Any
) -> None:
    assert asked(vault, f'LIST {expression} FROM "Games/Rules"')[0]["result"] == expected


def test_what_is_written_later_is_found_by_its_links_and_tasks(vault: Vault) -> None:
    new = vault.root.folder / "New.md"
    new.write_text("[[Doom]]\n- [ ] brand new")
    assert names(vault, "LIST FROM [[Doom]]") == ["New"]
    assert texts(vault, 'TASK WHERE contains(text, "brand")') == ["brand new"]
    new.unlink()
    assert names(vault, "LIST FROM [[Doom]]") == []


def test_groups_over_the_sample_vault_count_every_note(talk: Talk) -> None:
    query = 'TABLE length(rows) FROM "Projects" GROUP BY status'
    told = talk.told("search_vault", queryType="dataview", query=query)
    alone = talk.told("search_vault", queryType="dataview", query='LIST FROM "Projects"')
    assert sum(one["count"] for one in told["results"]) == alone["pagination"]["total"]
