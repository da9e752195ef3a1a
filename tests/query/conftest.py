"""One pool of workers for all tests of a file: they start slowly and are meant to be used again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.query.sandbox.sandbox import JobLimits, Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1, limits=JobLimits(seconds=20, output=4_000_000, rows=1_000)) as pool:
        yield pool
