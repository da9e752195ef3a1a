"""Make the gate's net for unforeseen errors let them through: in a test each of them is a failure.

The gate raises the error instead of holding the result as plain text. A gateway or a middleware around the gate may
catch it again, so it is also remembered, and the test fails at its end.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from penstock.unforeseen import Incidents, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

AS_EVER: Final = Incidents.note
_raised_errors: Final[list[str]] = []


def let_unforeseen_errors_through() -> None:
    """Raise what the gate would catch and report, in this process, from now on."""
    setattr(Incidents, "note", _raised)  # noqa: B010  (a method may not be assigned to)


def with_net(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the gate catch unforeseen errors in one test, as it does for users."""
    monkeypatch.setattr(Incidents, "note", AS_EVER)


@contextmanager
def no_incidents() -> Iterator[None]:
    """Fail if the gate meets an unforeseen error that it would have caught, even if something else catches it."""
    _raised_errors.clear()
    yield
    met = list(_raised_errors)
    _raised_errors.clear()
    assert not met, f"the gate met unforeseen errors: {met}; a test that expects them calls strict.with_net"


def _raised(_: Incidents, error: Exception, doing: str, outcome: str) -> None:
    _raised_errors.append(f"{type(error).__name__} in {doing} at {place_of(error)}")
    raise error
