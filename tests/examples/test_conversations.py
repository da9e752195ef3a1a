"""The conversations that the documentation of each example shows are held once more, on the sample of the tests."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

import pytest
from fastmcp import Client
from mcp_types import Implementation
from tests.kit.examples.client import EXAMPLES, Talk, piped
from tests.kit.examples.conversations import pages, replay

if TYPE_CHECKING:
    from pathlib import Path

NAMES: Final = ("code", "memory", "security", "unity", "vault")
KEEPS_DATA: Final = ("memory", "security", "vault")
PAGES: Final = [(name, page) for name in NAMES for page in pages(EXAMPLES / name)]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample of each example."""
    folder = tmp_path_factory.mktemp("samples")
    for name in NAMES:
        import_module(f"tests.kit.examples.samples.{name}").make_sample(folder / name)
    return folder


@pytest.mark.parametrize(("name", "page"), PAGES, ids=lambda value: getattr(value, "stem", value))
def test_the_server_answers_as_its_page_shows(name: str, page: Path, samples: Path, tmp_path: Path) -> None:
    data = ["--data", str(tmp_path)] if name in KEEPS_DATA else []
    transport = piped(EXAMPLES / name, [str(samples / name), *data], tmp_path)
    with Talk(Client(transport, client_info=Implementation(name="claude-code", version="2.0.0"))) as talk:
        replay(talk, page)
