"""One sandbox for all tests that read what was held, and a scene with a small budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.config import Config
from penstock.query.sandbox.sandbox import Sandbox
from tests.kit.protocol.scenes import Scene

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as sandbox:
        yield sandbox


@pytest.fixture
def scene(sandbox: Sandbox) -> Scene:
    return Scene(sandbox, Config(max_tokens=3_000))
