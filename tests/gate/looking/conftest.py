"""A gate and a user who looks at its store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.gate.looking import Looking
from tests.gate.conftest import Desk, desk, sandbox

if TYPE_CHECKING:
    from penstock.query.sandbox.sandbox import Sandbox

__all__ = ["desk", "sandbox"]


@pytest.fixture
def looking(desk: Desk, sandbox: Sandbox) -> Looking:
    return Looking(desk.store, desk.gate.config, now=desk.clock, sandbox=sandbox)
