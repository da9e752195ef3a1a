"""Servers and clients that nobody here wrote: installed once, then started for real."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scripts.real_parts import Parts, install, missing
from tests.kit.interaction.large import Servers

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = "tests/interaction/"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real: talks to servers and clients of others; needs node and npm")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.as_posix():
            item.add_marker("real")


@pytest.fixture(scope="session")
def parts() -> Parts:
    if absent := missing():
        pytest.skip(f"the servers of others need {', '.join(absent)}, not found on this machine")
    return install()


@pytest.fixture(scope="session")
def servers(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with Servers(parts, tmp_path_factory.mktemp("large")) as started:
        yield started
