"""A look at three parts of a text tells its tokens well enough for figures."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.tokens.count import count
from penstock.core.tokens.glance import WINDOW, glance


@given(st.binary(max_size=3 * WINDOW))
def test_a_short_text_is_counted_whole(raw: bytes) -> None:
    assert glance(raw) == count(raw, exact=False)


@given(
    st.lists(st.sampled_from(["word ", "a longer sentence, with signs. ", '{"id": 17, "ok": true}, ']), min_size=400)
)
def test_a_long_text_is_told_within_a_third(parts: list[str]) -> None:
    raw = json.dumps("".join(parts)).encode()
    whole, likely = count(raw, exact=False), glance(raw)
    assert whole.tokens * 2 / 3 <= likely.tokens <= whole.tokens * 4 / 3
    assert likely.tokens <= likely.upper
