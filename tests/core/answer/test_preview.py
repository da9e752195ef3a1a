"""A preview fits its room, is true, shows no less in a bigger one, and has a line for each fact and row."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.answer.crossed import own_facts
from penstock.core.answer.facts import facts_of
from penstock.core.answer.preview import preview
from penstock.core.answer.show_rows import columns_to_show, header_text, row_text
from penstock.core.budget import Room
from penstock.core.forms import learning
from penstock.core.forms.document import Document, read
from penstock.core.forms.recognise import read_form
from penstock.core.forms.text_form import Excerpt
from tests.kit import hostile_names as hostile
from tests.kit.strategies import json_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from penstock.core.answer.preview_text import Preview
    from penstock.core.forms.reading import Reading

ROOMS = [
    *(Room(tokens=tokens, size=8_192) for tokens in (0, 8, 16, 30, 50, 70, 90, 150, 250, 500, 900, 1_500)),
    Room(tokens=10_000_000),
]
TICKETS = [
    {
        "id": n,
        "status": ("open", "pending", "solved")[n % 3],
        "score": n % 7,
        "created_at": f"2026-01-{n % 28 + 1:02}T08:00:00Z",
        "tags": ["a", "b"][: n % 3],
        "subject": f"subject number {n}",
        "brand": "main",
    }
    for n in range(300)
]


def opened(data: Any) -> tuple[Document, Reading]:
    document = read(data if isinstance(data, str | bytes) else json.dumps(data))
    return document, read_form(document)


def shown(data: Any, tokens: int = 1_500, order: list[int] | None = None) -> Preview:
    return preview(*opened(data), Room(tokens=tokens, size=8_192), order)


def _is_no_title(reading: Reading) -> Callable[[str], bool]:
    titles = {f"{one.title}:" for one in reading.excerpts}
    return lambda line: line not in titles


def check(document: Document, reading: Reading, room: Room) -> Preview:
    """A preview, every line of which is one of those that there are: facts, rows by their numbers, and excerpts."""
    found = preview(document, reading, room)
    assert room.fits(found.text)
    found.text.encode()
    assert (found.below == "") == (found.text == "")
    main = reading.main
    if main is None:
        return found
    ends = [end for one in found.shown.ranges for end in one]
    assert ends == sorted(set(ends))
    assert all(0 <= end <= main.count for end in ends)
    assert (found.shown.total, found.shown.path) == (main.count, main.path)
    numbers = [number for first, last in found.shown.ranges for number in range(first, last)]
    fields = columns_to_show(main)
    rows: list[str] = []
    if numbers and reading.cells is not None:
        cells = reading.cells.rows(numbers, [field.name for field in fields])
        title = f"row{'s' if len(numbers) > 1 else ''} {found.shown.as_dict()['rows']}:"
        rows = [title, header_text(fields), *map(row_text, cells)]
    facts = [fact.text for fact in facts_of(main)]
    expected = found.text.split("\n") if found.text else []
    told = [line for line in expected if line in facts]
    for line in own_facts(reading):
        if line in expected:
            expected.remove(line)
    if told:
        titles = [f"all {main.count:,} {main.noun or 'rows'}:"] if own_facts(reading) else []
        titles = titles if main.exact else [f"from a part of {main.count:,} rows:"]
        left = len(facts) - len(told)
        more = [f"… {left:,} more: action info"] if left else []
        start = len(titles) + len(told) + len(more)
        assert expected[:start] == [*titles, *told, *more]
        expected = expected[start:]
    assert expected[: len(rows)] == rows
    rest = expected[len(rows) :]
    for excerpt in reading.excerpts:
        if rest and rest[0] == f"{excerpt.title}:":
            lines = list(takewhile(_is_no_title(reading), rest[1:]))
            rest = rest[1 + len(lines) :]
            left_out = int(lines.pop()[2:-5].replace(",", "")) if lines[-1].startswith("… ") else 0
            assert len(lines) + left_out == len(excerpt.lines)
    assert rest == []
    return found


@settings(max_examples=100, deadline=None)
@given(
    hostile.records | st.lists(hostile.cells, max_size=20) | st.dictionaries(hostile.names, hostile.cells, max_size=5)
)
def test_no_name_or_value_makes_a_line_of_its_own(data: Any) -> None:
    document, reading = opened(data)
    if document.index.root is None or reading.main is None:
        return
    for room in ROOMS:
        found = check(document, reading, room)
        assert all(line.isprintable() for line in found.text.split("\n"))


@settings(max_examples=100, deadline=None)
@given(
    hostile.records | hostile.records.map(lambda rows: {"n": 1, "rows": rows * 9}) | json_bytes().map(json.loads),
    st.integers(0, 2_000),
    st.integers(0, 2_000),
)
def test_a_bigger_room_never_shows_less(data: Any, tokens: int, more: int) -> None:
    document, reading = opened(data)
    small = preview(document, reading, Room(tokens=tokens, size=8 * tokens))
    large = preview(document, reading, Room(tokens=tokens + more, size=8 * (tokens + more)))
    assert large.shown.count >= small.shown.count
    if reading.main is None:
        return  # the ends of a text are tested with them
    titles = ("row ", "rows ", "… ")
    lines = {line for line in small.text.splitlines() if not line.startswith(titles)}
    assert lines <= set(large.text.splitlines())


def test_facts_of_all_rows_come_first_then_four_rows() -> None:
    found = check(*opened(TICKETS), Room(tokens=700))
    lines = found.text.splitlines()
    assert lines[0] == "status: open ×100 · pending ×100 · solved ×100"
    assert "status: open ×100 · pending ×100 · solved ×100" in lines
    assert "created_at: 2026-01-01T08:00:00Z .. 2026-01-28T08:00:00Z" in lines
    assert found.shown.ranges == ((0, 2), (6, 7), (299, 300))  # the seventh has the greatest number
    assert found.below == f"facts of all, {found.shown.count} rows"
    assert next(line for line in lines if "|" in line).startswith("id|status|")


def test_a_small_room_has_the_most_telling_facts_and_says_that_there_are_more() -> None:
    found = check(*opened(TICKETS), Room(tokens=150))
    assert "status: open ×100" in found.text
    assert "more: action info" in found.text
    assert found.below == "facts of all"


def test_of_many_columns_that_tell_as_much_the_first_ones_have_their_facts() -> None:
    rows = [{"kind": "ab"[n % 2], **{f"c{at}": n * (at + 1) for at in range(12)}} for n in range(90)]
    text = shown(rows).text
    assert [f"c{at}: " in text for at in range(12)] == [True] * 6 + [False] * 6


def test_rows_of_which_the_columns_say_nothing_are_not_among_those_that_are_shown() -> None:
    rows: list[dict[str, Any]] = [
        {"index": {}} if n % 2 else {"id": n, "name": f"thing {n}", "size": n * 3} for n in range(60)
    ]
    found = shown(rows)
    assert found.shown.count >= 4
    assert not [line for line in found.text.splitlines() if line and not line.strip("|")]


def test_a_list_of_which_one_line_has_room_is_left_out() -> None:
    document, reading = opened(TICKETS)
    listed = Excerpt(title="the first 40 headings", lines=tuple(f"heading {n}" for n in range(40)))
    told = preview(document, replace(reading, excerpts=(listed,)), Room(tokens=1_500, size=8_192))
    assert "heading" not in told.text
    numbered = replace(listed, numbers=tuple(range(1, 41)))
    told = preview(document, replace(reading, excerpts=(numbered,)), Room(tokens=1_500, size=8_192))
    assert "1: heading 0\n… 39 more" in told.text


def test_the_rows_that_a_strategy_chose_come_first() -> None:
    found = shown(TICKETS, 600, order=[77, 5, 200, 140])
    assert {(77, 78), (5, 6), (200, 201), (140, 141)} <= set(found.shown.ranges)
    assert "subject number 77" in found.text


def test_no_more_rows_are_read_than_could_be_shown() -> None:
    document, reading = opened([{"id": n, "text": f"text {n}"} for n in range(5_000)])
    assert preview(document, reading, Room(tokens=10**9)).shown.count == 400
    tight = preview(document, reading, Room(tokens=10**9, size=900))
    assert 0 < tight.shown.count < 120


def test_a_sample_says_that_it_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "EXACT", 100)
    document, reading = opened(TICKETS)
    found = check(document, reading, Room(tokens=900))
    assert "sampled status: " in found.text
    assert found.below.startswith("facts, ")


def test_an_object_shows_the_facts_of_its_form_alone() -> None:
    found = shown({"name": "x", "deep": {"a": 1}, "text": "words " * 900})
    assert "name: x" in found.text
    assert (found.below, found.shown.count, found.shown.total, found.shown.path) == ("facts", 0, 0, ".")
    assert shown({"name": "x", "deep": {"a": 1}}, 0).below == ""


def test_text_without_a_form_shows_its_ends() -> None:
    assert shown("some words\n" * 3_000, 100).below == "its beginning and end"


def test_lines_worth_seeing_stand_under_their_titles_with_their_numbers() -> None:
    document, reading = opened(TICKETS)
    reading = replace(
        reading,
        facts=tuple(f"fact {n}" for n in range(5)),
        excerpts=(
            Excerpt(title="first", lines=("a\x1b[2Jb", "c\u202ed", "x" * 400), numbers=(7, 9, 11)),
            Excerpt(title="second", lines=("plain",)),
        ),
    )
    lines = preview(document, reading, Room(tokens=9_000)).text.splitlines()
    assert lines[:5] == [f"fact {n}" for n in range(5)]
    at = lines.index("first:")
    assert lines[at + 1 : at + 3] == ["7: a\\u001b[2Jb", "9: c\\u202ed"]
    assert lines[at + 3].startswith("11: xxx")
    assert lines[at + 3].endswith("…[+248]")
    assert lines[at + 4 : at + 6] == ["second:", "plain"]
    for room in ROOMS:
        check(document, reading, room)


def test_a_table_without_cells_at_hand_shows_its_facts() -> None:
    document, reading = opened(TICKETS)
    found = preview(document, replace(reading, cells=None), Room(tokens=3_000))
    assert (found.below, found.shown.count) == ("facts of all", 0)
    same = shown([{"a": 1, "b": "x"}] * 9)
    assert same.text == "always: a 1 · b x"


LOG = "\n".join(
    f"2026-01-05 08:{n // 60:02}:{n % 60:02} {'WARN' if n % 9 else 'ERROR'} [web] took {n} ms" for n in range(600)
)


def test_lines_that_stand_among_the_rows_are_not_shown_again() -> None:
    document, reading = opened(LOG)
    excerpts = (
        Excerpt(title="a row", lines=("x", "y"), numbers=(1, 2)),  # the text of the first row goes with it
        Excerpt(title="some rows", lines=("the first", "another"), numbers=(1, 7)),
    )
    text = preview(document, replace(reading, excerpts=excerpts), Room(tokens=3_000)).text
    assert "a row:" not in text
    assert text.endswith("some rows:\n7: another\n… 1 more")


def test_what_a_form_says_itself_is_not_said_of_the_column() -> None:
    document, reading = opened(LOG)
    assert "08:00:00 .. " in reading.words
    assert "time: " not in preview(document, reading, Room(tokens=3_000)).text
    own = ("lines by level: WARN ×533 · 1 more", "by folder below a/: b/ ×3 · c/ ×2")
    text = preview(document, replace(reading, facts=own), Room(tokens=3_000)).text
    assert "\nlevel: " not in text
    assert "\nlevel: " in preview(document, replace(reading, facts=()), Room(tokens=3_000)).text


def test_of_facts_that_tell_as_much_the_first_six_are_shown() -> None:
    rows = [{"month": f"m{n}", **{name: n * 7 + at for at, name in enumerate("abcdefghij")}} for n in range(90)]
    found = check(*opened(rows), Room(tokens=900))
    assert [line[0] for line in found.text.splitlines() if ", sum " in line] == list("abcdef")


def test_counts_of_all_rows_are_shown_beside_those_of_the_errors_alone_that_begin_alike() -> None:
    rows = [{"rule": f"r{n % 9}", "level": ("error", "warning", "note")[n % 3], "text": f"t {n}"} for n in range(300)]
    lines = shown({"tool": "x", "findings": rows}).text.split("\n")
    assert "level error by rule: r0 ×34 · r3 ×33 · r6 ×33" in lines
    assert "rule: r0 ×34 · r1 ×34 · r2 ×34 · 6 more" in lines
