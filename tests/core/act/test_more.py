"""What a page says of the next one, in the ways that servers say it, and only what the tool has an argument for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.act.more import MOST_MEMBERS, PageSigns, read_signs
from penstock.core.forms.document import read
from penstock.core.json.index import reader

ROWS = [{"id": n} for n in range(50)]
TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def following(
    page: Any, tool: dict[str, Any], arguments: dict[str, Any] | None = None, *, seen: int = 50, path: Any = None
) -> dict[str, Any] | None:
    """The arguments that ask for the page after this one."""
    document = read(json.dumps(page))
    where = ("rows",) if path is None else path
    signs = read_signs(document.index, reader(document.body), where)
    count = document.container(where).count
    found = signs.next_page(arguments or {}, {"properties": tool}, count=count, seen=seen)
    return None if found is None else dict(found.arguments)


@pytest.mark.parametrize(
    ("members", "tool", "expected"),
    [
        ({"next_cursor": "c"}, {"cursor": TEXT}, {"cursor": "c"}),
        ({"nextCursor": "c"}, {"cursor": TEXT}, {"cursor": "c"}),
        ({"nextCursor": "c"}, {"after": TEXT}, {"after": "c"}),
        ({"nextPageToken": "c"}, {"page_token": TEXT}, {"page_token": "c"}),
        ({"next_page_token": "c"}, {"pageToken": TEXT, "cursor": TEXT}, {"pageToken": "c"}),
        ({"NextToken": "c"}, {"NextToken": TEXT}, {"NextToken": "c"}),
        ({"next_token": "c"}, {"token": TEXT}, {"token": "c"}),
        ({"next_cursor": 7}, {"cursor": WHOLE}, {"cursor": 7}),
        ({"next_cursor": 7}, {"cursor": TEXT}, {"cursor": "7"}),
        ({"next_cursor": "7"}, {"cursor": WHOLE}, {"cursor": 7}),
        ({"next_cursor": "7"}, {"cursor": {}}, {"cursor": "7"}),
        ({"meta": {"pagination": {"next_cursor": "c"}}}, {"cursor": TEXT}, {"cursor": "c"}),
        ({"pageInfo": {"endCursor": "c", "hasNextPage": True}}, {"after": TEXT}, {"after": "c"}),
        ({"pageInfo": {"endCursor": "c", "hasNextPage": False}}, {"after": TEXT}, None),
        ({"pageInfo": {"endCursor": "c"}}, {"after": TEXT}, None),
        ({"next_cursor": "c", "has_more": False}, {"cursor": TEXT}, None),
        ({"next_cursor": ""}, {"cursor": TEXT}, None),
        ({"next_cursor": None}, {"cursor": TEXT}, None),
        ({"next_cursor": True}, {"cursor": TEXT}, None),
        ({"next_cursor": ["c"]}, {"cursor": TEXT}, None),
        ({"next_cursor": "c"}, {"other": TEXT}, None),
        ({"next_cursor": "c"}, {}, None),
        ({"has_more": True, "cursor": "c"}, {"cursor": TEXT}, {"cursor": "c"}),
        # Links
        ({"next": "https://api/x?page=3&size=50"}, {"page": WHOLE}, {"page": 3}),
        ({"links": {"next": "/x?cursor=a%2Bb"}}, {"cursor": TEXT}, {"cursor": "a+b"}),
        ({"_links": {"next": {"href": "?start=50"}}}, {"start": TEXT}, {"start": "50"}),
        ({"@odata.nextLink": "https://api/x?$skiptoken=t"}, {"skiptoken": TEXT}, {"skiptoken": "t"}),
        ({"link": '<https://a?page=1>; rel="prev", <https://a?page=3>; rel="next"'}, {"page": WHOLE}, {"page": 3}),
        ({"link": "https://a?page=1"}, {"page": WHOLE}, None),
        ({"next": "https://api/x?page=3"}, {"cursor": TEXT}, None),
        ({"next": "http://[::1?page=3"}, {"page": TEXT}, None),
        ({"next": "abc"}, {"cursor": TEXT}, {"cursor": "abc"}),
        ({"next": "abc"}, {"page": WHOLE}, None),
        ({"next": "x" * 5_000}, {"cursor": TEXT}, None),
        ({"links": {"next": {"href": 5}}}, {"cursor": TEXT}, None),
        # Numbers
        ({"next_page": 3}, {"page": WHOLE}, {"page": 3}),
        ({"next": 3}, {"page": WHOLE}, {"page": 3}),
        ({"next_page": "3"}, {"page": TEXT}, {"page": "3"}),
        ({"next_page": None}, {"page": WHOLE}, None),
        ({"next_page": -1}, {"page": WHOLE}, None),
        ({"next_offset": 100}, {"offset": WHOLE}, {"offset": 100}),
        # Signs
        ({"has_more": True}, {"page": WHOLE}, {"page": 2}),
        ({"has_more": True}, {"page": {"type": "integer", "default": 0}}, {"page": 1}),
        ({"has_more": True}, {"page": {"type": "integer", "minimum": 0}}, {"page": 1}),
        ({"has_more": True, "page": 4}, {"page": WHOLE}, {"page": 5}),
        ({"hasMore": True}, {"offset": WHOLE}, {"offset": 50}),
        ({"has_more": True, "offset": 100}, {"offset": WHOLE}, {"offset": 150}),
        ({"has_more": True, "offset": "x"}, {"offset": WHOLE}, None),
        ({"has_more": False}, {"page": WHOLE}, None),
        ({"has_more": "yes"}, {"page": WHOLE}, None),
        ({"is_last": False}, {"startAt": WHOLE}, {"startAt": 50}),
        ({"is_last": True}, {"startAt": WHOLE}, None),
        ({"total_pages": 9}, {"page": WHOLE}, {"page": 2}),
        ({"total_pages": 1}, {"page": WHOLE}, None),
        ({"total_pages": "many"}, {"page": WHOLE}, None),
        ({"total_count": 7_253}, {"page": WHOLE}, {"page": 2}),
        ({"totalResults": 7_253}, {"offset": WHOLE}, {"offset": 50}),
        ({"total_count": 50}, {"page": WHOLE}, None),
        ({"total_count": 7_253}, {"limit": WHOLE}, None),
        ({"total": 7_253}, {"page": WHOLE}, None),  # it may be a sum
        ({"total": 7_253, "page": 2}, {"page": WHOLE}, {"page": 3}),
        ({"total": 7_253, "offset": 100}, {"offset": WHOLE}, {"offset": 150}),
        ({"total": 150, "offset": 100}, {"offset": WHOLE}, {"offset": 150}),  # rows may be counted from 1
        ({"total": 7_253, "page": 2, "limit": 50}, {"page": WHOLE, "offset": WHOLE}, {"page": 3}),
        ({"total": 100, "page": 2, "limit": 50}, {"page": WHOLE}, None),
        ({"count": 50, "limit": 50}, {"page": WHOLE}, None),
        ({}, {"page": WHOLE, "cursor": TEXT}, None),
    ],
)
def test_the_next_page_is_found(members: dict[str, Any], tool: dict[str, Any], expected: dict[str, Any] | None) -> None:
    assert following({"rows": ROWS, **members}, tool) == expected


def sign_of_more(page: dict[str, Any], arguments: dict[str, Any] | None = None, path: str = "rows") -> str:
    document = read(json.dumps(page))
    return read_signs(document.index, reader(document.body), (path,)).sign_of_more(arguments or {}, count=50, seen=50)


@pytest.mark.parametrize(
    ("members", "sign"),
    [
        ({}, ""),
        ({"has_more": True, "next_cursor": None}, "has_more"),
        ({"has_more": False, "next_cursor": "c", "total_count": 99}, ""),
        ({"is_last": False}, "is_last"),
        ({"next_cursor": {"after": 60}}, "next_cursor"),
        ({"meta": {"next_cursor": ["a", 60]}}, "meta.next_cursor"),
        ({"next_cursor": "c"}, "next_cursor"),
        ({"next_cursor": 7}, "next_cursor"),
        ({"next_cursor": True}, "next_cursor"),
        ({"next_cursor": "c" * 5_000}, "next_cursor"),
        ({"next_cursor": {}}, ""),
        ({"next_cursor": ""}, ""),
        ({"next_cursor": None, "total_count": 99}, ""),
        ({"links": {"next": "/x?cursor=c"}}, "links.next"),
        ({"links": {"next": {"href": None}}}, ""),
        ({"links": {"next": {"offset": 60}}}, "links.next"),
        ({"next": "Ask for the next year."}, ""),
        ({"next": ["one", "two"]}, ""),
        ({"link": '<https://a?page=3>; rel="next"'}, "link"),
        ({"link": "https://a", "total_count": 99}, "total_count"),
        ({"next_page": 2}, "next_page"),
        ({"next_page": -1}, ""),
        ({"page": 1, "total_pages": 8}, "total_pages"),
        ({"page": 8, "total_pages": 8}, ""),
        ({"total_pages": 8}, ""),
        ({"total_count": 51}, "total_count"),
        ({"total": 480, "page": 1, "per_page": 50}, "total"),
        ({"total": 480, "page": 10, "per_page": 50}, ""),
        ({"total": 149, "offset": 100}, ""),
        ({"total": 480}, ""),
        ({"total_count": 50}, ""),
    ],
)
def test_sign_of_more_is_found_whatever_the_tool_takes(members: dict[str, Any], sign: str) -> None:
    assert sign_of_more({"rows": ROWS, **members}) == sign


def test_rows_under_the_name_of_a_sign_are_no_sign() -> None:
    assert sign_of_more({"next": [{"id": n, "text": "x" * 200} for n in range(50)]}, path="next") == ""


def test_numbers_go_on_from_the_call_that_gave_the_page() -> None:
    assert following({"rows": ROWS, "has_more": True}, {"page": WHOLE}, {"page": 6}) == {"page": 7}
    assert following({"rows": ROWS, "has_more": True}, {"offset": WHOLE}, {"offset": 200}) == {"offset": 250}
    assert following({"rows": ROWS, "total_count": 300}, {"page": WHOLE}, {"page": 6}, seen=300) is None
    assert following({"rows": ROWS, "total_count": 301}, {"page": WHOLE}, {"page": 6}, seen=300) == {"page": 7}


def test_a_link_to_the_same_page_is_none_to_the_next() -> None:
    page = {"rows": ROWS, "next": "https://a?page=3"}
    assert following(page, {"page": WHOLE}, {"page": 3}) is None
    assert following(page, {"page": WHOLE}, {"page": 2}) == {"page": 3}
    assert sign_of_more(page, {"page": 3}) == ""
    assert sign_of_more(page, {"page": 2}) == "next"


def test_an_empty_page_is_not_counted_on() -> None:
    assert following({"rows": [], "has_more": True}, {"page": WHOLE}) is None
    assert following({"rows": [], "next_cursor": "c"}, {"cursor": TEXT}) == {"cursor": "c"}


def test_signs_stand_around_the_rows_and_the_nearer_one_counts() -> None:
    page = {"next_cursor": "far", "data": {"rows": ROWS, "next_cursor": "near"}}
    assert following(page, {"cursor": TEXT}, path=("data", "rows")) == {"cursor": "near"}
    page = {"next_cursor": "far", "data": {"rows": ROWS}}
    assert following(page, {"cursor": TEXT}, path=("data", "rows")) == {"cursor": "far"}
    listed = [{"next_cursor": "in a row", "rows": ROWS}]
    assert following(listed, {"cursor": TEXT}, path=(0, "rows")) == {"cursor": "in a row"}


def test_what_lies_too_deep_or_is_too_large_or_among_data_is_no_sign() -> None:
    deep = {"a": {"b": {"c": {"d": {"next_cursor": "c"}}}}}
    assert following({"rows": ROWS, **deep}, {"cursor": TEXT}) is None
    assert following({"rows": ROWS, "next_cursor": "c" * 5_000}, {"cursor": TEXT}) is None
    wide = {f"key {n}": n for n in range(MOST_MEMBERS)}
    assert following({"rows": ROWS, **wide, "next_cursor": "c"}, {"cursor": TEXT}) is None
    assert following({"rows": [{"next_cursor": "c"}]}, {"cursor": TEXT}) is None
    assert following(ROWS, {"cursor": TEXT}, path=()) is None


def test_a_number_out_of_range_is_no_sign_and_harms_no_other() -> None:
    document = read(b'{"rows":[1,2],"total_count":1e400,"next_cursor":"c"}')
    assert read_signs(document.index, reader(document.body), ("rows",)).values.keys() == {"nextcursor"}


def test_a_path_that_leads_nowhere_has_no_signs() -> None:
    document = read(b'{"rows":[1,2],"next_cursor":"c"}')
    assert read_signs(document.index, reader(document.body), ("no", "where")).values.keys() == {"nextcursor"}


@pytest.mark.parametrize("schema", [None, {}, {"properties": None}, {"properties": {"cursor": None}}])
def test_a_schema_without_arguments_asks_for_nothing(schema: Any) -> None:
    signs = PageSigns(values={"nextcursor": ("next_cursor", "c")})
    assert signs.next_page({}, schema, count=1, seen=1) is None


def test_the_total_is_what_the_server_says() -> None:
    assert PageSigns(values={"totalcount": ("total_count", 9)}).total({}) == 9
    assert PageSigns(values={"totalcount": ("total_count", "x")}).total({}) is None
    assert PageSigns(values={}).total({}) is None


def test_equal_requests_have_one_key_and_the_sign_is_named_as_it_stands() -> None:
    signs = PageSigns(values={"nextcursor": ("meta.nextCursor", "c")})
    tool = {"properties": {"cursor": TEXT}}
    one, other = (signs.next_page({}, tool, count=1, seen=1) for _ in range(2))
    assert one is not None
    assert other is not None
    assert one.key == other.key
    assert (one.sign, one.by_number) == ("meta.nextCursor", False)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["next", "next_cursor", "links", "has_more", "page", "offset", "total_count", "href", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, JSON, st.integers(0, 5))
def test_no_page_and_no_schema_is_too_odd(members: Any, properties: Any, count: int) -> None:
    page = {"rows": list(range(count)), **(members if isinstance(members, dict) else {"x": members})}
    document = read(json.dumps(page))
    signs = read_signs(document.index, reader(document.body), ("rows",))
    arguments = members if isinstance(members, dict) else {}
    found = signs.next_page(arguments, {"properties": properties}, count=count, seen=count)
    assert found is None or set(found.arguments) <= set(properties)


EXTENTS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"total_count": 2350}, {}, "One page: 50 of 2,350 (total_count)."),
    ({"total": 2350, "page": 1}, {}, "Page 1: 50 of 2,350 (total)."),
    ({"total": 2350, "offset": 100, "limit": 50}, {}, "One page: 50 of 2,350 (total)."),
    ({"meta": {"page": 2, "per_page": 50, "total": 2350}}, {}, "Page 2: 50 of 2,350 (meta.total)."),
    ({"count": 80, "next": "/x?page=2"}, {"page": 1}, "Page 1: 50 of 80 (count)."),
    ({"total": 80}, {"limit": 50}, "One page: 50 of 80 (total)."),
    ({"total": 2350, "page": 47, "per_page": 50, "has_more": False}, {}, "Page 47: 50 of 2,350 (total)."),
    # Without a total, or with one that the other numbers contradict
    ({"has_more": True}, {}, "More pages exist (has_more)."),
    ({"next_cursor": "c"}, {}, "More pages exist (next_cursor)."),
    ({"count": 50, "next": "/x?page=2"}, {}, "More pages exist (next)."),
    ({"total": 40, "has_more": True}, {}, "More pages exist (has_more)."),
    # Nothing to say
    ({"total": 50, "page": 1}, {}, ""),
    ({"total": 40, "page": 1}, {}, ""),
    ({"total": 2350}, {}, ""),
    ({"total": 2350, "from": "Oslo"}, {"start": "Oslo"}, ""),
    ({"stats": {"total": 2350}, "page": 1}, {}, ""),
    ({"total_count": 80, "has_more": False}, {}, ""),
    ({"total_count": 80, "offset": 60}, {}, ""),
    ({"total_count": 80, "page": 3, "limit": 50}, {}, ""),
    ({"total_count": 80, "limit": 20}, {}, ""),
    ({"total_count": "many"}, {}, ""),
    ({"has_more": False}, {}, ""),
    ({}, {}, ""),
]


@pytest.mark.parametrize(("members", "arguments", "expected"), EXTENTS)
def test_page_states_its_part_of_all_rows_only_if_its_numbers_agree(
    members: dict[str, Any], arguments: dict[str, Any], expected: str
) -> None:
    document = read(json.dumps({**members, "rows": ROWS}))
    signs = read_signs(document.index, reader(document.body), ("rows",))
    assert signs.extent(arguments, len(ROWS)) == expected
