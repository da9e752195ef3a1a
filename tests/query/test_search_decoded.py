"""A search in JSON matches what its strings say, whichever way they are escaped."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.query.search import hits
from penstock.query.search.search import SearchQuery, search
from tests.kit.held_results import held

if TYPE_CHECKING:
    from penstock.query.search.search import SearchResult

WIDE = Room(tokens=100_000)
# Characters that JSON must escape, may escape or never escapes, and digits that escapes are written with.
LETTERS = "a2019uncfE_ '\"\\/\n\t\x01’–éÀ€\U0001f600\u2028"
TEXTS = st.text(st.sampled_from(LETTERS), max_size=30)
NUMBERS = st.integers(-3_000, 3_000)
DOCUMENTS = st.lists(TEXTS | NUMBERS | st.booleans() | st.dictionaries(TEXTS, TEXTS | NUMBERS, max_size=3), max_size=6)
# Spaces are also between values, and a search counts them there, too.
WANTED = st.text(st.sampled_from(LETTERS), min_size=1, max_size=4).filter(lambda text: " " not in text)


def matches(document: bytes | str, pattern: str, **options: Any) -> SearchResult:
    return search(held(document), SearchQuery(pattern=pattern, **{"ignore_case": False, **options}), room=WIDE)


def texts_of(value: Any) -> list[str]:
    """Return what the scalars and keys of a value say."""
    if isinstance(value, dict):
        return [text for key, one in value.items() for text in (key, *texts_of(one))]
    if isinstance(value, list):
        return [text for one in value for text in texts_of(one)]
    return [value if isinstance(value, str) else json.dumps(value)]


def escaped(value: Any) -> str:
    """Return JSON in which every character of every string is an escape of four hexadecimal digits."""
    if isinstance(value, str):
        units = value.encode("utf-16-be").hex()
        return '"' + "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)) + '"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{escaped(key)}: {escaped(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(escaped, value)) + "]"
    return json.dumps(value)


def ways_to_write(value: Any) -> list[str]:
    return [
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        json.dumps(value, indent=2),
        json.dumps(value).replace("/", "\\/"),
        escaped(value),
    ]


@settings(deadline=None)
@given(DOCUMENTS, WANTED)
def test_plain_search_counts_the_occurrences_in_decoded_strings(document: list[Any], wanted: str) -> None:
    expected = sum(text.count(wanted) for text in texts_of(document))
    for written in ways_to_write(document):
        assert matches(written, wanted).total == expected, written


@settings(deadline=None)
@given(DOCUMENTS, WANTED)
def test_search_without_case_counts_the_occurrences_in_decoded_strings(document: list[Any], wanted: str) -> None:
    expected = sum(len(re.findall(re.escape(wanted), text, re.IGNORECASE)) for text in texts_of(document))
    for written in ways_to_write(document):
        assert matches(written, wanted, ignore_case=True).total == expected, written


@settings(deadline=None)
@given(DOCUMENTS, WANTED)
def test_word_search_counts_the_whole_words_of_decoded_strings(document: list[Any], wanted: str) -> None:
    whole_word = re.compile(rf"(?<!\w)(?={re.escape(wanted)}(?!\w))")

    def words(text: str) -> int:
        count = behind = 0
        for match in whole_word.finditer(text):
            if match.start() >= behind:
                count, behind = count + 1, match.start() + len(wanted)
        return count

    expected = sum(map(words, texts_of(document)))
    for written in ways_to_write(document):
        assert matches(written, wanted, word=True).total == expected, written


@settings(deadline=None)
@given(
    st.lists(TEXTS, max_size=6),
    st.sampled_from(["2019", "[0-9]+", "u2", "n", "a.", "[^a]c", "\\\\", "’", "n’?", "^a", "a$", "(?i)À", "[’–]"]),
)
def test_regex_search_counts_the_matches_in_the_decoded_document(texts: list[str], pattern: str) -> None:
    decoded = '["' + '", "'.join(texts) + '"]' if texts else "[]"
    expected = len(re.findall(pattern, decoded, re.MULTILINE))
    for written in ways_to_write(texts):
        if "\n" not in written:  # A layout with line breaks has other places for ^ and $.
            assert matches(written, pattern, regex=True).total == expected, written


@pytest.mark.parametrize("options", [{}, {"word": True}, {"regex": True}, {"ignore_case": True}])
@pytest.mark.parametrize("wanted", ["2019", "2013", "u2019", "019", "n", "e9"])
def test_search_does_not_match_inside_unicode_escapes(wanted: str, options: dict[str, Any]) -> None:
    assert matches(json.dumps([{"title": "it’s – it’s\ncafé"}]), wanted, **options).total == 0


@pytest.mark.parametrize("written", ['["don\\u2019t"]', '["don’t"]', '["\\u0064on\\u2019t"]'])
def test_regex_search_sees_a_character_that_is_written_as_an_escape(written: str) -> None:
    for pattern in ("don.t", "’", '^\\["don’t', 'n’t"\\]$'):
        assert matches(written, pattern, regex=True).total == 1, pattern


def test_search_shows_the_decoded_line_around_a_match_behind_escapes() -> None:
    document = json.dumps([{"id": 7, "text": "’’’ first\nsecond – needle €"}])
    assert matches(document, "needle").text.splitlines() == [".[0].text (id 7), lines of 2:", "  2: second – needle €"]
    assert matches(document, "^second – needle €", regex=True).total == 1


@pytest.mark.parametrize("stretch", [16, 17, 23, 64])
def test_search_finds_matches_across_stretches_that_end_inside_escapes(
    stretch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hits, "JSON_STRETCH", stretch)
    text = "’2019\U0001f600\\n2019\\\n" * 40
    for written in (json.dumps([text]), json.dumps([text], ensure_ascii=False), escaped([text])):
        for wanted in ("2019", "’", "\U0001f600", "\\", "n", "\n’", "9\U0001f600\\n2"):
            assert matches(written, wanted).total == text.count(wanted)
