"""A share's key tells groups apart, and the parts of a group, and shows neither."""

from __future__ import annotations

from penstock.share import Share


def test_parts_of_a_group_have_the_first_half_of_their_keys_in_common() -> None:
    one, other = Share("address", "session 1").key, Share("address", "session 2").key
    assert one[:16] == other[:16]
    assert one[16:] != other[16:]
    assert Share("elsewhere", "session 1").key[:16] != one[:16]


def test_a_key_is_32_digits_for_any_name() -> None:
    for share in (Share(""), Share("\ud800", "x" * 10_000), Share("token:abc")):
        assert len(share.key) == 32
        assert set(share.key) <= set("0123456789abcdef")
