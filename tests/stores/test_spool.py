"""A spool gives back the bytes that were written to it, from memory or from a file that has no name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from penstock.stores.spool import IN_MEMORY, Spool

if TYPE_CHECKING:
    from pathlib import Path


@given(st.lists(st.binary(max_size=50)), st.integers(0, 99), st.integers(0, 99))
def test_a_span_is_that_of_all_bytes(parts: list[bytes], start: int, end: int) -> None:
    spool = Spool(None, may_write=True)
    for part in parts:
        spool.append(part)
    assert len(spool) == len(b"".join(parts))
    assert spool.read(start, max(start, end)) == b"".join(parts)[start : max(start, end)]


def test_what_is_too_much_for_the_memory_is_in_a_file_that_no_folder_lists(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path), may_write=True)
    spool.append(b"a" * (IN_MEMORY - 1))
    spool.append(b"bc")
    spool.append(b"d")
    assert list(tmp_path.iterdir()) == []
    assert spool.read(IN_MEMORY - 2, IN_MEMORY + 5) == b"abcd"
    spool.close()
    assert len(spool) == 0
    spool.append(b"new")
    assert spool.read(0, 9) == b"new"


def test_a_spool_that_may_not_write_stays_in_memory(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "nowhere"), may_write=False)
    spool.append(bytes(IN_MEMORY + 1))
    assert len(spool.read(0, IN_MEMORY + 9)) == IN_MEMORY + 1
