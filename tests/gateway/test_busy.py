"""While anything long arrives, threads take shorter turns; then as long ones as before."""

from __future__ import annotations

import sys

import pytest

from penstock.gateway.busy import SHORT, Busy


def test_turns_are_short_until_the_last_one_has_left() -> None:
    before = sys.getswitchinterval()
    turns = Busy()
    with turns:
        with turns:
            assert sys.getswitchinterval() == pytest.approx(SHORT)
        assert sys.getswitchinterval() == pytest.approx(SHORT)
    assert sys.getswitchinterval() == pytest.approx(before)


def test_an_error_inside_ends_them_too() -> None:
    before = sys.getswitchinterval()
    with pytest.raises(KeyError), Busy():
        raise KeyError
    assert sys.getswitchinterval() == pytest.approx(before)
