"""The preview of a text is its beginning and its end, verbatim, with a true count of what lies between them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.answer.head_and_tail import MOST, head_and_tail, head_end, tail_start
from penstock.core.budget import Room
from penstock.core.forms.document import Kind, read
from tests.kit.strategies import any_text

if TYPE_CHECKING:
    from penstock.core.answer.preview_text import Preview

MARK = re.compile(r"… \[([\d,]+) characters?(?: and ([\d,]+) lines?)? not shown\] …\n?")
ROOMS = [
    *(Room(tokens=tokens, size=8_192) for tokens in (0, 8, 16, 30, 40, 50, 70, 90, 200, 500, 1_500)),
    Room(tokens=10_000_000),
]

texts = st.builds(
    lambda parts, times: "".join(parts) * times,
    st.lists(
        any_text | st.sampled_from(["\n", "\r\n", "\r", " ", "word ", "x" * 90, "\x00", "\ufeff", "שלום "]), max_size=20
    ),
    st.sampled_from([1, 3, 40]),
)


def shown(data: str | bytes, tokens: int = 1_500) -> Preview:
    return head_and_tail(read(data), Room(tokens=tokens, size=8_192))


def number(digits: str | None) -> int:
    return int((digits or "0").replace(",", ""))


def sendable(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


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
    whole = sendable(document.text)
    before = 0
    for room in ROOMS:
        preview = head_and_tail(document, room)
        assert room.fits(preview.text)
        preview.text.encode()
        assert preview.shown.total == count_lines(document.text)
        mark = MARK.search(preview.text)
        if mark is None:
            assert preview.text in (whole, "")
            assert preview.shown.count == (preview.shown.total if preview.text else 0)
            characters = len(preview.text)
        else:
            head, tail = preview.text[: mark.start()], preview.text[mark.end() :]
            characters = len(whole) - number(mark[1])
            assert characters == len(head) + len(tail)
            assert whole.startswith(head)
            assert whole.endswith(tail)
            is_cut = [head[-1:] not in ("", "\n"), tail != "" and not preview.text[: mark.end()].endswith("\n")]
            assert bool(preview.shown.cut) <= any(is_cut)
            assert preview.shown.count + len(preview.shown.cut) + number(mark[2]) == preview.shown.total
            lines = document.text.split("\n")
            assert all(0 < part < len(lines[line]) + 1 for line, part in preview.shown.cut)
            visible = "\n".join(lines[at] for first, last in preview.shown.ranges for at in range(first, last))
            assert len(visible) <= characters
        assert characters >= before, "a larger room shows less"
        before = characters


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
    found = shown("short\ntext\n", 1_000)
    assert (found.text, found.below, found.shown.ranges) == ("short\ntext\n", "all of it", ((0, 2),))


def test_prose_is_cut_at_lines_and_the_gap_is_counted() -> None:
    found = shown("".join(f"line number {n}\n" for n in range(1, 1_001)), 200)
    head, tail = found.text.split("\n… [")
    assert head.startswith("line number 1\n")
    assert head.splitlines()[-1].startswith("line number ")
    assert tail.endswith("line number 1000\n")
    assert len(head) > len(tail) > 0
    (first, last), (later, end) = found.shown.ranges
    assert (first, last, end) == (0, head.count("\n") + 1, 1_000)
    assert end - later == tail.count("\n") - 1
    assert found.below == "its beginning and end"


def test_a_long_line_is_cut_between_words() -> None:
    found = shown("alpha beta gamma " * 3_000, 100)
    head, tail = found.text.split("… [")
    assert head.split()[-1] in ("alpha", "beta", "gamma")
    assert tail.split("] …")[1].split()[0] in ("alpha", "beta", "gamma")
    assert "lines" not in found.text


def test_line_of_which_a_part_is_shown_is_cut_and_its_characters_are_counted() -> None:
    found = shown("x y z " * 3_000, 40)
    head, tail = found.text.split("… [17,9")[0], found.text.split("] …")[1]
    assert found.shown.ranges == ()
    assert found.shown.cut == ((0, len(head) + len(tail)),)
    cut = f"line 1: {len(head) + len(tail)} characters shown"
    assert found.shown.as_dict() == {"lines": "none", "of": 1, "cut": cut}


def test_two_lines_of_which_a_part_is_shown_are_both_cut_and_do_not_end_at_the_cut() -> None:
    text = "".join(f"line {n} foo x y z w aaa bbb ccc ddd eee fff ggg\n" for n in range(1_500))
    found = shown(text, 60)
    head, gap, tail = re.split(r"(… \[.*\] …)", found.text)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert "\n" not in head
    parts = f"line 1: {len(head)} characters shown; line 1500: {len(tail) - 1} characters shown"
    assert found.shown.as_dict() == {"lines": "none", "of": 1500, "cut": parts}
    assert gap.endswith("1,498 lines not shown] …")


def test_characters_made_of_several_code_points_stay_whole() -> None:
    family = "\U0001f469\u200d\U0001f467"
    found = shown(family * 4_000, 300)
    head, tail = found.text.split("… [")
    assert head == family * (len(head) // 3)
    assert tail.split("] …")[1].startswith(family)


@pytest.mark.parametrize("unit", ["x", "word and ", "漢字", "\n", "é\n"])
def test_a_text_far_longer_than_any_preview_is_read_at_its_ends_only(unit: str) -> None:
    whole = unit * (MOST * 5 // len(unit))
    found = shown(whole)
    mark = MARK.search(found.text)
    assert mark is not None
    assert whole.startswith(found.text[: mark.start()])
    assert whole.endswith(found.text[mark.end() :])
    assert number(mark[1]) > MOST * 4


def test_what_utf8_cannot_carry_is_replaced_and_still_counted() -> None:
    found = shown(b"caf\xe9 " * 4_000, 100)
    assert found.text.startswith("caf\ufffd caf\ufffd ")
    assert "\\udce9" not in ascii(found.text)


def test_where_not_even_the_mark_has_room_nothing_is_shown() -> None:
    found = shown("some words\n" * 900, 3)
    assert (found.text, found.below, found.shown.as_dict()) == ("", "", {"lines": "none", "of": 900})


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00", b""])
def test_binary_and_empty_data_have_no_text(data: bytes) -> None:
    found = shown(data)
    assert (found.text, found.shown.unit, found.shown.count, found.shown.total) == ("", "bytes", 0, len(data))
