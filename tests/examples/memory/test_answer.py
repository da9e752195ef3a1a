"""Whatever the chunks say, an answer keeps its budget, and its pages put together are every item once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit.examples.memory_client import Page

from memory_server.answer import Answer, Asked, Item, Limits, answer, as_text, fitted
from memory_server.retrieve import Chunk, Found
from penstock import allocate, count

ASKED: Final = Asked(session="s", task="a task", task_type="general", tokens=1_000, page=1, paginate=True)
EMPTY: Final = Found(primary=(), related=(), relationships=(), matching=0, own_chunks=0, revision=0)

# Scripts of all prices: plain words, dense ones, signs that must be escaped, and what stacks on one letter.
alphabets = st.sampled_from(["abc de", "0123456789", "ሀለሐመሠ", "汉字 漢", "🎯👩‍🚀", '"\\\n\t', "a\u0301 ", "{}[]:,;="])
texts = st.builds(
    lambda letters, size: (letters * size)[:size],
    alphabets.flatmap(lambda letters: st.text(alphabet=letters, min_size=1, max_size=40)),
    st.integers(1, 12_000),
)
names = st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace").decode())


@st.composite
def founds(draw: st.DrawFn) -> Found:
    """Anything that could be found."""
    sizes = draw(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 60)))
    chunks = [chunk(number, draw(texts), draw(names)) for number in range(1, sizes[0] + sizes[1] + 1)]
    lines = tuple(f"c{number} links to c{number + 1}" for number in range(1, sizes[2] + 1))
    return Found(
        primary=tuple(chunks[: sizes[0]]),
        related=tuple(chunks[sizes[0] :]),
        relationships=lines,
        matching=draw(st.integers(sizes[0], 10**9)),
        own_chunks=draw(st.integers(0, 10**9)),
        revision=draw(st.integers(0, 10**9)),
    )


def chunk(number: int, text: str, name: str = "") -> Chunk:
    return Chunk(
        id=number,
        memory=1,
        source=name,
        position=number,
        address="",
        name="",
        kind="prose",
        title=name,
        text=text,
        why="w",
    )


def items_of(found: Found) -> list[str]:
    return [f"c{one.id}" for one in (*found.primary, *found.related)] + list(found.relationships)


def plain(found: Found) -> Found:
    """The same with texts that cannot be taken for a heading or a line of their own."""
    primary, related = (
        tuple(replace(one, text=one.text.replace("\n", " ")) for one in chunks)
        for chunks in (found.primary, found.related)
    )
    return replace(found, primary=primary, related=related)


@given(
    found=founds(),
    tokens=st.integers(1_000, 24_000),
    page=st.integers(1, 5),
    paginate=st.booleans(),
    cuts=st.booleans(),
    page_size=st.sampled_from([0, 3, 10]),
    task=st.one_of(names, texts),
)
def test_an_answer_never_costs_more_than_its_budget(
    found: Found, tokens: int, page: int, paginate: bool, cuts: bool, page_size: int, task: str
) -> None:
    asked = Asked(session=task[:128], task=task, task_type="general", tokens=tokens, page=page, paginate=paginate)
    text = answer(found, asked, Limits(truncate_content=cuts, page_size=page_size))
    assert count(text).upper <= tokens
    assert len(json.dumps(text, ensure_ascii=False).encode()) <= 48_000
    assert Page(text=text).budget[0] == tokens


@given(found=founds().map(plain), tokens=st.sampled_from([1_000, 1_500, 4_000, 24_000]))
def test_pages_put_together_have_every_item_once(found: Found, tokens: int) -> None:
    first = Page(text=answer(found, replace(ASKED, tokens=tokens), Limits()))
    seen = list(first.items)
    for number in range(2, first.page[1] + 1):
        page = Page(text=answer(found, replace(ASKED, tokens=tokens, page=number), Limits()))
        assert page.items, "a page without items"
        assert page.page[1:] == first.page[1:]
        seen += page.items
    assert sorted(seen) == sorted(items_of(found))
    assert first.page[2] == len(seen)


@given(found=founds().map(plain), page_size=st.integers(3, 20), tokens=st.sampled_from([1_000, 6_000]))
def test_no_page_has_more_items_than_the_page_size(found: Found, page_size: int, tokens: int) -> None:
    limits = Limits(page_size=page_size)
    first = Page(text=answer(found, replace(ASKED, tokens=tokens), limits))
    every = [
        Page(text=answer(found, replace(ASKED, tokens=tokens, page=n), limits)) for n in range(1, first.page[1] + 1)
    ]
    assert all(len(page.items) <= page_size for page in every)
    assert sorted(item for page in every for item in page.items) == sorted(items_of(found))


@given(found=founds().map(plain), tokens=st.integers(1_000, 24_000))
def test_the_header_says_cut_exactly_when_something_was(found: Found, tokens: int) -> None:
    page = Page(text=answer(found, replace(ASKED, tokens=tokens, paginate=False), Limits()))
    wholes = {as_text(one) for one in (*found.primary, *found.related)} | {f"- {one}" for one in found.relationships}
    shows_all = len(page.items) == len(wholes) and all(whole in page.text for whole in wholes)
    assert page.is_cut == (not shows_all)


def test_a_page_that_costs_more_than_its_parts_is_cut_once_more_and_keeps_its_items() -> None:
    long, short = chunk(1, "word " * 2_000), chunk(2, "brief")
    plan = allocate({"primary": [as_text(long), as_text(short)], "related": [], "relationships": []}, budget=20_000)
    items = ((Item(text=as_text(long), chunk=1, cut=False), Item(text=as_text(short), chunk=2, cut=False)), (), ())
    page = Page(text=fitted(Answer(asked=ASKED, found=EMPTY, plan=plan, items=items), Limits()))
    assert page.tokens <= 1_000
    assert page.items == ["c1", "c2"]
    assert page.is_cut
    assert "word… [cut]" in page.text
    assert "brief" in page.text


def test_a_page_of_nothing_but_scraps_keeps_its_budget_too() -> None:
    lines = [f"- c{number} links to c{number + 1}" for number in range(400)]
    plan = allocate({"primary": [], "related": [], "relationships": lines}, budget=20_000)
    items = ((), (), tuple(Item(text=line, chunk=None, cut=False) for line in lines))
    text = fitted(Answer(asked=ASKED, found=EMPTY, plan=plan, items=items), Limits())
    assert count(text).upper <= 1_000
    assert text.endswith("…")


def test_without_cutting_what_does_not_fit_is_left_out_whole() -> None:
    found = replace(EMPTY, primary=(chunk(1, "one " * 100), chunk(2, "two " * 200)))
    asked = replace(ASKED, paginate=False)
    assert "two" in answer(found, asked, Limits())
    text = answer(found, asked, Limits(truncate_content=False))
    assert "two" not in text
    assert "Left out: 1." in text
    assert "Cut on this page" not in text


@pytest.mark.parametrize("task", ["a\n**Page**: 9 of 9 (Total items: 9)", "x " * 2_000, "ሀ" * 4_000])
def test_a_task_and_a_session_are_short_and_no_lines_of_their_own_in_the_header(task: str) -> None:
    header = Page(text=answer(EMPTY, replace(ASKED, task=task, session=task[:128]), Limits())).header
    assert count(header.splitlines()[0]).upper < 100
    assert header.splitlines()[3] == "**Page**: 1 of 1 (Total items: 0)"
    assert "Nothing in memory" in header
