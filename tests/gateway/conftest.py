"""What every test here must keep to."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.gateway.receiving import Receiver
from tests.kit.processes import nothing_is_left_behind

__all__ = ["nothing_is_left_behind"]


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the lines that were handled while they arrived."""
    sizes: list[int] = []
    receive = Receiver.receive

    def noted(self: Receiver, exchange: Any, parts: Any) -> Any:
        commands = receive(self, exchange, parts)
        sizes.append(parts.size)
        return commands

    monkeypatch.setattr(Receiver, "receive", noted)
    return sizes
