"""A server on the sample vault, for all tests that only read; web servers and vaults for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.samples.vault import make_sample
from tests.kit.examples.vault_client import Talk
from tests.kit.examples.web_site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample in it, for what the server keeps."""
    data = tmp_path_factory.mktemp("vault-data")
    make_sample(data / "sample")
    return data


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """A web server on this machine."""
    with Site() as site:
        yield site


@pytest.fixture(scope="session")
def talk(data: Path, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """The server on the sample. It may ask our web server, and nobody else."""
    options = [str(data / "sample"), "--data", str(data), "--allow-host", site.host]
    with Talk(options, cwd=tmp_path_factory.mktemp("elsewhere")) as talk:
        yield talk


@pytest.fixture(scope="session")
def sample(talk: Talk, data: Path) -> Path:
    """The folder of the sample vault that the server has made."""
    talk.told("discover")
    return data / "sample"
