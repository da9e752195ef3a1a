"""Make the gate's net for unforeseen errors let them through: in a test each of them is a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.unforeseen import Incidents

if TYPE_CHECKING:
    import pytest

AS_EVER: Final = Incidents.note


def let_unforeseen_errors_through() -> None:
    """Raise what the gate would catch and report, in this process, from now on."""
    setattr(Incidents, "note", _raised)  # noqa: B010  (a method may not be assigned to)


def with_net(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the gate catch unforeseen errors in one test, as it does for users."""
    monkeypatch.setattr(Incidents, "note", AS_EVER)


def _raised(_: Incidents, error: Exception, doing: str, outcome: str) -> None:
    raise error
