"""``penstock`` with little patience: the same program, for tests of what happens when its patience ends."""

from __future__ import annotations

import sys

from penstock import cli
from penstock.gateway.stdio import connection as stdio
from penstock.stores import sqlite_file

stdio.GRACE = 0.5  # type: ignore[misc]
stdio.LAST_WORK = 1.5  # type: ignore[misc]
stdio.FIRST_WORD = 0.3  # type: ignore[misc]
stdio.TICK = 0.1  # type: ignore[misc]
sqlite_file.PATIENCE = 0.5  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(cli.main())
