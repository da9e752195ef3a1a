"""Text without a form is told by its lines and its size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.forms.facts import reading_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "0 lines of text, 0 bytes"),
        ("x", "1 line of text, 1 byte"),
        ("x\n", "1 line of text, 2 bytes"),
        ("x\n\ny", "3 lines of text, 4 bytes"),
        ("caf\u00e9", "1 line of text, 5 bytes"),
    ],
)
def test_lines_are_counted_as_people_do(text: str, words: str) -> None:
    reading = reading_of(text)
    assert (reading.form, reading.words, reading.shape) == ("text", words, "[str]")
    assert (reading.tables, reading.cells, reading.main) == ((), None, None)


@given(st.lists(st.from_regex(r"[a-z]{1,9}[?!]{3}", fullmatch=True), min_size=1, max_size=9), st.booleans())
def test_a_newline_at_the_end_opens_no_line(lines: list[str], ended: bool) -> None:
    reading = reading_of("\n".join(lines) + "\n" * ended)
    assert reading.words.startswith(f"{len(lines)} line{'s' * (len(lines) != 1)} of text, ")
