"""``penstock`` with less than it would have: ``limited.py LIMIT WORDS...`` starts ``penstock WORDS...`` under it."""

from __future__ import annotations

import ctypes
import os
import resource
import sys

DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2  # as Linux numbers them


def small_files() -> None:
    """As a full disk: no file may grow beyond what an almost empty store takes. That of a coverage measurement would
    be cut short too, so there is none."""
    for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
        del os.environ[name]
    resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))


def permissions() -> None:
    """Those of files do not bind root, unless it gives up that power before the program starts."""
    if os.geteuid() == 0:
        for power in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            assert ctypes.CDLL(None).prctl(DROP, power, 0, 0, 0) == 0


if __name__ == "__main__":
    {"small_files": small_files, "permissions": permissions}[sys.argv[1]]()
    os.execv(sys.executable, [sys.executable, "-m", "penstock", *sys.argv[2:]])
