"""For tests of permissions, which do not bind root: a while as somebody else, and a folder that both can reach."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65_534


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that another user can reach, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="pen"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Permissions do not bind root; for a while we are somebody else."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
