"""JSON that is read by parts is minified to the same bytes as the whole of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.json import index, minified, scan
from penstock.core.json.minified import equal, part_end
from tests.kit.long_text import ShortBytes, cut
from tests.kit.strategies import json_bytes


@given(json_bytes(), st.integers(1, 90))
@example(json.dumps({"a": {"b": "x" * 200, "c": [["y" * 30] * 9]}, "a b": 5}, indent=3).encode(), 20)
@example(b'{"a" : {"b":[1,2,3,4]}, "a" : [1,2,3,4,"' + b"x" * 50 + b'" ] }', 8)
def test_the_pieces_are_what_the_whole_is_without_its_white_space(data: bytes, batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "BATCH", batch)
        patch.setattr(minified, "BATCH", batch)
        found = index.build(data)
        assert found is not None
        root = found.containers[0]
        pieces = list(minified.minified(ShortBytes(data), found, root.start, root.end))
    assert b"".join(pieces) == scan.minify(data.strip())


@given(st.binary(max_size=40), st.binary(max_size=3), st.integers(1, 9), st.integers(1, 9))
def test_pieces_are_equal_where_all_of_them_are(data: bytes, more: bytes, one: int, other: int) -> None:
    def pieces(of: bytes, size: int) -> Any:
        return iter(cut(of, [size]))

    assert equal(pieces(data, one), pieces(data, other))
    assert equal(pieces(data, one), pieces(data + more, other)) is (not more)
    assert equal(pieces(data + more, one), pieces(data, other)) is (not more)
    assert not equal(pieces(b"a" + data, one), pieces(b"b" + data, other))


def test_a_part_ends_before_the_white_space_and_the_comma_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minified, "NEAR", 4)
    assert [part_end(b"[12" + b" " * n + b",\n]", 5 + n) for n in range(12)] == [3] * 12
