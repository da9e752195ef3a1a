"""Notes as people write them: front matter, tags, titles, encodings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_server.notes import decode, parse


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        ("a: 1", {"a": 1}),
        ("a: yes\nb: 12:30\nc: 010\nd: 0x1f", {"a": "yes", "b": "12:30", "c": 10, "d": "0x1f"}),
        ("a: 2026-01-31\nb: 2026-01-31T10:00:00Z", {"a": "2026-01-31", "b": "2026-01-31T10:00:00Z"}),
        ("a: [x, 2.5, null, ~, true]", {"a": ["x", 2.5, None, None, True]}),
        ("a: {b: {c: d}}", {"a": {"b": {"c": "d"}}}),
        ("a: .inf\nb: 1e3\nc: 12345678901234567890", {"a": ".inf", "b": "1e3", "c": "12345678901234567890"}),
        ("a: 1.0e+3\nb:", {"a": 1_000.0, "b": None}),
        ('a: "\\ud800"', {}),
        ("1: x", {"1": "x"}),
        ("", {}),
    ],
)
def test_front_matter_is_read_as_json(yaml: str, expected: dict[str, Any]) -> None:
    assert parse(f"---\n{yaml}\n---\ntext").frontmatter == expected


@pytest.mark.parametrize(
    ("yaml", "says"),
    [
        ("a: [", "did not find"),
        ("- 1", "not a table of fields"),
        ("a: &x [1]\nb: *x", "aliases"),
        ("? [a]\n: 1", "not a text"),
        ("a: " + "[" * 30 + "]" * 30, "nested deeper"),
        ("a: " + "x" * 70_000, "longer than"),
        ("a: b: c", "mapping values"),
    ],
)
def test_front_matter_that_cannot_be_read_is_told(yaml: str, says: str) -> None:
    note = parse(f"---\n{yaml}\n---\ntext")
    assert note.frontmatter == {}
    assert says in note.wrong
    assert note.body == "text"


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("---\ntags: [a, '#b', c/d]\n---\n", ("a", "b", "c/d")),
        ("---\ntags: a, b  c\n---\n", ("a", "b", "c")),
        ("---\ntag: x\n---\nand #y", ("x", "y")),
        ("---\ntags: 7\n---\n", ()),
        ("#first and #second/third, #7 #a1\n#é", ("first", "second/third", "a1", "é")),
        ("# Heading\nword#no `#no` [#no]", ()),
        ("```\n#no\n```\n#yes\n~~~\n#no", ("yes",)),
        ("#twice #twice", ("twice",)),
    ],
)
def test_tags_stand_in_front_matter_and_in_the_text(text: str, tags: tuple[str, ...]) -> None:
    assert parse(text).tags == tags


def test_the_title_is_that_of_front_matter_else_the_first_heading() -> None:
    assert parse("---\ntitle: One\n---\n# Two").title == "One"
    assert parse("text\n# Two #\n# Three").title == "Two"
    assert parse("text").title == ""


def test_a_later_heading_and_one_in_code_are_no_title() -> None:
    assert parse("## Paragraphs\n\n# This is a heading 1\n").title == ""
    assert parse("text\n```sh\n# install it\n```\n# Real\n").title == "Real"
    assert parse("text\n```sh\n# install it\n```\n").title == ""
    assert parse("# Windows\r\ntext").title == "Windows"


def test_front_matter_ends_only_at_its_own_line() -> None:
    assert parse("---\na: x --- y\n---\nb").frontmatter == {"a": "x --- y"}
    assert parse("---\nno end").frontmatter == {}
    assert parse("text\n---\na: 1\n---\n").frontmatter == {}
    assert parse("\ufeff---\r\na: 1\r\n---\r\nb").frontmatter == {"a": 1}


@given(st.text(max_size=200))
def test_head_and_body_put_together_are_the_text(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\n{text}"):
        note = parse(whole)
        assert note.head + note.body == whole


@given(st.binary(max_size=100))
def test_any_bytes_are_a_text_that_json_can_carry(data: bytes) -> None:
    assert len(decode(data).encode()) >= len(data) // 2


def test_old_encodings_are_read() -> None:
    assert decode("Größe".encode("latin-1")) == "Größe"
    assert decode("Größe".encode("utf-16")) == "Größe"
    assert decode("Größe".encode()) == "Größe"
