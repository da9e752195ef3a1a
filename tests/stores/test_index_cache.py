"""What was read last is kept, within the limit, and whatever happens the bytes are the right ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.stores.index_cache import Recent


@given(st.integers(0, 40), st.lists(st.integers(0, 9)))
def test_the_bytes_are_always_the_right_ones(limit: int, names: list[int]) -> None:
    recent = Recent(limit)
    for name in names:
        assert recent.get(name, lambda: b"%d" % name * name) == b"%d" % name * name  # noqa: B023


def test_what_was_used_last_is_not_fetched_again_and_the_oldest_goes_first() -> None:
    recent = Recent(20)
    fetched: list[str] = []

    def get(name: str) -> None:
        def fetch() -> bytes:
            fetched.append(name)
            return name.encode() * 8

        recent.get(name, fetch)

    for name in "ab a c a b".replace(" ", ""):
        get(name)
    assert fetched == ["a", "b", "c", "b"]


def test_what_is_larger_than_the_limit_is_given_and_not_kept() -> None:
    recent = Recent(10)
    assert recent.get("a", lambda: b"first" * 9) == b"first" * 9
    assert recent.get("a", lambda: b"again") == b"again"


def test_two_threads_that_fetch_the_same_count_it_once() -> None:
    recent = Recent(10)
    recent.get("a", lambda: recent.get("a", lambda: b"12345678"))
    assert recent.get("a", lambda: b"other") == b"12345678"
