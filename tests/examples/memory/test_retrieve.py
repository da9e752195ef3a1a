"""Which chunks are found: by words, by links, by neighbourhood; and that any words can be asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memory_server.answer import Answers, Limits, Request
from memory_server.library import Draft, Library
from memory_server.retrieve import LINKED, Retrieval, Wanted, retrieve
from memory_server.words import MOST_WORDS, any_of, words_of

if TYPE_CHECKING:
    from memory_server.database import Database

WANTED: Final = Wanted(session="s", folder="", words=("ferry",), task_type="general", max_chunks=10, auto_expand=True)


def found(library: Library, task: str, **more: object) -> Retrieval:
    return retrieve(library.database, replace(WANTED, words=tuple(words_of(task)), **more))  # type: ignore[arg-type]


def titles(chunks: tuple[object, ...]) -> list[str]:
    return [chunk.title for chunk in chunks]  # type: ignore[attr-defined]


def test_the_chunk_that_says_most_about_the_task_comes_first(library: Library) -> None:
    library.store(
        "s",
        [
            Draft(title="Notes", text="The ferry was late, and much else happened on that day as well."),
            Draft(title="Ferry login", text="How a user logs in to the ferry system."),
            Draft(title="Cake", text="Flour, sugar, eggs."),
        ],
    )
    result = found(library, "the login of the ferry", auto_expand=False)
    assert titles(result.primary) == ["Ferry login", "Notes"]
    assert result.primary[0].why == "relevance 1.00"
    assert result.matching == 2
    assert result.related == ()


def test_related_chunks_are_linked_linking_and_beside(library: Library) -> None:
    library.store("s", [Draft(title=f"part {n}", text=f"text {n}", source="guide.md") for n in range(5)])
    library.store(
        "s",
        [
            Draft(title="hit", text="ferry, see [the guide](guide.md)", source="hit.md"),
            Draft(title="wiki", text="as [[hit]] says"),
            Draft(title="named", text="see there", links=("hit.md",)),
            Draft(title="beside the hit", text="more", source="hit.md"),
            Draft(title="far", text="nothing to do with it"),
        ],
    )
    result = found(library, "ferry")
    assert titles(result.primary) == ["hit"]
    assert titles(result.related) == ["part 0", "wiki", "named", "beside the hit"]
    number = result.primary[0].id
    whys = [chunk.why for chunk in result.related]
    assert whys == [f"linked from c{number}", "links to hit.md", "links to hit.md", f"after c{number}"]
    ids = {chunk.title: chunk.id for chunk in (*result.primary, *result.related)}
    assert sorted(result.relationships) == sorted(
        [
            f"c{ids['hit']} links to c{ids['part 0']}; is followed by c{ids['beside the hit']}",
            f"c{ids['wiki']} links to c{ids['hit']}; is followed by c{ids['named']}",
            f"c{ids['named']} links to c{ids['hit']}",
        ]
    )


def test_a_link_is_looked_up_by_an_index_and_not_in_all_chunks(library: Library) -> None:
    with library.database.read() as connection:
        asked = {"memories": "[1]", "target": "guide.md"}
        plan = " ".join(row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {LINKED}", asked))
    assert "by_address (memory=? AND address=?)" in plan
    assert "by_name (memory=? AND name=?)" in plan


def test_chunks_without_a_source_are_neighbours_in_the_order_they_came(library: Library) -> None:
    library.store("s", [Draft(title=str(n), text="ferry" if n == 2 else "other") for n in range(5)])
    result = found(library, "ferry")
    assert [(chunk.title, chunk.why) for chunk in result.related] == [("1", "before c3"), ("3", "after c3")]


@pytest.mark.parametrize(
    ("task_type", "first"),
    [("development", "a.py"), ("debugging", "a.py"), ("documentation", "b.md"), ("research", "b.md")],
)
def test_the_type_of_task_prefers_its_kind_of_text(library: Library, task_type: str, first: str) -> None:
    library.store("s", [Draft(text="the ferry leaves", source=source) for source in ("a.py", "b.md", "c.log")])
    assert found(library, "ferry", task_type=task_type).primary[0].source == first


def test_max_chunks_bounds_primary_and_related_ones_and_tells_how_many_match(library: Library) -> None:
    library.store("s", [Draft(text=f"ferry {n}" if n % 3 == 0 else f"{n}") for n in range(60)])
    result = found(library, "ferry", max_chunks=7)
    assert (len(result.primary), len(result.related), result.matching) == (7, 7, 20)


def test_what_is_more_important_comes_first_and_what_is_less_is_left_out(library: Library) -> None:
    texts = [f"ferry, part {n}" for n in range(6)]
    library.store("s", [Draft(text=text, importance=4.0 if n == 5 else 1.0) for n, text in enumerate(texts)])
    library.store(
        "s", [Draft(text="rule", title="rule", links=("x",)), Draft(text="see [[rule]]: ferry", importance=0.1)]
    )
    result = found(library, "ferry", max_chunks=6)
    assert result.primary[0].text == "ferry, part 5"
    assert "see [[rule]]: ferry" not in [chunk.text for chunk in result.primary]
    library.store("s", [Draft(text=texts[2], importance=9.0)])
    assert [chunk.text for chunk in found(library, "ferry", max_chunks=2).primary] == [texts[2], texts[5]]


def test_a_related_chunk_that_is_more_important_comes_before_others(library: Library) -> None:
    targets = [Draft(text=f"text {name}", title=name, importance=weight) for name, weight in (("a", 1.0), ("b", 5.0))]
    library.store("s", [*targets, Draft(text="ferry", title="hit", source="hit.md", links=("a", "b"))])
    assert titles(found(library, "ferry").related) == ["b", "a"]


def test_a_session_never_sees_what_another_has_stored(library: Library) -> None:
    library.store("s", [Draft(text="ferry of mine")])
    other = library.store("other", [Draft(text="ferry of another, see [[mine]]", title="mine", links=("x",))])
    result = found(library, "ferry")
    assert [chunk.text for chunk in result.primary] == ["ferry of mine"]
    assert result.related == ()
    assert found(library, "ferry", session="nobody") == Retrieval(
        primary=(), related=(), relationships=(), matching=0, own_chunks=0, revision=0
    )
    assert library.text("s", "", other.ids[0]) is None
    assert library.text("other", "", other.ids[0]) == "ferry of another, see [[mine]]"


def test_words_that_are_in_every_text_are_asked_for_only_when_there_are_no_others() -> None:
    assert words_of("How do I use THE ferry, the ferry?") == ["use", "ferry"]
    assert words_of("what is this") == ["what", "is", "this"]
    assert len(words_of(" ".join(map(str, range(500))))) == MOST_WORDS


@given(task=st.text(max_size=300))
@example(task='" OR * NEAR(a b, 3) AND title:x ^y -z + {c d}: "unclosed')
@example(task="NOT AND OR \0 '; DROP TABLE chunks; --")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_task_is_a_syntax_error(database: Database, task: str) -> None:
    retrieve(database, replace(WANTED, words=tuple(words_of(task) or ["x"])))
    retrieve(database, replace(WANTED, words=(task,)))  # not even one that was never taken apart
    assert any_of(['a"b']) == '"a""b"'


@given(words=st.lists(st.from_regex(r"[a-z]{3,8}", fullmatch=True), min_size=1, max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_chunk_is_found_by_every_word_of_it_whatever_stands_around_the_word(
    library: Library, words: list[str]
) -> None:
    text = '"*(' + ") AND {".join(words) + "}:^-"
    number = library.store("s", [Draft(text=text)]).ids[0]
    for word in words:
        result = found(library, f'"{word}" AND (', max_chunks=1_000)
        assert number in [chunk.id for chunk in result.primary]


@pytest.mark.parametrize(
    ("task", "numbers"),
    [("港口的潮汐表", [1, 3]), ("潮汐", [1, 3]), ("フェリーの時刻表", [2]), ("船", [1]), ("ferry 潮汐表", [1, 3, 4])],
)
def test_scripts_without_blanks_are_found_inside_of_their_sentences(
    library: Library, task: str, numbers: list[int]
) -> None:
    texts = [
        "今天的港口潮汐表已经更新，船可以进港。",
        "明日のフェリーの時刻表です。",
        "潮汐表",
        "The ferry leaves at noon.",
    ]
    ids = library.store("s", [Draft(text=text) for text in texts]).ids
    told = found(library, task, auto_expand=False)
    assert {one.id for one in told.primary} == {ids[number - 1] for number in numbers}
    assert told.matching == len(numbers)


def test_pages_of_one_answer_are_one_search_until_memory_changes(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.store("s", [Draft(text=f"ferry {number}") for number in range(5)])
    searches: list[Wanted] = []

    def noted(database: Database, wanted: Wanted) -> Retrieval:
        searches.append(wanted)
        return retrieve(database, wanted)

    monkeypatch.setattr("memory_server.answer.retrieve", noted)
    answers = Answers(library.database, Limits())
    request = Request(session="s", task="ferry", task_type="general", tokens=4_000, page=1, paginate=True)
    assert "ferry 4" in answers.page(WANTED, request)
    assert "past the last one" in answers.page(WANTED, replace(request, page=2))
    assert len(searches) == 1
    library.store("s", [Draft(text="another ferry")])
    assert "another ferry" in answers.page(WANTED, request)
    assert len(searches) == 2
