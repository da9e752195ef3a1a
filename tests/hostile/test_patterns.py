"""Fifteen and more hostile patterns. Each ends in a short error or an answer that fits; we are as large as before."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from penstock.core.budget import Room
from penstock.errors import CallerError
from penstock.query.search.search import SearchQuery, search
from tests.kit.harm import as_large_as_before
from tests.kit.held_results import held, held_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.query.source import Source

ROOM = Room(tokens=500)
GROWTH = 32_000_000  # bytes that we may grow by: RE2 has 8 MB for one pattern
LETTERS = "".join(random.Random(7).choices("ab", k=1_000_000))

REFUSED = [
    "(a",
    "a)",
    "*",
    "a**",
    "[z-a]",
    "(?=a)b",
    "(?<!a)b",
    r"(a)\1",
    "(?P<n",
    "a{5000}",
    "((a{100}){100}){100}",
    "[ab]{1000}" * 5,
    ".{1000}",
    "(a*)*",
    "(a|b|)",
    r"\b",
    "^",
    "",
    "a" * 100_000,
    "\ud800",
    "a\x00b",
]
SLOW = [  # these make the fast machine of RE2 give up, and the slow one takes 50 to 4,000 steps a byte
    "a[ab]{400}zz",
    "(?:a[ab]{900}zz|b[ab]{900}yy|a[ab]{900}xx)",
]
BOUNDED = [
    "(a+)+$",
    "(x+x+)+y",
    "(a|a)*b",
    "(?:.{0,90}zz){4}",
    "(?s)a.*z|a",
    ".",
    "(?s).+",
    "a[ab]{20}zz",
    r"(?i)\p{Greek}+",
]


@pytest.fixture(scope="module", params=["text", "json"])
def source(request: pytest.FixtureRequest) -> Source:
    if request.param == "text":
        return held("\n".join(LETTERS[at : at + 1_000] for at in range(0, len(LETTERS), 1_000)))
    return held_value([{"text": LETTERS[at : at + 2_000]} for at in range(0, len(LETTERS), 2_000)])


@pytest.fixture(autouse=True)
def unharmed(source: Source) -> Iterator[None]:
    with as_large_as_before(GROWTH):
        yield
        assert search(source, SearchQuery(pattern=LETTERS[5_000:5_060]), room=ROOM).total == 1


def outcome(source: Source, pattern: str) -> str:
    """The error, or an empty text for an answer that fits."""
    try:
        found = search(source, SearchQuery(pattern=pattern, regex=True), room=ROOM, seconds=0.5)
    except CallerError as error:
        assert len(str(error).encode()) < 1_000  # noqa: PT017  # it may, but need not, be raised
        return error.what
    assert ROOM.fits(found.text)
    return ""


def test_there_are_more_than_fifteen_of_them() -> None:
    assert len(REFUSED) + len(SLOW) + len(BOUNDED) >= 15


@pytest.mark.parametrize("pattern", REFUSED, ids=lambda pattern: ascii(pattern[:30]))
def test_what_is_no_pattern_is_refused(source: Source, pattern: str) -> None:
    what = outcome(source, pattern)
    assert what
    assert "took longer" not in what


@pytest.mark.parametrize("pattern", SLOW)
def test_what_takes_too_long_is_stopped(source: Source, pattern: str) -> None:
    assert "took longer than 0.5 s" in outcome(source, pattern)


@pytest.mark.parametrize("pattern", BOUNDED)
def test_what_ruins_other_engines_ends(source: Source, pattern: str) -> None:
    assert outcome(source, pattern) in ("", "the search took longer than 0.5 s and was stopped")
