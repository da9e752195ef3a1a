"""A server on the sample, for all tests that only read; small folders for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.kit.examples.code_client import Talk
from tests.kit.examples.samples.code import make_sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample in it, for what the server keeps."""
    data = tmp_path_factory.mktemp("code-data")
    make_sample(data / "sample")
    return data


@pytest.fixture(scope="session")
def talk(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """The server on the sample."""
    with Talk([str(data / "sample")], cwd=tmp_path_factory.mktemp("elsewhere")) as talk:
        yield talk


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A small folder of Python code."""
    folder = tmp_path / "code"
    (folder / "harbour").mkdir(parents=True)
    (folder / "harbour/__init__.py").write_text("")
    (folder / "harbour/tide.py").write_text("def height(hour: int) -> int:\n    return hour * 2\n")
    (folder / "harbour/plan.py").write_text("from harbour.tide import height\n\nNOON = height(12)\n")
    return folder
