"""A value in a preview is valid JSON, short, and says what is missing from it."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.budget import Room
from penstock.core.forms.document import read
from penstock.core.preview.cells import (
    beside,
    cell,
    count_of,
    counted,
    dig,
    fields,
    items,
    keyed,
    names,
    object_of,
    reach,
    text_of,
)
from penstock.core.subject import study
from tests.core.preview import hostile
from tests.strategies import clean_text, scalars


def around(data: object) -> object:
    subject = study(read(json.dumps(data)))
    assert subject.main is not None
    text = beside(subject, subject.main)
    return json.loads(text) if text else None


@given(hostile.values)
def test_any_value_becomes_a_short_json_value(value: bytes) -> None:
    short = cell(value)
    json.loads(short)
    assert len(short.decode()) <= 200


@given(scalars)
def test_a_short_scalar_keeps_its_value(value: object) -> None:
    written = json.dumps(value).encode()
    shown = msgspec.json.decode(cell(written)) if len(written) <= 80 else value
    assert shown == value


@given(clean_text, st.integers(1, 100))
def test_what_is_cut_from_a_text_is_counted(text: str, limit: int) -> None:
    shown = text_of(json.dumps(text).encode(), limit)
    if shown == text:
        return
    kept, _, rest = shown.rpartition("…[+")
    assert text.startswith(kept)
    assert len(kept) + int(rest.removesuffix("]").replace(",", "")) == len(text)
    assert len(kept) <= limit


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"9007199254740993", b"9007199254740993"),
        (b"1.0", b"1.0"),
        (b"9" * 4_301, b'"[number of 4,301 characters]"'),
        (rb'"\u4e2d\/"', '"中/"'.encode()),
        (b"[1, 2,\n 3]", b"[1,2,3]"),
        (b'{"a": {"b": []}}', b'{"a":{"b":[]}}'),
        (b"[" + b"[1,2,3]," * 30 + b"[]]", b'"[31 items]"'),
        (b"[" + b"123456," * 30 + b"1]", '"[31 items: 123456, 123456, 123456, …]"'.encode()),
        (b'[{"name":"bug","color":"%s"},{"id":2}]' % (b"f" * 60), b'"[2 items: bug, 2]"'),
        (b'{"id":7,"login":"octocat","url":"%s"}' % (b"u" * 60), b'"{3 fields: login octocat}"'),
        (b'{"name":"","title":null,"id":[1],"x":"%s"}' % (b"u" * 60), b'"{4 fields}"'),
        (b"[" + b"1," * 600_000 + b"1]", b'"[1,200,003 bytes]"'),
        (b'{"a":"' + b"1" * 1_200_000 + b'"}', b'"{1,200,008 bytes}"'),
        (b'"' + b"a" * 100_000 + b'"', ('"' + "a" * 80 + '…[of 100,002 bytes]"').encode()),
        (b'"' + rb"\ud83d\ude00" * 9_000 + b'"', ('"' + "😀" * 80 + '…[of 108,002 bytes]"').encode()),
        (b'"a' + "語".encode() * 30_000 + b'"', ('"a' + "語" * 79 + '…[of 90,003 bytes]"').encode()),
    ],
)
def test_values_are_shown_like_this(value: bytes, shown: bytes) -> None:
    assert cell(value) == shown


def test_a_text_is_not_cut_inside_a_character() -> None:
    assert text_of('"ae\u0301bc"'.encode(), 2) == "a…[+4]"


def test_parts_of_values_are_found_without_decoding_them() -> None:
    value = b'{"a": {"b": 1.0}, "n": null, "a": {"b": 2.0}}'
    assert fields(value) == {"a": b'{"b": 2.0}', "n": b"null"}
    assert fields(b"[1]") == {}
    assert items(b"[1, 2]") == [b"1", b"2"]
    assert items(b"{}") == []
    assert count_of(value) == 2
    assert count_of(b"[1, 2, 3]") == 3
    assert dig(value, ("a", "b")) == b"2.0"
    assert dig(value, ()) == value
    assert [dig(value, path) for path in (("n",), ("x",), ("a", "b", "c"))] == [None] * 3
    assert keyed(b'"a" : [1]') == ("a", b"[1]")


def test_names_and_numbers_are_written_for_people() -> None:
    assert [counted(1, "item"), counted(1_204, "item")] == ["1 item", "1,204 items"]
    assert counted(2, "match", "matches") == "2 matches"
    assert names([]) == b""
    assert json.loads(names([str(number) for number in range(30)]))[-2:] == ["23", "+6 more"]
    assert object_of([("a", b"")]) == b""
    assert object_of([("a" * 100, b"1"), ("b", b"")]) == f'{{"{"a" * 59}…":1}}'.encode()


def test_no_text_is_tried_that_is_longer_than_the_room_can_take() -> None:
    assert reach(Room(tokens=100, size=8_192)) == 1_600
    assert reach(Room(tokens=2_000, size=8_192)) == 8_192


def test_what_is_around_the_main_container_is_shown_by_its_path() -> None:
    rows = [{"id": number, "name": "n" * 20} for number in range(200)]
    data = {"total": 200, "data": {"rows": rows, "facets": {"x": "y" * 100}}, "next page": None}
    assert around(data) == {".total": 200, '.["next page"]': None, ".data.facets": "{1 field}"}
    assert around(rows) is None


def test_large_neighbours_are_counted_and_many_are_only_numbered() -> None:
    rows = [{"id": number, "name": "n" * 20} for number in range(2_000)]
    assert around({"rows": rows, "other": rows[:300], "log": ["x" * 9_000]}) == {
        ".other": "[300 items]",
        ".log": "[1 item]",
    }
    assert around({"map": {str(number): "y" * 9 for number in range(500)}, "rows": rows}) == {".map": "{500 fields}"}
    many = around({**{f"k{number}": number for number in range(20)}, "rows": rows})
    assert isinstance(many, dict)
    assert len(many) == 9
    assert many["…"] == "+12 fields"
    assert around([{"rows": rows}, 5]) == {".[1]": 5}


def test_the_neighbours_in_a_map_of_very_many_keys_are_numbered() -> None:
    rows = [{"id": number, "name": "n" * 20} for number in range(2_000)]
    assert around({**{f"k{number}": number for number in range(1_500)}, "rows": rows}) == {"…": "+1,500 fields"}
