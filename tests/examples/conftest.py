"""The packages of the examples can be imported, as each ``server.py`` lets its own be."""

from __future__ import annotations

import sys

from tests.examples.talk import EXAMPLES

sys.path[:0] = [str(folder) for folder in sorted(EXAMPLES.iterdir()) if folder.is_dir()]
