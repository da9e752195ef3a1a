"""Import the packages of the examples as each ``server.py`` does."""

from __future__ import annotations

import sys

from tests.kit.examples.client import EXAMPLES

sys.path[:0] = [str(folder) for folder in sorted(EXAMPLES.iterdir()) if folder.is_dir()]
