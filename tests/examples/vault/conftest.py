"""A server on the sample vault, for all tests that only read; web servers and vaults for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.vault_client import Talk
from tests.kit.examples.web_site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps the sample vault."""
    return tmp_path_factory.mktemp("vault-data")


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A web server on this machine."""
    with Site() as site:
        yield site


@pytest.fixture(scope="session")
def talk(data: Path, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """The server as it starts without a vault: it makes one. It may ask our web server, and nobody else."""
    options = ["--data", str(data), "--allow-host", site.host]
    with Talk(options, cwd=tmp_path_factory.mktemp("elsewhere")) as talk:
        yield talk


@pytest.fixture(scope="session")
def sample(talk: Talk, data: Path) -> Path:
    """The folder of the sample vault that the server has made."""
    talk.told("discover")
    return data / "sample"
