"""Windows put together are the text, character for character, whatever the text and the lengths."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.json.index import reader
from penstock.core.json.scan import CHUNK
from penstock.core.reading.window import LONGEST_CHARACTER, Window, list_window, ruler, window
from penstock.errors import CallerError
from tests.kit.strategies import any_text


def windows(data: str | bytes, length: int, room: Room | None = None) -> list[Window]:
    document = read(data)
    scale = ruler(document)
    get = reader(document.raw)
    found = [window(get, scale, 0, length, room)]
    while (following := found[-1].next_index) is not None:
        found.append(window(get, scale, following, length, room))
    return found


@given(any_text | st.binary(), st.integers(1, 40))
@example("e" + "\u0301" * 200, 1)
@example("\ud83d\ude00" * 3, 1)
@example("\U0001f469\u200d\U0001f469\u200d\U0001f467", 2)
@example("a\r\nb", 2)
def test_windows_put_together_are_the_text(data: str | bytes, length: int) -> None:
    found = windows(data, length)
    assert "".join(one.text for one in found) == read(data).text
    assert all(one.text for one in found[:-1])
    assert all(len(one.text) <= max(length, LONGEST_CHARACTER) for one in found)


@given(any_text, st.integers(1, 40), st.integers(1, 30))
def test_windows_within_a_room_are_still_the_text(data: str, length: int, tokens: int) -> None:
    room = Room(tokens=tokens)
    found = windows(data, length, room)
    assert "".join(one.text for one in found) == data
    assert all(room.fits(one.text) or len(one.text) <= LONGEST_CHARACTER for one in found)


def test_characters_are_found_in_any_stretch_of_a_long_text() -> None:
    text = "αβγ δεζ\n" * 40_000 + "end"
    document = read(text)
    scale = ruler(document)
    assert len(document.raw) > 5 * CHUNK
    for start in (0, 1, 33_333, 99_999, len(text) - 5, len(text)):
        found = window(reader(document.raw), scale, start, 5)
        assert text[start:].startswith(found.text)
        assert (found.start_index, found.total_length) == (start, len(text))


def test_a_window_reads_a_stretch_or_two_and_not_the_whole() -> None:
    raw = ("é" * 2_000_000).encode()
    scale = ruler(read(raw))
    touched = 0

    def counting(start: int, end: int) -> bytes:
        nonlocal touched
        touched += end - start
        return raw[start:end]

    assert window(counting, scale, 1_000_000, 100).text == "é" * 100
    assert touched <= 3 * CHUNK


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [
        ("one two\nthree four", 12, "one two\n"),
        ("one two three four", 12, "one two "),
        ("onetwothreefour", 6, "onetwo"),
        ("ab\ncdefghijklmnop", 12, "ab\ncdefghijk"),
        ("cafe\u0301s", 4, "caf"),
        ("short", 99, "short"),
    ],
)
def test_a_window_ends_behind_a_line_else_a_word_else_a_character(text: str, length: int, expected: str) -> None:
    assert windows(text, length)[0].text == expected


@given(st.text(st.sampled_from("ae\u0301\u0308 \n"), max_size=60), st.integers(1, 8))
def test_no_window_begins_with_a_combining_mark_that_belongs_to_the_one_before(text: str, length: int) -> None:
    for one in windows(text, length)[1:]:
        assert not unicodedata.combining(one.text[0])


def test_metadata_comes_in_both_styles() -> None:
    first, last = windows("one two three", 8)
    assert first.metadata() == {
        "total_length": 13,
        "start_index": 0,
        "end_index": 8,
        "next_index": 8,
        "has_more": True,
        "truncated": True,
    }
    assert last.metadata("camel") == {
        "totalLength": 13,
        "startIndex": 8,
        "endIndex": 13,
        "nextIndex": None,
        "hasMore": False,
        "truncated": True,
    }
    [whole] = windows("one", 8)
    assert not whole.truncated


def test_a_window_past_the_end_is_empty_with_the_total() -> None:
    document = read("abc")
    found = window(reader(b"abc"), ruler(document), 10, 5)
    assert (found.text, found.start_index, found.has_more, found.total_length) == ("", 3, False, 3)


@pytest.mark.parametrize(("start", "length"), [(-1, 5), (0, 0), (0, -3)])
def test_a_window_that_cannot_be_is_the_callers_error(start: int, length: int) -> None:
    with pytest.raises(CallerError, match=r"start_index|max_length"):
        window(reader(b"abc"), ruler(read("abc")), start, length)


@given(st.lists(st.integers()), st.integers(1, 10))
def test_list_windows_put_together_are_the_list(items: list[int], limit: int) -> None:
    together: list[int] = []
    found = list_window(items, 0, limit)
    together += found.items
    while found.has_more:
        found = list_window(items, found.offset + found.limit, limit)
        together += found.items
    assert together == items


def test_list_metadata_comes_in_both_styles() -> None:
    found = list_window(range(150), 100, 20)
    assert found.metadata() == {"total": 150, "offset": 100, "limit": 20, "has_more": True}
    assert found.metadata("camel") == {"total": 150, "offset": 100, "limit": 20, "hasMore": True}
    assert list_window([1, 2], 9, 5).metadata() == {"total": 2, "offset": 9, "limit": 5, "has_more": False}


@pytest.mark.parametrize(("offset", "limit"), [(-1, 5), (0, 0)])
def test_a_list_window_that_cannot_be_is_the_callers_error(offset: int, limit: int) -> None:
    with pytest.raises(CallerError, match=r"offset|limit"):
        list_window([1], offset, limit)


def test_a_window_fits_however_few_guesses_find_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    text, room = "\n".join(f"{number} words of a line" for number in range(4_000)), Room(tokens=5_000)
    sizes = []
    for guesses in (1, 6):
        monkeypatch.setattr("penstock.core.reading.window.GUESSES", guesses)
        document = read(text.encode())
        found = window(reader(document.raw), ruler(document), 0, len(text), room)
        assert room.fits(found.text)
        sizes.append(len(found.text))
    assert 0 < sizes[0] <= sizes[1]
