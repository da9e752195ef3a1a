"""Everything in a document can be reached by its path through the index, in its original bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from penstock.core.forms.document import read
from penstock.core.json import index as indexing
from penstock.core.json import nesting, scan, whole
from penstock.core.json.index import Index, Read, build, dump, load, minified, reader, split_value
from penstock.core.json.lookup import container_at, value_at
from penstock.core.json.path import Path, parse
from penstock.errors import CallerError
from tests.kit.mapped import mapped
from tests.kit.strategies import json_bytes, records, values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def indexed(data: bytes | str) -> tuple[Index, Read]:
    document = read(data)
    return document.index, reader(document.body)


@pytest.fixture(params=[None, (60, 7, 0), (500, 64, 0), (60, 64, 10**6)], autouse=True)
def batches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with batches and chunks so small that everything is large."""
    if request.param is not None:
        monkeypatch.setattr(indexing, "BATCH", request.param[0])
        monkeypatch.setattr(scan, "RUN", request.param[1])
        monkeypatch.setattr(whole, "LARGEST_RETAINED", request.param[2])


# Each property is tried with all four sizes.
half = settings(max_examples=settings().max_examples // 2)


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*path, number))


@half
@given(json_bytes())
def test_every_value_is_found_at_its_path(data: bytes) -> None:
    index, get = indexed(data)
    for path, value in places(json.loads(data)):
        assert json.loads(value_at(index, get, path)) == value


@half
@given(json_bytes())
def test_every_container_of_the_index_is_the_one_at_its_path(data: bytes) -> None:
    index, get = indexed(data)
    for container in index.containers:
        value = at(json.loads(data), container.path)
        assert container.count == len(value)
        assert json.loads(get(container.start, container.end)) == value
        assert json.loads(container.joined(get)) == value
        together: Any = [json.loads(container.joined(get, parts)) for parts in container.batches(50)]
        assert merged(together) == (value or [])


@half
@given(json_bytes())
def test_the_depth_is_that_of_the_value(data: bytes) -> None:
    assert indexed(data)[0].depth == max(
        len(path) + isinstance(one, list | dict) for path, one in places(json.loads(data))
    )


@half
@given(json_bytes(), st.data())
def test_what_the_index_takes_is_what_the_parser_takes(data: bytes, draw: st.DataObject) -> None:
    place = draw.draw(st.integers(0, len(data) - 1))
    broken = data[:place] + draw.draw(st.sampled_from([b"", b",", b"]", b"}", b"[", b'"', b"x"])) + data[place + 1 :]
    assume(scan.is_utf8(broken))  # nothing else is ever indexed
    try:
        msgspec.json.decode(broken, type=list[msgspec.Raw] | dict[str, msgspec.Raw])
    except msgspec.MsgspecError:
        assert build(broken) is None
    else:
        assert build(broken) is not None


@pytest.mark.parametrize(
    "broken",
    [
        "[{0},]",
        "[{0} 1, 2]",
        "[{0} {0}]",
        "[x{0}]",
        "[1, {0}",
        "[{0}}}",
        '{{"a": {0},}}',
        '{{"a" {0}}}',
        '{{"a": x{0}}}',
    ],
)
def test_broken_json_is_not_indexed_wherever_it_breaks(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = broken.format(json.dumps(list(range(400)))).encode()
    assert build(whole) is None
    monkeypatch.setattr(indexing, "BATCH", 60)
    monkeypatch.setattr(scan, "RUN", 7)
    assert build(whole) is None


def test_scalars_one_after_the_other_are_no_json_values() -> None:
    assert indexing.index_values(b"1 2 3") is None


@half
@given(json_bytes())
def test_an_index_survives_being_written_to_bytes(data: bytes) -> None:
    index, _ = indexed(data)
    assert load(dump(index)) == index


@half
@given(json_bytes(st.lists(values, min_size=1, max_size=20)))
def test_items_of_a_container_are_the_items(data: bytes) -> None:
    index, get = indexed(data)
    container = container_at(index, get, ())
    assert [json.loads(container.item(get, number)) for number in range(container.count)] == json.loads(data)


@half
@given(records)
def test_large_documents_are_read_by_position(rows: list[dict[str, Any]]) -> None:
    data = json.dumps({"before": "x" * 2_000, "rows": rows * 5, "after": {"n": 1}}, indent=1)
    index, get = indexed(data)
    assert json.loads(value_at(index, get, ("after", "n"))) == 1
    for number in range(0, len(rows) * 5, 7):
        assert json.loads(value_at(index, get, ("rows", number))) == (rows * 5)[number]


def test_reading_an_item_touches_only_its_bytes() -> None:
    data = json.dumps({"rows": [{"id": n, "text": "x" * 100} for n in range(2_000)]}).encode()
    index, get = indexed(data)
    index = index.with_container(container_at(index, get, ("rows",)))
    touched = 0

    def counting(start: int, end: int) -> bytes:
        nonlocal touched
        touched += end - start
        return data[start:end]

    assert json.loads(value_at(index, counting, ("rows", 1_234, "id"))) == 1_234
    assert touched < 500
    assert index.with_container(container_at(index, get, ("rows",))) is index


def test_text_and_json_lines_are_containers_of_lines_and_binary_is_none() -> None:
    text, get = indexed("a\n\nb\n")
    assert text.root is not None
    assert [text.root.item(get, n) for n in range(text.root.count)] == [b"a", b"", b"b"]
    assert json.loads(text.root.joined(get)) == ["a", "", "b"]
    lines, get = indexed('{"a":1}\n\n{"b":2}')
    assert lines.root is not None
    assert (lines.root.kind, lines.root.count) == ("records", 2)
    assert value_at(lines, get, (1, "b")) == b"2"
    binary, get = indexed(b"\x00" * 100)
    assert (binary.root, binary.is_text) == (None, False)
    with pytest.raises(CallerError, match="no paths"):
        value_at(binary, get, ("a",))


def test_a_line_of_text_is_read_as_a_json_string() -> None:
    index, get = indexed("one\ntwo")
    assert value_at(index, get, (1,)) == b'"two"'


@pytest.mark.parametrize("path", [(0,), (0, "id"), (0, 0)])
def test_a_line_of_text_that_begins_as_json_does_has_no_parts(path: Path) -> None:
    index, get = indexed('[{"id": half\na text')
    with pytest.raises(CallerError, match="is a line of text"):
        container_at(index, get, path)


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
    container = container_at(index, get, ("rows", 7, "tags"))
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


def test_three_hundred_levels_around_a_long_string_are_indexed_and_read() -> None:
    data = b'{"a":' * 300 + b'[1,2,"' + b"x" * 100_000 + b'"]' + b"}" * 300
    index, get = indexed(data)
    assert index.depth == 301
    assert value_at(index, get, ("a",) * 300 + (1,)) == b"2"


@pytest.mark.parametrize("level", [scan.MAX_DEPTH, scan.MAX_DEPTH + 1, 100_000])
def test_json_that_is_nested_too_deep_is_not_indexed(level: int) -> None:
    assert (build(b"[" * level + b"]" * level) is not None) == (level <= scan.MAX_DEPTH)


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


def test_only_what_is_larger_than_a_batch_is_in_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "BATCH", 5_000)
    monkeypatch.setattr(scan, "RUN", 500)
    value = {f"k{n}": {"tags": ["a"]} for n in range(1_500)} | {"large": {"tags": list(range(2_000))}}
    index, get = indexed(json.dumps(value))
    assert [one.path for one in index.containers] == [(), ("large",), ("large", "tags")]
    assert json.loads(value_at(index, get, ("k7", "tags"))) == ["a"]


@half
@given(json_bytes())
def test_json_without_white_space_is_the_same_piece_by_piece(data: bytes) -> None:
    for one in (data, mapped(data), memoryview(data)):
        assert b"".join(minified(one)) == scan.minify(data)


def test_a_long_string_among_members_is_a_piece_of_its_own() -> None:
    data = json.dumps({"a": [1, 2], "long": "x , y" * 300_000, "z": {"b": ["c"] * 9}}, indent=2).encode()
    assert b"".join(minified(data)) == scan.minify(data)


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def merged(parts: list[Any]) -> Any:
    if parts and isinstance(parts[0], dict):
        return {key: value for part in parts for key, value in part.items()}
    return [item for part in parts for item in part]


@pytest.mark.parametrize(
    "item",
    [
        lambda n: {"id": n, "text": f'a "quoted" \\ text {{[ {n}'},
        lambda n: {"id": n, "inner": [{"id": m, "v": [m]} for m in range(n % 40)]},  # the same gap deeper down
        lambda n: {"id": n, "text": '},{"id": in a text'},
        lambda n: {f"key {n}": n, "deep": [[[n]]] if n == 350 else n},  # no gap is like another
        lambda n: [n, [n]],
    ],
)
def test_items_of_large_arrays_are_found_without_following_brackets(
    item: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "BATCH", 2_048)
    monkeypatch.setattr(scan, "RUN", 1_024)
    items = [item(n) for n in range(400)]
    for separators in ((",", ":"), (",\n ", ": ")):
        body = json.dumps(items, separators=separators).encode()
        found = build(body)
        assert found is not None
        root = found.root
        assert root is not None
        assert [json.loads(root.item(reader(body), n)) for n in range(root.count)] == items
        assert found.depth == nesting.depth(body)
