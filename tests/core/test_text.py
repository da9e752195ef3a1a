"""Words and short texts: nothing in a value can be taken for something else, and what is cut is said to be."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.text import (
    counted,
    cut_at,
    line_text,
    nearest,
    plain,
    ranges_text,
    shorten,
    size_text,
    split_words,
    tally,
    without_signs,
)
from tests.kit.strategies import any_text, scalars


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1 KB"),
        (12_345, "12.3 KB"),
        (999_499, "999 KB"),
        (999_500, "1.0 MB"),
        (1_240_000, "1.2 MB"),
        (99_949_999, "99.9 MB"),
        (99_950_000, "100 MB"),
        (2_500_000_000, "2,500 MB"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


def test_counts_have_their_nouns() -> None:
    assert [counted(n, "row") for n in (0, 1, 2, 1_204)] == ["0 rows", "1 row", "2 rows", "1,204 rows"]
    assert counted(2, "match", "matches") == "2 matches"
    assert split_words("a b\n c") == ("a", "b", "c")


@given(any_text, st.integers(2, 80))
def test_short_texts_stay_and_long_ones_are_cut(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= max(limit, 1)
    assert (short == text) or (short.endswith("…") and text.startswith(short[:-1]))


@given(any_text | scalars, st.integers(12, 80))
def test_a_value_in_a_line_is_no_separator_and_no_other_value(value: object, limit: int) -> None:
    text = plain(value, limit)
    assert text.isprintable()
    assert not isinstance(value, str) or "|" not in text
    if isinstance(value, str) and len(value) <= limit:
        assert "…" not in text
        if text.startswith('"'):
            assert json.loads(text) == value.encode("utf-8", "replace").decode()
        else:
            assert text == value
            assert not re.fullmatch(r"(?=.*[0-9])[0-9.,+-]+|true|false|null|absent", text)
    elif isinstance(value, str):
        assert "…[+" in text
    elif len(str(value)) <= limit:
        assert json.loads(text) == value
    else:
        assert text.startswith(str(value)[: limit - 8])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("open", "open"),
        ("two words", "two words"),
        ("", '""'),
        (" a", '" a"'),
        ("12", '"12"'),
        ("1,204", '"1,204"'),
        ("null", '"null"'),
        ("+7 values", '"+7 values"'),
        ("[1]", '"[1]"'),
        ("a|b", '"a\\u007cb"'),
        ("a\nb", '"a\\nb"'),
        ("a\u202eb", '"a\\u202eb"'),
        (12, "12"),
        (True, "true"),
        (None, "null"),
        ("x" * 61, "x" * 52 + "…[+9]"),
    ],
)
def test_values_in_a_line(value: object, text: str) -> None:
    assert plain(value) == text


@given(any_text, st.integers(1, 90))
def test_what_is_cut_is_counted(text: str, limit: int) -> None:
    kept, mark = cut_at(text, limit)
    assert text.startswith(kept)
    assert mark == f"…[+{len(text) - len(kept):,}]"


@given(st.lists(st.tuples(any_text, st.integers(1, 9_999)), unique_by=lambda one: one[0]), st.integers(1, 8))
def test_a_tally_counts_what_it_does_not_show(values: list[tuple[str, int]], most: int) -> None:
    text = tally(values, most)
    parts = text.split(" · ") if text else []
    left = re.fullmatch(r"\+([0-9,]+) values?", parts[-1]) if parts else None
    shown = len(parts) - (left is not None)
    assert shown + (int(left[1].replace(",", "")) if left is not None else 0) == len(values)
    assert shown <= most + 1


def test_tallies() -> None:
    values = [("open", 233), ("done", 98), ("new", 1)]
    assert tally(values) == "open ×233 · done ×98 · new ×1"
    assert tally(values, 1) == "open ×233 · +2 values"
    assert tally(values, 2) == "open ×233 · done ×98 · new ×1"
    assert tally(values, 2, more=5) == "open ×233 · done ×98 · +6 values"
    assert tally([]) == ""


def test_values_that_begin_alike_are_cut_at_their_beginning() -> None:
    long = "x" * 90
    text = tally([(f"{long}a", 2), (f"{long}b", 1), ("short", 1), (7, 1)])
    parts = text.split(" · ")
    assert len(set(parts)) == 4
    assert parts[0] == f"[+39]…{'x' * 51}a ×2"
    assert parts[2:] == ["short ×1", "7 ×1"]


def test_names_that_are_alike_are_found() -> None:
    assert nearest("Name", ["nome", "name", "other"]) == ["name", "nome"]
    assert nearest("metadata_name", ["name", "metadata.name", "metadata.namespace"])[0] == "metadata.name"
    assert nearest("imdb", ["IMDB Rating", "IMDB Votes", "title"]) == ["IMDB Votes", "IMDB Rating"]
    assert nearest("path", ["author", "date"]) == []
    assert nearest("%", ["a", "§"]) == []
    assert nearest("zzz", ["a", "b"]) == []
    assert nearest("x", (f"x{n}" for n in range(10_000)), limit=2) != []


@given(any_text, st.integers(10, 80))
def test_a_line_to_show_has_nothing_that_acts(text: str, limit: int) -> None:
    shown = line_text(text, limit)
    assert shown.replace("\t", "").isprintable()
    assert len(text) > limit or text.isprintable() or shown != text or "\t" in text


def test_lines_to_show() -> None:
    assert line_text("a\tb", 10) == "a\tb"
    assert line_text("a\x1b[31mb", 20) == "a\\u001b[31mb"
    assert line_text("x" * 20, 10) == "xx…[+18]"


def test_ranges_are_counted_from_one() -> None:
    assert ranges_text([(0, 3), (411, 412)]) == "1-3, 412"
    assert ranges_text([]) == ""


@given(any_text)
def test_json_without_signs_is_the_same_json(text: str) -> None:
    line = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    assert without_signs(line).isprintable()
    assert json.loads(without_signs(line)) == json.loads(line)
