"""The preview of a text is its beginning and its end, verbatim, with a true count of what lies between them."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.forms.document import Kind, read
from penstock.core.preview.lines import clean, size_text
from penstock.core.preview.text import MOST, MOST_SCANNED, head_end, tail_start, text
from tests.core.preview.promises import WIDE, growing, must_show, shown
from tests.strategies import any_text

MARK = re.compile(r"… \[([\d,]+) characters?(?:, ([\d,]+) lines?)? not shown(?:;[^\n]*\n(?:\d+: [^\n]*\n)*)?\] …\n?")

texts = st.builds(
    lambda parts, times: "".join(parts) * times,
    st.lists(
        any_text | st.sampled_from(["\n", "\r\n", "\r", " ", "word ", "x" * 90, "\x00", "\ufeff", "שלום "]), max_size=20
    ),
    st.sampled_from([1, 3, 40]),
)


def number(digits: str | None) -> int:
    return int((digits or "0").replace(",", ""))


def count_lines(whole: str) -> int:
    return whole.count("\n") + (not whole.endswith("\n"))


@settings(max_examples=60)
@given(texts | st.binary(max_size=300))
@example("a\n" * 2_000)
@example("\n" * 5_000)
@example("one line " * 3_000)
@example("x" * 20_000)
@example("e" + "\u0301" * 9_000)
@example("\ud83d\ude00\ud800" * 700)
@example(b"caf\xe9 \xff\n" * 900)
@example("a\r\nb" * 900)
@example("\ufeffa b\rc" * 900)
def test_every_preview_is_two_ends_of_the_text_and_a_true_count(data: str | bytes) -> None:
    document = read(data)
    if document.kind is not Kind.TEXT or not document.raw:
        return
    whole = clean(document.text)
    for preview in growing(text, data):
        assert preview.shown.total == count_lines(document.text)
        mark = MARK.search(preview.text)
        if mark is None:
            assert preview.text == whole
            continue
        head, tail = preview.text[: mark.start()], preview.text[mark.end() :]
        missing = len(whole) - number(mark[1]) - len(tail)
        assert head == whole[:missing] + ("" if whole[:missing].endswith("\n") or missing == 0 else "\n")
        assert whole.endswith(tail)
        assert preview.shown.end + number(mark[2]) == preview.shown.total


@settings(max_examples=60)
@given(texts)
def test_both_ends_grow_with_the_room_given_to_them(whole: str) -> None:
    whole = whole[:900]
    ends = [head_end(whole, most) for most in range(len(whole))]
    starts = [tail_start(whole, most) for most in range(len(whole))]
    assert ends == sorted(ends)
    assert starts == sorted(starts, reverse=True)
    assert all(end <= most for most, end in enumerate(ends))
    assert all(len(whole) - start <= most for most, start in enumerate(starts))


def test_a_text_that_fits_is_shown_as_it_is() -> None:
    found = must_show(text, "short\ntext\n", WIDE)
    assert (found.text, found.style, found.headline) == ("short\ntext\n", "text", "2 lines of text, 11 bytes")


def test_prose_is_cut_at_lines_and_the_gap_is_counted() -> None:
    found = must_show(text, "".join(f"line number {n}\n" for n in range(1, 1_001)), Room(tokens=200))
    head, tail = found.text.split("\n… [")
    assert head.startswith("line number 1\n")
    assert head.splitlines()[-1].startswith("line number ")
    assert tail.endswith("line number 1000\n")
    assert len(head) > len(tail) > 0


def test_a_long_line_is_cut_between_words() -> None:
    found = must_show(text, "alpha beta gamma " * 3_000, Room(tokens=100))
    head, tail = found.text.split("\n… [")
    assert head.split()[-1] in ("alpha", "beta", "gamma")
    assert tail.split("] …\n")[1].split()[0] in ("alpha", "beta", "gamma")
    assert "lines" not in found.text


def test_characters_made_of_several_code_points_stay_whole() -> None:
    family = "\U0001f469\u200d\U0001f467"
    found = must_show(text, family * 4_000, Room(tokens=300))
    head, tail = found.text.split("\n… [")
    assert head == family * (len(head) // 3)
    assert tail.split("] …\n")[1].startswith(family)


@pytest.mark.parametrize("unit", ["x", "word and ", "漢字", "\n", "é\n"])
def test_a_text_far_longer_than_any_preview_is_read_at_its_ends_only(unit: str) -> None:
    whole = unit * (MOST * 5 // len(unit))
    found = must_show(text, whole)
    mark = MARK.search(found.text)
    assert mark is not None
    assert whole.startswith(found.text[: mark.start() - 1])
    assert whole.endswith(found.text[mark.end() :])
    assert number(mark[1]) > MOST * 4


def test_what_utf8_cannot_carry_is_replaced_and_still_counted() -> None:
    found = must_show(text, b"caf\xe9 " * 4_000, Room(tokens=100))
    assert found.text.startswith("caf\ufffd caf\ufffd ")
    assert "\\udce9" not in ascii(found.text)


def test_headings_that_are_not_shown_are_listed_with_their_lines() -> None:
    whole = "# Book\n\nintro\n" + "".join(f"\n## Part {n}\n\n### Detail {n}\n\n{'words ' * 80}\n" for n in range(30))
    found = must_show(text, whole, Room(tokens=600))
    listed = re.findall(r"(?m)^(\d+): (.*)$", found.text)
    assert listed
    assert all(whole.splitlines()[int(line) - 1] == title for line, title in listed)
    assert all(title.startswith("## Part") for _, title in listed), "upper levels come first"
    assert "headings there, by line:" in found.text
    few = "# Book\n" + "words " * 900 + "\n## Only\n" + "words " * 900
    assert "all headings there, by line:\n3: ## Only\n] …" in must_show(text, few, Room(tokens=500)).text


def test_comments_and_code_are_not_taken_for_headings() -> None:
    script = "#!/bin/sh\n" + "# a comment\necho something here\n" * 600
    fenced = "intro\n```\n## not a heading\n```\n" + "words " * 3_000
    for whole in (script, fenced):
        assert "headings" not in must_show(text, whole, Room(tokens=400)).text


def test_headings_of_a_text_too_large_for_a_document_are_not_looked_for() -> None:
    whole = "## Part\n" + "words and more words\n" * (MOST_SCANNED // 20)
    assert "headings" not in must_show(text, whole).text


def test_json_can_be_read_as_text_too() -> None:
    found = must_show(text, '{"a": [1,\n 2]}', WIDE)
    assert (found.text, found.shown.total) == ('{"a": [1,\n 2]}', 2)


def test_binary_and_empty_data_have_no_text() -> None:
    assert shown(text, b"\x89PNG\r\n\x1a\n\x00\x00") is None
    assert shown(text, b"") is None


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (1, "1 byte"),
        (999, "999 bytes"),
        (12_400, "12.4 KB"),
        (999_600, "1.0 MB"),
        (1_250_000, "1.2 MB"),
        (120_000_000, "120 MB"),
    ],
)
def test_sizes_are_said_in_three_digits(size: int, said: str) -> None:
    assert size_text(size) == said
