"""Import the packages of the examples as each ``server.py`` does, and start each example's server once.

Tests that read from a session's server are one group: pytest-xdist gives a group to one worker (``--dist loadgroup``),
so that five servers start, not one for each worker and example.
"""

from __future__ import annotations

import sys

import pytest
from tests.examples.talk import EXAMPLES

sys.path[:0] = [str(folder) for folder in sorted(EXAMPLES.iterdir()) if folder.is_dir()]


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/examples/" in item.path.as_posix() and {"talk", "crowded"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group(f"example-{item.path.parent.name}"))
