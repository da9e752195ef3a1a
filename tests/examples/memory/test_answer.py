"""Whatever the chunks say, an answer keeps its budget, and its pages put together are every item once."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kit.examples.memory_client import Page

from memory_server.answer import Limits, Request, answer, as_text, made
from memory_server.chunks import pieces
from memory_server.retrieve import Chunk, Retrieval
from penstock import count

ASKED: Final = Request(session="s", task="a task", task_type="general", tokens=1_000, page=1, paginate=True)
ROOT: Final = Path(__file__).resolve().parents[3]
EMPTY: Final = Retrieval(primary=(), related=(), relationships=(), matching=0, own_chunks=0, revision=0)

# Scripts of all prices: plain words, dense ones, signs that must be escaped, and what stacks on one letter.
alphabets = st.sampled_from(["abc de", "0123456789", "ሀለሐመሠ", "汉字 漢", "🎯👩‍🚀", '"\\\n\t', "a\u0301 ", "{}[]:,;="])
texts = st.builds(
    lambda letters, size: (letters * size)[:size],
    alphabets.flatmap(lambda letters: st.text(alphabet=letters, min_size=1, max_size=40)),
    st.integers(1, 12_000),
)
names = st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace").decode())


@st.composite
def founds(draw: st.DrawFn) -> Retrieval:
    """Anything that could be found."""
    sizes = draw(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 60)))
    chunks = [chunk(number, draw(texts), draw(names)) for number in range(1, sizes[0] + sizes[1] + 1)]
    lines = tuple(f"c{number} links to c{number + 1}" for number in range(1, sizes[2] + 1))
    return Retrieval(
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


def items_of(found: Retrieval) -> list[str]:
    return [f"c{one.id}" for one in (*found.primary, *found.related)] + list(found.relationships)


def plain(found: Retrieval) -> Retrieval:
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
    found: Retrieval, tokens: int, page: int, paginate: bool, cuts: bool, page_size: int, task: str
) -> None:
    asked = Request(session=task[:128], task=task, task_type="general", tokens=tokens, page=page, paginate=paginate)
    text = answer(found, asked, Limits(truncate_content=cuts, page_size=page_size))
    assert count(text).upper <= tokens
    assert len(json.dumps(text, ensure_ascii=False).encode()) <= 48_000
    assert Page(text=text).budget[0] == tokens


@given(found=founds().map(plain), tokens=st.sampled_from([1_000, 1_500, 4_000, 24_000]))
def test_pages_put_together_have_every_item_once(found: Retrieval, tokens: int) -> None:
    whole = made(found, replace(ASKED, tokens=tokens), Limits())
    first = Page(text=whole.page(1))
    seen = list(first.items)
    for number in range(2, first.page[1] + 1):
        page = Page(text=whole.page(number))
        assert page.items, "a page without items"
        assert page.page[1:] == first.page[1:]
        seen += page.items
    assert sorted(seen) == sorted(items_of(found))
    assert first.page[2] == len(seen)


@given(found=founds().map(plain), page_size=st.integers(3, 20), tokens=st.sampled_from([1_000, 6_000]))
def test_no_page_has_more_items_than_the_page_size(found: Retrieval, page_size: int, tokens: int) -> None:
    limits = Limits(page_size=page_size)
    whole = made(found, replace(ASKED, tokens=tokens), limits)
    every = [Page(text=whole.page(number)) for number in range(1, len(whole.pages) + 1)]
    assert all(len(page.items) <= page_size for page in every)
    assert sorted(item for page in every for item in page.items) == sorted(items_of(found))


@given(found=founds().map(plain), tokens=st.integers(1_000, 24_000))
def test_the_header_says_cut_exactly_when_something_was(found: Retrieval, tokens: int) -> None:
    page = Page(text=answer(found, replace(ASKED, tokens=tokens, paginate=False), Limits()))
    wholes = {as_text(one) for one in (*found.primary, *found.related)} | {f"- {one}" for one in found.relationships}
    shows_all = len(page.items) == len(wholes) and all(whole in page.text for whole in wholes)
    assert page.is_cut == (not shows_all)


def folder_found() -> Retrieval:
    """The documentation and the sources of this repository, as chunks that were found."""
    texts = [
        piece.text
        for file in sorted((*ROOT.glob("docs/**/*.md"), *ROOT.glob("src/penstock/core/**/*.py")))
        for piece in pieces(file.read_text("utf-8"))
    ][::7]
    chunks = [chunk(number, text, f"docs/part-{number}.md") for number, text in enumerate(texts, 1)]
    lines = tuple(f"c{number} is followed by c{number + 1}" for number in range(1, len(chunks)))
    return replace(EMPTY, primary=tuple(chunks[::2]), related=tuple(chunks[1::2]), relationships=lines)


@pytest.mark.parametrize(("tokens", "filled"), [(2_000, 0.7), (8_000, 0.85), (20_000, 0.9)])
def test_pages_of_a_real_folder_are_nearly_full_and_keep_their_budget(tokens: int, filled: float) -> None:
    answer_ = made(folder_found(), replace(ASKED, tokens=tokens), Limits(max_bytes=0))
    costs = [count(answer_.page(number)).upper / tokens for number in range(1, len(answer_.pages))]
    assert max(costs) <= 1
    assert sum(costs) / len(costs) >= filled


def test_the_text_of_chunks_costs_less_than_the_same_as_json() -> None:
    chunks = folder_found().primary[:60]
    texts = "\n\n".join(map(as_text, chunks))
    fields = [{"id": one.id, "source": one.source, "why": one.why, "text": one.text} for one in chunks]
    minified = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    assert count(texts).tokens < 0.95 * count(minified).tokens


@pytest.mark.parametrize("page_size", [0, 3])
@pytest.mark.parametrize("paginate", [True, False])
def test_a_first_chunk_larger_than_the_budget_is_cut_and_the_page_is_full(page_size: int, paginate: bool) -> None:
    chunks = tuple(chunk(number, "word " * (20_000 if number == 1 else 10)) for number in range(1, 9))
    lines = tuple(f"c{number} links to c1" for number in range(2, 9))
    found = replace(EMPTY, primary=chunks, related=(), relationships=lines)
    asked = replace(ASKED, tokens=3_000, paginate=paginate)
    page = Page(text=answer(found, asked, Limits(page_size=page_size)))
    assert page.items[0] == "c1"
    assert page.is_cut
    assert page.budget[1] > 1_500


def test_a_chunk_larger_than_a_page_is_cut_and_named_and_takes_no_further_page() -> None:
    found = replace(EMPTY, primary=(chunk(7, "word " * 200_000),))
    whole = made(found, ASKED, Limits())
    assert len(whole.pages) == 1
    assert "Cut on this page: 1. Read one whole: get_chunk with chunk_id 7" in whole.page(1)
    assert re.search(r"… \[cut: \d+ more characters\]$", whole.page(1))


def test_when_bytes_cut_a_page_and_not_tokens_the_header_names_the_limit() -> None:
    found = replace(EMPTY, primary=tuple(chunk(number, "word " * 300) for number in range(1, 40)))
    assert "**Byte limit**: 4000, which cut this page" in answer(
        found, replace(ASKED, tokens=8_000), Limits(max_bytes=4_000)
    )
    assert "**Byte limit**" not in answer(found, ASKED, Limits())


def test_without_cutting_what_does_not_fit_is_left_out_whole() -> None:
    found = replace(EMPTY, primary=(chunk(1, "one " * 100), chunk(2, "two " * 700)))
    asked = replace(ASKED, paginate=False)
    assert "two" in answer(found, asked, Limits())
    text = answer(found, asked, Limits(truncate_content=False))
    assert "two" not in text
    assert "Left out: 1." in text
    assert "Cut on this page" not in text


def test_a_chunk_larger_than_a_page_is_left_out_where_nothing_may_be_cut() -> None:
    found = replace(EMPTY, primary=(chunk(1, "one " * 100), chunk(2, "two " * 7_000), chunk(3, "three")))
    whole = made(found, ASKED, Limits(truncate_content=False))
    pages = [Page(text=whole.page(number)) for number in range(1, len(whole.pages) + 1)]
    assert [item for page in pages for item in page.items] == ["c1", "c3"]
    assert all("Left out: 1." in page.header and "Cut on this page" not in page.header for page in pages)


@pytest.mark.parametrize("task", ["a\n**Page**: 9 of 9 (Total items: 9)", "x " * 2_000, "ሀ" * 4_000])
def test_a_task_and_a_session_are_short_and_no_lines_of_their_own_in_the_header(task: str) -> None:
    header = Page(text=answer(EMPTY, replace(ASKED, task=task, session=task[:128]), Limits())).header
    assert count(header.splitlines()[0]).upper < 100
    assert header.splitlines()[3] == "**Page**: 1 of 1 (Total items: 0)"
    assert "Nothing in memory" in header
