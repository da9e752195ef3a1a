"""Everything in a document can be reached by its path through the index, in its original bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.document import Kind, read
from penstock.core.json import index as indexing
from penstock.core.json.index import Index, Read, build, container_at, dump, load, reader, split_value, value_at
from penstock.core.json.path import Path, parse
from penstock.errors import CallerError
from tests.strategies import json_bytes, records, values

if TYPE_CHECKING:
    from collections.abc import Iterator


def indexed(data: bytes | str) -> tuple[Index, Read]:
    document = read(data)
    return build(document), reader(document.body)


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*path, number))


@given(json_bytes())
def test_every_value_is_found_at_its_path(data: bytes) -> None:
    index, get = indexed(data)
    for path, value in places(json.loads(data)):
        assert json.loads(value_at(index, get, path)) == value


@given(json_bytes())
def test_every_array_reached_through_objects_is_listed_with_its_length(data: bytes) -> None:
    index, _ = indexed(data)
    expected = {
        path: len(value)
        for path, value in places(json.loads(data))
        if isinstance(value, list) and not any(isinstance(step, int) for step in path)
    }
    listed = {one.path: one.items for one in index.arrays}
    assert expected.items() <= listed.items()
    assert index.complete


@given(json_bytes())
def test_an_index_survives_being_written_to_bytes(data: bytes) -> None:
    index, _ = indexed(data)
    assert load(dump(index)) == index


@given(json_bytes(st.lists(values, min_size=1, max_size=20)))
def test_items_of_a_container_are_the_items(data: bytes) -> None:
    index, get = indexed(data)
    container, get = container_at(index, get, ())
    assert [json.loads(container.item(get, number)) for number in range(container.count)] == json.loads(data)


@given(records)
def test_large_documents_are_read_by_position(rows: list[dict[str, Any]]) -> None:
    data = json.dumps({"before": "x" * 5_000, "rows": rows * 20, "after": {"n": 1}}, indent=1)
    index, get = indexed(data)
    assert json.loads(value_at(index, get, ("after", "n"))) == 1
    for number in range(0, len(rows) * 20, 7):
        assert json.loads(value_at(index, get, ("rows", number))) == (rows * 20)[number]


def test_reading_an_item_touches_only_its_bytes() -> None:
    data = json.dumps({"rows": [{"id": n, "text": "x" * 100} for n in range(2_000)]}).encode()
    index, _ = indexed(data)
    touched = 0

    def counting(start: int, end: int) -> bytes:
        nonlocal touched
        touched += end - start
        return data[start:end]

    assert json.loads(value_at(index, counting, ("rows", 1_234, "id"))) == 1_234
    assert touched < 300


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ([1, 2, 3], ()),
        ({"a": [1], "b": [1, 2, 3, 4]}, ("b",)),
        ({"a": [1, 2], "b": {"c": ["x" * 50] * 9}}, ("b", "c")),
        ([{"result": {"rows": [1] * 90}}], (0, "result", "rows")),
        ({"a": 1, "b": 2}, ()),
        ({"data": {str(n): {"x": n} for n in range(50)}, "n": 1}, ("data",)),
    ],
)
def test_the_main_container_is_the_one_a_reader_would_page_through(value: Any, path: Path) -> None:
    index, _ = indexed(json.dumps(value))
    assert index.main is not None
    assert index.main.path == path


def test_two_arrays_of_less_than_half_each_give_the_larger() -> None:
    value = {"a": ["x" * 100] * 50, "b": ["y" * 100] * 60, "c": {str(n): "z" * 100 for n in range(60)}}
    index, _ = indexed(json.dumps(value))
    assert index.main is not None
    assert index.main.path == ("b",)


def test_an_object_without_weighty_arrays_is_paged_itself() -> None:
    index, _ = indexed(json.dumps({"tags": [1], "text": "x" * 9_000}))
    assert index.main is not None
    assert (index.main.path, index.main.kind) == ((), "object")


def test_text_and_json_lines_are_containers_of_lines_and_binary_is_none() -> None:
    text, get = indexed("a\n\nb\n")
    assert text.main is not None
    assert [text.main.item(get, n) for n in range(text.main.count)] == [b"a", b"", b"b"]
    lines, get = indexed('{"a":1}\n\n{"b":2}')
    assert lines.root is not None
    assert (lines.root.kind, lines.root.count) == ("records", 2)
    assert value_at(lines, get, (1, "b")) == b"2"
    binary, get = indexed(b"\x00" * 100)
    assert (binary.kind, binary.main) == (Kind.BINARY, None)
    with pytest.raises(CallerError, match="no paths"):
        value_at(binary, get, ("a",))


def test_a_line_of_text_is_read_as_a_json_string() -> None:
    index, get = indexed("one\ntwo")
    assert value_at(index, get, (1,)) == b'"two"'


@pytest.mark.parametrize(
    ("path", "what", "do"),
    [
        (".mta", "'mta' in .", ".meta"),
        (".rows[5].tag", "'tag' in .rows[5]", ".rows[5].tags"),
        (".rows.x", "'x' in .rows", "no fields"),
        (".meta[0]", ".meta is not an array", "keys"),
        (".rows[99]", ".rows has 40 items", "the last is 39"),
        (".rows[3].tags[7]", "has 2 items", "the last is 1"),
        (".rows[3].none[0]", "has 0 items", "empty"),
        (".rows[3].id.x", "'x' in .rows[3].id", "no fields"),
        (".rows[3].id[0]", "not an array", "keys"),
        ("[3]", ". is not an array", "keys"),
        (".zzzzzz", "'zzzzzz' in .", ".meta"),
    ],
)
def test_a_path_that_is_not_there_names_what_is_near(path: str, what: str, do: str) -> None:
    rows = [{"id": n, "tags": ["a", "b"], "none": [], "pad": "x" * 200} for n in range(40)]
    index, get = indexed(json.dumps({"meta": {"n": 1}, "rows": rows}))
    with pytest.raises(CallerError) as caught:
        value_at(index, get, parse(path))
    assert what in caught.value.what
    assert do in caught.value.do


def test_a_scalar_is_no_container() -> None:
    index, get = indexed('{"a":1}')
    with pytest.raises(CallerError, match="a single int"):
        container_at(index, get, ("a",))


def test_a_small_container_is_split_when_it_is_asked_for() -> None:
    index, get = indexed(json.dumps({"rows": [{"tags": ["a", "b"]} for _ in range(900)]}))
    container, get = container_at(index, get, ("rows", 7, "tags"))
    assert [container.item(get, n) for n in range(container.count)] == [b'"a"', b'"b"']


def test_the_last_of_duplicate_keys_counts() -> None:
    index, get = indexed('{"a":1,"b":[7],"a":2}')
    assert value_at(index, get, ("a",)) == b"2"
    wide = '{"a":1,' + ",".join(f'"k{n}":{n}' for n in range(1_500)) + ',"a":2}'
    index, get = indexed(wide)
    assert index.root is not None
    assert index.root.keys is None
    assert value_at(index, get, ("a",)) == b"2"
    assert value_at(index, get, ("k700",)) == b"700"


def test_a_map_of_many_small_objects_is_not_looked_into_member_by_member() -> None:
    value = {f"k{n}": {"tags": [n]} for n in range(3_000)} | {"big": {"rows": list(range(5_000))}}
    index, get = indexed(json.dumps(value))
    assert {one.path for one in index.arrays if one.items > 1} == {("big", "rows")}
    assert json.loads(value_at(index, get, ("k2999", "tags"))) == [2_999]


def test_indexing_stops_where_nesting_would_make_it_read_the_data_too_often() -> None:
    data = b'{"a":' * 300 + b'[1,2,"' + b"x" * 100_000 + b'"]' + b"}" * 300
    index, get = indexed(data)
    assert not index.complete
    assert len(index.containers) <= indexing.WORK + 1
    assert value_at(index, get, ("a",) * 300 + (1,)) == b"2"


def test_a_value_of_its_own_can_be_split() -> None:
    container = split_value(b"[10, 20]", ("x",))
    assert (container.path, container.count, container.item(reader(b"[10, 20]"), 1)) == (("x",), 2, b"20")


def test_the_keys_of_a_map_of_very_many_members_are_read_where_they_stand() -> None:
    keys = [f"k{n}" for n in range(1_500)] + ["long " * 500, 'with "quotes" ' * 200]
    index, get = indexed(json.dumps({key: {"n": number} for number, key in enumerate(keys)}))
    assert index.root is not None
    assert index.root.keys is None
    assert [index.root.key(get, number) for number in range(len(keys))] == keys
    few, get = indexed(json.dumps({"a": [1], "b": {}}))
    assert few.root is not None
    assert [few.root.key(get, number) for number in range(2)] == ["a", "b"]


def test_of_a_map_of_very_many_members_only_the_large_ones_are_indexed() -> None:
    value = {f"k{n}": {"tags": ["a"]} for n in range(1_500)} | {"large": {"tags": list(range(2_000))}}
    index, get = indexed(json.dumps(value))
    assert [one.path for one in index.containers] == [(), ("large",), ("large", "tags")]
    assert json.loads(value_at(index, get, ("k7", "tags"))) == ["a"]
