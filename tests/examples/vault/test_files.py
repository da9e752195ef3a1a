"""Files in columns are the files, in the order of their paths, whatever order they came in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vault_server import catalog as module
from vault_server.catalog import Ahead, Catalog
from vault_server.files import File, Files

LARGE = st.integers(0, 2**62)
FILES = st.lists(
    st.builds(
        File,
        id=LARGE,
        path=st.text(max_size=6),
        size=LARGE,
        mtime_ns=LARGE,
        ctime_ns=LARGE,
        is_note=st.booleans(),
        tags=st.tuples(st.text(max_size=3)),
    ),
    unique_by=(lambda file: file.path, lambda file: file.id),
)


@given(FILES)
def test_files_in_columns_are_the_files_in_the_order_of_their_paths(files: list[File]) -> None:
    columns, ordered = Files(files), sorted(files, key=lambda file: file.path)
    assert [*columns] == ordered
    assert columns[1:3] == ordered[1:3]
    assert [columns.place(file.path) for file in ordered] == [*range(len(files))]
    assert [columns.place_of(file.id) for file in ordered] == [*range(len(files))]
    assert columns.place("not there") is columns.place_of(-1) is None
    assert [*columns.where(columns.notes)] == [file for file in ordered if file.is_note]


@given(FILES, st.lists(st.integers(0, 9)))
def test_what_is_read_ahead_is_what_the_index_has_whichever_way_a_query_goes(files: list[File], way: list[int]) -> None:
    known = Catalog.of(files)
    loads: list[list[int]] = []

    def load(numbers: list[int]) -> dict[int, str]:
        loads.append(numbers)
        return {number: f"of {number}" for number in numbers if number % 3}

    ahead, before = Ahead(known, load, str), (module.AHEAD, module.MOST_PARTS)
    module.AHEAD, module.MOST_PARTS = 2, 3  # type: ignore[misc]
    try:
        for place in (one for one in (*range(len(files)), *way) if one < len(files)):
            number = known.files.ids[place]
            assert ahead.get(place) == (f"of {number}" if number % 3 else None)
    finally:
        module.AHEAD, module.MOST_PARTS = before  # type: ignore[misc]
    assert all(len(one) <= 2 for one in loads)
