"""The package as a whole: its public names, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import penstock


def test_every_public_name_can_be_imported() -> None:
    for name in penstock.__all__:
        assert getattr(penstock, name) is not None
    assert set(dir(penstock)) == set(penstock.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        penstock.no_such_name  # noqa: B018


def test_the_library_pulls_in_no_event_loop_no_validation_framework_and_no_terminal() -> None:
    code = "import sys; from penstock import *; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"asyncio", "pydantic", "rich", "yaml", "argparse", "splintr"} & set(loaded)


def test_the_bare_import_loads_nothing_of_the_core() -> None:
    code = "import sys; import penstock; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not [name for name in loaded if name.startswith(("penstock.core", "msgspec"))]
