"""The structure of JSON: maps and records told apart, places bounded, numbers of all sizes, documents of all sizes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.forms.document import read
from penstock.core.forms.json_values import retained
from penstock.core.forms.recognise import read_form
from penstock.core.forms.structure_reader import MAX_PLACES, read_structure
from penstock.core.json import whole
from penstock.core.json.path import EACH, KEY, Path
from penstock.core.json.whole import decode
from tests.kit.forms.facts import main_of, names_of, reading_of, rows_of
from tests.kit.strategies import containers

if TYPE_CHECKING:
    from collections.abc import Iterator


def paths_of(value: Any, path: Path = ()) -> set[Path]:
    """The paths of all values, with the indexes left open."""
    found = {path}
    if isinstance(value, dict):
        for key, one in value.items():
            found |= paths_of(one, (*path, key))
    elif isinstance(value, list):
        for one in value:
            found |= paths_of(one, (*path, EACH))
    return found


@given(containers)
def test_places_are_the_paths_of_all_values(value: Any) -> None:
    structure = read_structure(read(json.dumps(value)))
    known = dict(structure.places)
    assert structure.exact
    if any(KEY in path or place.is_tree for path, place in known.items()):
        return
    assert {path for path, place in known.items() if place.count} == paths_of(value)


own = {"name": st.sampled_from("ab"), "type": st.sampled_from(["x", "y"])}
loose: st.SearchStrategy[Any] = st.none() | st.just("text") | st.just([]) | st.just({})
nodes: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries(own),
    lambda inner: st.fixed_dictionaries(
        own,
        optional={
            "children": st.lists(inner | loose, max_size=4) | loose,
            "next": inner | loose,
            "by": st.dictionaries(st.sampled_from(["/a", "/b", "/c"]), inner | loose, max_size=3) | loose,
        },
    ),
    max_leaves=30,
)


def values_of(value: Any) -> Iterator[Any]:
    """A value, and all inside it."""
    yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from values_of(one)


@given(st.lists(nodes | loose, min_size=1, max_size=4))
def test_every_value_of_a_tree_is_learned_once_whatever_hangs_among_its_nodes(roots: list[Any]) -> None:
    value = json.loads(json.dumps({"roots": roots}))
    places = [place for _, place in read_structure(read(json.dumps(value))).places]
    every = list(values_of(value))
    assert sum(place.count for place in places) == len(every)
    assert sum(place.objects for place in places) == sum(isinstance(one, dict) for one in every)
    assert sum(place.arrays for place in places) == sum(isinstance(one, list) for one in every)
    assert sum(place.items for place in places) == sum(len(one) for one in every if isinstance(one, list))
    assert sum(place.column.filled for place in places) == sum(isinstance(one, str) for one in every)


@pytest.mark.parametrize("edge", ["children", "next", "by"])
def test_what_is_no_node_is_learned_where_it_hangs_among_nodes(edge: str) -> None:
    def node(depth: int) -> dict[str, Any]:
        inner = node(depth - 1) if depth else None
        others = [] if depth > 3 else [None, "x"]
        hanging = {
            "children": [inner, *others],
            "next": inner or "x",
            "by": {"/a": inner, "/b": node(0) if inner else 1},
        }
        return {"name": "n", "size": depth, edge: hanging[edge]}

    data = {"roots": [node(6), node(5)]}
    structure = read_structure(read(json.dumps(data)))
    every = list(values_of(data))
    assert any(place.is_tree for _, place in structure.places)
    assert sum(place.count for _, place in structure.places) == len(every)
    sizes = [place.fields["size"].column for _, place in structure.places if "size" in place.fields]
    assert sum(one.filled for one in sizes) == sum(isinstance(one, dict) and "size" in one for one in every)


def unlike(number: int) -> dict[str, Any]:
    """Fields that nothing else has, with values of several kinds."""
    return {f"own{number}{at}": value for at, value in enumerate(([1], {"a": 1}, "x", 2))}


@pytest.mark.parametrize(
    ("value", "is_map"),
    [
        ({"2024-01-01": 1, "2024-01-02": 2}, True),
        ({"src/a.py": {"n": 1}}, True),
        ({"src/a.py": 1}, False),  # one scalar says nothing
        ({"1": 1, "2": "x"}, False),  # values of two classes
        ({"1": 1, "2": 2.5, "3": None}, True),
        ({"name": "x", "age": 3}, False),
        ({chr(97 + n) * 3: {"size": n, "at": n} for n in range(12)}, True),
        ({chr(97 + n) * 3: {"size": n, "at": n} for n in range(11)}, False),
        ({chr(97 + n) * 3: {f"{chr(97 + n)}{m}x": m for m in "pq"} for n in range(12)}, True),  # maps in a map
        ({chr(97 + n) * 3: {f"only_{chr(97 + n)}": "x"} for n in range(12)}, True),
        ({chr(97 + n) * 3: [{"size": n}] for n in range(12)}, True),
        ({chr(97 + n) * 3: [] for n in range(12)}, True),
        ({chr(97 + n) * 3: [n] if n % 2 else ["x"] for n in range(12)}, False),
        ({chr(97 + n) * 3: n for n in range(12)}, True),
        ({chr(97 + n) * 3: n for n in range(11)}, False),
        ({chr(97 + n) * 3: None for n in range(12)}, False),
        # Things of several kinds that say what they are, by two fields; by one it could be any object.
        ({chr(97 + n) * 3: {"is": "x", "id": n, **unlike(n)} for n in range(12)}, True),
        ({chr(97 + n) * 3: {"is": "x", **unlike(n)} for n in range(12)}, False),
    ],
)
def test_objects_that_are_maps_are_told_from_records(value: dict[str, Any], is_map: bool) -> None:
    root = read_structure(read(json.dumps({"field": value, "other": "x"}))).root
    assert (root.fields["field"].keyed is not None) == is_map


def test_objects_with_keys_of_their_own_are_maps() -> None:
    letters = [chr(97 + n) * 3 for n in range(26)]
    rows = [{"id": n, "counts": {letters[(n * 3 + m) % 26]: m for m in range(3)}} for n in range(26)]
    counts = read_structure(read(json.dumps(rows))).root.each
    assert counts is not None
    assert counts.fields["counts"].keyed is not None
    assert counts.fields["counts"].most == 3


@given(st.integers(min_value=-(10**30), max_value=10**30))
def test_numbers_are_exact(number: int) -> None:
    assert decode(b"[%d]" % number) == [number]


def test_numbers_that_nothing_holds_are_read() -> None:
    digits = "9" * 5_000
    assert decode(f"[1e999, -1e999, {digits}]".encode()) == ["1e999", "-1e999", digits]
    reading = reading_of(f"[1, 2, {digits}]")
    assert main_of(reading).count == 3
    assert main_of(reading_of("[1e999, -1e999, 1]")).fields[0].column.filled == 3


def test_more_places_than_are_kept_are_only_known_to_be_there() -> None:
    rows = [{f"{'k' * (m % 50 + 1)}{'m' * (m // 50)}_{n % 3}": m for m in range(600)} for n in range(6)]
    structure = read_structure(read(json.dumps(rows)))
    assert len(structure.places) <= MAX_PLACES + 2
    each = structure.root.each
    assert each is not None
    assert each.more
    assert reading_of(rows).shape.endswith("…}]")


def test_types_of_objects_are_noted_unless_they_are_names() -> None:
    many = read_structure(read(json.dumps([{"type": f"t{n}", "x": 1} for n in range(300)]))).root.each
    few = read_structure(read(json.dumps([{"type": f"t{n % 3}", "x": 1} for n in range(300)]))).root.each
    assert many is not None
    assert few is not None
    assert many.types is None
    assert few.types == ("type", {"t0", "t1", "t2"})


def test_a_type_that_is_an_object_is_none_that_is_noted() -> None:
    values = [{"type": {"of": "t"} if n % 2 else f"t{n % 3}", "x": 1} for n in range(30)]
    place = read_structure(read(json.dumps(values))).root.each
    assert place is not None
    assert place.types == ("type", {"t0", "t1", "t2"})


@pytest.fixture
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are read as those are whose values are too large to be kept."""
    monkeypatch.setattr(whole, "LARGEST_RETAINED", 0)


@pytest.mark.usefixtures("_nothing_kept")
@pytest.mark.parametrize(
    "value",
    [
        [[{"id": m, "text": "word " * 20} for m in range(12_000)] for _ in range(2)],
        {"one": {"two": [{"id": m, "text": "word " * 20} for m in range(12_000)], "x": 1}, "y": [1, 2]},
        {"big": "x" * 1_200_000, "rows": [{"id": m, "text": "word " * 20} for m in range(12_000)]},
    ],
)
def test_large_containers_inside_of_others_are_read_by_batches(value: Any) -> None:
    document = read(json.dumps(value))
    reading = read_form(document)
    truth = json.dumps(value).count('"id"')
    assert main_of(reading).count == truth
    assert "id" in names_of(main_of(reading))
    assert [row["id"] for row in rows_of(reading)] == [n % 12_000 for n in range(truth)]


@pytest.mark.usefixtures("_nothing_kept")
def test_large_members_of_a_map_are_counted_with_the_others() -> None:
    sizes = [5, 3, 12_000, 4, 9_000]
    value = {
        f"{at}/x": {"n": at, "rows": [{"id": m, "text": "word " * 20} for m in range(size)]}
        for at, size in enumerate(sizes)
    }
    document = read(json.dumps(value))
    root = read_structure(document).root
    assert root.keyed is not None
    assert root.keys is not None
    assert root.keyed.count == root.keyed.objects == root.keys.filled == root.most == len(sizes)
    assert root.keyed.fields["rows"].items == sum(sizes)
    reading = read_form(document)
    assert main_of(reading).count == sum(sizes)
    assert [row["id"] for row in rows_of(reading)] == [m for size in sizes for m in range(size)]


@pytest.mark.usefixtures("_nothing_kept")
def test_rows_that_differ_in_length_late_have_no_columns() -> None:
    rows: list[list[Any]] = [[n, f"text {'x' * 20} {n}"] for n in range(60_000)]
    reading = reading_of([*rows, [1, 2, 3]])
    assert reading.form == "values"
    assert reading.shape in ("[[int|str]]", "[[str|int]]")
    items = read_structure(read(json.dumps([*rows, [1, 2, 3]]))).root.each
    assert items is not None
    assert items.each is not None
    assert (items.items, items.each.count, items.each.column.filled) == (120_003, 120_003, 120_003)


def test_a_large_document_with_nothing_in_it_is_read() -> None:
    assert reading_of("[" + " " * 17_000_000 + "]").words == "an array of 0 items, 1 level deep"


def test_values_that_were_let_go_are_made_again() -> None:
    document = read(json.dumps([{"id": at, "name": f"n{at}"} for at in range(20)]))
    reading = read_form(document)
    before = rows_of(reading)
    document.forget_values()
    assert rows_of(reading) == before


@pytest.mark.parametrize("text", ['{"a": 1}\n{"a": 2}', '{"a": 1e999}\n{"a": 2}', '[{"a": 1}, {"a": 2}]'])
def test_json_of_every_kind_has_the_same_values_when_they_are_made_again(text: str) -> None:
    document = read(text)
    before = retained(document)
    document.forget_values()
    assert retained(document) == before
    assert retained(document) is not before
    assert [row["a"] for row in before] in ([1, 2], ["1e999", 2])


@pytest.mark.parametrize("part", [{"x": 1, "y": "abc" * 40}, [1, "abc" * 40]])
def test_an_object_whose_members_are_all_large_is_a_map(part: Any) -> None:
    reading = reading_of({f"host/{at}": [part] * 9_000 for at in range(6)})  # more than 1 MB each: see BATCH
    assert reading.shape.startswith("{<key>: [")
    assert main_of(reading).count == 54_000


def test_an_object_with_names_and_large_members_is_no_map() -> None:
    large = [{"x": 1, "y": "abc" * 40}] * 9_000
    structure = read_structure(read(json.dumps({"first": large, "second": large, "third": 3})))
    assert set(structure.root.fields) == {"first", "second", "third"}


def test_objects_with_other_keys_and_values_of_several_types_are_no_maps() -> None:
    document = read(b'{"a": {"o": {"x": 1}}, "b": {"o": {"y": "z", "n": 2}}}')
    structure = read_structure(document)
    assert all(place.keyed is None for _, place in structure.places)
    document.once("structure", lambda _: structure)
    document.release()
    assert not structure.root.fields
    document.release()  # nothing is left to part
