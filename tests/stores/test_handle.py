"""Handles are random and have one form; owners are told apart, and cannot be read from their keys."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.stores.handle import is_handle, key_of, new_handle, owner_key


def test_new_handles_are_valid_and_never_the_same() -> None:
    handles = {new_handle() for _ in range(2_000)}
    assert len(handles) == 2_000
    assert all(is_handle(handle) and len(handle) == 24 for handle in handles)


@given(st.text())
def test_what_has_not_the_form_of_a_handle_has_no_key(text: str) -> None:
    assert key_of("me", text) is None
    assert key_of("me", new_handle() + text[:1]) is None or not text


@given(st.text(), st.text())
def test_owners_are_told_apart(one: str, other: str) -> None:
    assert (owner_key(one) == owner_key(other)) == (one == other)
    assert len(owner_key(one)) == 32
    assert owner_key(one).isalnum()
