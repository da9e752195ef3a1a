"""A server on the sample project, for all tests that only read; small projects for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.samples.unity import make_sample
from tests.kit.examples.unity_client import Talk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample in it, for what the server keeps."""
    data = tmp_path_factory.mktemp("unity-data")
    make_sample(data / "sample")
    return data


@pytest.fixture(scope="session")
def talk(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """The server on the sample."""
    with Talk([str(data / "sample")], cwd=tmp_path_factory.mktemp("elsewhere")) as talk:
        yield talk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project of one's own: empty, with a log in which nothing has happened yet."""
    (tmp_path / "Assets").mkdir()
    (tmp_path / "Logs").mkdir()
    (tmp_path / "Logs/Editor.log").write_text("")
    return tmp_path
