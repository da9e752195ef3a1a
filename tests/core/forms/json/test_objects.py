"""An object without a table that matters: its scalars, and how much is in each other field."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.kit.forms.facts import reading_of
from tests.kit.strategies import small_containers


def test_each_field_is_told_with_its_value_or_how_much_there_is() -> None:
    reading = reading_of(
        {
            "id": 7,
            "ok": True,
            "name": "a b",
            "long": "word " * 300,
            "none": None,
            "list": [1],
            "empty": [],
            "map": {"1": "a", "2": "b"},
            "object": {"x": {"y": 1}},
            "small": {"total": 11, "ok": False, "why": "a · b"},
            "inner": '[{"a": 1}, ' + '{"a": 2}, ' * 30 + "3]",
            "wide": {f"field_{letter}": 1.5 if letter == "a" else "x" for letter in "abcdefghij"},
        }
    )
    assert reading.form == "object"
    assert reading.words == "an object with 12 fields, 3 levels deep"
    assert reading.facts == (
        "id: 7",
        "ok: true",
        "name: a b",
        "long: text of 1,500 characters",
        "none: null",
        "list: array of 1 item",
        "empty: array of 0 items",
        "map: map of 2 members",
        "object: object with 1 field: x",
        'small: total 11 · ok false · why "a \\u00b7 b"',
        "inner: JSON in a text of 313 characters (to jq: fromjson)",
        "wide: object with 10 fields: " + ", ".join(f"field_{letter}" for letter in "abcdefgh") + ", …",
    )


def test_many_fields_are_counted() -> None:
    reading = reading_of({f"f_{'x' * number}": "a" if number % 2 else 1 for number in range(1, 38)})
    assert reading.words == "an object with 37 fields, 1 level deep"
    assert len(reading.facts) == 25
    assert reading.facts[-1] == "+13 fields"


def test_a_map_in_which_nothing_is_has_its_members_counted() -> None:
    assert reading_of({"1": None, "2": None}).words == "an object with 2 fields, 1 level deep"
    assert reading_of({"1": {}, "2": {}}).words in (
        "an object of 2 members, 2 levels deep",
        "2 values by key (2 columns)",
        "2 records by key (2 columns)",
    )
    assert reading_of([None, None]).words == "an array of 2 items, 1 level deep"


def test_more_places_than_are_kept_are_said_to_be_there() -> None:
    reading = reading_of({f"f{'x' * (n % 60)}{'y' * (n // 60)}": n if n % 2 else "t" for n in range(3_000)})
    assert "or more" in reading.words
    assert reading.shape.endswith("…}")


@given(st.dictionaries(st.text(max_size=20), small_containers, max_size=6))
def test_facts_are_lines(value: dict[str, object]) -> None:
    reading = reading_of(value)
    for line in (reading.words, *reading.facts):
        assert line.isprintable()
