"""The client and the server of the measurements: programs of their own, which are not part of this repository."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PLACE = "PENSTOCK_BENCH"
FILES = ("bench.py", "upstream.py", "floor_pump.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """The folder with the three programs, and the Python that runs the client (one that can count tokens)."""

    folder: Path
    python: str = sys.executable

    @property
    def client(self) -> str:
        return str(self.folder / "bench.py")

    @property
    def upstream(self) -> tuple[str, str]:
        return (sys.executable, str(self.folder / "upstream.py"))

    @property
    def floor(self) -> tuple[str, ...]:
        return (sys.executable, str(self.folder / "floor_pump.py"), "--", *self.upstream)

    def module(self) -> Any:
        """The client as a module, for conversations that it has no suite for."""
        spec = importlib.util.spec_from_file_location("measuring_client", self.client)
        if spec is None or spec.loader is None:
            raise SystemExit(f"{self.client} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def find() -> Kit | str:
    """The kit, or one line on what is missing."""
    folder = Path(os.environ.get(PLACE) or ROOT.parent / "shared" / "bench").resolve()
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        return f"not measured: {', '.join(missing)} not found in {folder}; name their folder in {PLACE}"
    if not Path("/proc/self/status").exists():
        return "not measured: the client reads memory from /proc, so it needs Linux"
    return Kit(folder=folder)
