"""Invariant: on every page the shown texts, the overhead and the safety margin measure no more than the budget.

All pages put together show every item exactly once; an item is cut only if no page could hold it whole. Without pages
the most important items of each section are shown, at most one of them cut, and the others are counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.tokens.count import count
from penstock.errors import CallerError
from penstock.toolkit.allocate import (
    MOST_OVERHEAD,
    SHARES,
    AllocatedItem,
    Allocation,
    Item,
    Section,
    allocate,
    allocate_pages,
)

Measure = Callable[[str], int]
Sections = dict[str, list[Item | str]]


def characters(text: str) -> int:
    return len(text)


def words(text: str) -> int:
    return len(text.split())


def wrapped(text: str) -> int:
    """A text as it is written in a list of JSON strings: it costs something even when it is empty."""
    return len(json.dumps(text)) + 1


def in_steps(text: str) -> int:
    """Not monotone: a longer text may measure less, as tokens sometimes do."""
    return len(text) - len(text) % 7 // 2


MEASURES = st.sampled_from([characters, words, wrapped, in_steps])
TEXTS = st.lists(st.sampled_from(["a", "word", "e\u0301", "longer-word-here", "漢字"]), max_size=20).map(" ".join)
ITEMS = st.builds(Item, text=TEXTS, importance=st.sampled_from([None, 0, 1, 2.5, float("nan"), -1, 10**400]))
NAMES = st.sampled_from(["primary", "related", "relationships", "notes", "more"])
SECTIONS = st.dictionaries(NAMES, st.lists(ITEMS | TEXTS, max_size=6), max_size=4)
SHARED = st.sampled_from([SHARES, {}, {"primary": 1}, {"related": 0.25, "notes": 0.25}, {"primary": 0, "more": 0.0}])
BUDGETS = st.integers(1, 400)
OVERHEADS = st.none() | st.integers(0, 100)


def every_page(sections: Sections, **settings: Any) -> list[Allocation]:
    first = allocate(sections, **settings)
    return [first, *(allocate(sections, page=page, **settings) for page in range(2, first.total_pages + 1))]


def shown(allocation: Allocation) -> list[AllocatedItem]:
    return [item for section in allocation.sections for item in section.items]


def section(allocation: Allocation, name: str) -> Section:
    [found] = [section for section in allocation.sections if section.name == name]
    return found


def indexes(allocation: Allocation, name: str) -> list[int]:
    return [item.index for item in section(allocation, name).items]


def texts(number: int, size: int) -> list[Item | str]:
    return [f"{n:02d}".ljust(size, "x") for n in range(number)]


@given(SECTIONS, SHARED, BUDGETS, OVERHEADS, st.integers(0, 50), MEASURES)
def test_every_page_keeps_the_budget(
    sections: Sections, shares: dict[str, float], budget: int, overhead: int | None, safety: int, measure: Measure
) -> None:
    settings = {"budget": budget, "shares": shares, "overhead": overhead, "safety": safety, "measure": measure}
    for page in [
        *every_page(sections, **settings),
        allocate(sections, paginate=False, **settings),  # type: ignore[arg-type]
        allocate(sections, paginate=False, truncate=False, **settings),  # type: ignore[arg-type]
    ]:
        cost = sum(measure(item.text) for item in shown(page) if item.text)
        assert cost + page.overhead + page.safety <= budget
        assert page.estimated_tokens + page.safety <= budget
        assert min(page.overhead, page.safety) >= 0
        joined = "".join(item.text for item in shown(page))
        assert measure is not characters or len(joined) + page.overhead + page.safety <= budget


@given(SECTIONS, SHARED, BUDGETS, OVERHEADS, MEASURES)
def test_all_pages_together_show_every_item_exactly_once(
    sections: Sections, shares: dict[str, float], budget: int, overhead: int | None, measure: Measure
) -> None:
    pages = every_page(sections, budget=budget, shares=shares, overhead=overhead, measure=measure)
    for name, items in sections.items():
        assert sorted(index for page in pages for index in indexes(page, name)) == list(range(len(items)))
    for number, page in enumerate(pages, start=1):
        assert (page.page, page.total_pages) == (number, len(pages))
        assert page.shown_items > 0 or page.total_items == 0
        assert page.hidden_items == 0
        assert page.has_more == (number < len(pages))
    beyond = allocate(sections, page=len(pages) + 1, budget=budget, shares=shares, overhead=overhead, measure=measure)
    assert (beyond.shown_items, beyond.total_pages, beyond.total_items) == (0, len(pages), pages[0].total_items)


@given(SECTIONS, SHARED, BUDGETS, MEASURES)
def test_on_pages_an_item_is_whole_unless_no_page_could_hold_it(
    sections: Sections, shares: dict[str, float], budget: int, measure: Measure
) -> None:
    for page in every_page(sections, budget=budget, shares=shares, measure=measure):
        available = budget - page.overhead - page.safety
        for item in shown(page):
            assert item.cut == (item.item.text != "" and measure(item.item.text) > available)
            assert item.cut or item.text == item.item.text
        assert page.truncated == any(item.cut for item in shown(page))


@given(SECTIONS, SHARED, BUDGETS, MEASURES, st.booleans())
def test_one_page_shows_the_most_important_and_counts_the_rest(
    sections: Sections, shares: dict[str, float], budget: int, measure: Measure, truncate: bool
) -> None:
    page = allocate(sections, budget=budget, shares=shares, measure=measure, paginate=False, truncate=truncate)
    assert page.total_pages == 1
    assert page.hidden_items == page.total_items - page.shown_items
    assert page.truncated == (page.hidden_items > 0 or any(item.cut for item in shown(page)))
    for name, items in sections.items():
        ranked = sorted(range(len(items)), key=lambda index: -weight(items[index]))
        if not truncate:  # what is larger than the page is left out, and ends nothing
            available = budget - page.overhead - page.safety
            ranked = [index for index in ranked if measure(text(items[index])) <= available]
        chosen = indexes(page, name)
        assert sorted(chosen) == sorted(ranked[: len(chosen)])
        assert chosen == sorted(chosen)
        cut = [item.index for item in section(page, name).items if item.cut]
        assert len(cut) <= 1 or not truncate
        assert not cut or not truncate or cut == [ranked[len(chosen) - 1]]


@given(SECTIONS, BUDGETS, MEASURES)
def test_the_more_important_is_on_the_earlier_page(sections: Sections, budget: int, measure: Measure) -> None:
    pages = every_page(sections, budget=budget, measure=measure)
    for name, items in sections.items():
        order = [index for page in pages for index in sorted(indexes(page, name), key=lambda i: (-weight(items[i]), i))]
        assert order == sorted(range(len(items)), key=lambda index: -weight(items[index]))


@given(SECTIONS, BUDGETS)
def test_a_cut_text_is_the_beginning_of_its_item_and_a_marker(sections: Sections, budget: int) -> None:
    for page in every_page(sections, budget=budget, measure=characters, marker="[cut]"):
        for item in shown(page):
            if item.cut and item.text.endswith("[cut]"):
                kept = item.text.removesuffix("[cut]")
                assert item.item.text.startswith(kept)
                assert len(kept) + item.hidden == len(item.item.text)


def text(item: Item | str) -> str:
    return item if isinstance(item, str) else item.text


def weight(item: Item | str) -> float:
    importance = 0 if isinstance(item, str) else item.importance or 0
    return float("-inf") if importance != importance else importance


def test_the_shares_are_60_30_10_of_what_overhead_and_safety_leave() -> None:
    sections: Sections = {name: texts(100, 100) for name in SHARES}
    page = allocate(sections, budget=20_000, overhead=800, measure=characters, paginate=False)
    assert [(part.name, part.share, part.allotted) for part in page.sections] == [
        ("primary", 0.6, 11_400),
        ("related", 0.3, 5_700),
        ("relationships", 0.1, 1_900),
    ]
    assert [part.used for part in page.sections] == [10_000, 7_100, 1_900]
    assert page.estimated_tokens == 19_800


def test_what_a_section_does_not_use_flows_on_to_the_next() -> None:
    sections: Sections = {"primary": texts(1, 100), "related": texts(100, 100), "relationships": texts(10, 10)}
    page = allocate(sections, budget=1_000, overhead=0, safety=0, measure=characters, paginate=False, truncate=False)
    assert [part.shown for part in page.sections] == [1, 8, 10]


def test_what_is_left_at_the_end_flows_back() -> None:
    sections: Sections = {"primary": texts(100, 100), "related": [], "relationships": texts(2, 10)}
    page = allocate(sections, budget=1_000, overhead=0, safety=0, measure=characters, paginate=False, truncate=False)
    assert [part.shown for part in page.sections] == [9, 0, 2]
    cut = allocate(sections, budget=1_000, overhead=0, safety=0, measure=characters, paginate=False)
    assert [part.shown for part in cut.sections] == [10, 0, 2]
    assert section(cut, "primary").items[-1].text.endswith("more characters]")


def test_without_pages_each_section_keeps_its_share_by_cutting_one_item() -> None:
    prose: list[Item | str] = ["the quick brown fox jumps over the lazy dog " * 100]
    page = allocate(
        {"primary": prose, "related": prose}, budget=1_000, overhead=0, safety=0, measure=characters, paginate=False
    )
    assert [part.shown for part in page.sections] == [1, 1]
    assert 650 < section(page, "primary").used <= 700
    assert 250 < section(page, "related").used <= 300
    assert section(page, "primary").items[0].text.split("…")[0].split()[-1] in "the quick brown fox jumps over lazy dog"


def test_a_cut_that_would_show_less_than_its_marker_is_not_made() -> None:
    page = allocate({"primary": ["x " * 500]}, budget=50, overhead=0, safety=0, measure=characters, paginate=False)
    assert (page.shown_items, page.hidden_items, page.truncated) == (0, 1, True)


def test_the_least_important_is_left_out_first_and_the_order_stays() -> None:
    items: list[Item | str] = [Item(text="x" * 10, importance=importance) for importance in (1, 3, 2, 3)]
    page = allocate({"primary": items}, budget=30, overhead=0, safety=0, measure=characters, paginate=False)
    assert indexes(page, "primary") == [1, 2, 3]


def test_the_key_of_an_item_comes_back() -> None:
    page = allocate({"primary": [Item(text="x", key={"id": 7})]}, budget=1_000, measure=characters)
    assert section(page, "primary").items[0].item.key == {"id": 7}


def test_an_item_larger_than_its_share_does_not_wait_for_the_sections_behind_it() -> None:
    sections: Sections = {"primary": ["p" * 90, "p" * 90], "related": texts(10, 10)}
    pages = every_page(sections, budget=100, overhead=0, safety=0, measure=characters)
    assert [[part.shown for part in page.sections] for page in pages] == [[1, 1], [1, 1], [0, 8]]


def test_an_item_larger_than_a_page_is_cut_to_its_share_and_what_else_is_free() -> None:
    sections: Sections = {"primary": ["p " * 500, "p" * 5], "related": texts(2, 10)}
    pages = every_page(sections, budget=100, overhead=0, safety=0, measure=characters, marker="…")
    assert [[part.shown for part in page.sections] for page in pages] == [[2, 2]]
    assert section(pages[0], "primary").items[0].tokens == 74
    assert pages[0].cut_items == 1


def test_an_item_larger_than_a_page_waits_if_the_page_is_full() -> None:
    sections: Sections = {"primary": ["p" * 95], "related": ["r " * 500]}
    pages = every_page(sections, budget=100, overhead=0, safety=0, measure=characters, marker="…")
    assert [[part.shown for part in page.sections] for page in pages] == [[1, 0], [0, 1]]
    assert pages[1].estimated_tokens == 100


def test_an_item_of_a_section_without_a_share_can_still_be_read() -> None:
    sections: Sections = {"notes": ["n " * 500], "primary": texts(9, 10)}
    page = allocate(sections, shares={"primary": 1.0}, budget=100, overhead=0, safety=0, measure=characters, marker="…")
    assert section(page, "notes").share == 0
    assert section(page, "notes").items[0].tokens == 10


def test_sections_without_a_share_divide_what_the_named_ones_leave() -> None:
    page = allocate({"primary": [], "notes": [], "more": []}, budget=10_000)
    assert [part.share for part in page.sections] == pytest.approx([0.6, 0.2, 0.2])


def test_shares_that_miss_1_by_rounding_are_taken() -> None:
    page = allocate({"a": [], "b": []}, shares={"a": 0.50005, "b": 0.50005}, budget=10_000)
    assert sum(part.share for part in page.sections) == pytest.approx(1)


def test_no_items_are_one_empty_page() -> None:
    cases: list[Sections] = [{}, {"primary": []}]
    for sections in cases:
        page = allocate(sections, budget=1_000)
        assert (page.page, page.total_pages, page.total_items, page.truncated) == (1, 1, 0, False)


def test_a_page_past_the_only_one_is_empty() -> None:
    page = allocate({"primary": ["text"]}, budget=1_000, page=2, paginate=False)
    assert (page.shown_items, page.total_pages, page.total_items) == (0, 1, 1)


@pytest.mark.parametrize(
    ("budget", "overhead", "safety"),
    [(100_000, 1_000, 200), (15_000, 750, 200), (2_000, 500, 200), (1_400, 500, 200), (700, 250, 100), (1, 0, 0)],
)
def test_the_overhead_is_5_percent_but_leaves_half_of_a_small_budget(budget: int, overhead: int, safety: int) -> None:
    page = allocate({}, budget=budget)
    assert (page.overhead, page.safety) == (overhead, safety)
    assert overhead <= MOST_OVERHEAD


def test_a_given_overhead_is_kept_to_the_last_token() -> None:
    page = allocate({}, budget=1_000, overhead=799, safety=200)
    assert (page.overhead, page.safety) == (799, 200)
    page = allocate({}, budget=101, overhead=800, safety=200)
    assert (page.overhead, page.safety) == (80, 20)


def test_a_budget_beyond_all_floats_is_a_budget() -> None:
    page = allocate({"primary": ["text"], "related": ["text"]}, budget=10**400, measure=characters)
    assert page.shown_items == 2


def test_the_report_in_both_styles() -> None:
    sections: Sections = {"primary": texts(3, 40), "my_notes": texts(1, 10)}
    page = allocate(sections, budget=100, overhead=10, safety=0, measure=characters)
    assert page.render() == {
        "estimated_tokens": 100,
        "budget": 100,
        "page": 1,
        "total_pages": 2,
        "has_more": True,
        "total_items": 4,
        "shown_items": 3,
        "cut_items": 0,
        "hidden_items": 0,
        "truncated": False,
        "sections": [
            {"name": "primary", "share": 0.6, "allotted": 54, "used": 80, "shown": 2, "total": 3},
            {"name": "my_notes", "share": 0.4, "allotted": 36, "used": 10, "shown": 1, "total": 1},
        ],
    }
    assert page.render("camel")["totalPages"] == 2
    assert page.render("camel")["sections"][1]["name"] == "my_notes"


def test_tokens_are_measured_by_their_upper_bound_when_nothing_else_is_given() -> None:
    prose = ["Every budget is kept against the upper bound of the count. " * 40] * 40
    for profile in ("claude", "o200k"):
        pages = every_page({"primary": list(prose)}, budget=5_000, profile=profile)
        for page in pages:
            joined = "\n".join(item.text for item in shown(page))
            assert count(joined, profile).upper + page.overhead + page.safety <= 5_000
        assert sum(page.shown_items for page in pages) == 40


def test_a_result_far_above_the_budget_becomes_pages_within_it() -> None:
    sections: Sections = {
        "primary": [Item(text="lorem ipsum dolor sit amet " * 800, importance=n % 5) for n in range(150)],
        "related": ["consectetur adipiscing elit " * 300] * 100,
        "relationships": ["a -> b"] * 1_000,
    }
    first = allocate(sections, budget=15_000, measure=words)
    last = allocate(sections, budget=15_000, measure=words, page=first.total_pages)
    assert first.estimated_tokens <= 15_000
    assert first.total_items == 1_250
    assert first.total_pages > 40
    assert last.shown_items > 0
    assert not last.has_more


@given(SECTIONS, BUDGETS, st.integers(1, 4), MEASURES, st.booleans())
def test_no_page_has_more_items_than_its_size(
    sections: Sections, budget: int, page_size: int, measure: Measure, paginate: bool
) -> None:
    pages = allocate_pages(sections, budget=budget, page_size=page_size, measure=measure, paginate=paginate)
    assert all(page.shown_items <= page_size for page in pages)
    if paginate:
        for name, items in sections.items():
            assert sorted(index for page in pages for index in indexes(page, name)) == list(range(len(items)))


@given(SECTIONS, BUDGETS, MEASURES, st.booleans())
def test_where_nothing_may_be_cut_what_is_larger_than_a_page_is_hidden(
    sections: Sections, budget: int, measure: Measure, paginate: bool
) -> None:
    pages = allocate_pages(sections, budget=budget, measure=measure, paginate=paginate, truncate=False)
    available = budget - pages[0].overhead - pages[0].safety
    assert not any(item.cut for page in pages for item in shown(page))
    fitting = sum(measure(text(item)) <= available for items in sections.values() for item in items)
    assert not paginate or sum(page.shown_items for page in pages) == fitting
    assert pages[0].hidden_items == pages[0].total_items - sum(page.shown_items for page in pages)


@pytest.mark.parametrize("page_size", [None, 1, 3])
def test_a_first_item_larger_than_the_budget_is_cut_and_never_an_empty_page(page_size: int | None) -> None:
    sections: Sections = {"primary": ["word " * 5_000], "related": texts(9, 10), "relationships": texts(9, 10)}
    for paginate in (True, False):
        page = allocate(
            sections, budget=3_000, overhead=0, safety=0, measure=characters, page_size=page_size, paginate=paginate
        )
        assert section(page, "primary").items[0].cut
        assert page.estimated_tokens > 2_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"budget": 0}, "budget is no whole number of 1 or more"),
        ({"budget": 1.5}, "budget is no whole number"),
        ({"budget": True}, "budget is no whole number"),
        ({"page": 0}, "page is no whole number of 1 or more"),
        ({"page_size": 0}, "page_size is no whole number of 1 or more"),
        ({"overhead": -1}, "overhead is no whole number of 0 or more"),
        ({"safety": -1}, "safety is no whole number"),
        ({"shares": {"a": -0.1}}, "the share of 'a'"),
        ({"shares": {"a": float("nan")}}, "the share of 'a'"),
        ({"shares": {"a": 10**400}}, "the share of 'a'"),
        ({"shares": {"a": "0.5"}}, "the share of 'a'"),
        ({"shares": {"a": True}}, "the share of 'a'"),
        ({"shares": {"a": 0.6, "b": 0.6}}, "the shares sum to 1.2"),
        ({"shares": [0.6, 0.4]}, "shares is no mapping"),
        ({"shares": {1: 0.6}}, "shares is no mapping"),
        ({"sections": ["text"]}, "sections is no mapping"),
        ({"sections": {"primary": "text"}}, "the section 'primary' is no list"),
        ({"sections": {"primary": None}}, "the section 'primary' is no list"),
        ({"sections": {"primary": ["text", 5]}}, "entry 1 of the section 'primary'"),
        ({"sections": {"primary": [Item(text=5)]}}, "entry 0 of the section 'primary'"),  # type: ignore[arg-type]
        ({"sections": {"primary": [Item(text="", importance="high")]}}, "entry 0"),  # type: ignore[arg-type]
    ],
)
def test_the_callers_mistakes_are_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(CallerError) as caught:
        allocate(**{"sections": {"primary": ["text"]}, "budget": 1_000, **arguments})
    assert words in str(caught.value)
