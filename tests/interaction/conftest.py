"""Servers and clients that nobody here wrote: installed once, then started for real."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scripts.real_parts import Parts, install, missing
from tests.kit.interaction.large import Servers

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def parts() -> Parts:
    if absent := missing():
        pytest.skip(f"the servers of others need {', '.join(absent)}, not found on this machine")
    return install()


@pytest.fixture(scope="session")
def servers(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with Servers(parts, tmp_path_factory.mktemp("large")) as started:
        yield started
