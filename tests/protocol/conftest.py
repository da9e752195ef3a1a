"""One sandbox for all tests that read what was held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.query.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as sandbox:
        yield sandbox
