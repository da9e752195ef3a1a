"""Windows of lines put together are the text; a line without room is shown in part, and says where it goes on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.forms.document import errors_for
from penstock.core.json.index import index_lines, reader
from penstock.core.reading.window import LineWindow, line_window, ruler_of

WIDE = Room(tokens=100_000)


def taken(text: str, room: Room = WIDE, *, start_line: int = 1, count: int | None = None) -> LineWindow:
    data = text.encode("utf-8", "surrogatepass")
    scale = ruler_of(data, errors_for(data))
    return line_window(reader(data), scale, index_lines(data).root, room, start_line=start_line, count=count)


@given(st.text(st.sampled_from("ab é\n😀"), max_size=300), st.integers(1, 5), st.integers(8, 60))
def test_windows_of_lines_put_together_are_the_text(text: str, count: int, tokens: int) -> None:
    parts: list[str] = []
    line: int | None = 1
    while line is not None:
        found = taken(text, Room(tokens=tokens), start_line=line, count=count)
        if found.cut:  # read on by characters
            return
        assert len(found.window.text.splitlines()) <= count
        parts.append(found.window.text)
        assert found.metadata()["next_line"] != line
        line = found.next_line
    assert "".join(parts) == text


def test_lines_are_counted_from_one() -> None:
    found = taken("one\ntwo\nthree", start_line=2, count=1)
    assert found.window.text == "two\n"
    assert found.metadata() == {
        "total_lines": 3,
        "start_line": 2,
        "end_line": 2,
        "next_line": 3,
        "has_more": True,
        "lines_after": 1,
    }
    assert taken("one\ntwo\nthree", start_line=3).window.text == "three"


def test_past_the_end_there_is_nothing_but_the_totals() -> None:
    for text, total in (("one\ntwo\n", 2), ("", 0)):
        found = taken(text, start_line=9)
        assert (found.window.text, found.total_lines, found.next_line) == ("", total, None)


def test_a_line_that_is_too_long_says_where_it_goes_on() -> None:
    found = taken("short\n" + "word " * 900, Room(tokens=100), start_line=2)
    assert found.cut
    assert found.next_line == 2
    told = found.metadata()
    assert told["note"] == f"line 2 goes on: read it from start_index {found.window.end_index}"
    assert told["lines_after"] == 0
    both = taken("short\n" + "word " * 900, Room(tokens=100))
    assert (both.window.text, both.next_line) == ("short\n", 2)
