"""Where no column is worth a question, the outline is offered, at the cost of the answer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from penstock.core.answer.suggestions import outlines
from penstock.core.answer.suggestions.outlines import blocks_offer, outline_offer, section_offer
from penstock.core.forms.document import read
from penstock.core.forms.recognise import read_form
from penstock.core.tokens.count import count
from tests.kit.suggestions import FETCH, ask

OBJECT = {f"part{n}": {f"k{n}": "words " * 30, "inner": {"a": n, "b": {"c": {"d": n}}}} for n in range(9)} | {
    "x": [1, 2]
}


@pytest.mark.parametrize("data", [OBJECT, {"arcs": [[[n, n + 1], [n]] for n in range(300)]}])
def test_an_object_without_a_table_to_ask_is_outlined(data: Any) -> None:
    [made] = ask(data)
    assert (made.arguments, made.tool, made.is_read) == ({"action": "outline"}, FETCH, True)
    assert 0 < made.tokens <= 5_000


def test_names_of_another_language_are_outlined_within_a_page() -> None:
    document = replace(read(json.dumps(OBJECT)), language="yaml")
    whole = outline_offer(document, FETCH, 5_000, "claude")
    small = outline_offer(document, FETCH, 250, "claude")
    assert whole is not None
    assert small is not None
    assert small.tokens < whole.tokens < count(json.dumps(OBJECT)).tokens


def test_text_and_pages_are_not_outlined() -> None:
    assert outline_offer(read("words\n" * 99), FETCH, 900, "claude") is None
    document = read(json.dumps(OBJECT))
    assert outline_offer(replace(document, language="html"), FETCH, 900, "claude") is None
    assert outline_offer(document, FETCH, 1, "claude") is None


def test_the_outline_of_very_much_and_of_what_is_converted_later_costs_a_page_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outlines, "MOST", 2_000)
    later = replace(read("a: 1\n" * 999), language="yaml")
    for document in (read(json.dumps(OBJECT)), later):
        made = outline_offer(document, FETCH, 900, "claude")
        assert made is not None
        assert made.as_dict("r_x") == {
            "why": "its upper levels",
            "tool": FETCH,
            "arguments": {"cache_id": "r_x", "action": "outline"},
            "at_most_tokens": 900,
        }


def _word(number: int) -> str:
    return "".join(chr(97 + number * step % 26) for step in (1, 3, 7, 11, 17)) + "x" * (number // 26)


STYLES = "".join(f".{_word(n)} {{\n  {_word(n + 7)}: {_word(n * 3)};\n\n}}\n" for n in range(120))


def test_a_text_with_indents_and_no_form_is_outlined_by_its_blocks() -> None:
    [made] = ask(STYLES)
    assert (made.why, made.arguments) == ("its 120 blocks, each by its first line", {"action": "outline"})
    small = blocks_offer(read(STYLES), FETCH, 500, "claude")
    assert small is not None
    assert small.why == "the first of its 120 blocks, each by its first line"
    assert small.tokens <= 500 < made.tokens


def test_a_text_of_few_blocks_or_in_little_room_is_not_outlined() -> None:
    assert blocks_offer(read("words\n" * 999), FETCH, 900, "claude") is None
    assert blocks_offer(read(STYLES), FETCH, 1, "claude") is None
    assert blocks_offer(read(STYLES[:90]), FETCH, 900, "claude") is None
    assert blocks_offer(read(json.dumps(OBJECT)), FETCH, 900, "claude") is None


def sections(sizes: list[int]) -> str:
    return "".join(f"## Part {at}\n\n{'some plain words here. ' * size}\n\n" for at, size in enumerate(sizes))


def test_of_a_text_with_sections_the_longest_that_fits_is_offered() -> None:
    text = sections([9, 30, 20, 9_000, 220, 12, 14])  # of which one cannot fit, and one might have
    [made] = ask(text, page=900)
    assert made.why == "the text of a section: Part 1"
    lines = text.split("\n")
    start = lines.index("## Part 1")
    assert made.arguments == {"action": "get", "start_line": start + 1, "lines": lines.index("## Part 2") - start}
    assert made.tokens == count("\n".join(lines[start : lines.index("## Part 2")]), "claude").tokens + outlines.WINDOW


def test_without_a_section_that_fits_or_of_very_much_text_none_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    document = read(sections([40] * 9))
    reading = read_form(document)
    assert section_offer(document, reading, FETCH, 60, "claude") is None
    assert section_offer(document, replace(reading, cells=None), FETCH, 5_000, "claude") is None
    monkeypatch.setattr(outlines, "MOST", 100)
    assert section_offer(document, reading, FETCH, 5_000, "claude") is None
