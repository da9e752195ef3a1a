"""A server on the sample project, scanned once, for all tests that only read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.kit.examples.samples.security import make_sample
from tests.kit.examples.security_client import Talk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample in it, for what the server keeps."""
    data = tmp_path_factory.mktemp("security-data")
    make_sample(data / "sample")
    return data


@pytest.fixture(scope="session")
def talk(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """The server on the sample."""
    with Talk([str(data / "sample"), "--data", str(data)], cwd=tmp_path_factory.mktemp("elsewhere")) as talk:
        yield talk


@pytest.fixture(scope="session")
def scanned(talk: Talk) -> dict[str, Any]:
    """The answer to a scan of all of the sample project with all engines."""
    told: dict[str, Any] = talk.told("scan")
    return told


@pytest.fixture(scope="session")
def sample(scanned: dict[str, Any], data: Path) -> Path:
    """The folder of the sample project that the server has made."""
    assert scanned["status"] == "completed"
    return data / "sample"
