"""A path that is written can be read back, and one that cannot be read says where it went wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json.path import EACH, KEY, LONGEST, Path, closed_part, leads_to, parse, parse_open, render
from penstock.core.text import nearest, shorten
from penstock.errors import CallerError

steps = st.text(max_size=12) | st.integers(0, 10**12)


@given(st.lists(steps, max_size=6).map(tuple))
def test_a_rendered_path_reads_back_as_itself(path: Path) -> None:
    assert parse(render(path)) == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ()),
        (".", ()),
        ("$", ()),
        (".items", ("items",)),
        ("items", ("items",)),
        ("$.items[3]", ("items", 3)),
        (".items[3].tags", ("items", 3, "tags")),
        (".[0]", (0,)),
        ("[0]", (0,)),
        ('.["odd key"]', ("odd key",)),
        ('."odd key".x', ("odd key", "x")),
        ('.a["b"].c', ("a", "b", "c")),
        (".kebab-name", ("kebab-name",)),
        (" .a ", ("a",)),
    ],
)
def test_paths_are_read_as_people_write_them(text: str, path: Path) -> None:
    assert parse(text) == path


@pytest.mark.parametrize("text", [".a[", ".a..b", ".a[-1]", ".a[x]", '.["a]', ".a b", '.["\\x"]'])
def test_a_path_that_cannot_be_read_is_the_callers_error(text: str) -> None:
    with pytest.raises(CallerError) as caught:
        parse(text)
    assert '.["odd key"]' in caught.value.do


def test_a_path_of_absurd_length_is_refused() -> None:
    with pytest.raises(CallerError, match="too long"):
        parse("." + "a" * LONGEST)


def test_a_path_to_many_values_is_refused_where_one_is_wanted() -> None:
    with pytest.raises(CallerError, match="leads to many values") as caught:
        parse("results[].controls[3]")
    assert "filter and sql" in str(caught.value.do)


def test_open_paths_are_read_as_they_are_written() -> None:
    for path in ((EACH,), ("a", EACH, "b"), ("a", KEY, EACH, 3)):
        assert parse_open(render(path)) == path
    assert closed_part(("a", 2, EACH, "b")) == ("a", 2)
    assert closed_part(("a", 2)) == ("a", 2)


def test_an_open_step_stands_for_every_item_or_member() -> None:
    assert leads_to(("a", EACH, "b"), ("a", 7, "b", "c"))
    assert not leads_to(("a", EACH, "b"), ("a", "7", "b"))
    assert leads_to(("a", KEY), ("a", "7"))
    assert not leads_to(("a", KEY), ("a", 7))
    assert not leads_to(("a", EACH, "b"), ("a", 7))


def test_every_item_is_written_with_empty_brackets() -> None:
    assert render(("rows", EACH, "tags")) == ".rows[].tags"
    assert render((EACH,)) == ".[]"


def test_the_nearest_names_come_with_those_of_other_case_first() -> None:
    assert nearest("Matches", ["match", "matches", "files"]) == ["matches", "match"]
    assert nearest("zzz", ["match"]) == []


def test_a_long_text_is_shortened_to_the_limit() -> None:
    assert shorten("abc", 3) == "abc"
    assert shorten("abcd", 3) == "ab…"
