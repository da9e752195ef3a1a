"""The process that makes an index reads its pipe as one text, of which it keeps the last parts."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.gate import follower
from penstock.gate.follower import PassedError, PassingBytes

DATA = bytes(range(256)) * 8


@given(st.lists(st.tuples(st.integers(0, len(DATA) + 9), st.integers(0, 700)), max_size=12), st.integers(1, 300))
def test_what_is_kept_reads_as_the_text_and_what_is_not_is_an_error(spans: list[tuple[int, int]], part: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(follower, "PART", part)
        passing = PassingBytes(io.BytesIO(DATA).read)
        reached = 0
        for start, size in spans:
            reached = max(reached, min(start + size, len(DATA)))
            try:
                assert passing.read(start, start + size) == DATA[start : start + size]
            except PassedError:
                assert start < reached - (follower.KEPT - 1) * part
        assert passing.size == len(DATA)
        assert passing.read(len(DATA) - 1, len(DATA) + 5) == DATA[-1:]
        assert passing.read(len(DATA), len(DATA) + 5) == b""
