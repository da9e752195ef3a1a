"""Invariant: a cut text is a prefix of the text, ended where no character is torn, and the marker; and it has room.

A text that has room whole is not touched, and more room never shows less.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.reading.cut import LONGEST_WORD, MARKER, SHORT_MARKER, character_start, cut_text, word_end

FAMILY = "👨\u200d👩\u200d👧"
FLAGS = "🇩🇪🇫🇷🇮🇹"
PIECES = st.sampled_from(
    [
        "word",
        " ",
        "\n",
        "\r\n",
        "é",
        "e\u0301",
        "क\u093f",
        FAMILY,
        "👍🏽",
        "🇩🇪",
        "\ud83d\ude00",
        "\ud800",
        "각",
        "漢",
        "\u1100\u1161",
    ]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=100)


@given(TEXTS, st.integers(0, 150), st.sampled_from([MARKER, "…", " (more)", ""]))
def test_a_cut_text_is_a_prefix_and_a_marker_that_fit(text: str, room: int, marker: str) -> None:
    cut = cut_text(text, room, marker)
    assert len(cut.text) <= room
    assert cut.total == len(text) == cut.kept + cut.hidden
    if len(text) <= room:
        assert (cut.text, cut.hidden) == (text, 0)
    else:
        written = text[: cut.kept] + marker.replace("{hidden}", str(cut.hidden))
        assert cut.text == written or (cut.kept == 0 and cut.text in ("", SHORT_MARKER))
        assert cut.hidden > 0


@given(TEXTS, st.integers(0, 150))
def test_no_character_is_torn(text: str, room: int) -> None:
    cut = cut_text(text, room, "…")
    assert character_start(text, cut.kept) == cut.kept


@given(TEXTS, st.integers(0, 150))
def test_more_room_never_shows_less(text: str, room: int) -> None:
    assert cut_text(text, room).kept <= cut_text(text, room + 1).kept


@given(TEXTS, st.integers(0, 60))
def test_room_can_be_a_function_of_the_text(text: str, most: int) -> None:
    def fits(candidate: str) -> bool:
        return len(candidate.encode("utf-8", "surrogatepass")) <= most

    cut = cut_text(text, fits, "…")
    assert fits(cut.text)
    assert fits(text) == (cut.hidden == 0)


@given(TEXTS, st.integers(-5, 200))
def test_the_start_of_a_character_is_at_or_before_the_position(text: str, at: int) -> None:
    start = character_start(text, at)
    assert 0 <= start <= max(0, min(at, len(text)))
    assert character_start(text, start) == start


@given(TEXTS, st.integers(0, 200))
def test_the_end_of_a_word_is_at_or_before_the_position(text: str, at: int) -> None:
    assert word_end(text, at) <= min(at, len(text))


def test_words_stay_whole() -> None:
    text = "the quick brown fox jumps over the lazy dog"
    assert cut_text(text, 12, "…").text == "the quick…"
    assert cut_text(text, 16, "…").text == "the quick brown…"
    assert cut_text(text, 10, "…").text == "the quick…"


def test_blanks_before_the_marker_are_dropped() -> None:
    assert cut_text("one \n\n  two three", 10, "…").text == "one…"


def test_a_run_longer_than_words_are_is_cut_inside() -> None:
    text = "data: " + "A" * 500
    assert cut_text(text, 6 + LONGEST_WORD + 11, "…").text == "data: " + "A" * (LONGEST_WORD + 10) + "…"
    assert cut_text(text, 30, "…").text == "data:…"


def test_the_first_word_is_cut_inside_when_not_even_that_has_room() -> None:
    assert cut_text("extraordinary things", 6, "…").text == "extra…"


def test_the_marker_counts_what_is_left_out() -> None:
    cut = cut_text("word " * 100, 60)
    assert cut.text == "word word word word word word… [cut: 471 more characters]"
    assert cut.hidden == 471


def test_a_marker_may_have_braces_of_its_own() -> None:
    assert cut_text("a b c d e f g h", 12, "{x}{}{hidden}").text == "a b c{x}{}10"


def test_where_the_marker_has_no_room_only_an_ellipsis_is_left() -> None:
    assert cut_text("a longer text than that", 5).text == "…"
    assert cut_text("a longer text than that", 0).text == ""


@pytest.mark.parametrize(
    ("text", "torn"),
    [
        ("\ud83d\ude00", [1]),
        ("e\u0301x", [1]),
        ("e\u0301\u0302\u0303", [1, 2, 3]),
        (FAMILY, [1, 2, 3, 4]),
        ("👍🏽", [1]),
        (FLAGS, [1, 3, 5]),
        ("a" + FLAGS, [2, 4, 6]),
        ("🏴\U000e0067\U000e0062\U000e007f", [1, 2, 3]),
        ("☀\ufe0f", [1]),
        ("a\r\nb", [2]),
        ("\u1100\u1161\u11a8", [1, 2]),
        ("\u1100\uac00\u11a8", [1, 2]),
        ("\u1100\u1100", [1]),
        ("\u1161x", []),
        ("가\u1100", []),
        ("x\u1161", []),
        ("क\u093f", [1]),
        ("ab\n", []),
        ("漢字", []),
        ("\ud800\ud800", []),
        ("a\u200cb", [1]),
    ],
)
def test_positions_inside_a_character(text: str, torn: list[int]) -> None:
    assert [at for at in range(1, len(text)) if character_start(text, at) != at] == torn


def test_a_letter_under_a_mountain_of_marks_is_shown_whole_or_not_at_all() -> None:
    assert cut_text("ab e" + "\u0301" * 5_000, 1_000, "…").text == "ab…"
