"""The folders that the tests, the benches and the documentation of the examples use; one module makes each.

The packages of the examples are imported as each ``server.py`` does.
"""

from __future__ import annotations

import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
sys.path[:0] = [str(folder) for folder in sorted(EXAMPLES.iterdir()) if folder.is_dir()]
