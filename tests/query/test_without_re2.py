"""Where RE2 is not installed, searches find the same, and a regular expression can be stopped."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.errors import CallerError
from penstock.query.sandbox.sandbox import JobLimits, Sandbox
from penstock.query.search import pattern, replacing
from penstock.query.search.pattern import RegexWorkers
from penstock.query.search.search import SearchQuery, find_hits, search
from penstock.share import UNKNOWN
from tests.kit.held_results import held

TEXTS = st.text(st.sampled_from('abÀàé€\U0001f600"\\/<\n .-'), min_size=1, max_size=60)
PATTERNS = ["a", "a+b", "^a", "a$", "[^a]b", "(a|ab)(b|a)", ".", "é.", r"\.-?", "a.{1,3}b", "(?i)à"]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take RE2 away, as on a system that has no wheel of it."""
    monkeypatch.setattr(pattern, "re2", None)
    monkeypatch.setattr(replacing, "re2", None)


def spans(data: bytes, text: str, sandbox: Sandbox, **options: Any) -> list[tuple[int, int]]:
    query = SearchQuery(pattern=text, **options)
    _, hits = find_hits(held(data), query, clock=lambda: 0.0, seconds=1, sandbox=lambda: sandbox)
    return list(zip(hits.starts, hits.ends, strict=True))


def both(data: bytes, text: str, sandbox: Sandbox, **options: Any) -> tuple[Any, Any]:
    """Return what is found with RE2, and without."""
    with pytest.MonkeyPatch.context() as patch:
        found = spans(data, text, sandbox, **options)
        patch.setattr(pattern, "re2", None)
        return found, spans(data, text, sandbox, **options)


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.data(), st.booleans(), st.booleans())
def test_a_plain_text_is_found_in_the_same_places(
    sandbox: Sandbox, texts: list[str], draws: st.DataObject, is_json: bool, ignore_case: bool
) -> None:
    whole = draws.draw(st.sampled_from(texts))
    start = draws.draw(st.integers(0, len(whole) - 1))
    wanted = whole[start : start + draws.draw(st.integers(1, 5))]
    ascii_too = draws.draw(st.booleans())
    data = json.dumps(texts, ensure_ascii=ascii_too).encode() if is_json else "\n".join(texts).encode()
    found, bare = both(data, wanted, sandbox, ignore_case=ignore_case)
    assert bare == found


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from(PATTERNS), st.booleans())
def test_a_regular_expression_is_found_in_the_same_places(
    sandbox: Sandbox, texts: list[str], text: str, is_json: bool
) -> None:
    data = json.dumps(texts, ensure_ascii=False).encode() if is_json else "\n".join(texts).encode()
    found, bare = both(data, text, sandbox, regex=True)
    assert bare == found


def test_parts_of_words_are_passed_over_as_with_re2(sandbox: Sandbox) -> None:
    found, bare = both(b"aab ab xab ab\n", "a+b", sandbox, regex=True, word=True)
    assert bare == found == [(0, 3), (4, 6), (11, 13)]


@pytest.mark.usefixtures("bare")
def test_an_expression_that_tries_for_ever_is_stopped() -> None:
    with Sandbox(workers=1, limits=JobLimits(seconds=1)) as pool, pytest.raises(CallerError, match="took longer than"):
        spans(b"x" * 40 + b"\n", "(x+x+)+y", pool, regex=True)


@pytest.mark.usefixtures("bare")
def test_a_wrong_expression_is_refused_in_python_s_words(sandbox: Sandbox) -> None:
    with pytest.raises(CallerError, match="cannot be read: missing \\)"):
        spans(b"some text\n", "(", sandbox, regex=True)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("text", ["[[:digit:]]+", "[^a[:^space:]]"])
def test_a_posix_class_that_python_would_misread_is_refused(sandbox: Sandbox, text: str) -> None:
    with pytest.raises(CallerError, match=r"the class .* is not available") as refused:
        spans(b"digit 12\n", text, sandbox, regex=True)
    assert "because RE2 is not installed here" in refused.value.do


@pytest.mark.usefixtures("bare")
def test_without_workers_a_regular_expression_says_what_to_install() -> None:
    query = SearchQuery(pattern="a+", regex=True)
    with pytest.raises(CallerError, match="no RE2") as refused:
        search(held(b"some text\n"), query, room=Room(tokens=1_000))
    assert "pip install google-re2" in refused.value.do


def test_replacing_gives_the_same_text(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    workers = RegexWorkers(sandbox=lambda: sandbox, share=UNKNOWN)
    text = "café: 12, thé: 7\nend: x".encode()
    splices = replacing.regex_splices(text, r"(\w+): (?P<n>\d+)", r"\g<n>=\1", workers)
    monkeypatch.setattr(replacing, "re2", None)
    assert replacing.regex_splices(text, r"(\w+): (?P<n>\d+)", r"\g<n>=\1", workers) == splices
    with pytest.raises(CallerError, match="names a group"):
        replacing.regex_splices(text, "a", r"\4", workers)


@pytest.mark.usefixtures("bare")
def test_replacing_too_often_is_refused(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "MOST_MATCHES", 3)
    with pytest.raises(CallerError, match="more than 3 times"):
        replacing.regex_splices(b"aaaa", "a", "b", RegexWorkers(sandbox=lambda: sandbox, share=UNKNOWN))
