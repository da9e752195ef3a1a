"""Classes of plain fields behave as dataclasses do where the package relies on it."""

from __future__ import annotations

import pytest
from msgspec import field

from penstock.core.plain import Plain


class Point(Plain, frozen=True, kw_only=True):
    x: int
    y: int = 0


class Marks(Plain):
    names: list[str] = field(default_factory=list)


def test_values_with_the_same_fields_are_equal_and_one_key() -> None:
    assert Point(x=1) == Point(x=1, y=0) != Point(x=1, y=2)
    assert {Point(x=1): "a"}[Point(x=1, y=0)] == "a"
    assert repr(Point(x=1)) == "Point(x=1, y=0)"


def test_a_frozen_value_cannot_be_changed_and_fields_are_given_by_name() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(TypeError):
        Point(1)  # type: ignore[call-arg]


def test_no_two_values_share_what_a_default_makes() -> None:
    one, other = Marks(), Marks()
    one.names.append("a")
    assert other.names == []
