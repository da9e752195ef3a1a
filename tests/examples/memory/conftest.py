"""A server on the sample folder, and memories of one test each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.memory_client import Talk
from tests.kit.examples.samples.memory import make_sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memory_server.database import Database
    from memory_server.library import Library


@pytest.fixture(scope="session")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """The server on the sample."""
    data = tmp_path_factory.mktemp("memory-data")
    make_sample(data / "sample")
    with Talk([str(data / "sample"), "--data", str(data)], cwd=tmp_path_factory.mktemp("elsewhere")) as talk:
        yield talk


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty memory."""
    from memory_server.database import Database

    database = Database(tmp_path / "memory.sqlite")
    yield database
    database.close()


@pytest.fixture
def library(database: Database) -> Library:
    """Its sessions."""
    from memory_server.library import Library

    return Library(database)
