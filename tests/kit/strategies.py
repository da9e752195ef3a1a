"""JSON documents for property tests, written as bytes so that their layout varies as it does in the wild."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

# Surrogates cannot be written as UTF-8; texts with them have tests of their own.
clean_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)

any_text = st.text(st.characters(exclude_categories=()), max_size=60)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**53, max_value=2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | clean_text
)

# Deferred rather than st.recursive, which draws again whatever has too many leaves: half the cost, and deeper values.
# One choice in four is a container, of two items on average, so a value ends by itself.
values: st.SearchStrategy[Any] = st.deferred(
    lambda: scalars | st.lists(values, max_size=5) | st.dictionaries(clean_text, values, max_size=5)
)
containers = st.lists(values, max_size=12) | st.dictionaries(clean_text, values, max_size=8)

# For tests that draw several of them: the cost of a test is what it draws.
small_values: st.SearchStrategy[Any] = st.deferred(
    lambda: scalars | st.lists(small_values, max_size=3) | st.dictionaries(clean_text, small_values, max_size=3)
)
small_containers = st.lists(small_values, max_size=4) | st.dictionaries(clean_text, small_values, max_size=4)

layouts: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"separators": (",", ":")},
        {},
        {"indent": 2},
        {"indent": 1, "separators": (" ,", " : ")},
        {"ensure_ascii": False},
    ]
)


@st.composite
def json_bytes(draw: st.DrawFn, of: st.SearchStrategy[Any] = containers) -> bytes:
    """A JSON document in one of several layouts."""
    layout = draw(layouts)
    blank = draw(st.sampled_from(["", " ", "\n", "\r\n\t"]))
    return (blank + json.dumps(draw(of), **layout) + blank).encode()


records = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(), "name": clean_text, "ok": st.booleans()},
        optional={"tags": st.lists(clean_text, max_size=4), "nested": small_values},
    ),
    max_size=40,
)
