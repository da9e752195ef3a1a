"""Import the packages of the examples as each ``server.py`` does: importing their samples sets the path."""

from __future__ import annotations

import tests.kit.examples.samples  # noqa: F401
